"""The dialog in which a person delivers: what they type is a link, a file, a card or words, and it says which."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Any

from core.actions.cards.details import GetCard
from core.actions.workflow.deliverables import Deliver, DeliverableSummary, TakeBack
from core.domain.evidence import evidence_words, linked_evidence, size_words, stated_evidence
from core.domain.gates import EvidenceKind
from core.errors import InvalidInput, PodiumError
from core.files.hashing import hash_file
from core.text.sanitize import visible_line
from core.text.short_keys import read_card_key
from tui.dialogs.fields.form_fields import TextField
from tui.dialogs.fields.row import FieldRow
from tui.screens.framework.dialogs import show_form
from tui.screens.framework.screen import PodiumScreen
from tui.services.host import Host

FIELD = "evidence"
NO_CARD = "There is no such card in this project."
NO_FILES_IN_BROWSER = (
    "In a browser Podium sees no files of yours. “podium deliverable deliver --file” does, on your machine."
)
NO_FILES_HERE = (
    "This host lets nobody name its files. “podium deliverable deliver --file” does it from your own machine."
)


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
