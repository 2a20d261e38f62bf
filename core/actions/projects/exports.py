"""Exports of a project: the project as a document, the data of its status report, and its due dates.

``core.reports`` turns them into files, for every front end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime

from core.actions.fields.custom_fields import FieldSummary, ListFields
from core.actions.projects.lists import GetProject, ProjectSummary
from core.actions.projects.project_health import ExplainHealth, HealthExplanation
from core.actions.workflow.deliverables import DeliverableSummary, describe_deliverables
from core.actions.workflow.gate_record import DecisionSummary, read_record
from core.actions.workflow.phases import ListPhases, PhaseSummary
from core.domain.gates import UNDO_ENTRIES, Decision, Deliverable
from core.domain.model import Id, Phase, PhaseState, Status
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.import_export.document import ProjectDocument
from core.import_export.export_project import export_document
from core.record import COLLECTION, Record, field
from core.rules.dependencies import OPEN_BLOCKERS
from core.rules.gate_conditions import ConditionState, find_conditions
from core.rules.gate_readiness import Gates, Readiness
from core.rules.phases import read_workflow
from core.storage.database import Row
from core.text.phrases import full_name
from core.text.short_keys import card_key


class ExportProject(ProjectQuery[ProjectDocument]):
    """Export a whole project as a document, which can be saved as a file and imported again."""

    route = "GET /v1/projects/{project_id}/export"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> ProjectDocument:
        return export_document(view, self.project_id)


class DueItem(Record):
    """A phase, task, activity or application with its due date. ``status`` is None for phases and applications."""

    id: Id
    kind: str
    """PHASE, TASK, ACTIVITY or APPLICATION."""
    title: str
    phase: str
    due: date
    status: Status | None = None
    people: tuple[str, ...] = ()


class ProjectSchedule(Record):
    """Everything in a project that has a due date and is not archived, by date."""

    project_id: Id
    project: str
    lines: tuple[DueItem, ...] = field(name=COLLECTION)


class ListDueDates(ProjectQuery[ProjectSchedule]):
    """List the due dates of a project: its phases, its applications, and cards that are not archived."""

    route = "GET /v1/projects/{project_id}/due-dates"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> ProjectSchedule:
        project = GetProject(project_id=self.project_id).run(view).project
        lines = sorted(_list_due_items(view, self.project_id), key=lambda line: (line.due, line.id))
        return ProjectSchedule(project_id=project.id, project=project.name, lines=tuple(lines))


class MovedDate(Record):
    """The due date of a phase, as it was and as it is now; None if it has none any more."""

    phase_id: Id
    before: date
    now: date | None


class ProjectReport(Record):
    """The status of a project: its line in the list of projects, its phases with their deliverables, due cards, gate
    decisions, custom fields, and the dates that were moved."""

    at: datetime
    today: date
    line: ProjectSummary
    explanation: HealthExplanation
    phases: tuple[PhaseSummary, ...]
    open: tuple[DueItem, ...]
    """The open cards that have a due date, by date."""
    decisions: tuple[DecisionSummary, ...]
    """The entries of the gate record but those that were withdrawn, the newest first."""
    gates: tuple[Readiness, ...] = ()
    """All that is missing at the gates of the phases that are not complete."""
    deliverables: tuple[DeliverableSummary, ...] = ()
    conditions: tuple[ConditionState, ...] = ()
    """The conditions of votes at the gates, with what became of each."""
    fields: tuple[FieldSummary, ...] = ()
    blocked: tuple[str, ...] = ()
    """The open cards that wait for open cards, by their keys and titles."""
    last_approval: DecisionSummary | None = None
    """The last approval that was not withdrawn; None where it came by import."""
    moved: tuple[MovedDate, ...] = ()
    """The due dates of phases that are not as they were at the last approval, or when they were first set."""


class GetStatusReport(ProjectQuery[ProjectReport]):
    """Report the status of a project: health, progress, phases, late and next items, and gate decisions."""

    route = "GET /v1/projects/{project_id}/status-report"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> ProjectReport:
        dated = sorted(_dated_items(view, self.project_id, open_only=True), key=lambda line: (line.due, line.id))
        workflow = read_workflow(view, self.project_id)
        decisions = tuple(
            line
            for line in reversed(read_record(view, workflow))
            if line.number and not line.record.withdrawn and line.record.decision not in UNDO_ENTRIES
        )
        approvals = (each for each in decisions if each.record.decision is Decision.PASS)
        last = next((each for each in approvals if not each.record.imported_by), None)
        phases = [each for each in workflow.phases if workflow.state(each.id) is not PhaseState.COMPLETE]
        promised = view.all(Deliverable, "project_id = :project_id ORDER BY rank, id", project_id=self.project_id)
        line = GetProject(project_id=self.project_id).run(view)
        return ProjectReport(
            at=view.now,
            today=view.today,
            line=line,
            explanation=ExplainHealth(project_id=self.project_id).run(view),
            phases=ListPhases(project_id=self.project_id).run(view),
            open=tuple(dated),
            decisions=decisions,
            gates=tuple(Gates(view, workflow, self.project_id).whole(phases)),
            deliverables=describe_deliverables(view, promised),
            conditions=tuple(find_conditions(view, self.project_id)),
            fields=ListFields(project_id=self.project_id).run(view),
            blocked=tuple(
                f"{card_key(line.project.key, number)} “{title}”"
                for number, title in view.tx.tuples(_BLOCKED, project_id=self.project_id)
            ),
            last_approval=last,
            moved=_find_moved(view, workflow.phases, last.record.seq if last else 0),
        )


_BLOCKED = (
    "SELECT number, title FROM item WHERE project_id = :project_id AND status IN ('TO_DO', 'IN_PROGRESS')"
    f" AND {OPEN_BLOCKERS} > 0 ORDER BY number"
)


def _find_moved(view: Snapshot, phases: Sequence[Phase], since: int) -> tuple[MovedDate, ...]:
    """The phases whose due date is not the one after this change of the history, or the first that was set since."""
    rows = view.tx.tuples(
        "SELECT key, before, after FROM change_record WHERE project_id = :project_id AND seq > :since"
        " AND entity = 'phase' AND (before LIKE :due OR after LIKE :due) ORDER BY seq, position",
        project_id=view.scope,
        since=since,
        due='%"due"%',
    )
    first: dict[Id, str] = {}
    for key, *values in rows:
        before, after = (json.loads(each or "{}").get("due") for each in values)
        if due := before or after:
            first.setdefault(json.loads(key)["id"], due)
    was = ((each, date.fromisoformat(first[each.id])) for each in phases if each.id in first)
    return tuple(MovedDate(phase_id=each.id, before=before, now=each.due) for each, before in was if each.due != before)


def _list_due_items(view: Snapshot, project_id: Id) -> list[DueItem]:
    phases = view.rows(
        "SELECT id, 'PHASE' AS kind, name AS title, name AS phase, due FROM phase"
        " WHERE project_id = :p AND due IS NOT NULL",
        p=project_id,
    )
    applications = view.rows(
        "SELECT application.id, 'APPLICATION' AS kind, application.name AS title, application.due, phase.name AS phase"
        " FROM application JOIN phase ON phase.project_id = application.project_id AND phase.id = application.phase_id"
        " WHERE application.project_id = :p AND application.due IS NOT NULL",
        p=project_id,
    )
    people = _list_assigned_names(view, project_id)
    lines = [_line(row, people.get(row["id"], ())) for row in (*phases, *applications)]
    return lines + _dated_items(view, project_id)


def _dated_items(view: Snapshot, project_id: Id, *, open_only: bool = False) -> list[DueItem]:
    shown = "'TO_DO', 'IN_PROGRESS'" + ("" if open_only else ", 'COMPLETED'")
    rows = view.rows(
        "SELECT item.id, item.kind, item.title, item.status, item.due, phase.name AS phase, first_name, last_name"
        " FROM item JOIN phase ON phase.project_id = item.project_id AND phase.id = item.phase_id"
        " LEFT JOIN app_user ON app_user.id = item.assignee_id"
        f" WHERE item.project_id = :p AND item.status IN ({shown}) AND item.due IS NOT NULL",
        p=project_id,
    )
    people = _list_assigned_names(view, project_id)
    return [
        _line(row, (assignee,) if assignee else people.get(row["id"], ()), Status(row["status"]))
        for row in rows
        for assignee in (full_name(row["first_name"], row["last_name"]),)
    ]


def _line(row: Row, people: tuple[str, ...], status: Status | None = None) -> DueItem:
    return DueItem(
        id=row["id"],
        kind=row["kind"],
        title=row["title"],
        phase=row["phase"],
        due=date.fromisoformat(row["due"]),
        status=status,
        people=people,
    )


def _list_assigned_names(view: Snapshot, project_id: Id) -> dict[Id, tuple[str, ...]]:
    """The names of the assigned members, by the id of the phase, activity or application."""
    names: dict[Id, tuple[str, ...]] = {}
    for row in view.rows(
        "SELECT target_id, first_name, last_name FROM assignment JOIN app_user ON app_user.id = assignment.user_id"
        " WHERE assignment.project_id = :p ORDER BY first_name, last_name, user_id",
        p=project_id,
    ):
        names[row["target_id"]] = (*names.get(row["target_id"], ()), full_name(row["first_name"], row["last_name"]))
    return names
