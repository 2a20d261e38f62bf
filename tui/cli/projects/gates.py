"""``podium gate …``: check whether a phase can be approved, vote and decide, and read what was decided on what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime

import click

from core.actions.workflow.gate_conditions import ListConditions
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
from core.actions.workflow.gate_votes import CastVote, ContradictMeeting, MeetingVote, RecordMeeting
from core.actions.workflow.gates import CheckGate, DecideGate, GateCheck
from core.domain.gate_policy import VOTE_WORDS, VOTES, Vote
from core.domain.gates import DECISION_WORDS, DECISIONS, Decision, GateRecord
from core.domain.model import Id
from core.domain.readiness import NAMED, ReadinessState
from core.errors import InvalidInput, NotFound
from core.text.dates import parse_past
from core.text.naming import the_one
from core.text.phrases import names, some
from tui.cli import streams
from tui.cli.message_command import RELOCK, Field, MessageGroup, day_from
from tui.cli.output import line, moment, print_json, say, until_the_reader_leaves
from tui.cli.projects.gate_rules import REASON, condition_, criteria_, policy, rule_lines
from tui.cli.records import LISTED_PROJECT, MEMBER, PHASE, PROJECT, RECORDED
from tui.cli.session import Parameter, Session

gate_ = MessageGroup(
    "gate", "Gates: check, vote, approve, hold, send back, stop, record; policy, criteria, conditions."
)
gate_.add_command(policy)
gate_.add_command(criteria_, "criteria")
gate_.add_command(condition_, "condition")


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
    yield from (f"  {line(each)}" for each in rule_lines(answer))
    for note in answer.notes:
        yield f"  Note: {line(note.sentence)}"
    if answer.state is not ReadinessState.COMPLETE and answer.who_can:
        yield f"{names([*map(line, answer.who_can)], 'or')} can decide."


FORMAT = click.Option(
    ["--format", "wanted"],
    type=click.Choice(["markdown", "html", "csv", "json"]),
    help="The format (default: by the ending of FILE, else markdown).",
)
ENDINGS = {**streams.OF_TEXTS, ".csv": "csv", ".json": "json"}


@gate_.runs("export", LISTED_PROJECT, FORMAT, *streams.OUTPUT)
def export(session: Session, wanted: str | None, file: str, force: bool) -> None:
    """Print the gate record of a project: every decision with its seal, what became of it, and the conditions."""
    from core.actions.projects.lists import GetProject
    from core.import_export.tables.csv_export import BYTE_ORDER_MARK
    from core.reports.gate_decisions import to_csv, to_document, to_sections
    from core.reports.sections import to_markdown

    form = streams.format_of(file, "json" if session.as_json else wanted, ENDINGS, "markdown")
    project_id = session[PROJECT].id
    lines = session.query(ListGateDecisions(project_id=project_id, every_seal=True))
    conditions = session.query(ListConditions(project_id=project_id))
    decided = [each.record.id for each in lines if each.record.decision in DECISIONS]
    seals = {record_id: session.query(GetSeal(record_id=record_id)) for record_id in decided}
    if session.as_json and file == streams.STREAM:
        until_the_reader_leaves(lambda: print_json(to_document(lines, seals, conditions)))
        return
    if form == "json":
        text = json.dumps(to_document(lines, seals, conditions), indent=2, ensure_ascii=False) + "\n"
    elif form == "csv":
        text = BYTE_ORDER_MARK + to_csv(lines, seals, conditions)
    else:
        name, zone = session.query(GetProject(project_id=project_id)).project.name, datetime.now().astimezone().tzinfo
        record = to_sections(name, lines, seals, zone or UTC, conditions)
        if form == "html":
            from core.reports.html_page import to_html

            text = to_html(record)
        else:
            text = to_markdown(record)
    if streams.write(text, file, force=force):
        session.print_result({"file": file, "format": form}, f"Exported to {file}.")


OF_PHASE = RECORDED.or_none(click.Argument(["phase"], required=False))
ENTRY = click.Argument(["record"], default="last")


@gate_.runs("record", PROJECT, OF_PHASE, lists=True)
def record(session: Session) -> None:
    """List the gate record of a project or of one phase: every decision, and what became of it."""
    phase = session[OF_PHASE]
    phase_id = phase.id if phase else None
    lines = session.query(ListGateDecisions(project_id=session[PROJECT].id, phase_id=phase_id, every_seal=True))
    heads = ("WHEN", "PHASE", "ENTRY", "ROLE", "CARDS", "REASON", "SEAL", "WAY", "ID")
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


def _say_decision(decided: GateRecord, session: Session) -> str:
    """Say that the decision fell, or how many votes are in."""
    phase = session.parameters["phase"]
    if decided.decision in VOTES:
        now = session.query(CheckGate(phase_id=phase.id))
        more = " An owner can stop the project now." if now.panel.decides(Vote.STOP) else ""
        if decided.detail:
            more = f" It is a go {decided.detail}.{more}"
        return f"Your vote is in: {now.votes}.{more}"
    if decided.decision is Decision.LIFT:
        return f"The hold of “{phase.name}” is lifted."
    more = " Its project is archived." if decided.decision is Decision.STOP else ""
    return f"“{phase.name}” is {DECISION_WORDS[decided.decision]}.{more}"


def _decides(name: str, decision: Decision, help: str) -> None:
    gate_.sends(
        name,
        DecideGate,
        [PROJECT, PHASE, Field("reason", "The reason; required but to approve and to hold."), RELOCK],
        values=lambda _: {"decision": decision},
        help=help,
        done=_say_decision,
    )


_decides("approve", Decision.PASS, "Approve a gate, or vote go where it has a policy. All its items must be done.")
_decides("hold", Decision.HOLD, "Hold a phase: it is not approved until the hold is lifted.")
_decides("lift", Decision.LIFT, "Lift the hold of a phase.")
_decides("back", Decision.SEND_BACK, "Send a phase back: it is open again until it is approved.")
_decides("stop", Decision.STOP, "Stop the project at a gate, or vote stop where it has a policy. A stop archives it.")
_decides("override", Decision.OVERRIDE, "Open one locked phase although earlier ones are not complete.")

gate_.sends(
    "vote",
    CastVote,
    [
        PROJECT,
        PHASE,
        "vote",
        Field("reason", "The reason; required for no and stop."),
        Field("condition", "What has to be done after a go if.", metavar="TEXT"),
        MEMBER.option("--person", "Who does that.", "person_id"),
        Field("due", "The day until which that is done."),
        RELOCK,
    ],
    done=_say_decision,
)

VOTE_FORM = "PERSON=go, PERSON=no:REASON, PERSON=stop:REASON or PERSON=go-if:CONDITION:PERSON:DAY"


def _read_vote(session: Session, text: str) -> MeetingVote:
    """A vote of a meeting as it was typed. Raises InvalidInput, and NotFound for a person who is no member."""
    who, _, vote = text.partition("=")
    word, _, said = vote.partition(":")
    meant = {name: each for each, name in VOTE_WORDS.items()}.get(word.strip().lower().replace("-", " "))
    parts = said.rsplit(":", 2)
    if meant is None or (meant is Vote.GO_IF and len(parts) < 3):
        raise InvalidInput("votes", f"--vote “{text}” is none. Write {VOTE_FORM}.")
    voter = MEMBER.find(session, who).id
    if meant is not Vote.GO_IF:
        return MeetingVote(user_id=voter, vote=meant, reason=said)
    person = MEMBER.find(session, parts[1]).id
    return MeetingVote(user_id=voter, vote=meant, condition=parts[0], person_id=person, due=day_from(parts[2]))


DAY_OF_MEETING = Parameter(
    click.Option(["--day"], metavar="DAY", required=True, help="The day of the meeting."),
    lambda _, text: parse_past(text, date.today()) or date.today(),
    "day",
)
MEETING_VOTES = Parameter(
    click.Option(["--vote"], multiple=True, metavar="PERSON=VOTE", help=f"{VOTE_FORM}; any number."),
    lambda session, texts: tuple(_read_vote(session, each) for each in texts),
    "votes",
)
gate_.sends(
    "meeting",
    RecordMeeting,
    [PROJECT, PHASE, DAY_OF_MEETING, MEETING_VOTES, Field("reason", "What the meeting said."), RELOCK],
    values=lambda session: {"votes": session[MEETING_VOTES]},
    help="Record the decision of a meeting, as the secretary whom the policy names. Who has no vote was absent.",
    done=_say_decision,
)
CONTRADICTED = Parameter(
    click.Option(["--record"], metavar="ID", default="last", help="The decision of the meeting (default: the last)."),
    lambda session, typed: _record_id(session, typed),
    "record_id",
)
gate_.sends(
    "contradict",
    ContradictMeeting,
    [PROJECT, PHASE, CONTRADICTED, REASON],
    values=lambda session: {"record_id": session[CONTRADICTED], "reason": session[REASON]},
    done="The approval of “{phase}” has ended.",
)
