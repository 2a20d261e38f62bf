"""The check of a seal in a file: it is the text whose hash the file names, and of the form that readers rely on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

from core.codec.decoding import decoded
from core.domain.max_lengths import SEAL
from core.domain.model import Decision, EvidenceKind, Gate, Status, Way
from core.errors import InvalidImport
from core.import_export.document import DecisionEntry, DocumentPart
from core.rules.gate_seals import canonical, hash_of
from core.text.sanitize import first_unsafe_index, quoted

SHA256 = re.compile(r"[0-9a-f]{64}")
MAX_WHOLE = 2**53
"""The highest number in JSON that all readers take for the same."""


class SealedDeliverable(DocumentPart):
    id: str
    name: str
    kind: EvidenceKind
    evidence: str
    size: int
    sha256: str
    done: int
    delivered_by: str
    delivered_at: str


class CardState(DocumentPart):
    id: str
    state: Literal["open", "closed"]


class CountedCards(DocumentPart):
    """Cards that are too many to be listed."""

    count: int
    sha256: str


class BoundPart(DocumentPart):
    objectives: str
    outcomes: str
    gate: Gate
    evidence_required: int
    accepts_statements: int
    deliverables: tuple[SealedDeliverable, ...]
    cards: tuple[CardState, ...] | CountedCards


class SealedDecider(DocumentPart):
    id: str
    name: str
    role: str
    meta_roles: tuple[str, ...]


class SealedOverride(DocumentPart):
    at: str
    by: str
    reason: str


class SealedCard(DocumentPart):
    key: str
    title: str
    status: Status
    done: int
    completed_by: str
    completed_at: str


class PartAsItWas(DocumentPart):
    project: str
    phase: str
    decision: Decision
    reason: str
    decider: SealedDecider
    at: str
    way: Way
    through: str
    overridden: int
    overrides: tuple[SealedOverride, ...]
    delivered: dict[str, str]
    cards: tuple[SealedCard, ...] | CountedCards


class SealBody(DocumentPart):
    """The content of a seal, as ``core.rules.gate_seals`` writes it."""

    bound: BoundPart
    as_it_was: PartAsItWas


def check_seal(record: DecisionEntry, phase: str, where: str) -> None:
    """Raise InvalidImport, which names the phase, for a seal or a hash that Podium would not have written."""
    name = f"“{quoted(phase)}”" if phase else "a removed phase"
    if record.sha256 and not SHA256.fullmatch(record.sha256):
        sentence = f"The SHA-256 of a decision at {name} has 64 digits: 0 to 9 and a to f, in lower case."
        raise InvalidImport(f"{where}.sha256", sentence)
    if not record.seal:
        return
    if len(record.seal) > SEAL:
        sentence = f"The seal of a decision at {name} has {len(record.seal):,} characters, and at most {SEAL:,} fit."
    elif hash_of(record.seal) != record.sha256:
        sentence = f"The seal of a decision at {name} does not match its SHA-256, so it was changed or cut."
    elif not _is_whole(record.seal):
        sentence = f"The seal of a decision at {name} is not one that Podium writes."
    else:
        return
    raise InvalidImport(f"{where}.seal", sentence)


def _is_whole(body: str) -> bool:
    """Return whether a text is the canonical JSON of a seal, with texts that can be shown and times that are times."""
    try:
        decoded(body, SealBody)
        value = json.loads(body)
        if canonical(value) != body:
            return False
        for key, each in _values("", value):
            if isinstance(each, int):
                if not 0 <= each <= MAX_WHOLE:
                    return False
            elif first_unsafe_index(each) is not None:
                return False
            elif each and key in ("at", "deliveredAt", "completedAt"):
                datetime.strptime(each, "%Y-%m-%dT%H:%M:%S%z")
    except (ValueError, OverflowError, RecursionError):
        return False
    return True


def _values(key: str, value: Any) -> Iterator[tuple[str, str | int]]:
    """Each text and number in a value, with the key that it stands under."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield "", name
            yield from _values(name, each)
    elif isinstance(value, list):
        for each in value:
            yield from _values(key, each)
    else:
        yield key, value
