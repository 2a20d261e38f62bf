"""The gate record of a project as people file it: every decision, the oldest first, in Markdown or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from core.actions.gates import DecisionLine
from core.transfer.report import escaped
from core.transfer.spreadsheet import guarded
from core.wording import in_words

HEADS = ("When", "Phase", "Decision", "By", "Complete", "Reason")


def to_markdown(name: str, lines: Sequence[DecisionLine]) -> str:
    """A heading and a table; a sentence where nothing was decided."""
    rows = [HEADS, ("---",) * len(HEADS), *([*map(escaped, _cells(each))] for each in lines)]
    table = [f"| {' | '.join(' '.join(cell.split()) for cell in row)} |" for row in rows]
    return "\n".join([f"# Gate record of {escaped(name)}", "", *(table if lines else ["Nothing was decided yet."]), ""])


def to_csv(lines: Sequence[DecisionLine]) -> str:
    """Line ends as RFC 4180 has them; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADS)
    writer.writerows([guarded(cell) for cell in _cells(each)] for each in lines)
    return text.getvalue()


def _cells(line: DecisionLine) -> tuple[str, ...]:
    record = line.record
    return (
        record.at.isoformat(timespec="seconds"),
        f"{line.number} {line.phase}" if line.phase else "(removed)",
        in_words(record.decision) + (" (withdrawn)" if record.withdrawn else ""),
        line.by,
        f"{record.completed} of {record.total}",
        record.reason,
    )
