"""``podium gate …``: may a phase pass, and what an owner decides."""

from __future__ import annotations

import click

from core.actions.workflow.gates import VERBS, CheckGate, DecideGate, ListGateDecisions
from core.domain.model import Decision
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import line, print_json, put, say
from tui.cli.session import Session, in_workspace, relock_option


@click.group("gate")
def gate_() -> None:
    """Gates: check, pass, hold, send back, override, export."""


@gate_.command("check")
@click.argument("project")
@click.argument("phase")
@in_workspace
def check(session: Session, project: str, phase: str) -> int:
    """Whether a phase is open and may pass: exit status 0 when so, 1 when not, with the reasons."""
    from core.codec.encoding import to_json

    found = resolve.phase(session, resolve.project_id(session, project), phase).phase
    answer = session.query(CheckGate(phase_id=found.id))
    if session.as_json:
        print_json(to_json(answer))
    else:
        say(answer.reason)
        for blocker in answer.blockers:
            say(f"  - {line(blocker.title)} ({in_words(blocker.kind)} in {line(blocker.where)})")
        if not answer.may_pass and answer.who_can:
            say(f"Who can help: {', '.join(answer.who_can)}.")
    return 0 if answer.may_pass else 1


@gate_.command("export")
@click.argument("project")
@click.option("--format", "form", type=click.Choice(["markdown", "csv", "json"]), default="markdown")
@in_workspace
def export(session: Session, project: str, form: str) -> None:
    """Print the gate record of a project: every decision with phase, person, time, reason and counts."""
    from core.actions.projects.lists import GetProject
    from core.codec.encoding import collection
    from core.import_export.csv_table import BYTE_ORDER_MARK
    from core.reports.gate_decisions import to_csv, to_markdown

    project_id = resolve.project_id(session, project)
    lines = session.query(ListGateDecisions(project_id=project_id))
    if session.as_json or form == "json":
        print_json(collection(lines))
    elif form == "csv":
        put(BYTE_ORDER_MARK + to_csv(lines))
    else:
        say(to_markdown(session.query(GetProject(project_id=project_id)).project.name, lines).rstrip())


def _decide(session: Session, project: str, phase: str, decision: Decision, reason: str, relock: bool) -> None:
    found = resolve.phase(session, resolve.project_id(session, project), phase).phase
    record = session.execute(DecideGate(phase_id=found.id, decision=decision, reason=reason, relock=relock))
    session.done(record, f"“{found.name}” is {VERBS[decision]}.")


def _decision(name: str, decision: Decision, help_text: str) -> None:
    """One command for one decision."""

    @gate_.command(name, help=help_text)
    @click.argument("project")
    @click.argument("phase")
    @click.option("--reason", default="", help="Why; needed to send back and to override.")
    @relock_option
    @in_workspace
    def decide(session: Session, project: str, phase: str, reason: str, relock: bool) -> None:
        _decide(session, project, phase, decision, reason, relock)


_decision("approve", Decision.PASS, "Approve the gate of a phase. All its items must be done.")
_decision("hold", Decision.HOLD, "Put on record that a phase is not to pass yet.")
_decision("back", Decision.SEND_BACK, "Send a phase back: it is open again until it passes.")
_decision("override", Decision.OVERRIDE, "Open one locked phase although earlier ones are not complete.")
