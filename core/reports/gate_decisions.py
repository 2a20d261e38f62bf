"""The gate record of a project in sections, as CSV or as JSON: decisions with their seals, and what became of them.

The sections are for people, as Markdown or HTML, in the zone of who prints them; the other two have their times in UTC.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from core.actions.workflow.gate_record import DecisionSummary, SealDetail, in_sections, refer_to
from core.codec.encoding import collection, to_json
from core.domain.gates import DECISIONS, Decision
from core.domain.model import Id
from core.import_export.tables.csv_export import guard_cell
from core.record import replace
from core.reports.sections import ReportSection
from core.rules.gate_conditions import ConditionState

HEADS = ("When", "Phase", "Entry", "By", "Role", "About", "Cards complete", "Reason", "Details", "Way", "Seal")
IN_TABLE = 5
"""The columns of the table for people; the others are facts of each entry."""

OF_SEAL = ("SHA-256", "Note on the seal", "Deliverables", "Condition", "Id")

DETAIL_HEADS: Mapping[Decision, str] = {
    **dict.fromkeys((Decision.PASS, Decision.STOP), "Votes"),
    **dict.fromkeys((Decision.VOTE_GO_IF, Decision.WAIVER), "Condition"),
}
"""The names of the details of entries; those of the others say what changed."""

CONDITION_HEADS = ("Condition", "Gate", "Set by", "Person", "Until", "State")

Seals = Mapping[Id, SealDetail]
"""The seals of the decisions, by the id of their record."""


def to_sections(
    name: str,
    lines: Sequence[DecisionSummary],
    seals: Seals,
    zone: tzinfo,
    conditions: Sequence[ConditionState] = (),
) -> ReportSection:
    """The gate record: its zone, a table, the conditions, and each entry with what it was made on."""

    def moment(at: datetime) -> str:
        return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"

    lines = with_moments(lines, moment)
    offset = f"{datetime.now(zone):%z}"
    times = f"Times are in UTC{offset[:3]}:{offset[3:5]}."
    return ReportSection(
        heading=f"Gate record of {name}",
        note=times if lines else "No gate decisions yet.",
        heads=HEADS[:IN_TABLE],
        rows=[_first_cells(each, moment) for each in lines],
        sections=[
            list_conditions(conditions),
            *(_section(each, seals.get(each.record.id), moment) for each in lines),
        ],
    )


def list_conditions(conditions: Sequence[ConditionState]) -> ReportSection:
    """The conditions of votes, with what became of each."""
    rows = [
        (each.condition.text, each.gate, each.set_by, each.person, each.condition.due.isoformat(), each.state)
        for each in conditions
    ]
    return ReportSection(heading="Conditions", heads=CONDITION_HEADS, rows=rows)


def with_moments(lines: Sequence[DecisionSummary], moment: Callable[[datetime], str]) -> list[DecisionSummary]:
    """Return entries whose words have their times in the form and the zone of a report, in place of the reader's."""
    known, credits = ({each.record.id: each.record for each in lines}, {each.record.id: each.by for each in lines})
    return [
        replace(
            each,
            state=f"ended {moment(each.ended)}" if each.ended else each.state,
            about=refer_to(each.record, known, credits, moment) if each.record.of_id in known else each.about,
        )
        for each in lines
    ]


def _first_cells(line: DecisionSummary, moment: Callable[[datetime], str]) -> tuple[str, ...]:
    """The cells of the table for people: what another entry is about stands with its words."""
    when, phase, entry, *more = _cells(line, moment)[:IN_TABLE]
    return when, phase, ": ".join(filter(None, (entry, line.about))), *more


def _section(line: DecisionSummary, seal: SealDetail | None, moment: Callable[[datetime], str]) -> ReportSection:
    """An entry: what the table has no room for, and the seal in words."""
    heads = (DETAIL_HEADS.get(line.record.decision, "What changed") if each == "Details" else each for each in HEADS)
    facts = [
        *zip([*heads][IN_TABLE:], _cells(line, moment)[IN_TABLE:], strict=True),
        ("Check", seal.verdict if seal else ""),
    ]
    parts = in_sections(seal, moment, line.words) if seal else ()
    return ReportSection(
        heading=f"{line.numbered}: {line.sentence}, {moment(line.record.at)}",
        facts=[(head, "", words) for head, words in facts if words],
        sections=[ReportSection(heading=each.heading, lines=each.lines) for each in parts],
    )


def to_csv(lines: Sequence[DecisionSummary], seals: Seals, conditions: Sequence[ConditionState] = ()) -> str:
    """The gate record as CSV with the line ends of RFC 4180, conditions at their votes; no cell becomes a formula."""
    fates = {each.condition.vote_id: each.sentence for each in conditions}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*HEADS, *OF_SEAL])
    for each in with_moments(lines, in_utc):
        seal = seals.get(each.record.id)
        more = (seal.sha256, seal.note, "; ".join(_deliverables(seal, in_utc))) if seal else ("", "", "")
        last = (*more, fates.get(each.record.id, ""), each.record.id)
        writer.writerow([guard_cell(cell) for cell in (*_cells(each, in_utc), *last)])
    return text.getvalue()


def to_document(
    lines: Sequence[DecisionSummary], seals: Seals, conditions: Sequence[ConditionState] = ()
) -> dict[str, Any]:
    """The gate record for programs: the entries, the seals of decisions, and the conditions."""
    more = {"seals": [to_parsed(each) for each in seals.values()], "conditions": [*map(to_json, conditions)]}
    return collection(lines) | more


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
