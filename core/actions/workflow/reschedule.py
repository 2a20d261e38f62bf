"""Rescheduling: moves the due date of a phase, and the dates that depend on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from core.actions.workflow.phases import PhaseQuery
from core.domain.max_lengths import MAX_RECORDS
from core.domain.model import Id, Item, Phase, PhaseState
from core.domain.permissions import CHANGING_CARDS, Permission
from core.domain.products.products import Application
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation, VersionConflict
from core.record import Record
from core.rules.items import EARLIEST_DUE, LATEST_DUE
from core.rules.phases import read_workflow
from core.text.dates import in_full
from core.text.phrases import count, names

Dated = Phase | Item | Application


class DateChange(Record):
    """One date that a reschedule moves."""

    kind: str
    """PHASE, TASK, ACTIVITY or APPLICATION."""
    id: Id
    title: str
    before: date
    after: date


class Reschedule(Record):
    """The dates that a reschedule moves, in the order of the workflow: the phase first, then those that follow it."""

    phase_id: Id
    days: int
    moved: tuple[DateChange, ...]
    seq: int
    """The last change of the project when this was computed."""


class PreviewReschedule(PhaseQuery[Reschedule]):
    """Preview which dates would move if the due date of a phase moved by some days."""

    route = "GET /v1/phases/{phase_id}/reschedule"
    days: int
    alone: bool = False

    def run(self, view: Snapshot) -> Reschedule:
        return _plan_reschedule(view, self.phase_id, self.days, _hanging_on(view, self.phase_id, self.alone))


class ReschedulePhase(Command[Reschedule]):
    """Move the due date of a phase by some days, and, unless ``alone``, the dates that depend on it, as one step.

    These are the due dates of its open items and applications, and of all later phases that are not complete with
    their open items and applications: the distances between them stay. A later phase without a date gets none.
    Completed items keep their dates, and so does the application of a completed activity. Each kind of card needs its
    own permission, as when its date is set directly. ``seen_seq`` is the ``seq`` of the preview that the sender has
    read: refused if the project has changed since.
    """

    route = "POST /v1/phases/{phase_id}/reschedule"
    permission = Permission.WORKFLOW_MANAGE
    phase_id: Id
    days: int
    alone: bool = False
    seen_seq: int | None = None

    def scope(self, view: Snapshot) -> Id:
        return view.get(Phase, id=self.phase_id).project_id

    def run(self, work: UnitOfWork) -> Reschedule:
        moving = _hanging_on(work, self.phase_id, self.alone)
        shift = _plan_reschedule(work, self.phase_id, self.days, moving)
        if self.seen_seq not in (None, shift.seq):
            raise VersionConflict(
                "The project has changed since this preview. Look at the dates that move now, then try again.",
                current=shift,
            )
        for kind, permission in CHANGING_CARDS.items():
            if any(each.kind == kind for each in shift.moved):
                work.require(permission)
        for record, each in zip(moving, shift.moved, strict=True):
            work.update(record, due=each.after)
        work.say(f"moved {shift_in_words(shift.moved)}")
        return shift


def shift_in_words(moved: Sequence[DateChange]) -> str:
    """Describe a reschedule: “Build” 6 days later, to Fri 4 Dec 2026, together with 3 phases and 12 items."""
    first, *others = moved
    days = (first.after - first.before).days
    phases = sum(each.kind == "PHASE" for each in others)
    along = [count(phases, "phase")] if phases else []
    along += [count(len(others) - phases, "item")] if len(others) > phases else []
    by = f"{count(abs(days), 'day')} {'later' if days > 0 else 'earlier'}"
    return f"“{first.title}” {by}, to {in_full(first.after)}" + (f", together with {names(along)}" if along else "")


def _plan_reschedule(view: Snapshot, phase_id: Id, days: int, moving: Sequence[Dated]) -> Reschedule:
    """Return the reschedule. Raises InvalidInput for 0 days, and for dates outside the years 2000 to 2199."""
    if not days:
        raise InvalidInput("days", "Say by how many days the phase moves, such as 3 or -7.")
    moved = tuple(_move_dates(record, days) for record in moving)
    return Reschedule(phase_id=phase_id, days=days, moved=moved, seq=view.seq)


def _move_dates(record: Dated, days: int) -> DateChange:
    assert record.due is not None
    kind, title = _kind_and_name(record)
    after = record.due.toordinal() + days
    if not EARLIEST_DUE.toordinal() <= after <= LATEST_DUE.toordinal():
        years = f"{EARLIEST_DUE.year} to {LATEST_DUE.year}"
        raise InvalidInput("days", f"“{title}”, due {record.due}, would leave the years {years}. Move it by less.")
    return DateChange(kind=kind, id=record.id, title=title, before=record.due, after=date.fromordinal(after))


def _kind_and_name(record: Dated) -> tuple[str, str]:
    if isinstance(record, Item):
        return record.kind.value, record.title
    return ("PHASE" if isinstance(record, Phase) else "APPLICATION"), record.name


def _hanging_on(view: Snapshot, phase_id: Id, alone: bool) -> list[Dated]:
    """Return the records that move with a phase, itself first, in workflow order.

    Raises RuleViolation for a phase that is complete or has no due date, or if too many records would move.
    """
    workflow = read_workflow(view, view.scope)
    phase = workflow.phase(phase_id)
    if workflow.state(phase_id) is PhaseState.COMPLETE:
        raise RuleViolation(f"“{phase.name}” is complete, so its date stays.")
    if phase.due is None:
        raise RuleViolation(f"“{phase.name}” has no due date to move. Set one first.")
    if alone:
        return [phase]
    later = workflow.phases[workflow.phases.index(phase) :]
    moving = [each for each in later if workflow.state(each.id) is not PhaseState.COMPLETE]
    if isinstance(view, UnitOfWork):
        _refuse_many(view, moving)
    inside = _open_in_phases(view)
    return [record for each in moving for record in ([each] if each.due else []) + inside.get(each.id, [])]


def _refuse_many(view: Snapshot, phases: Sequence[Phase]) -> None:
    """Raise RuleViolation, before the cards are read, if more would move than one change can write."""
    sql = (
        "SELECT phase_id, count(*) AS n FROM item WHERE project_id = :id AND status IN ('TO_DO', 'IN_PROGRESS')"
        " AND due IS NOT NULL GROUP BY phase_id"
    )
    moving = {each.id for each in phases}
    cards = sum(row["n"] for row in view.rows(sql, id=view.scope) if row["phase_id"] in moving)
    if cards > MAX_RECORDS:
        raise RuleViolation(
            f"This would move {cards:,} cards; one change can move at most {MAX_RECORDS:,}. Nothing was changed."
            " Move the phase alone, and its cards in bulk changes."
        )


def _open_in_phases(view: Snapshot) -> dict[Id, list[Dated]]:
    """The open items and applications with a due date, by phase."""
    found: dict[Id, list[Dated]] = {}
    for record in _open(view):
        found.setdefault(record.phase_id, []).append(record)
    return found


def _open(view: Snapshot) -> Iterator[Item | Application]:
    yield from view.all(
        Item,
        "project_id = :project_id AND status IN ('TO_DO', 'IN_PROGRESS') AND due IS NOT NULL ORDER BY rank, id",
        project_id=view.scope,
    )
    done = {
        row["id"]
        for row in view.rows(
            "SELECT id FROM item WHERE project_id = :project_id AND status IN ('COMPLETED', 'ARCHIVED')"
            " AND kind = 'ACTIVITY'",
            project_id=view.scope,
        )
    }
    for each in view.all(
        Application, "project_id = :project_id AND due IS NOT NULL ORDER BY rank, id", project_id=view.scope
    ):
        if each.activity_id not in done:
            yield each
