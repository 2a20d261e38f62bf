"""``podium phase …``."""

from __future__ import annotations

import click

from core.actions.cards.details import GetPhase
from core.actions.workflow.phases import (
    AddPhase,
    AssignPhase,
    EditPhase,
    ListPhases,
    PhaseLine,
    RemovePhase,
    ReorderPhase,
    SetPhaseDueDate,
)
from core.domain.model import Gate
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import day, print_json, say
from tui.cli.session import Session, in_workspace, relock_option

phase_columns = ("#", "PHASE", "STATE", "GATE", "DONE", "DUE", "ID")

GATES = click.Choice([gate.value for gate in Gate], case_sensitive=False)
EVIDENCE = "A review gate passes only when every deliverable is done and has evidence, or also without."


@click.group("phase")
def phase_() -> None:
    """Phases: list, show, add, edit, due, shift, assign, move, remove."""


def phase_row(line: PhaseLine) -> tuple[object, ...]:
    """A phase as a row under ``phase_columns``."""
    state = in_words(line.state)
    return (
        line.number,
        line.phase.name,
        f"{state} by override" if line.phase.overridden and state == "open" else state,
        in_words(line.phase.gate) + (" with evidence" if line.phase.evidence_required else ""),
        f"{line.tally.completed}/{line.tally.total}",
        day(line.phase.due),
        line.phase.id,
    )


@phase_.command("list")
@click.argument("project")
@in_workspace
def list_(session: Session, project: str) -> None:
    """The phases of a project in their order."""
    phases = session.query(ListPhases(project_id=resolve.project_id(session, project)))
    session.list(phases, phase_columns, phase_row, "No phases yet. “podium phase add” makes one.")


@phase_.command("show")
@click.argument("project")
@click.argument("phase")
@in_workspace
def show(session: Session, project: str, phase: str) -> None:
    """A phase with its deliverables and the decisions at its gate."""
    from core.codec.encoding import to_json

    line = resolve.phase(session, resolve.project_id(session, project), phase)
    detail = session.query(GetPhase(phase_id=line.phase.id))
    if session.as_json:
        print_json(to_json(detail))
        return
    say(f"{detail.number} {detail.phase.name}: {in_words(detail.state)}, due {day(detail.phase.due) or 'no day'}")
    for head, text in (("Objectives", detail.phase.objectives), ("Outcomes", detail.phase.outcomes)):
        if text:
            say(f"{head}: {text}")
    if detail.members:
        say(f"Members: {', '.join(member.name for member in detail.members)}")
    for each in detail.deliverables:
        say(f"[{'x' if each.done else ' '}] {each.name}  {each.evidence}".rstrip())
    say(detail.gate.reason)
    for decision in detail.decisions:
        said = in_words(decision.record.decision) + (" (withdrawn)" if decision.record.withdrawn else "")
        say(f"{day(decision.record.at.date())}  {decision.by}: {said}  {decision.record.reason}".rstrip())


@phase_.command("add")
@click.argument("project")
@click.argument("name")
@click.option("--objectives", default="")
@click.option("--outcomes", default="")
@click.option("--due", help="A day such as fri, +2w, 3 dec.")
@click.option("--gate", type=GATES, default=Gate.AUTOMATIC.value)
@click.option("--evidence-required/--no-evidence-required", default=False, help=EVIDENCE)
@click.option("--before", help="The phase before which it goes; last unless told.")
@relock_option
@in_workspace
def add(
    session: Session,
    project: str,
    name: str,
    objectives: str,
    outcomes: str,
    due: str | None,
    gate: str,
    evidence_required: bool,
    before: str | None,
    relock: bool,
) -> None:
    """Add a phase to the workflow."""
    project_id = resolve.project_id(session, project)
    added = session.execute(
        AddPhase(
            project_id=project_id,
            name=name,
            objectives=objectives,
            outcomes=outcomes,
            due=resolve.due(due),
            gate=Gate(gate),
            evidence_required=evidence_required,
            before_id=resolve.phase(session, project_id, before).phase.id if before else None,
            relock=relock,
        )
    )
    session.done(added, f"Added the phase “{added.name}” ({added.id}).")


@phase_.command("edit")
@click.argument("project")
@click.argument("phase")
@click.option("--name")
@click.option("--objectives")
@click.option("--outcomes")
@click.option("--gate", type=GATES)
@click.option("--evidence-required/--no-evidence-required", default=None, help=EVIDENCE)
@relock_option
@in_workspace
def edit(
    session: Session,
    project: str,
    phase: str,
    name: str | None,
    objectives: str | None,
    outcomes: str | None,
    gate: str | None,
    evidence_required: bool | None,
    relock: bool,
) -> None:
    """Change the name, the objectives, the outcomes or the gate of a phase."""
    found = resolve.phase(session, resolve.project_id(session, project), phase).phase
    edited = session.execute(
        EditPhase(
            phase_id=found.id,
            name=name,
            objectives=objectives,
            outcomes=outcomes,
            gate=Gate(gate) if gate else None,
            evidence_required=evidence_required,
            relock=relock,
        )
    )
    session.done(edited, f"Changed the phase “{edited.name}”.")


@phase_.command("due")
@click.argument("project")
@click.argument("phase")
@click.argument("day_", metavar="DAY")
@in_workspace
def due_(session: Session, project: str, phase: str, day_: str) -> None:
    """Set the due date of a phase (fri, +2w, 3 dec); “none” removes it."""
    found = resolve.phase(session, resolve.project_id(session, project), phase).phase
    dated = session.execute(SetPhaseDueDate(phase_id=found.id, due=resolve.due(day_)))
    session.done(dated, f"“{dated.name}” is due {day(dated.due) or 'on no day'}.")


@phase_.command("reschedule", context_settings={"ignore_unknown_options": True})
@click.argument("project")
@click.argument("phase")
@click.argument("days", metavar="DAYS")
@click.option("--no-cascade", "alone", is_flag=True, help="Move this date only: no cards and no later phases.")
@click.option("--dry-run", is_flag=True, help="Show what would move, and move nothing.")
@in_workspace
def shift(session: Session, project: str, phase: str, days: str, alone: bool, dry_run: bool) -> None:
    """Move the due date of a phase (+3d, -1w), and with it what hangs on it, as one step."""
    from core.actions.workflow.reschedule import DateChange, PreviewReschedule, ReschedulePhase, shift_in_words
    from core.text.dates import parse_days

    found = resolve.phase(session, resolve.project_id(session, project), phase).phase
    plan = PreviewReschedule(phase_id=found.id, days=parse_days(days), alone=alone)
    if not dry_run:
        done = session.execute(ReschedulePhase(phase_id=plan.phase_id, days=plan.days, alone=alone))
        session.done(done, f"Moved {shift_in_words(done.moved)}.")
        return

    def row(each: DateChange) -> tuple[object, ...]:
        return in_words(each.kind), each.title, day(each.before), day(each.after), each.id

    session.list(session.query(plan).moved, ("KIND", "TITLE", "DUE", "WOULD BE", "ID"), row, "")


@phase_.command("assign")
@click.argument("project")
@click.argument("phase")
@click.argument("people", nargs=-1)
@in_workspace
def assign(session: Session, project: str, phase: str, people: tuple[str, ...]) -> None:
    """Assign exactly these members to a phase; none for nobody."""
    project_id = resolve.project_id(session, project)
    found = resolve.phase(session, project_id, phase).phase
    members = [resolve.member(session, project_id, each) for each in people]
    result = session.execute(AssignPhase(phase_id=found.id, member_ids=tuple(each.id for each in members)))
    session.done(result, f"Assigned to “{found.name}”: {', '.join(each.name for each in members) or 'nobody'}.")


@phase_.command("move")
@click.argument("project")
@click.argument("phase")
@click.option("--before", help="The phase before which it goes; last unless told.")
@relock_option
@in_workspace
def move(session: Session, project: str, phase: str, before: str | None, relock: bool) -> None:
    """Put a phase before another one, or last."""
    project_id = resolve.project_id(session, project)
    found = resolve.phase(session, project_id, phase).phase
    before_id = resolve.phase(session, project_id, before).phase.id if before else None
    placed = session.execute(ReorderPhase(phase_id=found.id, before_id=before_id, relock=relock))
    session.done(placed, f"Moved the phase “{placed.name}”.")


@phase_.command("remove")
@click.argument("project")
@click.argument("phase")
@in_workspace
def remove(session: Session, project: str, phase: str) -> None:
    """Remove a phase that holds no cards."""
    found = resolve.phase(session, resolve.project_id(session, project), phase).phase
    session.execute(RemovePhase(phase_id=found.id))
    session.done(None, f"Removed the phase “{found.name}”.")
