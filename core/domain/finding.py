"""The result of one check of ``podium doctor``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of a check. Only BAD calls for action."""

    GOOD = "GOOD"
    NOTE = "NOTE"
    BAD = "BAD"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its subject, its result, and the verdict."""

    what: str
    found: str
    verdict: Verdict = Verdict.GOOD
