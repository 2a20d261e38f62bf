"""The status report of a project as Markdown. Markup in texts that people typed is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta

from core.actions.projects.exports import DueItem, ProjectReport
from core.actions.workflow.phases import PhaseSummary
from core.domain.model import GateState, PhaseState
from core.domain.project_health import AT_RISK_WITHIN
from core.domain.readiness import ReadinessState
from core.rules.gate_readiness import Readiness
from core.text.phrases import count, in_words, names

DECISIONS_SHOWN = 10
NEXT_DAYS = 14
"""The days that the section "Next" covers."""

_MARKUP = re.compile(
    r"[\\`*_{}\[\]<>|~]"  # everywhere
    r"|&(?=#?\w+;)"  # an entity
    r"|(?<=\w):(?=//)|(?<=\bwww)\.|(?<=\w)@(?=\w)"  # what becomes a link
    r"|^[#+=-]|(?<=^\d)[.)]|(?<=^\d\d)[.)]",  # a heading, a rule or a list at the start of a line
    re.IGNORECASE,
)


def to_markdown(report: ProjectReport) -> str:
    """The report: the state first, then what is wrong, then what is next."""
    parts = [
        _head(report),
        _phases(report.phases),
        _section("Risks", _risks(report)),
        _section("Late", [_describe_due_item(line) for line in report.open if line.due < report.today]),
        _section(f"Next {NEXT_DAYS} days", [_describe_due_item(line) for line in _next(report)]),
        _section("Decisions at the gates", _decisions(report)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_markdown(text: str) -> str:
    """A text as one line of Markdown, with all markup escaped."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _head(report: ProjectReport) -> str:
    line = report.line
    tally = line.tally
    facts = [
        f"- Health: **{in_words(line.health) if line.health.value != 'NONE' else _describe_finish(report)}**",
        f"- Progress: **{tally.progress:.0%}** ({tally.done} of {count(tally.total, 'card')} done)",
        *([f"- Forecast: {escape_markdown(report.explanation.outlook)}"] if report.explanation.outlook else []),
        *([f"- Phase now: {escape_markdown(line.phase_now)}"] if line.phase_now else []),
        *([f"- Next due: {line.next_due}"] if line.next_due else []),
        *([f"- For: {' / '.join(map(escape_markdown, line.links))}"] if line.links else []),
        f"- Members: {names([escape_markdown(name) for name in line.members])}",
    ]
    about = [escape_markdown(text) for text in line.project.description.split("\n\n") if text.strip()]
    head = [f"# {escape_markdown(line.project.name)}", f"Status of {report.today}.", *about]
    return "\n\n".join([*head, "\n".join(facts)])


def _describe_finish(report: ProjectReport) -> str:
    return "archived" if report.line.project.archived else "complete"


def _phases(phases: Sequence[PhaseSummary]) -> str:
    if not phases:
        return ""
    rows = ["| # | Phase | State | Done | Due | Gate |", "|---|---|---|---|---|---|"]
    rows += [f"| {each.number} | {' | '.join(_cells(each))} |" for each in phases]
    return "\n".join(["## Phases", "", *rows])


GATE_STATES = {
    GateState.NONE: "",
    GateState.PASSED: ", approved",
    GateState.SENT_BACK: ", sent back",
    GateState.UNDECIDED: "",
}


def _cells(line: PhaseSummary) -> tuple[str, ...]:
    phase = line.phase
    overridden = phase.overridden and line.state is not PhaseState.COMPLETE
    return (
        escape_markdown(phase.name),
        in_words(line.state) + (", overridden" if overridden else ""),
        f"{line.tally.done}/{line.tally.total}",
        str(phase.due or ""),
        phase.gate_now + GATE_STATES[phase.gate_state],
    )


def _risks(report: ProjectReport) -> list[str]:
    """The reasons of the health, and what assignments, gates and overrides show."""
    idle = sum(not line.people for line in report.open if line.due <= report.today + AT_RISK_WITHIN)
    unfinished = [each for each in report.phases if each.state is not PhaseState.COMPLETE]
    gates = {each.phase_id: each for each in report.gates}
    return [
        *(escape_markdown(reason.sentence) for reason in report.explanation.reasons),
        *([f"{count(idle, 'card')} late or due within three days with nobody assigned"] if idle else []),
        *(
            f"Phase {each.number} {escape_markdown(each.phase.name)} {escape_markdown(words)}"
            for each in unfinished
            if (words := _waits(report, each, gates[each.phase.id]))
        ),
        *(
            f"Phase {each.number} {escape_markdown(each.phase.name)} is open because its lock was overridden"
            for each in unfinished
            if each.phase.overridden
        ),
    ]


def _waits(report: ProjectReport, line: PhaseSummary, gate: Readiness) -> str:
    """Return the words about a gate for people who did not make the report: all that is missing once all cards are
    done, and before that the first deliverable where evidence is soon due."""
    said = [f"is {gate.hold}"] if gate.hold else []
    if gate.state is ReadinessState.NOT_READY:
        due = line.phase.due if line.state is PhaseState.OPEN else None
        promised = [each for each in gate.points if each.kind == "DELIVERABLE"]
        soon = promised[:1] if due and due <= report.today + timedelta(days=NEXT_DAYS) else []
        points = [each.sentence for each in (gate.points if gate.at_gate else soon)]
        left = gate.missing - len(points)
        listed = "; ".join([*points, *([f"{left} more"] if left else [])])
        said += [f"is not ready for approval: {listed}"] if points else []
    elif gate.at_gate:
        who = names(gate.deciders.names, "or")
        said.append("waits for a decision at its gate" + (f": {who} can approve it" if who else ""))
    return names(said)


def _next(report: ProjectReport) -> list[DueItem]:
    return [line for line in report.open if report.today <= line.due <= report.today + timedelta(days=NEXT_DAYS)]


def _describe_due_item(line: DueItem) -> str:
    who = names([escape_markdown(name) for name in line.people]) or "nobody"
    return f"{line.due}: {escape_markdown(line.title)} ({escape_markdown(line.phase)}, {who})"


def _decisions(report: ProjectReport) -> list[str]:
    return [
        f"{each.record.at.astimezone():%Y-%m-%d}: {escape_markdown(each.phase)}, {escape_markdown(each.sentence)}"
        + (f": {escape_markdown(each.record.reason)}" if each.record.reason else "")
        for each in report.decisions[:DECISIONS_SHOWN]
    ]


def _section(title: str, lines: Iterable[str]) -> str:
    listed = [f"- {line}" for line in lines]
    return "\n".join([f"## {title}", "", *listed]) if listed else ""
