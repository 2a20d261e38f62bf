"""The changes of a Canvas since an earlier read."""

from __future__ import annotations

from core.actions.workflow.canvas import cards_in, head_of
from core.domain.canvas import CanvasChanges, Card
from core.domain.model import Id
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.rules import canvas_history as past
from core.rules.active_preset import active_preset
from core.rules.waiting_cards import LAST_CHANGES, linked_elsewhere, linked_with, links_differ
from core.storage.database import Row


class GetCanvasChanges(ProjectQuery[CanvasChanges | None]):
    """Show the changes of the Canvas since a seq, null if there are none.

    Only the cards that the history names are read; after more than 5,000 changes the answer says to read the Canvas
    again. Renaming a product or a label of the workspace is in no project's history: cards show the new name after the
    next change of the project, or when the Canvas is opened again.
    """

    route = "GET /v1/projects/{project_id}/canvas/changes"
    permission = Permission.PROJECT_VIEW
    single_flight = True
    since: int
    elsewhere: int | None = None
    """The number ``elsewhere`` of that read; without it changes of linked projects are not looked for."""

    def run(self, view: Snapshot) -> CanvasChanges | None:
        seq, others = view.tx.kept(
            ("seq", self.project_id), lambda: view.tx.tuples(LAST_CHANGES, project_id=self.project_id)[0]
        )
        elsewhere = self.elsewhere not in (None, others)
        if seq == self.since and not elsewhere:
            return None
        if elsewhere and links_differ(self.elsewhere or 0, others):
            return CanvasChanges(head=head_of(view, self.project_id), read_again=True)
        if seq - self.since > past.MAX_RECORDS or past.are_many(view, self.project_id, self.since):
            return CanvasChanges(head=head_of(view, self.project_id), read_again=True)
        became = view.tx.kept(
            ("canvas changes", self.project_id, self.since, elsewhere),
            lambda: _became(view, self.project_id, self.since, elsewhere),
        )
        me, head = view.actor.user_id, head_of(view, self.project_id)
        if became.fields_too:
            return CanvasChanges(head=head, read_again=True)

        def of_mine() -> CanvasChanges:
            return CanvasChanges(
                head=head,
                changed=became.changed,
                gone=became.gone,
                by_others=frozenset(item_id for actor_id, item_id in became.touched if actor_id != me),
                others=past.activity_since([each for each in became.history if each["actor_id"] != me]),
                preset=active_preset(view, self.project_id, head.my_role) if became.preset_too else None,
            )

        if became.preset_too or any(each["actor_id"] == me for each in became.history):
            return of_mine()
        alike = (head.my_role, head.held, head.authority, view.actor.zone)  # such users get the same result
        key = ("canvas changes seen", self.project_id, self.since, elsewhere, view.today, alike)
        return view.tx.kept(key, of_mine)


class _Became(Record, kw_only=False):
    """The changes of the cards since a seq, the same for all users."""

    changed: tuple[Card, ...]
    gone: tuple[Id, ...]
    touched: frozenset[tuple[Id, Id]]
    """Pairs of a user and an item that the user changed."""
    history: list[Row]
    """The changes, the newest first."""
    preset_too: bool
    fields_too: bool
    """True if an own field was removed or brought back, which changes any card."""


def _became(view: Snapshot, project_id: Id, since: int, elsewhere: bool) -> _Became:
    records = past.records_since(view, project_id, since)
    touched = frozenset((record["actor_id"], item_id) for record in records for item_id in past.items_of(record))
    items = {item_id for _, item_id in touched} | past.renumbered_in(records)
    changed = cards_in(view, project_id, items)
    activities = {card.activity_id for card in changed if card.activity_id} - items
    gone = past.deleted_in(records) - {card.id for card in changed}
    linked = linked_with(view, project_id, items, past.waiting_in(records))
    linked |= linked_elsewhere(view, project_id) if elsewhere else set()
    activities |= linked - items
    changed += cards_in(view, project_id, activities)  # because they show the number of their tasks, or of blockers
    preset_too = any(record["entity"] in ("preset", "member") for record in records)
    return _Became(
        tuple(changed),
        tuple(sorted(gone)),
        touched,
        past.history_since(view, project_id, since),
        preset_too,
        past.fields_removed_in(records),
    )
