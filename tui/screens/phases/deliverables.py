"""The deliverables of a phase, on its screen: listed with the cursor, added, marked as done with their evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from textual.content import Content
from textual.widget import Widget

from core.actions.workflow.deliverables import AddDeliverable, EditDeliverable, RemoveDeliverable
from core.domain.model import Deliverable
from tui.keys.bindings import BY_ID
from tui.labels.facts import quiet
from tui.screens.framework.detail_screen import DetailScreen
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.phases.gates import PhaseKeys
from tui.widgets.detail_page import Heading, Words
from tui.widgets.option_list import Row, Rows

NO_DELIVERABLE = "There is no deliverable here. n adds one."


class PhaseDeliverables(DetailScreen, PhaseKeys):
    """The part of the Phase screen that is about deliverables."""

    @property
    def deliverables(self) -> Sequence[Deliverable]:
        """Those of the phase, as last read."""
        raise NotImplementedError

    def deliverable_part(self) -> Iterator[Widget]:
        """The widgets."""
        yield Heading("Deliverables", id="deliverables")
        yield Words(id="no-deliverables")
        yield Rows(id="deliverable-rows", on_page=True)

    @property
    def rows(self) -> Rows:
        """The deliverables; the cursor is among them."""
        return self.query_one("#deliverable-rows", Rows)

    def show_deliverables(self, deliverables: Sequence[Deliverable], evidence_required: bool) -> None:
        """Draw them; the cursor is on one as soon as there is one. Evidence that the gate waits for is asked for."""
        done = sum(each.done for each in deliverables)
        total = len(deliverables)
        self.query_one("#deliverables", Heading).put(f"{done}/{total}" if total else "")
        none = Content("") if total else quiet("None yet · n adds one")
        self.query_one("#no-deliverables", Words).put(none)
        missing = "no evidence yet" if evidence_required else ""
        rows = [Row(each.name, each.evidence or missing, mark=each.done) for each in deliverables]
        self.rows.show(rows, max(0, self.rows.cursor))

    def _deliverable(self) -> Deliverable | None:
        """The deliverable of the cursor; a word to the person when there is none."""
        if not 0 <= self.rows.cursor < len(self.deliverables):
            self.podium.tell(NO_DELIVERABLE)
            return None
        return self.deliverables[self.rows.cursor]

    async def do_deliver(self) -> None:
        each = self._deliverable()
        if each is not None:
            await self.podium.perform(
                EditDeliverable(deliverable_id=each.id, seen_version=each.version, done=not each.done)
            )

    async def do_remove_deliverable(self) -> None:
        each = self._deliverable()
        if each is not None:
            await self.podium.perform(RemoveDeliverable(deliverable_id=each.id, seen_version=each.version))
            if all(other.id != each.id for other in self.deliverables):
                self.podium.tell(f"Removed “{each.name}”. u brings it back.")

    @asking
    async def do_new_deliverable(self) -> None:
        from tui.dialogs.form_fields import Line

        phase = self.phase()
        if phase is None:
            return
        phase_id, name = phase

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(AddDeliverable(phase_id=phase_id, **values))

        fields = [Line("name", "Name"), Line("evidence", "Evidence", "", "A link or a path, now or later")]
        if await show_form(self, f"New deliverable of “{name}”", fields, save, submit="Add"):
            self.rows.move(self.rows.last)

    @asking
    async def do_edit_deliverable(self) -> None:
        from tui.dialogs.form_fields import Line

        each = self._deliverable()
        if each is None:
            return

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EditDeliverable(deliverable_id=each.id, seen_version=each.version, **values))

        fields = [
            Line("name", "Name", each.name),
            Line("evidence", "Evidence", each.evidence, "A link or a path that shows it"),
        ]
        await show_form(self, "Edit the deliverable", fields, save)

    async def open_row(self) -> None:
        await self.run_key(BY_ID["phase.edit_deliverable"])
