"""The changes of a Canvas since an earlier read."""

from __future__ import annotations

from core.actions.workflow.canvas import cards_in
from core.domain.canvas import CanvasChanges, CanvasHeader, Card, HeaderChanges
from core.domain.model import Id
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.reads import canvas_history as past
from core.reads.canvas_header import header_changes, header_facts, of_mine
from core.reads.project_state import links_differ, state_of
from core.reads.waiting_cards import linked_elsewhere, linked_with
from core.record import Record
from core.rules.chosen_view import active_preset
from core.storage.database import Row


class GetCanvasChanges(ProjectQuery[CanvasChanges | None]):
    """Show the changes of the Canvas since a seq, null if there are none.

    Only what the history names is read and returned: cards, and of the header the columns and members that differ, also
    by their number or state; ``Canvas.after`` puts them into the Canvas that was read before. Labels and own fields are
    returned all together where one of them differs. After more than 5,000 changes the answer says to read the Canvas
    again. A new name of a person, a product or a label of the workspace is in no project's history: it is shown after
    the next change of the project, or with ``for_opening``, which also returns the active preset.
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
        is_near = self.since <= seq <= self.since + past.MAX_RECORDS  # a restored backup has a lower seq
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
                others=past.activity_since([each for each in became.history if each["actor_id"] != me]),
                preset=active_preset(view, self.project_id, head.my_role) if preset_too else None,
            )

        if preset_too or any(each["actor_id"] == me for each in became.history):
            return of_mine_too()
        alike = (head.my_role, head.held, head.authority, view.actor.zone)  # such users get the same result
        seen_from = (self.project_id, self.since, elsewhere, self.workspace_seq, view.today, alike)
        return view.tx.find_cached(("canvas changes seen", *seen_from), of_mine_too)

    def _read_again(self, view: Snapshot) -> CanvasChanges:
        return CanvasChanges(head=header_facts(view, self.project_id), read_again=True)

    def _became(self, view: Snapshot, elsewhere: bool, workspace_seq: int) -> _Became | None:
        """Return the changes since then; None where they are too many, or can be of any card."""
        project_id, before = self.project_id, self.workspace_seq
        history = past.history_since(view, project_id, self.since)
        if history is None:
            return None
        records = [each for each in history if each["entity"] is not None]
        of_workspace = None if before is None else past.workspace_records(view, before, workspace_seq)
        if past.fields_removed_in(records) or past.renames_cards(of_workspace or ()):
            return None
        touched = frozenset((record["actor_id"], item_id) for record in records for item_id in past.items_of(record))
        items = {item_id for _, item_id in touched} | past.renumbered_in(records)
        changed = cards_in(view, project_id, items)
        head = header_changes(view, project_id, records, changed, of_workspace)
        activities = {card.activity_id for card in changed if card.activity_id} - items
        here = {card.id for card in changed}
        gone = past.deleted_in(records) - here
        touched = frozenset(each for each in touched if each[1] in here | gone)  # a link names cards of other projects
        linked = linked_with(view, project_id, items, past.waiting_in(records))
        linked |= linked_elsewhere(view, project_id) if elsewhere else set()
        activities |= linked - items
        changed += cards_in(view, project_id, activities)  # because they show the number of their tasks, or of blockers
        return _Became(
            head,
            tuple(changed),
            tuple(sorted(gone)),
            touched,
            past.changes_in(history),
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
