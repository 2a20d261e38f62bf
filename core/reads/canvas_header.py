"""The header of a Canvas, whole or in parts: its frame, its columns, and its members."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from core.domain.canvas import (
    CanvasHeader,
    CanvasMember,
    HeaderFacts,
    PhaseColumn,
    PromisedDeliverable,
    by_member_name,
    owners_among,
)
from core.domain.fields import CustomField
from core.domain.grants import LOCAL
from core.domain.labels import Label
from core.domain.model import Id, Phase, Project, ProjectRole
from core.domain.phase_states import Workflow
from core.domain.project_health import health
from core.domain.readiness import GateSummary
from core.domain.statuses import ItemCounts
from core.engine.counters import counts_in
from core.engine.unit_of_work import Snapshot, select
from core.errors import DatabaseDamaged, NotFound
from core.reads.project_state import LINKED, LINKS, NUMBERS, STATE, dates_in, state_in, state_of
from core.record import Record, made_from, replace
from core.rules.card_fields import FIELDS_IN_ORDER, with_sums
from core.rules.gate_facts import GateFacts, gate_facts, settle_summaries, summarize
from core.rules.labels import by_name, labels_statement
from core.rules.phases import PHASES_IN_ORDER
from core.storage.database import Statement, among
from core.storage.row_mapper import table_of
from core.text.phrases import full_name, no_such

_COLUMNS = table_of(Project).columns
_PROJECT = (
    f"SELECT {', '.join((*(f'project.{column}' for column in _COLUMNS), *(f'{link}.name' for link in LINKS)))}"
    f" FROM project{LINKED} WHERE project.id = :project_id"
)
_OF_PROJECT = (_PROJECT, select(Phase, PHASES_IN_ORDER), NUMBERS, STATE)
_CUSTOM_FIELDS = select(CustomField, FIELDS_IN_ORDER)
_ASSIGNED_TO_PHASES = (
    "SELECT target_id, user_id FROM assignment WHERE project_id = :project_id{only}"
    " AND target_id IN (SELECT id FROM phase WHERE project_id = :project_id) ORDER BY target_id, user_id"
)
_MEMBERS = (
    "SELECT user_id, first_name, last_name, login, role, active FROM member"
    " JOIN app_user ON app_user.id = member.user_id WHERE project_id = :project_id{only} ORDER BY user_id"
)


def header_of(view: Snapshot, project_id: Id) -> CanvasHeader:
    """Return the whole header. Most of it is the same for all users and computed once for them."""
    days = (view.today, view.actor.zone)
    shared = view.tx.find_cached(("canvas head", project_id, days), lambda: _whole(view, project_id))
    role = next((each.role for each in shared.members if each.user_id == view.actor.user_id), None)
    return replace(shared, me=view.actor.user_id, my_role=role, held=view.held, authority=view.grant.authority)


class Frame(Record, kw_only=False):
    """The facts that every header needs, the phases with their states, and the custom fields."""

    facts: HeaderFacts
    workflow: Workflow
    fields: tuple[CustomField, ...]

    @classmethod
    def of(cls, view: Snapshot, project_id: Id) -> Frame:
        """Read it, without a statement for custom fields where there are none. Raises NotFound."""
        statements = _frame_statements(project_id, state_of(view, project_id).has_fields)
        return cls.from_rows(view, view.tx.tuples_all(statements))

    @classmethod
    def from_rows(cls, view: Snapshot, rows: Sequence[Sequence[Any]]) -> Frame:
        """Make it from the rows of ``_frame_statements``. Raises DatabaseDamaged if the project or its counts lack."""
        if not (rows[0] and rows[2]):
            raise DatabaseDamaged("A project or its counts are missing. “podium restore” restores a backup.")
        [row], phases, [(_, counts, completions, *dues)], state, *own = rows
        [project] = view.load_records(Project, [row[: len(_COLUMNS)]])
        links, changes = row[len(_COLUMNS) :], state_in(state)
        workflow = Workflow.from_phases(view.load_records(Phase, phases), counts_in(counts))
        facts = made_from(
            HeaderFacts,
            project,
            project_id=project.id,
            links=tuple(name for name in links if name),
            my_role=None,
            held=frozenset(),
            authority=LOCAL,
            health=health(dates_in(view, project, workflow, completions, dues)),
            tally=sum(workflow.tallies.values(), ItemCounts()),
            today=view.today,
            seq=changes.seq,
            elsewhere=changes.elsewhere,
            workspace_seq=changes.workspace_seq,
        )
        return cls(facts, workflow, tuple(view.load_records(CustomField, own[0])) if own else ())


def _whole(view: Snapshot, project_id: Id) -> CanvasHeader:
    of_project, labels = _frame_statements(project_id, with_fields=True), labels_statement(project_id)
    of_columns, of_members = column_statements(project_id, None), member_statement(project_id, None)
    read = view.tx.tuples_all([*of_project, *of_columns, of_members, labels])
    if not read[0]:
        raise NotFound(no_such("project", project_id))
    frame = Frame.from_rows(view, read[: len(of_project)])
    assigned, deliverables, member_rows, labels_read = read[len(of_project) :]
    members = members_in(member_rows)
    return made_from(
        CanvasHeader,
        frame.facts,
        columns=columns_in(view, frame, None, assigned, deliverables),
        members=members,
        labels=by_name(view.load_records(Label, labels_read)),
        fields=frame.fields,
        owners=owners_among(members),
    )


def _frame_statements(project_id: Id, with_fields: bool) -> list[Statement]:
    return [(sql, {"project_id": project_id}) for sql in (*_OF_PROJECT, *[_CUSTOM_FIELDS] * with_fields)]


# -- columns ---------------------------------------------------------------------------------------------------------


def column_statements(project_id: Id, phase_ids: Collection[Id] | None) -> list[Statement]:
    """The statements that read who is assigned to these phases and what they promise; of all phases for None."""
    only, params = among("target_id", phase_ids)
    assigned = (_ASSIGNED_TO_PHASES.format(only=only), {"project_id": project_id, **params})
    only, params = among("phase_id", phase_ids)
    return [assigned, (gate_facts("project_id = :project_id", only), {"project_id": project_id, **params})]


def columns_in(
    view: Snapshot,
    frame: Frame,
    phase_ids: Collection[Id] | None,
    assigned: Iterable[Sequence[Any]],
    deliverables: Iterable[Sequence[Any]],
) -> tuple[PhaseColumn, ...]:
    """The columns of these phases, or of all for None, from the rows of ``column_statements``."""
    workflow, people = frame.workflow, dict[Id, tuple[Id, ...]]()
    for phase_id, user_id in assigned:
        people[phase_id] = (*people.get(phase_id, ()), user_id)
    gates = GateFacts.of(view, deliverables)
    numbered = [
        (number, phase) for number, phase in enumerate(workflow.phases, 1) if phase_ids is None or phase.id in phase_ids
    ]
    missing = settle_summaries(
        view,
        {each.id: summarize(each, workflow.state(each.id), workflow.tally(each.id), gates) for _, each in numbered},
        gates,
        {each.id: each.project_id for _, each in numbered},
    )
    columns = tuple(
        _column(number, phase, workflow, people.get(phase.id, ()), gates, missing[phase.id])
        for number, phase in numbered
    )
    return with_sums(view, frame.facts.project_id, columns, frame.fields, phase_ids) if frame.fields else columns


def _column(
    number: int, phase: Phase, workflow: Workflow, member_ids: tuple[Id, ...], gates: GateFacts, missing: GateSummary
) -> PhaseColumn:
    promised = tuple(PromisedDeliverable(each.name, each.done) for each in gates.promised.get(phase.id, ()))
    return made_from(
        PhaseColumn,
        phase,
        number=number,
        state=workflow.state(phase.id),
        tally=workflow.tally(phase.id),
        member_ids=member_ids,
        deliverables_done=sum(each.done for each in promised),
        deliverables=len(promised),
        promised=promised,
        missing=missing,
    )


# -- members ---------------------------------------------------------------------------------------------------------


def member_statement(project_id: Id, user_ids: Collection[Id] | None) -> Statement:
    """The statement that reads these members, or all for None."""
    only, params = among("user_id", user_ids)
    return _MEMBERS.format(only=only), {"project_id": project_id, **params}


def members_in(rows: Iterable[Sequence[Any]]) -> tuple[CanvasMember, ...]:
    """The members by name, from the rows of ``member_statement``."""
    members = (
        CanvasMember(
            user_id=user_id,
            name=full_name(first_name, last_name),
            login=login,
            role=ProjectRole(role),
            active=bool(active),
        )
        for user_id, first_name, last_name, login, role, active in rows
    )
    return tuple(sorted(members, key=by_member_name))
