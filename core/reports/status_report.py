"""The status report of a project in sections, for Markdown and HTML, which have the same parts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from core.actions.projects.exports import DueItem, ProjectReport
from core.actions.workflow.deliverables import DeliverableSummary
from core.actions.workflow.gate_record import DecisionSummary
from core.actions.workflow.phases import PhaseSummary
from core.domain.gate_policy import VOTES
from core.domain.gates import Decision
from core.domain.model import GateState, PhaseState
from core.domain.project_health import AT_RISK_WITHIN, HEALTH_WORDS
from core.domain.readiness import ReadinessState
from core.reports import sections
from core.reports.gate_decisions import list_conditions, with_moments
from core.reports.sections import ReportSection
from core.rules.gate_readiness import Readiness
from core.text.amounts import write_amount
from core.text.phrases import count, in_words, names, some

DECISIONS_SHOWN = 10
CARDS_NAMED = 5
NEXT_DAYS = 14
"""The days that the section "Next" covers."""


def to_markdown(report: ProjectReport) -> str:
    """The report as Markdown."""
    return sections.to_markdown(in_sections(report))


def in_sections(report: ProjectReport) -> ReportSection:
    """The report: the state first, then what is wrong and what is next, then what was promised and decided."""
    project = report.line.project
    late = [line for line in report.open if line.due < report.today]
    soon = [line for line in report.open if report.today <= line.due <= report.today + timedelta(days=NEXT_DAYS)]
    return ReportSection(
        heading=project.name,
        note=f"Status of {report.today}.",
        texts=[("", project.description)] if project.description.strip() else [],
        facts=[each for each in _facts(report) if any(each[1:])],
        sections=(
            ReportSection(heading="Phases", heads=PHASE_HEADS, rows=[_cells(each) for each in report.phases]),
            ReportSection(heading="Risks", lines=[*_risks(report)]),
            _list_moved_dates(report),
            ReportSection(heading="Late", lines=[*map(_describe_due_item, late)]),
            ReportSection(heading=f"Next {NEXT_DAYS} days", lines=[*map(_describe_due_item, soon)]),
            ReportSection(heading="Objectives and deliverables", sections=[*_promises(report)]),
            ReportSection(
                heading="Custom fields",
                heads=("Field", "Sum", "Of cards that are done", "Cards with a value"),
                rows=[
                    (each.field.name, write_amount(each.total), write_amount(each.done), str(each.cards))
                    for each in report.fields
                ],
            ),
            ReportSection(heading="Gates now", sections=[*_describe_gates(report)]),
            list_conditions(report.conditions),
            *_list_decisions(report),
        ),
    )


def _facts(report: ProjectReport) -> Iterator[tuple[str, str, str]]:
    line = report.line
    tally = line.tally
    without = "archived" if line.project.archived else "none yet" if line.phase_now or not tally.total else "complete"
    yield "Health", HEALTH_WORDS[line.health] or without, ""
    yield "Progress", f"{tally.progress:.0%}", f"({tally.done} of {count(tally.total, 'card')} done)"
    yield "Forecast", "", report.explanation.outlook
    yield "Phase now", "", line.phase_now
    yield "Next due", "", str(line.next_due or "")
    yield "For", "", " / ".join(line.links)
    yield "Members", "", names(line.members)


PHASE_HEADS = ("#", "Phase", "State", "Done", "Due", "Gate")
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
        str(line.number),
        phase.name,
        in_words(line.state) + (", overridden" if overridden else ""),
        f"{line.tally.done}/{line.tally.total}",
        str(phase.due or ""),
        phase.gate_now + GATE_STATES[phase.gate_state] + (", on hold" if phase.on_hold else ""),
    )


def _risks(report: ProjectReport) -> Iterator[str]:
    """The reasons of the health, and what assignments, dependencies, gates and overrides show."""
    yield from (reason.sentence for reason in report.explanation.reasons)
    idle = sum(not line.people for line in report.open if line.due <= report.today + AT_RISK_WITHIN)
    if idle:
        yield f"{count(idle, 'card')} late or due within three days with nobody assigned"
    if report.blocked:
        yield f"{count(len(report.blocked), 'open card')} must wait for others: {some(report.blocked, CARDS_NAMED)}"
    unfinished = [each for each in report.phases if each.state is not PhaseState.COMPLETE]
    gates = {each.phase_id: each for each in report.gates}
    for each in unfinished:
        if words := _waits(report, each, gates[each.phase.id]):
            yield f"Phase {each.number} {each.phase.name} {words}"
    for each in unfinished:
        if each.phase.overridden:
            yield f"Phase {each.number} {each.phase.name} is open because its lock was overridden"


def _waits(report: ProjectReport, line: PhaseSummary, gate: Readiness) -> str:
    """Return the words about a gate for people who did not make the report: all that is missing once all cards are
    done, and before that the first deliverable where evidence is soon due."""
    said = []
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
        does, votes = ("vote", f" ({gate.panel.tally})") if gate.panel.policy else ("approve it", "")
        said.append(f"waits for a decision at its gate{votes}" + (f": {who} can {does}" if who else ""))
    said += [f"is {gate.hold}"] if gate.hold else []  # last: its reason can be any text
    return names(said)


def _list_moved_dates(report: ProjectReport) -> ReportSection:
    last = report.last_approval
    since = f"approval of {last.numbered} on {last.record.at.astimezone():%Y-%m-%d}" if last else "start of the project"
    phases = {each.phase.id: f"{each.number} {each.phase.name}" for each in report.phases}
    rows = []
    for each in report.moved:
        days = (each.now - each.before).days if each.now else 0
        words = f"{count(abs(days), 'day')} {'later' if days > 0 else 'earlier'}" if days else ""
        rows.append((phases[each.phase_id], str(each.before), str(each.now or "no date"), words))
    heads = ("Phase", "From", "To", "Difference")
    return ReportSection(heading="Dates moved", note=f"Since the {since}.", heads=heads, rows=rows)


def _describe_due_item(line: DueItem) -> str:
    return f"{line.due}: {line.title} ({line.phase}, {names(line.people) or 'nobody'})"


def _promises(report: ProjectReport) -> Iterator[ReportSection]:
    for each in report.phases:
        texts = (("Objectives", each.phase.objectives), ("Outcomes", each.phase.outcomes))
        own = [line for line in report.deliverables if line.deliverable.phase_id == each.phase.id]
        yield ReportSection(
            heading=f"{each.number} {each.phase.name}",
            texts=[each for each in texts if each[1].strip()],
            lines=[_describe_deliverable(line) for line in own],
        )


def _describe_deliverable(line: DeliverableSummary) -> str:
    """Return a deliverable in the words of a seal."""
    each = line.deliverable
    on = f" on {each.delivered_at.astimezone():%Y-%m-%d}" if each.delivered_at else ""
    done = "done" + (line.by and f", delivered by {line.by}{on}") if each.done else "not done"
    return f"Deliverable “{each.name}”: {done}; {line.shown or 'no evidence'}"


def _describe_gates(report: ProjectReport) -> Iterator[ReportSection]:
    """The open gates at which several people decide, or that have criteria: both as they are now."""
    gates = {each.phase_id: each for each in report.gates}
    for line in report.phases:
        if line.state is PhaseState.OPEN:
            gate = gates[line.phase.id]
            lines = [*gate.panel.lines, *(each.sentence for each in gate.criteria)]
            tally = gate.panel.tally and f"{gate.panel.tally}."
            yield ReportSection(heading=f"{line.number} {line.phase.name}", note=tally, lines=lines)


def _list_decisions(report: ProjectReport) -> Iterator[ReportSection]:
    """The decisions and what became of them, the newest and those in force; then the newest votes."""
    entries = with_moments(report.decisions, lambda at: f"{at.astimezone():%Y-%m-%d}")
    votes = [each for each in entries if each.record.decision in VOTES]
    decisions = [each for each in entries if each.record.decision not in VOTES]
    for heading, listed in (("Decisions at the gates", decisions), ("Votes at the gates", votes)):
        shown = [each for at, each in enumerate(listed) if at < DECISIONS_SHOWN or each.in_force]
        left = len(listed) - len(shown)
        more = f"The newest, and those in force; {count(left, 'older one')} in the gate record." if left else ""
        yield ReportSection(heading=heading, note=more, lines=[*map(_describe_decision, shown)])


def _describe_decision(line: DecisionSummary) -> str:
    """An entry with its details, but of a decision by votes those whose votes did not decide."""
    detail = line.record.detail
    if line.record.decision in (Decision.PASS, Decision.STOP) and not line.record.meeting:
        detail = detail.partition("; ")[2]
    said = f"{line.record.at.astimezone():%Y-%m-%d}: {line.phase}, {line.sentence}" + (f" ({detail})" if detail else "")
    return said + (f": {line.record.reason}" if line.record.reason else "")
