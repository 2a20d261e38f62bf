"""The gate record of a project as Markdown, CSV or JSON: decisions with their seals, and what became of them.

Markdown is for people, in the zone of who prints it; the other two have their times in UTC.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from core.actions.workflow.gate_record import DecisionSummary, SealDetail, in_sections
from core.codec.encoding import collection, to_json
from core.domain.gates import DECISIONS
from core.domain.model import Id
from core.import_export.csv_table import guard_cell
from core.reports.status_report import escape_markdown

HEADS = ("When", "Phase", "Entry", "By", "Role", "About", "Cards complete", "Reason", "What changed", "Way", "Seal")
OF_SEAL = ("SHA-256", "Note on the seal", "Deliverables", "Id")

_LINK = re.compile(r"https?\\://(?:[^\s”\\]|\\[^<>])+")

Seals = Mapping[Id, SealDetail]
"""The seals of the decisions, by the id of their record."""


def to_markdown(name: str, lines: Sequence[DecisionSummary], seals: Seals, zone: tzinfo) -> str:
    """The gate record as Markdown: its zone, a table, and each seal with its deliverables and their evidence."""

    def moment(at: datetime) -> str:
        return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"

    offset = f"{datetime.now(zone):%z}"
    rows = [HEADS, ("---",) * len(HEADS), *([*map(escape_markdown, _cells(each, moment))] for each in lines)]
    table = [f"| {' | '.join(' '.join(cell.split()) for cell in row)} |" for row in rows]
    parts = [f"Times are in UTC{offset[:3]}:{offset[3:5]}.", "", *table] if lines else ["No gate decisions yet."]
    for each in lines:
        if seal := seals.get(each.record.id):
            parts += ["", f"## {escape_markdown(f'{each.numbered}: {each.sentence}, {moment(each.record.at)}')}", ""]
            parts += [f"- {_with_links(words)}" for words in (seal.verdict, *_deliverables(seal, moment))]
    return "\n".join([f"# Gate record of {escape_markdown(name)}", "", *parts, ""])


def _with_links(text: str) -> str:
    """A text as escaped Markdown, whose addresses are links that can be followed and copied."""
    return _LINK.sub(lambda found: "<" + re.sub(r"\\(.)", r"\1", found[0]) + ">", escape_markdown(text))


def to_csv(lines: Sequence[DecisionSummary], seals: Seals) -> str:
    """The gate record as CSV with the line ends of RFC 4180; no cell is taken for a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*HEADS, *OF_SEAL])
    for each in lines:
        seal = seals.get(each.record.id)
        more = (seal.sha256, seal.note, "; ".join(_deliverables(seal, in_utc))) if seal else ("", "", "")
        writer.writerow([guard_cell(cell) for cell in (*_cells(each, in_utc), *more, each.record.id)])
    return text.getvalue()


def to_document(lines: Sequence[DecisionSummary], seals: Seals) -> dict[str, Any]:
    """The gate record for programs: the entries, and the seals of decisions."""
    return collection(lines) | {"seals": [to_parsed(each) for each in seals.values()]}


def to_parsed(seal: SealDetail) -> dict[str, Any]:
    """A seal for programs, with its body also as the JSON that it is; None where it is none."""
    try:
        parsed = json.loads(seal.body)
    except (RecursionError, ValueError):
        parsed = None
    return {**to_json(seal), "sealed": parsed}


def in_utc(at: datetime) -> str:
    """A time in UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _cells(line: DecisionSummary, moment: Callable[[datetime], str]) -> tuple[str, ...]:
    record = line.record
    return (
        moment(record.at),
        line.numbered,
        line.entry,
        line.by,
        line.role,
        line.about,
        f"{record.completed} of {record.total}" if record.decision in DECISIONS else "",
        record.reason,
        record.detail,
        line.way,
        line.seal,
    )


def _deliverables(seal: SealDetail, moment: Callable[[datetime], str]) -> tuple[str, ...]:
    lines = (
        each.lines for each in in_sections(seal, moment, seal.entry.words) if each.heading.startswith("Deliverables")
    )
    return next(lines, ())
