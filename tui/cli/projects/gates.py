"""``podium gate …``: check whether a phase can be approved, decide, and read what was decided on what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import click

from core.actions.workflow.gate_record import (
    BY_IMPORT,
    WAY_WORDS,
    CompareWithSeal,
    DecisionSummary,
    GetSeal,
    ListGateDecisions,
    SealComparison,
    SealDetail,
    describe_comparison,
    in_sections,
)
from core.actions.workflow.gates import CheckGate, DecideGate, GateCheck
from core.domain.gates import DECISION_WORDS, DECISIONS, Decision
from core.domain.model import Id
from core.domain.readiness import NAMED, ReadinessState
from core.errors import NotFound
from core.text.naming import the_one
from core.text.phrases import names, some
from tui.cli.message_command import RELOCK, Field, MessageGroup
from tui.cli.output import line, moment, print_json, put, say, until_the_reader_leaves
from tui.cli.records import LISTED_PROJECT, PHASE, PROJECT, RECORDED
from tui.cli.session import Parameter, Session

gate_ = MessageGroup("gate", "Gates: check, approve, hold, send back, override; their record and seals.")


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
            who = some([*map(line, point.who_can)], NAMED)
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
    """Print the gate record of a project: every decision with its seal, and what became of it."""
    from core.actions.projects.lists import GetProject
    from core.import_export.csv_table import BYTE_ORDER_MARK
    from core.reports.gate_decisions import to_csv, to_document, to_markdown

    project_id = session[PROJECT].id
    lines = session.query(ListGateDecisions(project_id=project_id, every_seal=True))
    decided = [each.record.id for each in lines if each.record.decision in DECISIONS]
    seals = {record_id: session.query(GetSeal(record_id=record_id)) for record_id in decided}
    if session.as_json or form == "json":
        print_json(to_document(lines, seals))
    elif form == "csv":
        put(BYTE_ORDER_MARK + to_csv(lines, seals))
    else:
        name, zone = session.query(GetProject(project_id=project_id)).project.name, datetime.now().astimezone().tzinfo
        say(to_markdown(name, lines, seals, zone or UTC).rstrip())


OF_PHASE = RECORDED.or_none(click.Argument(["phase"], required=False))
ENTRY = click.Argument(["record"], default="last")


@gate_.runs("record", PROJECT, OF_PHASE)
def record(session: Session) -> None:
    """List the gate record of a project or of one phase: every decision, and what became of it."""
    phase = session[OF_PHASE]
    phase_id = phase.id if phase else None
    lines = session.query(ListGateDecisions(project_id=session[PROJECT].id, phase_id=phase_id, every_seal=True))
    heads = ("when", "phase", "entry", "role", "cards", "reason", "seal", "way", "id")
    session.list(lines, heads, _row, "No gate decisions yet.")
    if not session.as_json and not session.ids_only:
        for way in sorted({each.record.way for each in lines if each.way not in ("", BY_IMPORT)}):
            say(f"{way.lower()} = {WAY_WORDS[way]}")


def _row(each: DecisionSummary) -> tuple[str, ...]:
    reason = " ".join(filter(None, (each.record.reason, f"({each.record.detail})" if each.record.detail else "")))
    entry = each.record
    cards = f"{entry.completed}/{entry.total}" if entry.decision in DECISIONS else ""
    way = BY_IMPORT if entry.imported_by else entry.way.lower()
    return moment(entry.at), each.numbered, each.sentence, each.role, cards, reason, each.seal, way, entry.id


@gate_.runs("show", PROJECT, RECORDED, ENTRY)
def show(session: Session, record: str) -> None:
    """Show an entry of the record of a gate, by its id or “last”, and the seal of a decision: what it was made on."""
    from core.reports.gate_decisions import to_parsed

    seal = session.query(GetSeal(record_id=_record_id(session, record)))
    if session.as_json:
        until_the_reader_leaves(lambda: print_json(to_parsed(seal)))
    else:
        session.show(seal, _seal_lines)


def _seal_lines(seal: SealDetail) -> Iterator[str]:
    entry = seal.entry
    yield " · ".join(filter(None, (entry.sentence, moment(entry.record.at), entry.way)))
    yield from filter(None, (entry.record.detail, entry.record.reason, seal.verdict))
    for section in in_sections(seal, moment, entry.words):
        yield from ("", section.heading, *(f"  {line(each)}" for each in section.lines))


def _record_id(session: Session, typed: str) -> Id:
    """The id of an entry as it was typed, or of the last decision. Raises NotFound."""
    phase = session.parameters["phase"]
    lines = session.query(ListGateDecisions(project_id=session[PROJECT].id, phase_id=phase.id))
    if typed.lower() != "last":
        return the_one("entry", typed, [each.record.id for each in lines], lambda record_id: (record_id,))
    decided = [each.record.id for each in lines if each.record.decision in DECISIONS]
    if not decided:
        raise NotFound(f"Nothing has been decided at the gate of “{phase.name}” yet.")
    return decided[-1]


def _decision_option(option: str, help: str) -> Parameter[Id | None]:
    form = click.Option([option], metavar="ID", help=help)
    return Parameter(form, lambda session, typed: _record_id(session, typed) if typed else None, option.strip("-"))


gate_.shows(
    "diff",
    CompareWithSeal,
    [
        PROJECT,
        PHASE,
        _decision_option("--since", "The decision to compare with; the last one where none is named."),
        _decision_option("--until", "A later decision; what there is now where none is named."),
    ],
    lines=lambda found: _differences(found),
    help="Show what has changed in a phase since the last decision at its gate, or between two decisions.",
)


def _differences(found: SealComparison) -> Iterator[str]:
    if found.since:
        until = f"{found.until.sentence}, {moment(found.until.record.at)}" if found.until else "now"
        yield f"Since: {found.since.sentence}, {moment(found.since.record.at)}"
        yield f"Until: {until}"
    yield from describe_comparison(found)


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
