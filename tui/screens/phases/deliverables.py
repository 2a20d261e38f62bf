"""The deliverables of a phase, on its screen: listed with the cursor, added, delivered, taken back.

The criteria of its gate, and the conditions that it waits for, are rows of the same list.

What a person types in the dialog that delivers is a link, a file, a card or words, and it says which.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias

from textual.content import Content
from textual.widget import Widget

from core.actions.cards.details import GetCard, PhaseDetail
from core.actions.workflow.deliverables import (
    Deliver,
    DeliverableSummary,
    EditDeliverable,
    RemoveDeliverable,
    TakeBack,
)
from core.domain.evidence import evidence_words, linked_evidence, size_words, stated_evidence
from core.domain.gate_policy import GateCriterion
from core.domain.gates import EvidenceKind
from core.domain.model import Gate, Id
from core.domain.permissions import Permission
from core.errors import InvalidInput, PodiumError
from core.files.hashing import hash_file
from core.rules.gate_conditions import ConditionState
from core.rules.gate_criteria import CriterionResult
from core.text.phrases import names
from core.text.sanitize import visible_line
from core.text.short_keys import read_card_key
from tui.dialogs.fields.form_fields import TextField
from tui.dialogs.fields.row import FieldRow
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.framework.typed_path import read_path
from tui.screens.phases.criteria import ask_criterion, ask_new_promise, meet_or_take_back, remove_criterion, waive
from tui.services.destinations import ToCard
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


Promise: TypeAlias = DeliverableSummary | CriterionResult | ConditionState
"""A row: what the phase has to have at its gate, beside completed cards."""


class PhaseDeliverables(Controller):
    """List the deliverables of a phase with the cursor; add, rename and remove them, deliver and take back.

    The same keys add, meet, edit and remove criteria, and waive conditions.
    """

    screen: PageScreen[PhaseDetail]

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_deliverable", self.do_new_deliverable),
            Action("deliver", with_found(self._row, self.do_deliver), self._none, self._needs),
            Action("edit_deliverable", with_found(self._row, self.do_edit_deliverable), self._none, self._needs),
            Action("rename_deliverable", with_found(self._deliverable, self.do_rename_deliverable), self._no_name),
            Action("remove_deliverable", with_found(self._row, self.do_remove_deliverable), self._none, self._needs),
        )

    @property
    def listed(self) -> Sequence[Promise]:
        """The deliverables, the criteria, and the conditions that the gate waits for, as last read."""
        detail = self.screen.detail
        return promises_of(detail) if detail else ()

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
        missing = "no evidence yet" if detail.phase.evidence_required else ""
        listed = promises_of(detail)
        rows = [_promise_row(line, missing) for line in listed]
        done, total = sum(row.mark is True for row in rows), len(rows)
        self.screen.query_one("#deliverables", Heading).put(f"{done}/{total}" if total else "", _heading_of(listed))
        what = "a deliverable or a criterion" if detail.phase.gate is Gate.REVIEW else "one"
        none = Content("") if total else quiet(f"None yet · n to add {what}")
        self.screen.query_one("#no-deliverables", TextBlock).put(none)
        self.rows.show(rows, max(0, self.rows.cursor))
        self.show_evidence()

    def go_to(self, deliverable_id: Id) -> None:
        """Put the cursor on a deliverable; on the first one if it is not there."""
        listed = self.screen.detail.deliverables if self.screen.detail else ()
        self.rows.move(next((at for at, line in enumerate(listed) if line.deliverable.id == deliverable_id), 0))

    def show_evidence(self) -> None:
        """Show in full what the deliverable under the cursor was delivered with, by whom and when."""
        row, line = self._row(), self._deliverable()
        known = [line.shown] if line else []
        if isinstance(row, CriterionResult):
            known = [row.sentence, row.filter and f"filter {row.filter}", *(each.sentence for each in row.left)]
        elif isinstance(row, ConditionState):
            known = [row.sentence]
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

    def _row(self) -> Promise | None:
        """The row under the cursor."""
        return self.listed[self.rows.cursor] if 0 <= self.rows.cursor < len(self.listed) else None

    def _deliverable(self) -> DeliverableSummary | None:
        row = self._row()
        return row if isinstance(row, DeliverableSummary) else None

    def _none(self, _key: Key) -> str:
        return NO_DELIVERABLE if self.screen.detail and not self._row() else ""

    def _no_name(self, key: Key) -> str:
        return self._none(key) or ("" if self._deliverable() else "Press enter to edit it.")

    def _needs(self, key: Key) -> Sequence[Permission]:
        """A criterion is edited by who manages the workflow; a condition is waived by those who decide."""
        row = self._row()
        if isinstance(row, ConditionState):
            return (Permission.GATE_DECIDE,) if key.verb == "remove_deliverable" else ()
        is_edit = isinstance(row, CriterionResult) and key.verb == "edit_deliverable"
        needed = Permission.WORKFLOW_MANAGE if is_edit else key.needs
        return (needed,) if needed else ()

    @property
    def _is_under_way(self) -> bool:
        return self.screen.detail is not None and is_under_way(self.screen.detail)

    @asking
    async def do_deliver(self, row: Promise) -> None:
        """Take it back if it is delivered, else deliver it: with its evidence, or with what the dialog asks for."""
        if isinstance(row, ConditionState):
            self.do_edit_deliverable(row)
            return
        if isinstance(row, CriterionResult):
            await meet_or_take_back(self.screen, row)
            return
        each, detail = row.deliverable, self.screen.detail
        if each.done:
            await self.podium.perform(TakeBack(deliverable_id=each.id, seen_version=each.version))
        elif row.shown or not (detail and detail.phase.evidence_required):
            await self.podium.perform(Deliver(deliverable_id=each.id, seen_version=each.version))
        else:
            self.do_edit_deliverable(row)

    @asking
    async def do_remove_deliverable(self, row: Promise) -> None:
        if isinstance(row, ConditionState):
            await waive(self.screen, row)
            return
        if isinstance(row, CriterionResult):
            await remove_criterion(self.screen, row, is_under_way=self._is_under_way)
            return
        each = row.deliverable
        await self.podium.perform(RemoveDeliverable(deliverable_id=each.id, seen_version=each.version))
        listed = self.screen.detail.deliverables if self.screen.detail else ()
        if all(other.deliverable.id != each.id for other in listed):
            await self.podium.undoing.report_removed(f"Removed “{each.name}”", self.screen.undo_scope)

    @asking
    async def do_new_deliverable(self) -> None:
        detail = self.screen.detail
        if detail is None:
            return
        added = await ask_new_promise(self.screen, detail.phase, is_under_way=self._is_under_way)
        if added:
            before = len(detail.gate.criteria) if isinstance(added, GateCriterion) else 0
            self.rows.move(len(detail.deliverables) + before)

    @asking
    async def do_edit_deliverable(self, row: Promise) -> None:
        if isinstance(row, ConditionState):
            if row.card is not None:
                await self.podium.open(ToCard(self.screen.project_id, row.card.id))
        elif isinstance(row, CriterionResult):
            await ask_criterion(self.screen, row, is_under_way=self._is_under_way)
        else:
            await ask_evidence(self.screen, row, takes_words=self._takes_words)

    @asking
    async def do_rename_deliverable(self, line: DeliverableSummary) -> None:
        each = line.deliverable

        async def save(values: dict[str, Any]) -> object:
            command = EditDeliverable(deliverable_id=each.id, seen_version=each.version, **values)
            return await self.podium.send_or_ask(command)

        fields = [TextField("name", "Name", each.name)]
        await show_form(self.screen, "Rename the deliverable", fields, save, record=each)


def promises_of(detail: PhaseDetail) -> Sequence[Promise]:
    """The rows of a phase: deliverables, criteria, and the conditions that its gate waits for."""
    waiting = (each for each in detail.gate.conditions if each.condition.next_phase_id == detail.phase.id)
    return (*detail.deliverables, *detail.gate.criteria, *(each for each in waiting if each.is_waiting))


def is_under_way(detail: PhaseDetail) -> bool:
    """True once the phase has a decision or a completed card: another gate then takes a reason."""
    return bool(detail.decisions) or detail.tally.done > 0


def _heading_of(listed: Sequence[Promise]) -> str:
    """The heading over what is listed and counted: "Deliverables and criteria"."""
    kinds = {"criteria": CriterionResult, "conditions": ConditionState}
    more = [word for word, kind in kinds.items() if any(isinstance(each, kind) for each in listed)]
    return names(["Deliverables", *more])


def _promise_row(line: Promise, missing: str) -> Row:
    if isinstance(line, CriterionResult):
        return Row(line.criterion.text, "criterion, met" if line.is_met else "criterion, not met", mark=line.is_met)
    if isinstance(line, ConditionState):
        return Row(line.condition.text, f"condition, {line.person}", mark=False)
    return Row(line.deliverable.name, _short(line) or missing, mark=line.deliverable.done)


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
    return EvidenceKind.FILE if not why_no_files(app) and read_path(text).is_file() else EvidenceKind.STATEMENT


def _meaning(app: Host, text: str, takes_words: bool) -> str:
    """Say what a text is kept as. A file is not hashed before it is delivered, since that can take long."""
    match kind_typed(app, text):
        case EvidenceKind.LINK:
            return f"is kept as: {evidence_words(linked_evidence(text, FIELD))}"
        case EvidenceKind.FILE:
            path = read_path(text)
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
            file = await asyncio.to_thread(hash_file, read_path(text), FIELD)
            return {"file_name": file.name, "file_size": file.size, "file_sha256": file.sha256}
        case EvidenceKind.STATEMENT:
            return {"statement": text}
    return {}
