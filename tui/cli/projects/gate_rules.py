"""``podium gate policy``, ``criteria …`` and ``condition …``: who decides at a gate, and what it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from core.actions.workflow.gate_conditions import ListConditions, WaiveCondition
from core.actions.workflow.gate_criteria import (
    AddCriterion,
    EditCriterion,
    ListCriteria,
    MeetCriterion,
    RemoveCriterion,
    TakeBackCriterion,
)
from core.actions.workflow.gate_policy import RemoveGatePolicy, SetGatePolicy
from core.actions.workflow.gates import CheckGate, GateCheck
from core.domain.gate_policy import CriterionKind, Deciding, GateCondition, GateCriterion, GatePolicy
from core.domain.readiness import ReadinessState
from core.errors import InvalidInput
from core.rules.gate_conditions import ConditionState
from tui.cli.message_command import ALLOW_LAPSE, CONSENT, Field, MessageGroup, day_from, flag, is_given, runs
from tui.cli.output import day, line
from tui.cli.records import LISTED_PROJECT, MEMBER, META_ROLE, PHASE, PROJECT, RecordParameter
from tui.cli.sentences import Columns
from tui.cli.session import Parameter, Session

ALL = "all"
DECIDERS = {"owners": Deciding.OWNERS, "role": Deciding.META_ROLE, "people": Deciding.PEOPLE}
NO_POLICY = GatePolicy(project_id="", phase_id="")


def _read_number(_: Session, text: str | None) -> int | None:
    if text is None or text.lower() == ALL:
        return None
    try:
        return int(text)
    except ValueError:
        raise InvalidInput("needed", f"--needed takes a number of votes, or “{ALL}”, not “{text}”.") from None


UNDER_WAY = "Why; needed once the phase has a decision or a completed card."
FOUR_EYES = "Whether those who did the last work on it are refused."
BY = "The day to decide by, such as fri, +2w or 3 dec; or none."
POLICY: tuple[Parameter[Any], ...] = (
    Parameter(
        click.Option(["--deciders"], type=click.Choice([*DECIDERS]), help="Who decides."),
        lambda _, word: word and DECIDERS[word],
        "deciders",
    ),
    META_ROLE.option("--role", "The holders of this meta role decide.", "meta_role_id"),
    MEMBER.several(
        click.Option(["--person"], multiple=True, metavar="PERSON", help="A person who decides; any number."), "people"
    ),
    Parameter(click.Option(["--needed"], metavar=f"N|{ALL}", help="How many of them."), _read_number, "needed"),
    Parameter(click.Option(["--four-eyes/--no-four-eyes"], default=None, help=FOUR_EYES), field="four_eyes"),
    Parameter(click.Option(["--by"], metavar="DAY", help=BY), lambda _, text: day_from(text), "decide_by"),
    MEMBER.option("--secretary", "Who records meetings; or none.", "secretary_id", none="none"),
)
"""The options of a policy, each with its field."""


@runs(
    "policy",
    PROJECT,
    PHASE,
    *POLICY,
    flag("--remove", "Remove the policy: one owner decides again."),
    click.Option(["--reason"], help=UNDER_WAY),
    flag("--allow-relock", "Allow later phases to lock again.", "relock"),
    ALLOW_LAPSE,
    changes=True,
)
def policy(session: Session, remove: bool, reason: str | None, relock: bool) -> None:
    """Show who decides at a gate and the votes, or change that; options that are left out stay as they are."""
    phase = session[PHASE]
    check = CheckGate(phase_id=phase.id)
    now = session.query(check)
    given = {each.field: each.sent(session[each]) for each in POLICY if is_given(each.form)}
    if not (remove or given):
        own = [each for each in now.conditions if each.condition.phase_id == phase.id and not each.is_dropped]
        lines = [*([*now.panel.lines] or [f"Who decides: {now.panel.who}."]), *map(_condition_line, own)]
        session.show(now.panel, lambda _: map(line, lines))
        return
    if remove and given:
        raise InvalidInput("remove", "--remove takes the whole policy away: leave its other options out.")
    more: dict[str, Any] = {"reason": reason or "", "relock": relock, "allow_lapse": session[ALLOW_LAPSE]}
    command = SetGatePolicy(phase_id=phase.id, **_merge_policy(now.panel.policy or NO_POLICY, given), **more)
    changed = session.execute(RemoveGatePolicy(phase_id=phase.id, **more) if remove else command)
    session.print_result(changed, f"Deciders of “{phase.name}”: {session.query(check).panel.who}.")


def _merge_policy(now: GatePolicy, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a policy with those that were typed; a role or people alone say who decides."""
    by_field = {"meta_role_id": Deciding.META_ROLE, "people": Deciding.PEOPLE}
    values = {each.field: getattr(now, each.field) for each in POLICY}
    values["deciders"] = next((kind for field, kind in by_field.items() if field in given), now.deciders)
    values |= given
    for field, kind in by_field.items():
        if field not in given and values["deciders"] is not kind:
            values[field] = getattr(NO_POLICY, field)
    return values


def rule_lines(check: GateCheck) -> Iterator[str]:
    """Return the deciders of a gate with their votes in words, the criteria that are met, and the conditions."""
    if check.votes and check.state is not ReadinessState.COMPLETE:
        yield from (*check.panel.lines, f"{check.votes}.")
    yield from (each.sentence for each in check.criteria if each.is_met)
    yield from map(_condition_line, check.conditions)


def _condition_line(each: ConditionState) -> str:
    return f"Condition “{each.condition.text}” for {each.person}, until {day(each.condition.due)}: {each.state}"


criteria_ = MessageGroup("criteria", "Criteria of a gate: list, add, edit, meet, take back, remove.")

CRITERION: RecordParameter[GateCriterion] = RecordParameter(
    "criterion",
    lambda session, _: [each.criterion for each in session.query(ListCriteria(phase_id=session[PHASE].id))],
    lambda each: (each.id, each.text),
)
REASON_OF_CHANGE = Field("reason", UNDER_WAY)
AT_MOST: Parameter[str | None] = Parameter(click.Option(["--at-most"], metavar="NUMBER", help="Limit of the sum."))
AT_LEAST: Parameter[str | None] = Parameter(click.Option(["--at-least"], metavar="NUMBER", help="Limit of the sum."))
CRITERION_PARTS: tuple[Parameter[Any] | Field, ...] = (
    MEMBER.option("--person", "Who says that it is met.", "person_id"),
    Field("filter", "The cards that must be closed, or are added up.", metavar="FILTER"),
    Field("field", "The number field to add up.", option="--sum", metavar="FIELD"),
    AT_MOST,
    AT_LEAST,
    Field("may_be_empty", "Whether it is met without any card.", option="--may-be-empty/--no-may-be-empty"),
    REASON_OF_CHANGE,
    *CONSENT,
)


def _limit(session: Session) -> dict[str, Any]:
    most, least = session[AT_MOST], session[AT_LEAST]
    if most is not None and least is not None:
        raise InvalidInput("amount", "Give one limit: --at-most or --at-least.")
    limit = most if least is None else least
    return {} if limit is None else {"amount": limit, "at_least": least is not None}


def _new_criterion(session: Session) -> dict[str, Any]:
    typed = session.parameters
    by_cards = CriterionKind.SUM if typed["field"] or _limit(session) else CriterionKind.CLOSED
    return {"kind": CriterionKind.HAND if typed["person"] else by_cards, **_limit(session)}


criteria_.lists(
    "list",
    ListCriteria,
    [PROJECT, PHASE],
    heads=("CRITERION", "MET", "WHY", "ID"),
    row=Columns("criterion.text is_met sentence criterion.id"),
    empty="No criteria yet. Add one with “podium gate criteria add”.",
)
criteria_.sends(
    "add",
    AddCriterion,
    [PROJECT, PHASE, "text", *CRITERION_PARTS],
    values=_new_criterion,
    done="Added the criterion “{text}” ({id}).",
)
criteria_.sends(
    "edit",
    EditCriterion,
    [PROJECT, PHASE, CRITERION, "text", *CRITERION_PARTS],
    values=_limit,
    done="Changed the criterion “{text}”.",
)
criteria_.sends("meet", MeetCriterion, [PROJECT, PHASE, CRITERION, *CONSENT], done="“{text}” is met.")
criteria_.sends(
    "take-back", TakeBackCriterion, [PROJECT, PHASE, CRITERION, *CONSENT], done="“{text}” is not met any more."
)
criteria_.sends(
    "remove",
    RemoveCriterion,
    [PROJECT, PHASE, CRITERION, REASON_OF_CHANGE, *CONSENT],
    done="Removed the criterion “{criterion.text}”.",
)

condition_ = MessageGroup("condition", "Conditions of votes “go if”: list, waive.")

CONDITION: RecordParameter[GateCondition] = RecordParameter(
    "condition",
    lambda session, _: [
        each.condition for each in session.query(ListConditions(project_id=session[PROJECT].id)) if each.is_waiting
    ],
    lambda each: (each.id, each.text),
)
"""A condition that a gate waits for. Others can have its text: votes that were given again."""
REASON = Parameter(click.Option(["--reason"], help="The reason; required."), lambda _, text: text or "", "reason")


condition_.lists(
    "list",
    ListConditions,
    [LISTED_PROJECT],
    heads=("GATE", "CONDITION", "PERSON", "DUE", "STATE", "ID"),
    row=Columns("gate condition.text person condition.due state condition.id"),
    empty="No conditions. A vote “go if” makes one.",
)
condition_.sends(
    "waive",
    WaiveCondition,
    [PROJECT, CONDITION, REASON],
    values=lambda session: {"reason": session[REASON]},
    done="Waived “{text}”.",
)
