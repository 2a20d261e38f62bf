"""Conditions of gates: a vote “go if” carries one, which the decision makes into a card of the next phase.

It blocks the next gate, not the work: that gate waits until the card is completed, or a decider waives the condition.
Archived, moved or deleted before that, it stays a point of that gate.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from core.domain.gate_policy import GateCondition
from core.domain.gates import GateRecord
from core.domain.model import Gate, GateState, Id, Item, ItemKind, Member, Phase, PhaseState, Status, User
from core.domain.notifications import NotificationKind
from core.domain.phase_states import Workflow
from core.domain.statuses import is_done
from core.engine.change_records import RecordChange
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import Blocker, InvalidInput, RuleViolation
from core.record import Record, replace
from core.rules.gate_entries import COUNTS_NO_MORE
from core.rules.gate_facts import DROPPED
from core.rules.gate_panel import Panel, may_decide, read_panels
from core.rules.items import due_date
from core.rules.notifications import notify
from core.rules.ordering import rank_before
from core.rules.phases import read_workflow
from core.storage.database import Row, placeholders
from core.storage.row_mapper import ORDER, table_of
from core.text.dates import in_full
from core.text.phrases import person_name

PROPOSED = "proposed"
"""The state of a condition before the decision."""


class ConditionState(Record, kw_only=False):
    """A condition with its card, and its state in words."""

    condition: GateCondition
    card: Item | None
    """None where it has none, or that was deleted."""
    gate: str
    """The name of the phase whose gate set it."""
    set_by: str
    """The name of the person whose vote set it."""
    person: str
    """The name of the person who meets it."""
    is_met: bool
    state: str
    """“proposed”, “open”, “met by Ann Berg on 3 Dec”, “archived, not met”, “waived by Ann Berg on 3 Dec: …”,
    “dropped: the gate was decided again”."""
    dropped: str = ""
    """Why it binds no more: its vote or its decision fell, or the gate was approved without it since; else empty."""

    @property
    def phrase(self) -> str:
        return f"the condition “{self.condition.text}” of the gate of “{self.gate}”"

    @property
    def sentence(self) -> str:
        """It in words, with the person, the day and its state."""
        who = f"{self.person} until {in_full(self.condition.due)}"
        return f"Condition “{self.condition.text}” of “{self.gate}”, {who}: {self.state}"

    @property
    def is_dropped(self) -> bool:
        """True if it was dropped, and neither met nor waived before that."""
        return bool(self.dropped) and not self.is_met and self.condition.waived_at is None

    @property
    def is_waiting(self) -> bool:
        """True if the next gate waits for it: it has a card, and is neither met, nor waived, nor dropped."""
        is_settled = self.is_met or self.condition.waived_at is not None or self.dropped
        return self.condition.item_id is not None and not is_settled

    @property
    def lost(self) -> str:
        """The way in which its card left the phase; empty while it is there, and not archived."""
        if self.card is None or self.card.status is Status.ARCHIVED:
            return "archived" if self.card else "deleted"
        return "" if self.card.phase_id == self.condition.next_phase_id else "moved to another phase"


_PEOPLE = {"setter": "vote.by_id", "person": "person_id", "ender": "coalesce(waived_by, completed_by, met_by)"}


def find_conditions(view: Snapshot, project_id: Id, where: str = "1 = 1", **params: object) -> list[ConditionState]:
    """Return the conditions of a project that satisfy ``where``, with their cards, in one statement."""
    tables = (table_of(GateCondition), table_of(Item))
    columns = [f"{table.name}.{column}" for table in tables for column in table.columns]
    called = [f"{each}.{name}" for each in _PEOPLE for name in ("first_name", "last_name")]
    joined = "".join(f" LEFT JOIN app_user AS {each} ON {each}.id = {person}" for each, person in _PEOPLE.items())
    rows = view.tx.tuples(
        f"SELECT {', '.join(columns)}, {', '.join(called)}, vote.original_name,"
        " coalesce(phase.name, vote.phase_name, ''),"
        f" CASE WHEN vote.imported_by IS NOT NULL OR {COUNTS_NO_MORE} THEN 0 ELSE 1 END, {DROPPED} FROM gate_condition"
        " LEFT JOIN item ON item.project_id = gate_condition.project_id AND item.id = item_id"
        " LEFT JOIN phase ON phase.project_id = gate_condition.project_id AND phase.id = gate_condition.phase_id"
        " LEFT JOIN gate_record AS vote ON vote.project_id = gate_condition.project_id AND vote.id = vote_id"
        f"{joined} WHERE gate_condition.project_id = :of AND {where} ORDER BY gate_condition.id",
        of=project_id,
        **params,
    )
    return [_load(view, row) for row in rows]


def _load(view: Snapshot, row: Sequence[Any]) -> ConditionState:
    first, last = len(table_of(GateCondition).columns), -4 - 2 * len(_PEOPLE)
    condition: GateCondition = table_of(GateCondition).load_values(row[:first])
    card: Item | None = table_of(Item).load_values(row[first:last]) if row[first] else None
    setter, person, ender = (person_name(*row[at : at + 2]) for at in (last, last + 2, last + 4))
    is_met = is_done(card.status, card.archived_from) if card else condition.met_at is not None
    dropped = row[-1] or ""
    if condition.item_id is None:
        dropped = "" if row[-2] else "its vote does not count any more"
    found = ConditionState(condition, card, row[-3], row[-4] or setter, person, is_met, "open", dropped)
    at = condition.waived_at or (card.completed_at if card else condition.met_at)
    credit = f" by {ender} on {in_full(view.day_of(at))}" if at else ""
    if is_met or condition.waived_at:  # one that is waived stays so, whatever becomes of its card
        return replace(found, state=f"waived{credit}: {condition.waiver}" if condition.waived_at else f"met{credit}")
    if found.is_dropped or condition.item_id is None:
        return replace(found, state=f"dropped: {dropped}" if dropped else PROPOSED)
    return replace(found, state=f"{found.lost}, not met") if found.lost else found


def conditions_of(view: Snapshot, project_id: Id, column: str, ids: Collection[Id]) -> list[ConditionState]:
    """Return the conditions that have one of these ids in a column, such as ``item_id``; no statement for no id."""
    chosen, params = placeholders(sorted(ids))
    return find_conditions(view, project_id, f"gate_condition.{column} IN {chosen}", **params) if ids else []


def condition_points(view: Snapshot, project_id: Id, phase_ids: Collection[Id]) -> dict[Id, list[Blocker]]:
    """Return the conditions that gates wait for and that are no open cards of their phases, in one statement.

    Where there are some, it reads the panels of the people who can waive them. One that was moved to a locked phase
    cannot be completed there.
    """
    points: dict[Id, list[Blocker]] = {}
    for found in conditions_of(view, project_id, "next_phase_id", phase_ids):
        card, phase_id, text = found.card, found.condition.next_phase_id or "", found.condition.text
        if not found.is_waiting or not found.lost:
            continue
        way = "" if card is None else "complete it, or " if found.lost != "archived" else "restore and complete it, or "
        if card and found.lost.startswith("moved"):
            is_locked = read_workflow(view, project_id).state(card.phase_id) is PhaseState.LOCKED
            way = "move it back, or " if is_locked else way
        sentence = f"{found.phrase} was {found.lost}, not met: {way}waive it"
        place = (card.id, card.kind) if card else (phase_id, "PHASE")
        who_can = who_decide(panel_of(view, found.condition), *([found.person] if card else []))
        point = Blocker(*place, text, found.gate, phase_id=phase_id, sentence=sentence, who_can=who_can)
        points.setdefault(phase_id, []).append(point)
    return points


def panel_of(view: Snapshot, condition: GateCondition) -> Panel:
    """Return the panel of the gate that set a condition; if none of it can decide any more, that of the next gate."""
    setting, waiting = condition.phase_id, condition.next_phase_id or condition.phase_id
    panels = read_panels(view, {setting: condition.project_id, waiting: condition.project_id})
    return panels[setting if panels[setting].able else waiting]


def who_decide(panel: Panel, *others: str) -> tuple[str, ...]:
    """Return the names of others, and of the people of a panel who can decide now."""
    return tuple(dict.fromkeys((*others, *(each.name for each in panel.able))))


def check_completed(work: Snapshot, cards: Collection[Item]) -> None:
    """Refuse to complete the card of a condition except by its person, or a decider of its gate. Raises RuleViolation.

    No product can: its token sends permission queries and nothing else (``ProductToken``), so each sender is a person.
    """
    for found in conditions_of(work, work.scope, "item_id", {card.id for card in cards}):
        condition = found.condition
        if condition.waived_at or found.dropped or work.actor.user_id == condition.person_id:
            continue
        panel = panel_of(work, condition)
        if not may_decide(work, panel):
            raise RuleViolation(
                f"“{condition.text}” is a condition of the gate of “{found.gate}”: only {found.person} and the people"
                " who can decide at that gate can complete it.",
                who_can=who_decide(panel, found.person),
            )


def _next_incomplete(workflow: Workflow, phase: Phase, what: str) -> Phase:
    """The first later phase that is not complete, which gets the conditions of a gate. Raises RuleViolation."""
    later = workflow.phases[[each.id for each in workflow.phases].index(phase.id) + 1 :]
    for each in later:
        if workflow.state(each.id) is not PhaseState.COMPLETE:
            return each
    raise RuleViolation(f"No phase after “{phase.name}” is left for {what}, or add a phase first.")


def check_condition(work: UnitOfWork, workflow: Workflow, phase: Phase, person_id: Id, due: date) -> None:
    """Raise InvalidInput for a condition without a person of the project or a day to come, RuleViolation at the last
    gate."""
    _next_incomplete(workflow, phase, "a condition. Vote no with the reason")
    if not _is_member(work, person_id):
        raise InvalidInput("person_id", "A condition is met by an active member of this project. Choose one.")
    if due < work.today:
        raise InvalidInput("due", f"{in_full(due)} is in the past. Give the condition a day from today on.")
    due_date(due)


def _is_member(view: Snapshot, user_id: Id) -> bool:
    user = view.find(User, id=user_id, active=1)
    return user is not None and view.find(Member, project_id=view.scope, user_id=user_id) is not None


def make_condition_cards(
    work: UnitOfWork, workflow: Workflow, phase: Phase, decision: GateRecord, votes: Sequence[GateRecord]
) -> None:
    """Make the cards of the conditions of these votes, which count in the decision.

    One whose card stayed after the undo of an earlier decision keeps it, if it is still there. Raises RuleViolation
    without a later phase.
    """
    at = {vote.id: vote.at for vote in votes}
    for found in conditions_of(work, work.scope, "vote_id", at.keys()):
        condition, day = found.condition, in_full(work.day_of(at[found.condition.vote_id]))
        if condition.item_id and (found.is_met or not found.lost):
            work.update(condition, decision_id=decision.id)
            continue
        following = _next_incomplete(workflow, phase, "the conditions of its votes. Vote again")
        card = Item(
            project_id=work.scope,
            id=new_id(),
            kind=ItemKind.TASK,
            phase_id=following.id,
            rank=rank_before(work, Item, None, project_id=work.scope, phase_id=following.id),
            title=condition.text,
            due=condition.due,
            description=f"A condition of the gate of “{phase.name}”, set by {found.set_by} on {day}.",
            assignee_id=condition.person_id if _is_member(work, condition.person_id) else None,
        )
        work.insert(card)
        work.update(condition, item_id=card.id, decision_id=decision.id, next_phase_id=following.id)
        notify(work, NotificationKind.ASSIGNED, card.id, [card.assignee_id] if card.assignee_id else [])


def follow_conditions(work: UnitOfWork, changes: Sequence[RecordChange]) -> None:
    """Follow the cards of conditions that these changes archive, move or delete.

    An automatic gate that waits for one that is not met waits for an approval from then on, so that it does not
    complete in silence. One that is met, and deleted, is remembered. Raises RuleViolation for a removed phase at whose
    gate a condition waits, and for an undo that brings one back to a gate that was decided without it.
    """
    _follow_decisions(work, changes)
    gone = {each.key["id"]: each.row for each in changes if each.after is None and each.entity in ("item", "phase")}
    moved = {
        each.key["id"] for each in changes if each.entity == "item" and {"phase_id", "status"} & {*(each.after or ())}
    }
    for found in conditions_of(work, work.scope, "next_phase_id", gone.keys()):
        if found.is_waiting:
            name = gone[found.condition.next_phase_id or ""]["name"]
            raise RuleViolation(f"“{name}” cannot be removed: its gate waits for {found.phrase}. Waive that first.")
    for found in conditions_of(work, work.scope, "item_id", gone.keys() | moved):
        row = gone.get(found.condition.item_id or "", {})
        if row and is_done(row["status"], row["archived_from"]):
            by, at = row["completed_by"], row["completed_at"]
            work.update(found.condition, met_by=by, met_at=datetime.fromisoformat(at) if at else work.now)
        elif found.is_waiting and found.lost:
            _await_approval(work, work.get(Phase, project_id=work.scope, id=found.condition.next_phase_id))


def _follow_decisions(work: UnitOfWork, changes: Sequence[RecordChange]) -> None:
    """Follow the conditions that bind again because an undo or a redo took a later decision back."""
    entries = [each for each in changes if each.entity == "gate_record" and each.before]
    decided = {each.row["phase_id"] for each in entries if "withdrawn" in (each.after or {})}
    for found in conditions_of(work, work.scope, "phase_id", decided):
        if not found.is_waiting or not found.lost:
            continue
        phase = work.find(Phase, project_id=work.scope, id=found.condition.next_phase_id)
        if phase is None or (phase.gate_state is GateState.PASSED and not found.lost.startswith("moved")):
            how = "removed" if phase is None else "approved"
            raise RuleViolation(
                f"The gate that would wait for {found.phrase} again was {how} since. Decide again instead."
            )
        _await_approval(work, phase)


def _await_approval(work: UnitOfWork, phase: Phase) -> None:
    """Have an automatic gate wait for an approval, so that it does not complete in silence."""
    if phase.gate is Gate.AUTOMATIC and phase.gate_state is GateState.NONE:
        work.update(phase, gate_state=GateState.UNDECIDED)


def check_next_gates(work: UnitOfWork, workflow: Workflow, moved: Id) -> None:
    """Refuse to put a phase so that another gate than the one with the condition comes next. Raises RuleViolation."""
    place = {each.id: number for number, each in enumerate(workflow.phases)}
    waiting = conditions_of(work, work.scope, "next_phase_id", place)
    for condition in (each.condition for each in waiting if each.is_waiting):
        begin, end = place.get(condition.phase_id, -1), place[condition.next_phase_id or ""]
        between = [each for each in workflow.phases[begin + 1 : end] if not workflow.is_complete(each.id)]
        if begin > end or any(moved in (each.id, condition.phase_id, condition.next_phase_id) for each in between):
            name = workflow.phase(condition.next_phase_id or "").name
            raise RuleViolation(
                f"The gate of “{name}” waits for the condition “{condition.text}”, so it comes next. Meet or waive it"
                " first."
            )


def started_conditions(work: UnitOfWork, seq: int, records: Sequence[Row]) -> list[GateCondition]:
    """Return the conditions that a change, of these records, made into cards that were started or changed since.

    Undo leaves them, with their cards.
    """
    if not any(each["entity"] == "gate_condition" for each in records):
        return []
    made = {json.loads(each["key"])["id"] for each in records if each["entity"] == "item" and each["before"] is None}
    rows = work.tx.tuples(
        "SELECT key, before, after FROM change_record WHERE project_id = :scope AND seq > :seq AND entity <> :order",
        scope=work.scope,
        seq=seq,
        order=ORDER,
    )
    since = "".join(map(str, rows))
    found = [each.condition for each in conditions_of(work, work.scope, "item_id", made)]
    return [each for each in found if each.id in since or str(each.item_id) in since]
