"""Evidence that a deliverable is there: a link, a file by its hash, a card of the project, or a statement in words."""

from __future__ import annotations

import re
from typing import Any

from core.domain.gates import Deliverable, EvidenceKind
from core.domain.max_lengths import EVIDENCE
from core.errors import InvalidInput
from core.record import Record
from core.text.sanitize import link, one_line, quote_value

SHA256 = re.compile("[0-9a-f]{64}")
MAX_SIZE = 1 << 62
"""The most bytes of a file, which both databases can store as a number."""

GONE = "card, deleted since"


class Evidence(Record, kw_only=False):
    """One piece of evidence; ``text`` is a URL, the name of a file, the id of a card, or the words of a statement."""

    kind: EvidenceKind = EvidenceKind.NONE
    text: str = ""
    size: int = 0
    sha256: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        """The fields of a deliverable with this evidence."""
        return {
            "evidence_kind": self.kind,
            "evidence": self.text,
            "file_size": self.size,
            "file_sha256": self.sha256,
        }


NO_EVIDENCE = Evidence()


def evidence_of(text: str) -> Evidence:
    """Return evidence that was written as one text, letter by letter: an http(s) address is a link, all else words."""
    if not text:
        return NO_EVIDENCE
    try:
        return Evidence(EvidenceKind.LINK if link(text) == text else EvidenceKind.STATEMENT, text)
    except InvalidInput:
        return Evidence(EvidenceKind.STATEMENT, text)


def evidence_in(deliverable: Deliverable) -> Evidence:
    """Return the evidence of a deliverable."""
    each = deliverable
    return Evidence(each.evidence_kind, each.evidence, each.file_size, each.file_sha256)


def linked_evidence(text: str, field: str = "link") -> Evidence:
    """Return an address as evidence. Raises InvalidInput for no http(s) address."""
    return Evidence(EvidenceKind.LINK, one_line(link(text, field), field, most=EVIDENCE))


def filed_evidence(name: str, size: int, sha256: str) -> Evidence:
    """Return a file as evidence. Raises InvalidInput for a path, and for no size or hash."""
    name = file_name(name, "file_name")
    if not 0 <= size <= MAX_SIZE:
        raise InvalidInput("file_size", f"The size of a file is a number of bytes from 0 on, not {size}.")
    if not SHA256.fullmatch(sha256):
        raise InvalidInput("file_sha256", "A SHA-256 has 64 digits: 0 to 9 and a to f, in lower case.")
    return Evidence(EvidenceKind.FILE, name, size, sha256)


def stated_evidence(text: str, field: str = "statement") -> Evidence:
    """Return words as evidence. Raises InvalidInput for none, and for an address or a filter, which states nothing."""
    words = one_line(text, field, most=EVIDENCE)
    if all(re.fullmatch(r"[^\s:]+:\S+", word) for word in words.split()):
        raise InvalidInput(
            field, f"“{quote_value(words)}” is no statement in words. Write what was delivered, or give a link."
        )
    return Evidence(EvidenceKind.STATEMENT, words)


def file_name(text: str, field: str) -> str:
    """Return the checked name of a file. Raises InvalidInput for a path, and for characters that cannot be shown."""
    name = one_line(text, field.replace("_", " "), most=EVIDENCE)
    if re.search(r"[/\\]", name) or name in (".", ".."):
        raise InvalidInput(field, "Give the name of the file alone, without its folders.")
    return name


def evidence_words(evidence: Evidence, card: str = "", *, whole: bool = False) -> str:
    """Return evidence as what it is: “file contract.pdf, 1.2 MB, SHA-256 9c1e…”; "" for none.

    ``card`` is the key and the title of a card that is there. ``whole``: with all digits of the hash.
    """
    match evidence.kind:
        case EvidenceKind.LINK:
            return f"link {evidence.text}"
        case EvidenceKind.FILE:
            digits = evidence.sha256 if whole else f"{evidence.sha256[:4]}…"
            return f"file {evidence.text}, {size_words(evidence.size)}, SHA-256 {digits}"
        case EvidenceKind.CARD:
            return f"card {card}" if card else GONE
        case EvidenceKind.STATEMENT:
            return f"statement “{evidence.text}”"
    return ""


def size_words(size: int) -> str:
    """Return a number of bytes for people, in units of a thousand.

    >>> [size_words(each) for each in (1, 999, 1_250, 999_999, 1_234_567)]
    ['1 byte', '999 bytes', '1.2 kB', '1.0 MB', '1.2 MB']
    """
    if size < 1_000:
        return "1 byte" if size == 1 else f"{size} bytes"
    amount = size / 1_000
    for unit in ("kB", "MB", "GB"):
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
        amount /= 1_000
    return f"{amount:,.1f} TB"
