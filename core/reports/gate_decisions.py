"""The gate record of a project: every decision, oldest first, as Markdown or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from core.actions.workflow.gates import DECISION_WORDS, DecisionSummary
from core.import_export.csv_table import guarded
from core.reports.status_report import escaped

HEADS = ("When", "Phase", "Decision", "By", "Complete", "Reason")


def to_markdown(name: str, lines: Sequence[DecisionSummary]) -> str:
    """The gate record as Markdown: a heading, and a table or a sentence that there are no decisions."""
    rows = [HEADS, ("---",) * len(HEADS), *([*map(escaped, _cells(each))] for each in lines)]
    table = [f"| {' | '.join(' '.join(cell.split()) for cell in row)} |" for row in rows]
    return "\n".join([f"# Gate record of {escaped(name)}", "", *(table if lines else ["No gate decisions yet."]), ""])


def to_csv(lines: Sequence[DecisionSummary]) -> str:
    """The gate record as CSV with the line ends of RFC 4180; no cell is taken for a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADS)
    writer.writerows([guarded(cell) for cell in _cells(each)] for each in lines)
    return text.getvalue()


def _cells(line: DecisionSummary) -> tuple[str, ...]:
    record = line.record
    return (
        record.at.isoformat(timespec="seconds"),
        f"{line.number} {line.phase}" if line.phase else "(removed)",
        DECISION_WORDS[record.decision] + (" (withdrawn)" if record.withdrawn else ""),
        line.by,
        f"{record.completed} of {record.total}",
        record.reason,
    )
