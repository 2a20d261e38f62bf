"""A project whose names and texts try to act in a page of HTML, and are as long as they can be."""

from __future__ import annotations

from core.actions.projects.exports import GetStatusReport
from core.actions.projects.projects import EditProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_record import GetSeal, ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gates import DECISIONS, Decision
from core.domain.model import Gate
from core.reports import gate_decisions, status_report
from core.reports.sections import ReportSection
from tests.support.workspace import World

SCRIPT = '</style></title><script>alert(1)</script>"><img src=x onerror=alert(1)>'
REVERSED = "\u202eevil\u202c\u200f"
LONG_WORD = "W" * 200
LINKS = """# Head

[run](javascript:alert(1)) [data](data:text/html,x) [file](file:///etc/passwd) [plain](evil.html)
![picture](https://evil.example/x.png) <https://good.example/a?b=1&c="> [good](https://good.example/"onclick="x)

[named]: https://evil.example/named

<iframe src="https://evil.example"></iframe> &lt;b&gt;

- one
- `two`"""


def make_hostile(world: World, entries: int) -> None:
    """Give the project of a workspace such texts, and its first gate a record with so many entries."""
    phase = world.discover
    world.do(EditProject(project_id=world.project.id, name=SCRIPT, description=f"{LINKS}\n\n{SCRIPT}\n\n{LONG_WORD}"))
    objectives = f"{LINKS}\n\n{LONG_WORD * 20}"
    world.do(EditPhase(phase_id=phase.id, name=SCRIPT, gate=Gate.REVIEW, objectives=objectives, outcomes=SCRIPT))
    for name, evidence in ((SCRIPT, f"https://good.example/{'x' * 470}"), (LONG_WORD, "https://good.example/#'><b>")):
        made = world.do(AddDeliverable(phase_id=phase.id, name=name))
        world.do(Deliver(deliverable_id=made.id, link=evidence))
    for number in range(25):
        world.task(f"{number} {LONG_WORD}"[:200], due=world.engine.clock().date())
    world.task(f"Reversed {SCRIPT} javascript:alert(1)", due=world.engine.clock().date())
    for number in range(entries):
        reason = (SCRIPT, LONG_WORD * 5, "Why not. " * 200, "See https://good.example/minutes.")[number % 4]
        decision = (Decision.HOLD, Decision.LIFT)[number % 2]
        world.do(DecideGate(phase_id=phase.id, decision=decision, reason=reason))
    sql = "UPDATE item SET title = title || :mark WHERE title LIKE 'Reversed%'"
    world.database.write(lambda tx: tx.execute(sql, mark=REVERSED))  # which no message takes


def gate_record(world: World) -> ReportSection:
    """Return the gate record of the project."""
    lines = world.ask(ListGateDecisions(project_id=world.project.id, every_seal=True))
    decided = [each.record.id for each in lines if each.record.decision in DECISIONS]
    seals = {record_id: world.ask(GetSeal(record_id=record_id)) for record_id in decided}
    project = world.row("project", id=world.project.id)
    conditions = world.ask(ListConditions(project_id=world.project.id))
    zone = world.engine.clock().tzinfo
    assert zone is not None
    return gate_decisions.to_sections(project["name"], lines, seals, zone, conditions)


def project_report(world: World) -> ReportSection:
    """Return the status report of the project."""
    return status_report.in_sections(world.ask(GetStatusReport(project_id=world.project.id)))
