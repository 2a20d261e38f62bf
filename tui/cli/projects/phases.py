"""``podium phase …``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from core.actions.cards.details import GetPhase, PhaseDetail
from core.actions.workflow import phases
from core.actions.workflow.phases import ListPhases, PhaseSummary
from core.text.phrases import in_words
from tui.cli.message_command import CONSENT, RELOCK, Field, MessageGroup
from tui.cli.output import day, moment
from tui.cli.records import LISTED_PROJECT, MEMBERS, PHASE, PROJECT
from tui.cli.session import Session

phase_ = MessageGroup("phase", "Phases: list, show, add, edit, due, reschedule, assign, move, remove.")

phase_columns = ("#", "PHASE", "STATE", "GATE", "DONE", "DUE", "ID")

EVIDENCE = Field(
    "evidence_required",
    "Whether a review gate requires evidence for every deliverable.",
    option="--evidence-required/--no-evidence-required",
)
STATEMENTS = Field(
    "accepts_statements",
    "Whether a statement in words is evidence, and not only a link, a file or a card.",
    option="--accepts-statements/--no-accepts-statements",
)
KIND_REASON = Field("reason", "Why the gate changes; needed once the phase has a decision or a completed card.")
BEFORE = PHASE.option("--before", "The phase to put it before (default: last).", "before_id")


def phase_row(line: PhaseSummary) -> tuple[object, ...]:
    """A phase as a row under ``phase_columns``."""
    state = in_words(line.state)
    return (
        line.number,
        line.phase.name,
        f"{state}, overridden" if line.phase.overridden and state == "open" else state,
        line.phase.gate_now,
        f"{line.tally.done}/{line.tally.total}",
        day(line.phase.due),
        line.phase.id,
    )


def _lines(detail: PhaseDetail) -> Iterator[str]:
    yield f"{detail.number} {detail.phase.name}: {in_words(detail.state)}, due {day(detail.phase.due) or 'no day'}"
    for head, text in (("Objectives", detail.phase.objectives), ("Outcomes", detail.phase.outcomes)):
        if text:
            yield f"{head}: {text}"
    if detail.members:
        yield f"Members: {', '.join(member.name for member in detail.members)}"
    for each in detail.deliverables:
        yield f"[{'x' if each.deliverable.done else ' '}] {each.deliverable.name}  {each.shown}".rstrip()
    yield detail.gate.reason
    for decision in detail.decisions:
        yield f"{moment(decision.record.at)}  {decision.sentence}  {decision.record.reason}".rstrip()
    if detail.older_decisions:
        yield f"Older entries: {detail.older_decisions}. “podium gate record” lists all."


phase_.lists(
    "list",
    ListPhases,
    [LISTED_PROJECT],
    heads=phase_columns,
    row=phase_row,
    empty="No phases yet. Create one with “podium phase add”.",
)
phase_.shows("show", GetPhase, [PROJECT, PHASE], lines=_lines)
phase_.sends(
    "add",
    phases.AddPhase,
    [PROJECT, "name objectives outcomes due gate", EVIDENCE, STATEMENTS, BEFORE, RELOCK],
    done="Added the phase “{name}” ({id}).",
)
phase_.sends(
    "edit",
    phases.EditPhase,
    [PROJECT, PHASE, "name objectives outcomes gate", EVIDENCE, STATEMENTS, KIND_REASON, *CONSENT],
    done="Changed the phase “{name}”.",
)
phase_.sends("due", phases.SetPhaseDueDate, [PROJECT, PHASE, "due"], done="“{name}” is due {due:on no day}.")
phase_.sends(
    "assign",
    phases.AssignPhase,
    [PROJECT, PHASE, MEMBERS],
    help="Set the members of a phase; without any, remove them.",
    done="Assigned to “{phase}”: {people:nobody}.",
)
phase_.sends("move", phases.ReorderPhase, [PROJECT, PHASE, BEFORE, RELOCK], done="Moved the phase “{name}”.")
phase_.sends("remove", phases.RemovePhase, [PROJECT, PHASE, *CONSENT], done="Removed the phase “{phase}”.")


@phase_.runs(
    "reschedule",
    PROJECT,
    PHASE,
    click.Argument(["days"], metavar="DAYS"),
    click.Option(["--no-cascade", "alone"], is_flag=True, help="Move this date only: no cards and no later phases."),
    changes=True,
    context_settings={"ignore_unknown_options": True},
)
def reschedule(session: Session, days: str, alone: bool) -> None:
    """Move the due date of a phase (+3d, -1w) together with its cards and the later phases, as one step."""
    from core.actions.workflow.reschedule import ReschedulePhase, shift_in_words
    from core.text.dates import parse_days

    done = session.execute(ReschedulePhase(phase_id=session[PHASE].id, days=parse_days(days), alone=alone))
    session.print_result(done, f"Moved {shift_in_words(done.moved)}.")
