"""The forms of ``>`` at a gate: the approval, a vote of the panel, the stop of the project, the record of a meeting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from core.actions.projects.members import ListMembers
from core.actions.workflow.gate_record import ApprovalPreview, PreviewApproval, in_sections
from core.actions.workflow.gate_votes import CastVote, MeetingVote, RecordMeeting, asked_condition
from core.actions.workflow.gates import CheckGate, DecideGate
from core.domain.gate_policy import ABSENT, VOTE_WORDS, VOTES, Vote
from core.domain.gates import Decision, GateRecord
from core.domain.model import GateState, Id
from core.domain.permissions import Permission
from core.domain.readiness import ReadinessState
from core.errors import InvalidInput
from core.rules.gate_panel import Panel, PanelMember
from core.text.phrases import names
from tui.dialogs.fields.form_fields import ChoiceField, DateField, PeopleField, TextField
from tui.screens.framework.blocked import refusal_of
from tui.screens.framework.completed_phase import announce_completed
from tui.screens.framework.controller import OwnerScreen, PhaseRef
from tui.screens.framework.dialogs import show_form
from tui.wording.times import when_now

if TYPE_CHECKING:
    from tui.dialogs.fields.form_fields import Field

APPROVE, MEETING, NOT_THERE = "APPROVE", "MEETING", ""
"""Choices beside the votes."""

CHOICES = {
    APPROVE: ("approve", "Approves it as it is."),
    Vote.GO: ("go", "A vote for it, as it is."),
    Vote.GO_IF: ("go if", "A vote for it, with a condition that becomes a card of a later phase."),
    Vote.NO: ("no", "A vote against it, with a reason. It ends nothing by itself."),
    Vote.STOP: ("stop", "The project ends here, with a reason: it is archived."),
    MEETING: ("record a meeting", "What the panel decided in a meeting, with its day."),
}
"""The choices in words, and what each means."""

MOST_LISTED = 5
"""The most deliverables, and the most cards that left, that the form names."""

READ_ON = "PgUp top · "


async def ask_at_gate(screen: OwnerScreen, phase: PhaseRef) -> None:
    """Ask what the user decides at the gate of a phase, or explain why they cannot; then carry it out, and say so."""
    podium = screen.podium
    preview = await podium.query(PreviewApproval(phase_id=phase.id))
    check, panel, me = preview.check, preview.check.panel, podium.me.user
    choices = _choices(screen, preview, me.id)
    if check.state is ReadinessState.NOT_READY and not choices:
        podium.explain(refusal_of(check, phase.id, check.phase_state), "Not ready for approval")
        return
    if check.phase.gate_state is GateState.PASSED:
        podium.toast(f"“{phase.name}” is already approved. < sends it back.", severity="warning")
        return
    if not choices:
        podium.toast(f"{panel.refusal_of(me.id)} {check.reason}", severity="warning")
        return
    members = await podium.query(ListMembers(project_id=check.phase.project_id)) if panel.policy else ()
    team = tuple((each.user.id, each.user.name, each.role.lower()) for each in members if each.user.active)
    answer: Any = MEETING
    if choices != [MEETING]:
        answer = await _ask(screen, phase, preview, choices, team)
    if answer == MEETING:
        answer = await _ask_meeting(screen, phase, panel, team)
    if isinstance(answer, GateRecord):
        await _report(screen, phase, answer)


def _choices(screen: OwnerScreen, preview: ApprovalPreview, me: Id) -> list[str]:
    """The votes and other decisions that the user has: against it also while points are missing."""
    check, panel = preview.check, preview.check.panel
    is_ready = check.state is ReadinessState.READY
    stops = Permission.PROJECT_UPDATE in screen.keys.selection.permissions
    if panel.policy is None:
        is_open = check.state is not ReadinessState.NOT_READY
        return [APPROVE, *([Vote.STOP] if stops else [])] if is_open else []
    choices: list[str] = []
    if not panel.refusal_of(me):
        choices += [*((Vote.GO, Vote.GO_IF) if is_ready and not panel.decides(Vote.STOP) else ()), Vote.NO, Vote.STOP]
    elif stops and panel.decides(Vote.STOP):
        choices.append(Vote.STOP)
    return [*choices, *([MEETING] if is_ready and panel.policy.secretary_id == me else [])]


async def _ask(
    screen: OwnerScreen,
    phase: PhaseRef,
    preview: ApprovalPreview,
    choices: Sequence[str],
    team: tuple[tuple[str, ...], ...],
) -> Any:
    """Ask for a choice with its reason. Return the entry of the record, MEETING, or None."""

    async def save(values: dict[str, Any]) -> object:
        choice, reason = values.get("choice", choices[0]), values.get("reason", "")
        if choice == MEETING:
            return MEETING
        about = {"phase_id": phase.id, "reason": reason, "seen_ground": preview.ground}
        if choice in (APPROVE, Vote.STOP):
            decision = Decision.PASS if choice == APPROVE else Decision.STOP
            return await screen.podium.send_or_ask(DecideGate(decision=decision, **about))
        return await screen.podium.send_or_ask(CastVote(vote=Vote(choice), **about, **_condition(values)))

    is_vote = not {Vote.GO, Vote.NO}.isdisjoint(choices)
    stops = not is_vote and APPROVE not in choices
    options = tuple((each, CHOICES[each][0]) for each in choices)
    meanings = tuple(CHOICES[each][1] for each in choices)
    choice = ChoiceField("choice", "Your vote" if is_vote else "Decision", options, choices[0], meanings=meanings)
    fields: list[Field]
    if is_vote:
        reason = TextField("reason", "Reason", "", "Needed for no and stop", only=("choice", *Vote))
        fields = [choice, reason, *_condition_fields("choice", team)]
    else:  # the reason first, so that it can be typed at once
        label = "Reason" if stops else "Reason (optional)"
        fields = [TextField("reason", label, "", "Needed to stop" if Vote.STOP in choices else "")]
        fields += [choice] if len(choices) > 1 else []
    ends = ", or stop the project" if Vote.STOP in choices else ""
    title = f"Vote on “{phase.name}”" if is_vote else f"Approve “{phase.name}”{ends}"
    title = f"Stop the project at “{phase.name}”" if stops else title
    submit = "Vote" if is_vote else "Stop" if stops else "Decide" if ends else "Approve"
    note = "\n".join(_ground(preview, screen.podium.me.user.name))
    return await show_form(screen, title, fields, save, submit=submit, note=note, hints=READ_ON, about=phase.id)


def _condition_fields(choice: str, team: tuple[tuple[str, ...], ...], number: str = "") -> list[Field]:
    """The fields of the condition of a vote “go if”, which the field ``choice`` shows."""
    only = (choice, Vote.GO_IF)
    return [
        TextField(f"condition{number}", "Condition", "", "What has to be done", only=only),
        PeopleField(f"person_id{number}", "Done by", team, only=only),
        DateField(f"due{number}", "Until", needed=True, only=only),
    ]


def _condition(values: dict[str, Any], number: str = "") -> dict[str, Any]:
    """The condition from the answers of its fields; nothing where they are hidden."""
    if f"condition{number}" not in values:
        return {}
    condition = {name: values[f"{name}{number}"] for name in ("condition", "person_id", "due")}
    return condition | {"person_id": next(iter(condition["person_id"]), None)}


async def _ask_meeting(
    screen: OwnerScreen, phase: PhaseRef, panel: Panel, team: tuple[tuple[str, ...], ...]
) -> GateRecord | None:
    """Ask the secretary what each person of the panel decided in a meeting, and record it."""

    async def save(values: dict[str, Any]) -> GateRecord | None:
        if values["day"] is None:
            raise InvalidInput("day", "When was the meeting? Give its day.")
        votes = tuple(_vote_of(values, each, str(at)) for at, each in enumerate(panel.able) if values[f"vote{at}"])
        command = RecordMeeting(phase_id=phase.id, day=values["day"], votes=votes, reason=values["reason"])
        recorded: GateRecord | None = await screen.podium.send_or_ask(command)
        return recorded

    fields: list[Field] = [DateField("day", "Day", date.today(), needed=True, is_past=True)]
    words = ((NOT_THERE, ABSENT), *((each, VOTE_WORDS[each]) for each in Vote))
    for at, each in enumerate(panel.able):
        choice = f"vote{at}"
        fields.append(ChoiceField(choice, each.name, words, NOT_THERE))
        fields.append(TextField(f"reason{at}", "Because", only=(choice, Vote.NO, Vote.STOP)))
        fields += _condition_fields(choice, team, str(at))
    fields.append(TextField("reason", "Reason", "", "Of the decision (optional)"))
    note = [
        f"Who decides: {panel.who}.",
        *(each.line for each in panel.members if not each.can_decide),
        "It says “recorded, not voted”, and each person who is named can contradict it within 14 days.",
    ]
    title = f"Meeting on “{phase.name}”"
    return await show_form(screen, title, fields, save, submit="Record", note="\n".join(note), about=phase.id)


def _vote_of(values: dict[str, Any], member: PanelMember, number: str) -> MeetingVote:
    """The vote of a person in a meeting. Raises InvalidInput, which names the field of that person."""
    choice, reason = Vote(values[f"vote{number}"]), values.get(f"reason{number}", "")
    if choice in (Vote.NO, Vote.STOP) and not reason:
        raise InvalidInput(f"reason{number}", f"Why did {member.name} say {VOTE_WORDS[choice]}?")
    vote = MeetingVote(user_id=member.user_id, vote=choice, reason=reason, **_condition(values, number))
    try:
        asked_condition(vote)
    except InvalidInput as refused:
        raise InvalidInput(f"{refused.field}{number}", str(refused)) from None
    return vote


async def _report(screen: OwnerScreen, phase: PhaseRef, record: GateRecord) -> None:
    """Say what became of the answer: an approval with what opens, a stop, or the votes so far."""
    if record.decision is Decision.PASS:
        if await announce_completed(screen, [phase.id], approved=True):
            return
        said = f"“{phase.name}” approved."
    elif record.decision is Decision.STOP:
        said = f"Stopped at “{phase.name}”: the project is archived."
    else:
        tally = (await screen.podium.query(CheckGate(phase_id=phase.id))).votes
        said = f"You voted {VOTE_WORDS[VOTES[record.decision]]} on “{phase.name}”: {tally}."
    screen.podium.toast(f"{said} u to undo.")


def _ground(preview: ApprovalPreview, me: str) -> Iterator[str]:
    """The ground of a decision: what is missing, what is sealed and left the phase, who decides and how, what opens."""
    check = preview.check
    yield check.reason
    if check.state is ReadinessState.NOT_READY:
        failing = {each.sentence for each in check.criteria if not each.is_met}
        points = [each.sentence for each in check.blockers if each.sentence not in failing]
        yield from _shorten(points if check.missing > 1 else (), check.missing - len(failing), "points")
    for section in in_sections(preview, when_now)[-2:]:
        listed = section.lines if section.heading.startswith("Deliverables") else ()
        more = [f"and {len(listed) - MOST_LISTED} more"] if len(listed) > MOST_LISTED else []
        yield ": ".join(filter(None, (section.heading, "; ".join([*listed[:MOST_LISTED], *more]))))
    yield from _shorten([each.sentence for each in check.notes], len(check.notes), "cards left it")
    yield from (each.sentence for each in check.criteria)
    yield from (f"{each.sentence}." for each in check.conditions if not each.is_dropped)
    yield from check.panel.lines  # last, beside the choice: a low window opens there
    if check.state is not ReadinessState.NOT_READY:
        yield f"Opens next: {names(preview.opens) or 'nothing'}."
    if check.panel.policy is None and (others := [each for each in check.who_can if each != me]):
        yield f"{names(others, 'or')} can decide too."


def _shorten(sentences: Sequence[str], number: int, more: str) -> Iterator[str]:
    yield from sentences[:MOST_LISTED]
    if number > MOST_LISTED:
        yield f"{number - MOST_LISTED} more {more}; its page names them."
