"""Carries out the plan of a merge, in the one transaction of its message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, cast

from core.domain.model import Deliverable, Id, Item, Phase, Project
from core.domain.notifications import NotificationKind
from core.domain.products import Application
from core.domain.templates import DifferenceKind, TemplateApplication, TemplateItem, TemplatePhase
from core.engine.unit_of_work import UnitOfWork
from core.rules import items
from core.rules.assignments import assign
from core.rules.notifications import notify
from core.rules.ordering import renumber_all
from core.templates.instantiate import TemplateBuilder
from core.templates.merge import Step
from core.templates.ordering import Line
from core.templates.project_tree import LiveNode, ProjectTree, Row
from core.templates.tree import APPLICATION, PHASE, PLACE, TASK, Part


def bring(work: UnitOfWork, project: Project, standing: ProjectTree, steps: Iterable[Step]) -> None:
    """Carry out a plan on its project: first removals, then changes, then additions and moves."""
    _Bringing(work, project, standing).do(list(steps))


class _Bringing:
    def __init__(self, work: UnitOfWork, project: Project, standing: ProjectTree) -> None:
        self.work = work
        self.project = project
        self.standing = standing
        self.planting = TemplateBuilder(work, project, standing.team.filling)
        self.lines: dict[tuple[Id, str], Line] = {}
        self.now: dict[Id, Row] = {}
        """The current state of records that have changed."""
        self.gone: set[Id] = set()

    def do(self, steps: Sequence[Step]) -> None:
        for step in steps:
            if step.kind is DifferenceKind.REMOVED and step.live:
                self._remove(step.live)
        for live, fields in _changes(steps):
            self._change(live, fields)
        for step in steps:
            if step.kind is DifferenceKind.ADDED and step.part:
                self._add(step, step.part)
            elif step.kind is DifferenceKind.CHANGED and step.field == PLACE and step.live:
                self._move(step, step.live)
        for line in self.lines.values():
            line.settle()
        self.planting.tell()

    # -- removals and changes ------------------------------------------------------------------------------------

    def _remove(self, live: LiveNode) -> None:
        self.gone.update(cast(LiveNode, part).record.id for _, part in live.all())
        match live.record:
            case Item() as item:
                items.archive(self.work, item)
            case Application() as application:
                items.remove_application(self.work, application)
            case Deliverable() as deliverable:
                self.work.delete(deliverable)

    def _change(self, live: LiveNode, fields: dict[str, Any]) -> None:
        slots: tuple[str, ...] | None = fields.pop("slots", None)
        if "due_days" in fields:
            fields["due"] = self.planting.due(fields.pop("due_days"), live.name)
        people = None if slots is None else self.standing.team.filling(slots)
        if live.what == TASK and people is not None:
            fields["assignee_id"] = people[0] if people else None
        record = self.work.update(live.record, **fields)
        if live.what == TASK:
            notify(self.work, NotificationKind.ASSIGNED, record.id, people[:1] if people else ())
        elif people is not None:
            record = assign(self.work, cast(Phase, record), people)[0]
        self.now[record.id] = record

    # -- additions and moves -------------------------------------------------------------------------------------

    def _add(self, step: Step, part: Part) -> None:
        phase_id, activity_id = self._home(step.within)
        line = self._line(phase_id, part.group)
        after = _token(step.after) if step.after else None

        def give(ranks: Sequence[str]) -> None:
            match part.source:
                case TemplatePhase() as phase:
                    self.planting.phase(phase, ranks[0])
                case TemplateItem() as item:
                    self.planting.item(phase_id, item, iter(ranks), activity_id)
                case TemplateApplication() as application:
                    self.planting.application(phase_id, application, ranks[0], activity_id)
                case str() as name:
                    self.planting.deliverable(phase_id, name, ranks[0])

        width = 1 + len(part.source.tasks) if isinstance(part.source, TemplateItem) else 1
        if part.what == APPLICATION and activity_id:
            self.planting.application(phase_id, cast(TemplateApplication, part.source), activity_id=activity_id)
        else:
            line.put(_token(part), after, give, width=width, inside=activity_id)

    def _move(self, step: Step, live: LiveNode) -> None:
        record = live.record
        line = self._line("" if isinstance(record, Phase) else record.phase_id, live.group)
        inside = record.activity_id if isinstance(record, Item) else None
        line.put(record.id, _token(step.after) if step.after else None, self._giver(record), inside=inside)

    def _home(self, within: LiveNode | None) -> tuple[Id, Id | None]:
        """The phase and the activity of a new part."""
        if within is None:
            return "", None
        record = within.record
        return (record.phase_id, record.id) if isinstance(record, Item) else (record.id, None)

    def _line(self, phase_id: Id, group: str) -> Line:
        """The order of one group in a phase, including tasks in activities; or the order of the phases."""
        key = (phase_id, group)
        if key not in self.lines:
            records = sorted(self._records(phase_id, group), key=lambda each: (each.rank, each.id))
            line = self.lines[key] = Line(partial(self._renumber, records, phase_id))
            for record in records:
                inside = record.activity_id if isinstance(record, Item) else None
                line.stands(record.id, record.rank, self._giver(record), inside)
        return self.lines[key]

    def _records(self, phase_id: Id, group: str) -> list[Row]:
        if group == PHASE:
            return [phase.record for phase in self.standing.parts]
        (phase,) = [each for each in self.standing.parts if each.record.id == phase_id]
        found = [cast(LiveNode, part) for _, part in phase.all()]
        return [each.record for each in found if each.group == group and each.record.id not in self.gone]

    def _giver(self, record: Row) -> Any:
        def give(ranks: Sequence[str]) -> None:
            self.work.update(self.work.get(type(record), project_id=record.project_id, id=record.id), rank=ranks[0])

        return give

    def _renumber(self, records: Sequence[Row], phase_id: Id) -> dict[Id, str]:
        among = {"project_id": self.project.id} | ({"phase_id": phase_id} if phase_id else {})
        return renumber_all(self.work, cast(type[Item], type(records[0])), **among)


def _changes(steps: Iterable[Step]) -> list[tuple[LiveNode, dict[str, Any]]]:
    """The changed fields of each part."""
    found: dict[Id, tuple[LiveNode, dict[str, Any]]] = {}
    for step in steps:
        if step.kind is DifferenceKind.CHANGED and step.live and step.field != PLACE:
            found.setdefault(step.live.record.id, (step.live, {}))[1][step.field] = step.value
    return list(found.values())


def _token(part: Part) -> str:
    """The id of a part during the merge: that of its record, or of the object for a new part."""
    return part.record.id if isinstance(part, LiveNode) else str(id(part))
