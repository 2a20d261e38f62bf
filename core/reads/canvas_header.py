"""The header of a Canvas: whole, and what of it differs since an earlier read, as the history says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from core.domain.canvas import (
    CanvasHeader,
    CanvasMember,
    Card,
    HeaderChanges,
    HeaderFacts,
    PhaseColumn,
    PromisedDeliverable,
    by_member_name,
    owners_among,
)
from core.domain.fields import OwnField
from core.domain.grants import LOCAL
from core.domain.labels import Label
from core.domain.model import Id, Phase, Project, ProjectRole
from core.domain.project_health import health
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.domain.workflow import Workflow
from core.engine.counters import counts_in
from core.engine.unit_of_work import Snapshot, select
from core.errors import NotFound
from core.reads import canvas_history as past
from core.reads.project_dates import LINKED, LINKS, NUMBERS, dates_in
from core.reads.project_state import STATE, state_in, state_of
from core.record import Record, made_from, replace
from core.rules.card_fields import FIELDS_IN_ORDER, with_sums
from core.rules.gate_facts import GateFacts, gate_facts, summarize
from core.rules.labels import by_name, labels_statement
from core.rules.phases import PHASES_IN_ORDER
from core.storage.database import ASKED_AT_ONCE, Row, Statement, among, batches
from core.storage.row_mapper import table_of
from core.text.phrases import full_name, no_such

_COLUMNS = table_of(Project).columns
_PROJECT = (
    f"SELECT {', '.join((*(f'project.{column}' for column in _COLUMNS), *(f'{link}.name' for link in LINKS)))}"
    f" FROM project{LINKED} WHERE project.id = :project_id"
)
_OF_PROJECT = (_PROJECT, select(Phase, PHASES_IN_ORDER), NUMBERS, STATE)
_OWN_FIELDS = select(OwnField, FIELDS_IN_ORDER)
_ASSIGNED_TO_PHASES = (
    "SELECT target_id, user_id FROM assignment WHERE project_id = :project_id{only}"
    " AND target_id IN (SELECT id FROM phase WHERE project_id = :project_id) ORDER BY target_id, user_id"
)
_MEMBERS = (
    "SELECT user_id, first_name, last_name, login, role, active FROM member"
    " JOIN app_user ON app_user.id = member.user_id WHERE project_id = :project_id{only} ORDER BY user_id"
)
_MY_ROLE = "SELECT role FROM member WHERE project_id = :project_id AND user_id = :user_id"


def header_of(view: Snapshot, project_id: Id) -> CanvasHeader:
    """Return the whole header. Most of it is the same for all users and computed once for them."""
    days = (view.today, view.actor.zone)
    shared = view.tx.find_cached(("canvas head", project_id, days), lambda: _whole(view, project_id))
    role = next((each.role for each in shared.members if each.user_id == view.actor.user_id), None)
    return replace(shared, my_role=role, held=view.held, authority=view.grant.authority)


def header_facts(view: Snapshot, project_id: Id) -> HeaderChanges:
    """Return the facts of the header without any column or member."""
    return of_mine(view, made_from(HeaderChanges, _Frame.of(view, project_id).facts))


def of_mine(view: Snapshot, shared: HeaderChanges) -> HeaderChanges:
    """Return the changes of a header, which are the same for all users, with what the sender may do."""
    rows = view.tx.tuples(_MY_ROLE, project_id=shared.project_id, user_id=view.actor.user_id)
    role = ProjectRole(rows[0][0]) if rows else None
    return replace(shared, my_role=role, held=view.held, authority=view.grant.authority)


def header_changes(
    view: Snapshot, project_id: Id, records: Sequence[Row], cards: Sequence[Card], of_workspace: Sequence[Row] | None
) -> HeaderChanges:
    """Return what differs in the header since an earlier read, the same for all users.

    ``records`` are those of the history of the project since then, ``cards`` those that they name, as they are now.
    ``of_workspace`` are the records of the workspace since then; without them every person and label counts as changed.
    """
    frame = _Frame.of(view, project_id)
    columns, gone_columns = _differing_columns(view, project_id, frame.workflow, records, cards)
    if past.keys_of(of_workspace or (), "app_user"):
        columns = None  # a hold has the name of a person
    people, gone_people = _differing_members(records, of_workspace)
    labels_too = of_workspace is None or any(each["entity"] == "label" for each in (*records, *of_workspace))
    of_columns, of_members = _column_statements(project_id, columns), _member_statement(project_id, people)
    read = view.tx.tuples_all([*of_columns, of_members, *([labels_statement(project_id)] if labels_too else [])])
    members = _members(read[2])
    return made_from(
        HeaderChanges,
        frame.facts,
        columns=_columns(view, frame, columns, read[0], read[1]),
        gone_columns=gone_columns,
        members=members,
        gone_members=tuple(sorted(gone_people - {each.user_id for each in members})),
        labels=by_name(view.load_records(Label, read[3])) if labels_too else None,
        fields=frame.fields if any(each["entity"] == "field" for each in records) else None,
    )


class _Frame(Record, kw_only=False):
    """The facts that every header needs, the phases with their states, and the own fields."""

    facts: HeaderFacts
    workflow: Workflow
    fields: tuple[OwnField, ...]

    @classmethod
    def of(cls, view: Snapshot, project_id: Id) -> _Frame:
        """Read it, without a statement for own fields where there are none. Raises NotFound."""
        return cls.from_rows(
            view, view.tx.tuples_all(_frame_statements(project_id, state_of(view, project_id).has_fields))
        )

    @classmethod
    def from_rows(cls, view: Snapshot, rows: Sequence[Sequence[Any]]) -> _Frame:
        """Make it from the rows of ``_frame_statements``. Raises NotFound."""
        [row], phases, [(_, counts, completions, *dues)], state, *own = rows
        [project], links, changes = (
            view.load_records(Project, [row[: len(_COLUMNS)]]),
            row[len(_COLUMNS) :],
            state_in(state),
        )
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
        return cls(facts, workflow, tuple(view.load_records(OwnField, own[0])) if own else ())


def _whole(view: Snapshot, project_id: Id) -> CanvasHeader:
    of_project, labels = _frame_statements(project_id, with_fields=True), labels_statement(project_id)
    of_columns, of_members = _column_statements(project_id, None), _member_statement(project_id, None)
    read = view.tx.tuples_all([*of_project, *of_columns, of_members, labels])
    if not read[0]:
        raise NotFound(no_such("project", project_id))
    frame = _Frame.from_rows(view, read[: len(of_project)])
    assigned, deliverables, member_rows, labels_read = read[len(of_project) :]
    members = _members(member_rows)
    return made_from(
        CanvasHeader,
        frame.facts,
        columns=_columns(view, frame, None, assigned, deliverables),
        members=members,
        labels=by_name(view.load_records(Label, labels_read)),
        fields=frame.fields,
        owners=owners_among(members),
    )


def _frame_statements(project_id: Id, with_fields: bool) -> list[Statement]:
    return [(sql, {"project_id": project_id}) for sql in (*_OF_PROJECT, *[_OWN_FIELDS] * with_fields)]


# -- columns ---------------------------------------------------------------------------------------------------------


def _column_statements(project_id: Id, phase_ids: Collection[Id] | None) -> list[Statement]:
    """The statements that read who is assigned to these phases and what they promise; of all phases for None."""
    only, params = among("target_id", phase_ids)
    assigned = (_ASSIGNED_TO_PHASES.format(only=only), {"project_id": project_id, **params})
    only, params = among("phase_id", phase_ids)
    return [assigned, (gate_facts("project_id = :project_id", only), {"project_id": project_id, **params})]


def _columns(
    view: Snapshot,
    frame: _Frame,
    phase_ids: Collection[Id] | None,
    assigned: Iterable[Sequence[Any]],
    deliverables: Iterable[Sequence[Any]],
) -> tuple[PhaseColumn, ...]:
    """The columns of these phases, or of all for None, from the rows of ``_column_statements``."""
    workflow, people = frame.workflow, dict[Id, tuple[Id, ...]]()
    for phase_id, user_id in assigned:
        people[phase_id] = (*people.get(phase_id, ()), user_id)
    gates = GateFacts.of(view, deliverables)
    columns = tuple(
        _column(number, phase, workflow, people.get(phase.id, ()), gates)
        for number, phase in enumerate(workflow.phases, 1)
        if phase_ids is None or phase.id in phase_ids
    )
    return with_sums(view, frame.facts.project_id, columns, frame.fields, phase_ids)


def _column(number: int, phase: Phase, workflow: Workflow, member_ids: tuple[Id, ...], gates: GateFacts) -> PhaseColumn:
    promised = tuple(PromisedDeliverable(each.name, each.done) for each in gates.promised.get(phase.id, ()))
    state, tally = workflow.state(phase.id), workflow.tally(phase.id)
    return made_from(
        PhaseColumn,
        phase,
        number=number,
        state=state,
        tally=tally,
        member_ids=member_ids,
        deliverables_done=sum(each.done for each in promised),
        deliverables=len(promised),
        promised=promised,
        missing=summarize(phase, state, tally, gates),
    )


def _differing_columns(
    view: Snapshot, project_id: Id, workflow: Workflow, records: Sequence[Row], cards: Sequence[Card]
) -> tuple[Collection[Id] | None, tuple[Id, ...]]:
    """The phases whose columns differ, None for all of them, and those that are gone.

    A column differs where the history names its phase or one of its cards, and where its place or its state was another
    one: completing a phase can open the next ones.
    """
    now = {phase.id: (number, workflow.state(phase.id)) for number, phase in enumerate(workflow.phases)}
    gone = tuple(sorted(past.keys_of(records, "phase") - now.keys()))
    if any(each["entity"] == "field" for each in records) or past.renumbered_in(records) & now.keys():
        return None, gone
    before = _workflow_before(workflow, records, cards)
    placed = {phase.id: (number, before.state(phase.id)) for number, phase in enumerate(before.phases)}
    moved = {phase_id for phase_id, place in now.items() if placed.get(phase_id) != place}
    found = (moved | _phases_named_in(view, project_id, records, cards)) & now.keys()
    return (None if len(found) > ASKED_AT_ONCE else found), gone


def _workflow_before(workflow: Workflow, records: Sequence[Row], cards: Iterable[Card]) -> Workflow:
    """The workflow as it was before these records; ``cards`` are those that they name, as they are now."""
    phases, table = {phase.id: phase for phase in workflow.phases}, table_of(Phase)
    for phase_id, values in past.values_before(records, "phase").items():
        now = phases.pop(phase_id, None)
        if values is not None:
            phases[phase_id] = table.restore_record((table.dump(now) if now else {}) | values)
    tallies, placed = dict(workflow.tallies), {card.id: (card.phase_id, card.status) for card in cards}
    for item_id, values in past.values_before(records, "item").items():
        phase_id, status = placed.get(item_id, ("", None))
        if status is not None:
            tallies[phase_id] = tallies.get(phase_id, NO_ITEMS) + _items(status, -1)
        if values is not None:
            before, was = values.get("phase_id", phase_id), values.get("status", status)
            tallies[before] = tallies.get(before, NO_ITEMS) + _items(str(was), 1)
    return Workflow.from_phases(sorted(phases.values(), key=lambda phase: (phase.rank, phase.id)), tallies)


def _items(status: str, number: int) -> ItemCounts:
    return ItemCounts(**{status.lower(): number})


def _phases_named_in(view: Snapshot, project_id: Id, records: Sequence[Row], cards: Iterable[Card]) -> set[Id]:
    """The phases that these records are about, or cards, deliverables or decisions of them; also other ids."""
    items = past.keys_of(records, "item") | past.keys_of(records, "item_field", "item_id")
    tables = ("deliverable", "gate_record")
    before = [values for table in ("item", *tables) for values in past.values_before(records, table).values()]
    left = {values["phase_id"] for values in before if values and "phase_id" in values}
    found = left | past.keys_of(records, "phase") | past.keys_of(records, "assignment", "target_id")
    found |= {card.phase_id for card in cards if card.id in items}
    named = [(table, "id", past.keys_of(records, table)) for table in tables]
    came_or_left = [each for each in records if each["before"] is None or each["after"] is None]
    named.append(("deliverable", "evidence", past.keys_of(came_or_left, "item")))  # a deleted card is no evidence
    for table, column, ids in named:
        for batch in batches(sorted(ids)):
            only, params = among(column, batch)
            sql = f"SELECT phase_id FROM {table} WHERE project_id = :project_id{only} ORDER BY phase_id"
            found |= {row[0] for row in view.tx.tuples(sql, project_id=project_id, **params)}
    return found


# -- members ---------------------------------------------------------------------------------------------------------


def _member_statement(project_id: Id, user_ids: Collection[Id] | None) -> Statement:
    """The statement that reads these members, or all for None."""
    only, params = among("user_id", user_ids)
    return _MEMBERS.format(only=only), {"project_id": project_id, **params}


def _members(rows: Iterable[Sequence[Any]]) -> tuple[CanvasMember, ...]:
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


def _differing_members(
    records: Sequence[Row], of_workspace: Sequence[Row] | None
) -> tuple[Collection[Id] | None, set[Id]]:
    """The users who are to be read, None for all members, and those who may have left the project."""
    joined_or_left = past.keys_of(records, "member", "user_id")
    if of_workspace is None:
        return None, joined_or_left
    found = joined_or_left | past.keys_of(of_workspace, "app_user")
    return (None if len(found) > ASKED_AT_ONCE else found), joined_or_left
