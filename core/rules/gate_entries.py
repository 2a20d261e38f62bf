"""The entries of a gate's record in SQL: in which order they follow each other, and which of them count."""

from __future__ import annotations

from core.domain.gate_policy import ENDINGS

LAST_DECISIONS = "withdrawn = 0 AND decision IN ('PASS', 'HOLD', 'SEND_BACK', 'LIFT', 'STOP')"
"""The condition of the entries of a gate's record that count as its last decision."""


def _place_of(entry: str) -> tuple[str, ...]:
    """The columns that tell the place of an entry in a gate's record, by the name of its table.

    Entries are in the order of their changes, since the clocks of servers differ. An entry that was imported, or is
    older than the seals, has no number of a change: these come first, by their time.
    """
    change = f"CASE WHEN {entry}.imported_by IS NULL AND {entry}.way <> '' THEN {entry}.seq ELSE -1 END"
    return change, f"{entry}.at", f"{entry}.id"


OLDEST_FIRST = ", ".join(_place_of("gate_record"))
NEWEST_FIRST = ", ".join(f"{each} DESC" for each in _place_of("gate_record"))
"""The order of the entries of a gate's record."""


def follows(later: str, entry: str) -> str:
    """Return the condition that an entry of a gate's record follows another one, by the names of their tables."""
    return f"({', '.join(_place_of(later))}) > ({', '.join(_place_of(entry))})"


COUNTS_NO_MORE = (
    "EXISTS (SELECT 1 FROM gate_record AS later WHERE later.project_id = vote.project_id AND later.withdrawn = 0"
    f" AND later.phase_id = vote.phase_id AND {follows('later', 'vote')}"
    f" AND (later.decision IN ({', '.join(repr(each.value) for each in ENDINGS)})"
    " OR later.by_id = vote.by_id AND later.decision LIKE 'VOTE%'))"
)
"""The condition of votes that were ended, or followed by another one of their person."""
