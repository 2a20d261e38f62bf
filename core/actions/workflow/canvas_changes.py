"""The changes of a Canvas since an earlier read: what the history names, as it is now."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from core.actions.workflow.canvas import cards_in
from core.domain.canvas import ActivitySummary, CanvasChanges, CanvasHeader, Card, HeaderChanges
from core.domain.labels import Label
from core.domain.model import WORKSPACE, ChangeKind, Id, Phase, ProjectRole
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.reads.canvas_header import Frame, column_statements, columns_in, member_statement, members_in
from core.reads.project_state import links_differ, state_of
from core.reads.waiting_cards import linked_elsewhere, linked_with
from core.record import Record, made_from, replace
from core.rules.active_preset import active_preset
from core.rules.labels import by_name, labels_statement
from core.storage.database import ASKED_AT_ONCE, Row, among, batches
from core.storage.row_mapper import ORDER, table_of
from core.text.phrases import credit_author, person_name

MAX_RECORDS = 5_000
"""The most record changes that are returned one by one. Beyond it, reading the whole Canvas costs less."""

_MY_ROLE = "SELECT role FROM member WHERE project_id = :project_id AND user_id = :user_id"


class GetCanvasChanges(ProjectQuery[CanvasChanges | None]):
    """Show the changes of the Canvas since a seq, null if there are none.

    Only what the history names is read and returned: cards, and of the header the columns and members that differ, also
    by their number or state; ``Canvas.after`` puts them into the Canvas that was read before. Labels and custom fields
    are returned all together where one of them differs. After more than 5,000 changes the answer says to read the
    Canvas again. A new name of a person, a product or a label of the workspace is in no project's history: it is shown
    after the next change of the project, or with ``for_opening``, which also returns the active preset.
    """

    route = "GET /v1/projects/{project_id}/canvas/changes"
    permission = Permission.PROJECT_VIEW
    single_flight = True
    with_commands = True
    since: int
    elsewhere: int | None = None
    """The number ``elsewhere`` of that read; without it changes of linked projects are not looked for."""
    workspace_seq: int | None = None
    """The number ``workspaceSeq`` of that read; without it all members and labels are returned."""
    for_opening: bool = False
    """Return what a view needs that opens with that read, even if nothing has changed in the project."""

    @classmethod
    def of(cls, head: CanvasHeader, *, for_opening: bool = False) -> GetCanvasChanges:
        """Return the query for the changes since a Canvas with this header was read."""
        known = {"since": head.seq, "elsewhere": head.elsewhere, "workspace_seq": head.workspace_seq}
        return cls(project_id=head.project_id, **known, for_opening=for_opening)

    def run(self, view: Snapshot) -> CanvasChanges | None:
        state = view.tx.find_cached(("state", self.project_id), lambda: state_of(view, self.project_id))
        seq, others, workspace_seq = state.seq, state.elsewhere, state.workspace_seq
        elsewhere = self.elsewhere not in (None, others)
        if seq == self.since and not elsewhere and not self.for_opening:
            return None
        is_near = self.since <= seq <= self.since + MAX_RECORDS  # a restored backup has a lower seq
        if not is_near or (elsewhere and links_differ(self.elsewhere or 0, others)):
            return self._read_again(view)
        became = view.tx.find_cached(
            ("canvas changes", self.project_id, self.since, elsewhere, self.workspace_seq, view.today, view.actor.zone),
            lambda: self._became(view, elsewhere, workspace_seq),
        )
        if became is None:
            return self._read_again(view)
        me, head = view.actor.user_id, of_mine(view, became.head)
        preset_too = became.preset_too or self.for_opening

        def of_mine_too() -> CanvasChanges:
            return CanvasChanges(
                head=head,
                changed=became.changed,
                gone=became.gone,
                by_others=frozenset(item_id for actor_id, item_id in became.touched if actor_id != me),
                others=activity_since([each for each in became.history if each["actor_id"] != me]),
                preset=active_preset(view, self.project_id, head.my_role) if preset_too else None,
            )

        if preset_too or any(each["actor_id"] == me for each in became.history):
            return of_mine_too()
        alike = (head.my_role, head.held, head.authority, view.actor.zone)  # such users get the same result
        seen_from = (self.project_id, self.since, elsewhere, self.workspace_seq, view.today, alike)
        return view.tx.find_cached(("canvas changes seen", *seen_from), of_mine_too)

    def _read_again(self, view: Snapshot) -> CanvasChanges:
        facts = made_from(HeaderChanges, Frame.of(view, self.project_id).facts)
        return CanvasChanges(head=of_mine(view, facts), read_again=True)

    def _became(self, view: Snapshot, elsewhere: bool, workspace_seq: int) -> _Became | None:
        """Return the changes since then; None where they are too many, or can be of any card."""
        project_id, before = self.project_id, self.workspace_seq
        history = history_since(view, project_id, self.since)
        if history is None:
            return None
        records = [each for each in history if each["entity"] is not None]
        of_workspace = None if before is None else workspace_records(view, before, workspace_seq)
        if fields_removed_in(records) or renames_cards(of_workspace or ()):
            return None
        touched = frozenset((record["actor_id"], item_id) for record in records for item_id in items_of(record))
        items = {item_id for _, item_id in touched} | renumbered_in(records)
        changed = cards_in(view, project_id, items)
        head = header_changes(view, project_id, records, changed, of_workspace)
        activities = {card.activity_id for card in changed if card.activity_id} - items
        here = {card.id for card in changed}
        gone = deleted_in(records) - here
        touched = frozenset(each for each in touched if each[1] in here | gone)  # a link names cards of other projects
        linked = linked_with(view, project_id, items, waiting_in(records))
        linked |= linked_elsewhere(view, project_id) if elsewhere else set()
        activities |= linked - items
        changed += cards_in(view, project_id, activities)  # because they show the number of their tasks, or of blockers
        return _Became(
            head,
            tuple(changed),
            tuple(sorted(gone)),
            touched,
            changes_in(history),
            any(record["entity"] in ("preset", "member") for record in records),
        )


class _Became(Record, kw_only=False):
    """The changes of a Canvas since a seq, the same for all users."""

    head: HeaderChanges
    changed: tuple[Card, ...]
    gone: tuple[Id, ...]
    touched: frozenset[tuple[Id, Id]]
    """Pairs of a user and an item that the user changed."""
    history: list[Row]
    """The changes, the newest first."""
    preset_too: bool


# -- the header ------------------------------------------------------------------------------------------------------


def of_mine(view: Snapshot, shared: HeaderChanges) -> HeaderChanges:
    """Return the changes of a header, which are the same for all users, with what the sender may do."""
    rows = view.tx.tuples(_MY_ROLE, project_id=shared.project_id, user_id=view.actor.user_id)
    role = ProjectRole(rows[0][0]) if rows else None
    return replace(shared, me=view.actor.user_id, my_role=role, held=view.held, authority=view.grant.authority)


def header_changes(
    view: Snapshot, project_id: Id, records: Sequence[Row], cards: Sequence[Card], of_workspace: Sequence[Row] | None
) -> HeaderChanges:
    """Return what differs in the header since an earlier read, the same for all users.

    ``records`` are those of the history of the project since then, ``cards`` those that they name, as they are now.
    ``of_workspace`` are the records of the workspace since then; without them every person and label counts as changed.
    """
    frame = Frame.of(view, project_id)
    columns, gone_columns = _differing_columns(view, project_id, frame.workflow, records, cards)
    if keys_of(of_workspace or (), "app_user") or _OF_PANELS & {each["entity"] for each in records}:
        columns = None  # a hold has the name of a person, and a panel many
    elif columns and state_of(view, project_id).has_watchers:
        columns = None  # a criterion looks at all cards of the project
    people, gone_people = _differing_members(records, of_workspace)
    labels_too = of_workspace is None or any(each["entity"] == "label" for each in (*records, *of_workspace))
    of_columns, of_members = column_statements(project_id, columns), member_statement(project_id, people)
    read = view.tx.tuples_all([*of_columns, of_members, *([labels_statement(project_id)] if labels_too else [])])
    members = members_in(read[2])
    return made_from(
        HeaderChanges,
        frame.facts,
        columns=columns_in(view, frame, columns, read[0], read[1]),
        gone_columns=gone_columns,
        members=members,
        gone_members=tuple(sorted(gone_people - {each.user_id for each in members})),
        labels=by_name(view.load_records(Label, read[3])) if labels_too else None,
        fields=frame.fields if any(each["entity"] == "field" for each in records) else None,
    )


_OF_PANELS = frozenset({"gate_policy", "gate_criterion", "gate_condition", "member", "member_meta_role"})
"""Tables with what gates are decided by, beside their own records."""


def _differing_columns(
    view: Snapshot, project_id: Id, workflow: Workflow, records: Sequence[Row], cards: Sequence[Card]
) -> tuple[Collection[Id] | None, tuple[Id, ...]]:
    """The phases whose columns differ, None for all of them, and those that are gone.

    A column differs where the history names its phase or one of its cards, and where its place or its state was another
    one: completing a phase can open the next ones.
    """
    now = {phase.id: (number, workflow.state(phase.id)) for number, phase in enumerate(workflow.phases)}
    gone = tuple(sorted(keys_of(records, "phase") - now.keys()))
    if any(each["entity"] == "field" for each in records) or renumbered_in(records) & now.keys():
        return None, gone
    before = _workflow_before(workflow, records, cards)
    placed = {phase.id: (number, before.state(phase.id)) for number, phase in enumerate(before.phases)}
    moved = {phase_id for phase_id, place in now.items() if placed.get(phase_id) != place}
    found = (moved | _phases_named_in(view, project_id, records, cards)) & now.keys()
    return (None if len(found) > ASKED_AT_ONCE else found), gone


def _workflow_before(workflow: Workflow, records: Sequence[Row], cards: Iterable[Card]) -> Workflow:
    """The workflow as it was before these records; ``cards`` are those that they name, as they are now."""
    phases, table = {phase.id: phase for phase in workflow.phases}, table_of(Phase)
    for phase_id, values in values_before(records, "phase").items():
        now = phases.pop(phase_id, None)
        if values is not None:
            phases[phase_id] = table.restore_record((table.dump(now) if now else {}) | values)
    tallies, placed = dict(workflow.tallies), {card.id: (card.phase_id, card.status) for card in cards}
    for item_id, values in values_before(records, "item").items():
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
    items = keys_of(records, "item") | keys_of(records, "item_field", "item_id")
    tables = ("deliverable", "gate_record")
    before = [values for table in ("item", *tables) for values in values_before(records, table).values()]
    left = {values["phase_id"] for values in before if values and "phase_id" in values}
    found = left | keys_of(records, "phase") | keys_of(records, "assignment", "target_id")
    found |= {card.phase_id for card in cards if card.id in items}
    named = [(table, "id", keys_of(records, table)) for table in tables]
    came_or_left = [each for each in records if each["before"] is None or each["after"] is None]
    named.append(("deliverable", "evidence", keys_of(came_or_left, "item")))  # a deleted card is no evidence
    for table, column, ids in named:
        for batch in batches(sorted(ids)):
            only, params = among(column, batch)
            sql = f"SELECT phase_id FROM {table} WHERE project_id = :project_id{only} ORDER BY phase_id"
            found |= {row[0] for row in view.tx.tuples(sql, project_id=project_id, **params)}
    return found


def _differing_members(
    records: Sequence[Row], of_workspace: Sequence[Row] | None
) -> tuple[Collection[Id] | None, set[Id]]:
    """The users who are to be read, None for all members, and those who may have left the project."""
    joined_or_left = keys_of(records, "member", "user_id")
    if of_workspace is None:
        return None, joined_or_left
    found = joined_or_left | keys_of(of_workspace, "app_user")
    return (None if len(found) > ASKED_AT_ONCE else found), joined_or_left


# -- the history -----------------------------------------------------------------------------------------------------


def history_since(view: Snapshot, project_id: Id, since: int) -> list[Row] | None:
    """Return each record's changes since ``since``, the oldest first, with the change that they belong to and the user
    who made it; ``entity`` is NULL for a change without records. None if they are too many."""
    found = view.rows(
        "SELECT change.seq, actor_id, change.kind, change.summary, change.through, first_name, last_name,"
        " entity, key, before, after FROM change"
        " LEFT JOIN change_record ON change_record.project_id = change.project_id AND change_record.seq = change.seq"
        " LEFT JOIN app_user ON app_user.id = change.actor_id"
        " WHERE change.project_id = :project_id AND change.seq > :since"
        " ORDER BY change.seq, position LIMIT :most",
        project_id=project_id,
        since=since,
        most=MAX_RECORDS + 1,
    )
    return found if len(found) <= MAX_RECORDS else None


def changes_in(history: Sequence[Row]) -> list[Row]:
    """Return one row for each change, the newest first."""
    return list({row["seq"]: row for row in reversed(history)}.values())


def workspace_records(view: Snapshot, since: int, seq: int) -> list[Row] | None:
    """Return the records of the workspace from ``since`` to ``seq``; None if they are too many."""
    if seq == since:
        return []
    sql = (
        "SELECT entity, key FROM change_record WHERE project_id = :workspace AND seq > :since"
        " ORDER BY seq, position LIMIT :most"
    )
    found = view.rows(sql, workspace=WORKSPACE, since=since, most=MAX_RECORDS + 1)
    return found if since < seq and len(found) <= MAX_RECORDS else None


def activity_since(rows: list[Row]) -> ActivitySummary | None:
    """Summarise changes for one sentence: the people who made them, their number, and the newest."""
    if not rows:
        return None
    names = dict.fromkeys(
        credit_author(person_name(row["first_name"], row["last_name"]), row["through"]) for row in rows
    )
    newest = rows[0]
    kind, summary = ChangeKind(newest["kind"]), newest["summary"]
    return ActivitySummary(names=tuple(names), changes=len(rows), kind=kind, summary=summary)


def keys_of(records: Sequence[Row], entity: str, column: str = "id") -> set[Id]:
    """Return the ids that the records of an entity have in a column of their key."""
    return {json.loads(each["key"])[column] for each in records if each["entity"] == entity}


def values_before(records: Sequence[Row], entity: str) -> dict[Id, dict[str, Any] | None]:
    """Return the values that the records of an entity had before these changes, in the columns that were changed.

    Of a record that was deleted since it has all columns; None stands for one that did not exist yet.
    """
    found: dict[Id, dict[str, Any] | None] = {}
    for each in reversed(records):
        if each["entity"] == entity:
            row_id, before = json.loads(each["key"])["id"], each["before"]
            found[row_id] = None if before is None else {**(found.get(row_id) or {}), **json.loads(before)}
    return found


def renames_cards(of_workspace: Sequence[Row]) -> bool:
    """Return True if records of the workspace change any card: a product, or the labels on cards."""
    return any(each["entity"] in ("product", "item_label") for each in of_workspace)


def deleted_in(records: Sequence[Row]) -> set[Id]:
    """Return the ids of the items and applications that were deleted."""
    return {
        json.loads(each["key"])["id"]
        for each in records
        if each["entity"] in ("item", "application") and each["after"] is None
    }


def renumbered_in(records: Sequence[Row]) -> set[Id]:
    """Return the ids of the records that have a new rank only because of a renumbering."""
    return {each for record in records if record["entity"] == ORDER for each in json.loads(record["after"])}


def fields_removed_in(records: Sequence[Row]) -> bool:
    """Return True if a custom field was removed, or brought back by an undo."""
    return any(
        each["entity"] == "field" and '"removed"' in (each["after"] or "") and each["before"] for each in records
    )


def waiting_in(records: Sequence[Row]) -> set[Id]:
    """Return the cards whose dependencies were changed."""
    return {json.loads(each["key"])["waiting_id"] for each in records if each["entity"] == "dependency"}


def items_of(row: Row) -> Iterable[Id]:
    """Return the items and applications whose cards one record may change; also the activity that a task left.

    An assignment may name a phase, whose id then matches no card.
    """
    if row["entity"] in ("item", "application"):
        yield json.loads(row["key"])["id"]
        left = json.loads(row["before"] or "{}").get("activity_id")
        if left:
            yield left
    elif row["entity"] == "dependency":
        yield from (json.loads(row["key"])[end] for end in ("waiting_id", "blocker_id"))
    elif row["entity"] == "assignment":
        yield json.loads(row["key"])["target_id"]
    elif row["entity"] in ("item_label", "item_field"):
        yield json.loads(row["key"])["item_id"]
    elif row["entity"] == "comment" and not (row["before"] and row["after"]):  # another text changes no card
        yield json.loads(row["before"] or row["after"])["item_id"]
