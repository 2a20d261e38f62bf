"""``podium gate …``: check whether a phase can be approved, and decide."""

from __future__ import annotations

from collections.abc import Iterator

import click

from core.actions.workflow.gates import DECISION_WORDS, CheckGate, DecideGate, GateCheck, ListGateDecisions
from core.domain.model import Decision
from core.domain.readiness import ReadinessState
from core.text.phrases import names
from tui.cli.message_command import RELOCK, Field, MessageGroup
from tui.cli.output import line, print_json, put, say
from tui.cli.records import LISTED_PROJECT, PHASE, PROJECT
from tui.cli.session import Session

gate_ = MessageGroup("gate", "Gates: check, approve, hold, send back, override, export.")


@gate_.runs("check", PROJECT, PHASE)
def check(session: Session) -> int:
    """Check what is missing at a gate. Exit status 1 if that is more than the decision; all of it is printed."""
    answer = session.query(CheckGate(phase_id=session[PHASE].id))
    session.show(answer, _lines)
    return 1 if answer.state is ReadinessState.NOT_READY else 0


def _lines(answer: GateCheck) -> Iterator[str]:
    yield answer.reason
    if answer.state is ReadinessState.NOT_READY:
        for point in answer.blockers:
            key = f"{point.key} " if point.key else ""
            who = names([*map(line, point.who_can)])
            yield f"  - {key}{line(point.sentence)} (in {line(point.where)}{f'; {who} can help' if who else ''})"
        if answer.missing > len(answer.blockers):
            yield f"  - {answer.missing - len(answer.blockers)} more"
    for note in answer.notes:
        yield f"  Note: {line(note.sentence)}"
    if answer.state is not ReadinessState.COMPLETE and answer.who_can:
        yield f"{names([*map(line, answer.who_can)], 'or')} can decide."


FORMAT = click.Option(["--format", "form"], type=click.Choice(["markdown", "csv", "json"]), default="markdown")


@gate_.runs("export", LISTED_PROJECT, FORMAT)
def export(session: Session, form: str) -> None:
    """Print the gate record of a project: every decision with phase, person, time, reason and counts."""
    from core.actions.projects.lists import GetProject
    from core.codec.encoding import collection
    from core.import_export.csv_table import BYTE_ORDER_MARK
    from core.reports.gate_decisions import to_csv, to_markdown

    project_id = session[PROJECT].id
    lines = session.query(ListGateDecisions(project_id=project_id))
    if session.as_json or form == "json":
        print_json(collection(lines))
    elif form == "csv":
        put(BYTE_ORDER_MARK + to_csv(lines))
    else:
        say(to_markdown(session.query(GetProject(project_id=project_id)).project.name, lines).rstrip())


def _decides(name: str, decision: Decision, help: str) -> None:
    gate_.sends(
        name,
        DecideGate,
        [PROJECT, PHASE, Field("reason", "The reason; required to send back and to override."), RELOCK],
        values=lambda _: {"decision": decision},
        help=help,
        done=f"“{{phase}}” is {DECISION_WORDS[decision]}.",
    )


_decides("approve", Decision.PASS, "Approve the gate of a phase. All its items must be done.")
_decides("hold", Decision.HOLD, "Record that a phase is not approved yet; it stays open.")
_decides("back", Decision.SEND_BACK, "Send a phase back: it is open again until it is approved.")
_decides("override", Decision.OVERRIDE, "Open one locked phase although earlier ones are not complete.")
