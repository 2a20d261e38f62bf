"""One check, and how it went."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a check went. Only BAD means that something must be done."""

    GOOD = "GOOD"
    NOTE = "NOTE"
    BAD = "BAD"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was looked at, what was found, and how good that is."""

    what: str
    found: str
    verdict: Verdict = Verdict.GOOD
