"""The deliverables of a phase, on its screen: listed with the cursor, added, marked as done with their evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widget import Widget

from core.actions.workflow.deliverables import AddDeliverable, EditDeliverable, RemoveDeliverable
from core.domain.model import Deliverable, Id
from tui.dialogs.fields.form_fields import TextField
from tui.labels.facts import quiet
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking, show_form
from tui.widgets.detail_page import Heading, TextBlock
from tui.widgets.option_list import Row, Rows

if TYPE_CHECKING:
    from tui.screens.phases.phase import PhaseScreen

NO_DELIVERABLE = "There is no deliverable here. Press n to add one."


class PhaseDeliverables(Controller):
    """List the deliverables of a phase with the cursor; add them, and mark them done with their evidence."""

    screen: PhaseScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_deliverable", self.do_new_deliverable),
            Action("deliver", with_found(self._deliverable, self.do_deliver)),
            Action("edit_deliverable", with_found(self._deliverable, self.do_edit_deliverable)),
            Action("remove_deliverable", with_found(self._deliverable, self.do_remove_deliverable)),
        )

    @property
    def listed(self) -> Sequence[Deliverable]:
        """The deliverables as last read."""
        return self.screen.detail.deliverables if self.screen.detail else ()

    def widgets(self) -> Iterator[Widget]:
        """The list under its heading."""
        yield Heading("Deliverables", id="deliverables")
        yield TextBlock(id="no-deliverables")
        yield Rows(id="deliverable-rows", on_page=True)

    @property
    def rows(self) -> Rows:
        """The list; the cursor is in it."""
        return self.screen.query_one("#deliverable-rows", Rows)

    def show(self, deliverables: Sequence[Deliverable], evidence_required: bool) -> None:
        """Draw the list; the cursor is on one as soon as there is one. Evidence that the gate requires is asked for."""
        done = sum(each.done for each in deliverables)
        total = len(deliverables)
        self.screen.query_one("#deliverables", Heading).put(f"{done}/{total}" if total else "")
        none = Content("") if total else quiet("None yet · n to add one")
        self.screen.query_one("#no-deliverables", TextBlock).put(none)
        missing = "no evidence yet" if evidence_required else ""
        rows = [Row(each.name, each.evidence or missing, mark=each.done) for each in deliverables]
        self.rows.show(rows, max(0, self.rows.cursor))

    def go_to(self, deliverable_id: Id) -> None:
        """Put the cursor on a deliverable; on the first one if it is not there."""
        self.rows.move(next((at for at, each in enumerate(self.listed) if each.id == deliverable_id), 0))

    def _deliverable(self) -> Deliverable | None:
        """The deliverable of the cursor; without one, a toast says so."""
        if not 0 <= self.rows.cursor < len(self.listed):
            self.podium.toast(NO_DELIVERABLE)
            return None
        return self.listed[self.rows.cursor]

    async def do_deliver(self, each: Deliverable) -> None:
        command = EditDeliverable(deliverable_id=each.id, seen_version=each.version, done=not each.done)
        await self.podium.perform(command)

    async def do_remove_deliverable(self, each: Deliverable) -> None:
        await self.podium.perform(RemoveDeliverable(deliverable_id=each.id, seen_version=each.version))
        if all(other.id != each.id for other in self.listed):
            await self.podium.undoing.removed(f"Removed “{each.name}”", self.screen.undo_scope)

    @asking
    async def do_new_deliverable(self) -> None:
        phase = self.selection.phase
        if phase is None:
            return

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(AddDeliverable(phase_id=phase.id, **values))

        fields = [TextField("name", "Name"), TextField("evidence", "Evidence", "", "A link or a path, now or later")]
        title = f"New deliverable of “{phase.name}”"
        if await show_form(self.screen, title, fields, save, submit="Add", about=phase.id):
            self.rows.move(self.rows.last)

    @asking
    async def do_edit_deliverable(self, each: Deliverable) -> None:
        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EditDeliverable(deliverable_id=each.id, seen_version=each.version, **values))

        fields = [
            TextField("name", "Name", each.name),
            TextField("evidence", "Evidence", each.evidence, "A link or a path that shows it"),
        ]
        await show_form(self.screen, "Edit the deliverable", fields, save, record=each)
