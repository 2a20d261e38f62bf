"""The deliverables of a phase, on its screen: listed with the cursor, added, delivered with evidence, taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from textual.content import Content
from textual.widget import Widget

from core.actions.cards.details import PhaseDetail
from core.actions.workflow.deliverables import (
    AddDeliverable,
    Deliver,
    DeliverableSummary,
    EditDeliverable,
    RemoveDeliverable,
    TakeBack,
)
from core.domain.gates import EvidenceKind
from core.domain.model import Id
from tui.dialogs.fields.form_fields import TextField
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.page_screen import PageScreen
from tui.screens.phases.evidence import ask_evidence
from tui.widgets.detail_page import Heading, TextBlock
from tui.widgets.option_list import Row, Rows
from tui.wording.facts import quiet
from tui.wording.times import when

NO_DELIVERABLE = "There is no deliverable here. Press n to add one."
SHORT_LINK = 30
"""Letters of a link that a row shows whole; of a longer one the last part says the most."""


class PhaseDeliverables(Controller):
    """List the deliverables of a phase with the cursor; add, rename and remove them, deliver and take back."""

    screen: PageScreen[PhaseDetail]

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_deliverable", self.do_new_deliverable),
            Action("deliver", with_found(self._deliverable, self.do_deliver)),
            Action("edit_deliverable", with_found(self._deliverable, self.do_edit_deliverable)),
            Action("rename_deliverable", with_found(self._deliverable, self.do_rename_deliverable)),
            Action("remove_deliverable", with_found(self._deliverable, self.do_remove_deliverable)),
        )

    @property
    def listed(self) -> Sequence[DeliverableSummary]:
        """The deliverables as last read."""
        return self.screen.detail.deliverables if self.screen.detail else ()

    def widgets(self) -> Iterator[Widget]:
        """The list under its heading, and the evidence of the one under the cursor in full."""
        yield Heading("Deliverables", id="deliverables")
        yield TextBlock(id="no-deliverables")
        yield Rows(id="deliverable-rows", on_page=True, moved=self.show_evidence)
        yield TextBlock(id="evidence")

    @property
    def rows(self) -> Rows:
        """The list; the cursor is in it."""
        return self.screen.query_one("#deliverable-rows", Rows)

    def show(self, detail: PhaseDetail) -> None:
        """Draw the list; the cursor is on one as soon as there is one. Evidence that the gate requires is asked for."""
        done = sum(line.deliverable.done for line in detail.deliverables)
        total = len(detail.deliverables)
        self.screen.query_one("#deliverables", Heading).put(f"{done}/{total}" if total else "")
        none = Content("") if total else quiet("None yet · n to add one")
        self.screen.query_one("#no-deliverables", TextBlock).put(none)
        missing = "no evidence yet" if detail.phase.evidence_required else ""
        rows = [
            Row(line.deliverable.name, _short(line) or missing, mark=line.deliverable.done)
            for line in detail.deliverables
        ]
        self.rows.show(rows, max(0, self.rows.cursor))
        self.show_evidence()

    def go_to(self, deliverable_id: Id) -> None:
        """Put the cursor on a deliverable; on the first one if it is not there."""
        self.rows.move(next((at for at, line in enumerate(self.listed) if line.deliverable.id == deliverable_id), 0))

    def show_evidence(self) -> None:
        """Show in full what the deliverable under the cursor was delivered with, by whom and when."""
        line = self.listed[self.rows.cursor] if 0 <= self.rows.cursor < len(self.listed) else None
        known = [line.shown] if line else []
        if line and line.deliverable.evidence_kind is EvidenceKind.STATEMENT and not self._takes_words:
            known.append("a statement is no evidence for this gate")
        if line and line.deliverable.done:
            at = line.deliverable.delivered_at
            by = f" by {line.by}" if line.by else ""
            known.append(f"delivered{by}{f', {when(at, datetime.now(UTC))}' if at else ''}")
        said = " · ".join(filter(None, known))
        self.screen.query_one("#evidence", TextBlock).put(quiet(said) if said else Content(""))

    @property
    def _takes_words(self) -> bool:
        """True unless the gate requires evidence that is more than words."""
        phase = self.screen.detail.phase if self.screen.detail else None
        return phase is None or phase.accepts_statements or not phase.evidence_required

    def _deliverable(self) -> DeliverableSummary | None:
        """The deliverable of the cursor; without one, a toast says so."""
        if not 0 <= self.rows.cursor < len(self.listed):
            self.podium.toast(NO_DELIVERABLE)
            return None
        return self.listed[self.rows.cursor]

    async def do_deliver(self, line: DeliverableSummary) -> None:
        """Take it back if it is delivered, else deliver it: with its evidence, or with what the dialog asks for."""
        each, detail = line.deliverable, self.screen.detail
        if each.done:
            await self.podium.perform(TakeBack(deliverable_id=each.id, seen_version=each.version))
        elif line.shown or not (detail and detail.phase.evidence_required):
            await self.podium.perform(Deliver(deliverable_id=each.id, seen_version=each.version))
        else:
            self.do_edit_deliverable(line)

    async def do_remove_deliverable(self, line: DeliverableSummary) -> None:
        each = line.deliverable
        await self.podium.perform(RemoveDeliverable(deliverable_id=each.id, seen_version=each.version))
        if all(other.deliverable.id != each.id for other in self.listed):
            await self.podium.undoing.removed(f"Removed “{each.name}”", self.screen.undo_scope)

    @asking
    async def do_new_deliverable(self) -> None:
        phase = self.selection.phase
        if phase is None:
            return

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send_or_ask(AddDeliverable(phase_id=phase.id, **values))

        title = f"New deliverable of “{phase.name}”"
        if await show_form(self.screen, title, [TextField("name", "Name")], save, submit="Add", about=phase.id):
            self.rows.move(self.rows.last)

    @asking
    async def do_edit_deliverable(self, line: DeliverableSummary) -> None:
        await ask_evidence(self.screen, line, takes_words=self._takes_words)

    @asking
    async def do_rename_deliverable(self, line: DeliverableSummary) -> None:
        each = line.deliverable

        async def save(values: dict[str, Any]) -> object:
            command = EditDeliverable(deliverable_id=each.id, seen_version=each.version, **values)
            return await self.podium.send_or_ask(command)

        fields = [TextField("name", "Name", each.name)]
        await show_form(self.screen, "Rename the deliverable", fields, save, record=each)


def _short(line: DeliverableSummary) -> str:
    """The evidence for a row, without what the line under the list says."""
    each = line.deliverable
    if each.evidence_kind is EvidenceKind.FILE:
        return f"file {each.evidence}"
    if each.evidence_kind is EvidenceKind.LINK:
        address = each.evidence.partition("://")[2].rstrip("/")
        return f"link {address if len(address) <= SHORT_LINK else '…/' + address.rpartition('/')[2]}"
    return line.shown
