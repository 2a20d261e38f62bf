"""The result of one check of ``podium doctor``."""

from __future__ import annotations

from enum import StrEnum

from core.record import Record


class Verdict(StrEnum):
    """The outcome of a check. Only BAD calls for action."""

    GOOD = "GOOD"
    NOTE = "NOTE"
    BAD = "BAD"


class Finding(Record, kw_only=False):
    """One check: its subject, its result, and the verdict."""

    what: str
    found: str
    verdict: Verdict = Verdict.GOOD
