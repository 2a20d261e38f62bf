"""``podium deliverable …``: what a phase promises, delivered with evidence, and files compared with their hashes."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import click

from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.deliverables import (
    AddDeliverable,
    Deliver,
    DeliverableSummary,
    EditDeliverable,
    ListDeliverables,
    RemoveDeliverable,
    TakeBack,
)
from core.domain.canvas import Card
from core.domain.evidence import evidence_in, evidence_words
from core.domain.gates import Deliverable, EvidenceKind
from core.domain.model import Item, ItemKind
from core.errors import InvalidInput
from core.files.hashing import hash_file
from core.record import Record
from tui.cli.message_command import ALLOW_LAPSE, Field, MessageGroup
from tui.cli.output import day
from tui.cli.records import PHASE, PROJECT, RecordParameter, card_titled, card_with_key, key_of, names
from tui.cli.session import Parameter, Session

deliverable_ = MessageGroup("deliverable", "Deliverables: list, add, deliver, take back, edit, remove, verify.")

DELIVERABLE: RecordParameter[Deliverable] = RecordParameter(
    "deliverable",
    lambda session, _: [line.deliverable for line in session.query(ListDeliverables(phase_id=session[PHASE].id))],
    names,
)


def _card(session: Session, word: str | None) -> Item | Card | None:
    """The card of this key, id or title; the core refuses one of another project."""
    if word is None:
        return None
    cards = [each for each in session.query(GetCanvas(project_id=session[PROJECT].id)).cards if each.kind in ItemKind]
    return card_with_key(session, word) or card_titled(session, "card", word, cards)


FILE = Parameter(
    click.Option(["--file"], metavar="PATH", help="A file: its name, size and SHA-256 are kept, and not the file."),
    lambda _, path: None if path is None else hash_file(Path(path)),
)
CARD = Parameter(
    click.Option(["--card"], metavar="CARD", help="A card of the project, by key, id or title."),
    _card,
    "card_id",
    lambda card: card and card.id,
    "card",
)
LINK = Field("link", "An address, https or http.", metavar="URL")
STATEMENT = Field("statement", "What was delivered, in words.", metavar="TEXT")


def _row(line: DeliverableSummary) -> tuple[object, ...]:
    each = line.deliverable
    by = f"{line.by} {day(each.delivered_at)}".strip()
    return each.name, "yes" if each.done else "no", line.shown, by, each.id


def _file_fields(session: Session) -> Mapping[str, Any]:
    file = session[FILE]
    return {} if file is None else {"file_name": file.name, "file_size": file.size, "file_sha256": file.sha256}


def _describe_delivery(made: Deliverable, session: Session) -> str:
    card = session[CARD]
    known = f"{key_of(session, card)} {card.title}" if card else ""
    shown = evidence_words(evidence_in(made), known, whole=True)
    return f"Delivered “{made.name}”" + (f": {shown}." if known or made.evidence_kind is not EvidenceKind.CARD else ".")


deliverable_.lists(
    "list",
    ListDeliverables,
    [PROJECT, PHASE],
    heads=("DELIVERABLE", "DONE", "EVIDENCE", "DELIVERED", "ID"),
    row=_row,
    empty="No deliverables yet. Add one with “podium deliverable add”.",
)
deliverable_.sends(
    "add", AddDeliverable, [PROJECT, PHASE, "name", ALLOW_LAPSE], done="Added the deliverable “{name}” ({id})."
)
deliverable_.sends(
    "edit", EditDeliverable, [PROJECT, PHASE, DELIVERABLE, "name", ALLOW_LAPSE], done="Renamed to “{name}”."
)
deliverable_.sends(
    "deliver",
    Deliver,
    [PROJECT, PHASE, DELIVERABLE, LINK, FILE, CARD, STATEMENT, ALLOW_LAPSE],
    values=_file_fields,
    done=_describe_delivery,
)
deliverable_.sends(
    "take-back",
    TakeBack,
    [PROJECT, PHASE, DELIVERABLE, Field("no_evidence", "Remove its evidence, too."), ALLOW_LAPSE],
    done="Took back “{name}”.",
)
deliverable_.sends(
    "remove", RemoveDeliverable, [PROJECT, PHASE, DELIVERABLE, ALLOW_LAPSE], done="Removed “{deliverable}”."
)


class Comparison(StrEnum):
    """The state of a file since it was delivered."""

    SAME = "SAME"
    DIFFERS = "DIFFERS"
    MISSING = "MISSING"
    UNREADABLE = "UNREADABLE"


class ComparedFile(Record):
    """A file that was delivered, and what is found in its place."""

    deliverable: str
    file: str
    state: Comparison
    note: str = ""


@deliverable_.runs(
    "verify",
    PROJECT,
    PHASE,
    click.Option(["--dir", "folder"], metavar="DIR", default=".", help="The folder of the files (default: this one)."),
    lists=True,
)
def verify(session: Session, folder: str) -> int:
    """Compare the files of a folder with the hashes that were delivered. Exit status 1 if one differs or is missing."""
    try:
        there = {_as_kept(path.name): path for path in Path(folder).iterdir()}
    except OSError as error:
        raise InvalidInput("dir", f"The folder {folder} cannot be read: {error.strerror}.") from None
    lines = session.query(ListDeliverables(phase_id=session[PHASE].id))
    files = [line.deliverable for line in lines if line.deliverable.evidence_kind is EvidenceKind.FILE]
    found = [_compare_file(each, there.get(each.evidence)) for each in files]
    session.list(
        found,
        ("FILE", "STATE", "DELIVERABLE", "NOTE"),
        lambda each: (each.file, each.state.lower(), each.deliverable, each.note),
        "No deliverable of this phase has a file as evidence.",
    )
    return 0 if all(each.state is Comparison.SAME for each in found) else 1


def _as_kept(name: str) -> str:
    """The name of a file as evidence keeps it: some systems store the letters of names in another form."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def _compare_file(each: Deliverable, path: Path | None) -> ComparedFile:
    state, note = Comparison.MISSING, ""
    if path is not None:
        try:
            now = hash_file(path)
            state = Comparison.SAME if now.sha256 == each.file_sha256 else Comparison.DIFFERS
            note = "" if state is Comparison.SAME else f"SHA-256 {now.sha256} and not {each.file_sha256}"
        except InvalidInput as refused:
            state, note = Comparison.UNREADABLE, str(refused)
    return ComparedFile(deliverable=each.name, file=each.evidence, state=state, note=note)
