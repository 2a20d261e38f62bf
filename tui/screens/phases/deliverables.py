"""The deliverables of a phase, on its screen: listed with the cursor, added, delivered, taken back.

What a person types in the dialog that delivers is a link, a file, a card or words, and it says which.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from textual.content import Content
from textual.widget import Widget

from core.actions.cards.details import GetCard, PhaseDetail
from core.actions.workflow.deliverables import (
    AddDeliverable,
    Deliver,
    DeliverableSummary,
    EditDeliverable,
    RemoveDeliverable,
    TakeBack,
)
from core.domain.evidence import evidence_words, linked_evidence, size_words, stated_evidence
from core.domain.gates import EvidenceKind
from core.domain.model import Id
from core.errors import InvalidInput, PodiumError
from core.files.hashing import hash_file
from core.text.sanitize import visible_line
from core.text.short_keys import read_card_key
from tui.dialogs.fields.form_fields import TextField
from tui.dialogs.fields.row import FieldRow
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.screen import PodiumScreen
from tui.services.host import Host
from tui.widgets.detail_page import Heading, TextBlock
from tui.widgets.option_list import Row, Rows
from tui.wording.facts import quiet
from tui.wording.times import when

NO_DELIVERABLE = "There is no deliverable here. Press n to add one."
SHORT_LINK = 30
"""Letters of a link that a row shows whole; of a longer one the last part says the most."""

FIELD = "evidence"
NO_CARD = "There is no such card in this project."
NO_FILES_IN_BROWSER = (
    "In a browser Podium sees no files of yours. “podium deliverable deliver --file” does, on your machine."
)
NO_FILES_HERE = (
    "This host lets nobody name its files. “podium deliverable deliver --file” does it from your own machine."
)


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
            await self.podium.undoing.report_removed(f"Removed “{each.name}”", self.screen.undo_scope)

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


async def ask_evidence(screen: PodiumScreen, line: DeliverableSummary, *, takes_words: bool) -> object:
    """Ask for the evidence of a deliverable, and deliver it; None when the person gave up.

    A text that stays keeps what is there, and an emptied one takes it away. ``takes_words``: the gate counts words.
    """
    app, each = screen.podium, line.deliverable
    first = line.shown.removeprefix("card ") if each.evidence_kind is EvidenceKind.CARD else each.evidence

    cards: dict[str, str] = {}
    """The words about the keys that were typed so far."""

    async def look_up(key: str) -> None:
        try:
            found = await app.aside(GetCard(item_id=key))
        except PodiumError:
            found = None
        here = found is not None and found.item.project_id == screen.project_id
        cards[key] = f"is kept as: card {key} {visible_line(found.item.title)}" if found and here else NO_CARD
        for row in app.screen.query(FieldRow):
            row.follow()

    def meaning(text: str) -> str:
        if text == first:
            return f"keeps {line.shown}" if line.shown else "marks it as done, without evidence"
        if not text.strip():
            return "takes it back: the evidence goes, and the mark of done"
        try:
            if kind_typed(app, text.strip()) is not EvidenceKind.CARD:
                return _meaning(app, text.strip(), takes_words)
        except InvalidInput as refused:
            return str(refused)
        key = text.strip().upper()
        if key not in cards:
            cards[key] = f"looks for card {key}"
            app.begin(partial(look_up, key))
        return cards[key]

    async def save(values: dict[str, Any]) -> object:
        text: str = values[FIELD]
        about: dict[str, Any] = {"deliverable_id": each.id, "seen_version": each.version}
        if first and not text.strip():
            return await app.send_or_ask(TakeBack(**about, no_evidence=True))
        try:
            given = {} if text == first else await _read_typed(app, text.strip())
            return await app.send_or_ask(Deliver(**about, **given))
        except InvalidInput as refused:
            raise InvalidInput(FIELD, str(refused)) from None

    files = "" if why_no_files(app) else "a file, "
    field = TextField(FIELD, "Evidence", first, f"https://…, {files}a card such as AUT-12, or words", meaning=meaning)
    return await show_form(screen, f"Deliver “{each.name}”", [field], save, submit="Deliver", record=each)


def why_no_files(app: Host) -> str:
    """Return the reason why no file can be named here; "" if one can."""
    if app.via == "browser":
        return NO_FILES_IN_BROWSER
    return "" if app.files else NO_FILES_HERE


def kind_typed(app: Host, text: str) -> EvidenceKind:
    """Return what a text is: an address, the key of a card, a path, else words. Raises InvalidInput for a path here.

    A text that begins as a path is one, so that a mistyped path is no statement; any other is one if the file is there.
    """
    if text.lower().startswith(("http://", "https://")):
        return EvidenceKind.LINK
    if text.startswith(("/", "~", "./", "../", "file://")):
        if reason := why_no_files(app):
            raise InvalidInput(FIELD, reason)
        return EvidenceKind.FILE
    if read_card_key(text):
        return EvidenceKind.CARD
    return EvidenceKind.FILE if not why_no_files(app) and _path(text).is_file() else EvidenceKind.STATEMENT


def _meaning(app: Host, text: str, takes_words: bool) -> str:
    """Say what a text is kept as. A file is not hashed before it is delivered, since that can take long."""
    match kind_typed(app, text):
        case EvidenceKind.LINK:
            return f"is kept as: {evidence_words(linked_evidence(text, FIELD))}"
        case EvidenceKind.FILE:
            path = _path(text)
            if not path.is_file():
                return f"There is no file {visible_line(str(path))}."
            size = size_words(path.stat().st_size)
            return f"is kept as: file {visible_line(path.name)}, {size}, with its SHA-256"
    words = evidence_words(stated_evidence(text, FIELD))
    return f"is kept as: {words}" + ("" if takes_words else ", which is no evidence for this gate")


async def _read_typed(app: Host, text: str) -> dict[str, Any]:
    """The fields of the message for a text, of which a file is hashed."""
    match kind_typed(app, text) if text else EvidenceKind.NONE:
        case EvidenceKind.LINK:
            return {"link": text}
        case EvidenceKind.CARD:
            return {"card_id": text.upper()}
        case EvidenceKind.FILE:
            file = await asyncio.to_thread(hash_file, _path(text), FIELD)
            return {"file_name": file.name, "file_size": file.size, "file_sha256": file.sha256}
        case EvidenceKind.STATEMENT:
            return {"statement": text}
    return {}


def _path(text: str) -> Path:
    """The path that a person typed, dragged onto the terminal, or copied as an address of a file."""
    return Path(os.path.expanduser(text.removeprefix("file://")))
