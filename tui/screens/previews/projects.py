"""The previews of a project and of a phase.

A project shows its phases with their bars, what is due next, its people and its last changes. A phase shows what its
gate waits for, its open cards, its deliverables and its texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from core.actions.cards.details import PhaseDetail
from core.actions.projects.digest import ProjectDigest, TeamMember
from core.actions.workflow.phases import PhaseSummary
from core.domain.model import Gate, Id, Phase, PhaseState, ProjectRole
from core.domain.project_health import HEALTH_WORDS
from core.domain.readiness import ReadinessState
from core.text.dates import format_due
from tui.board.cards import due_role
from tui.drawing.health import health_role
from tui.drawing.people import PersonColours, Team
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart, markdown
from tui.drawing.rows import Word, cells
from tui.drawing.styles import Styles, TextRole
from tui.screens.previews.lines import change_lines, due_fact, facts, open_card_line, people_facts

DUE = 10
"""Cells of a due date, with the blank before it."""


def project_page(digest: ProjectDigest, look: Styles, me: Id, _team: Mapping[Id, str]) -> PreviewPage:
    line, tally = digest.summary, digest.summary.tally
    known: list[Word] = [(HEALTH_WORDS[line.health], health_role(line.health))]
    known += facts(
        line.project.key,
        f"{tally.completed}/{tally.total} done" if tally.total else "no cards yet",
        "archived" if line.project.archived else "",
        line.role.lower() if line.role else "",
        " / ".join(line.links),
    )
    shown = tuple(fact for fact in known if fact[0])
    return PreviewPage(line.project.name, (), shown, tuple(_parts(digest, look, me)))


def _parts(digest: ProjectDigest, look: Styles, me: Id) -> Iterator[PreviewPart]:
    names = {member.user_id: member.name for member in digest.team}
    phases = tuple(_phase(each, look) for each in digest.phases)
    yield PreviewPart("Phases", phases or (PreviewLine("None yet.", text_role=TextRole.QUIET),))
    team = Team(names, me)
    due = tuple(open_card_line(card, look, team) for card in digest.next_due)
    yield PreviewPart("Due next", due or (PreviewLine("Nothing has a date.", text_role=TextRole.QUIET),))
    yield PreviewPart("People", tuple(_people(digest.team, me)))
    yield PreviewPart("Last changes", change_lines(digest.changes))
    if digest.summary.project.description.strip():
        yield markdown("Description", digest.summary.project.description)


def _people(team: Iterable[TeamMember], me: Id) -> Iterator[PreviewLine]:
    """The active members by role, each name in its colour."""
    active = [member for member in team if member.active]
    colours = PersonColours((member.user_id for member in active), me)
    for role in ProjectRole:
        words = tuple((member.name, colours.role(member.user_id)) for member in active if member.role is role)
        if words:
            yield PreviewLine(lead=((f"{role.lower()}s".ljust(14), TextRole.QUIET),), listed=words)


def _phase(line: PhaseSummary, look: Styles) -> PreviewLine:
    """``◐ 2 Build                    ━━━━────── 3/8  4 Dec``."""
    complete = line.state is PhaseState.COMPLETE
    role = TextRole.DONE if complete else TextRole.QUIET if line.state is PhaseState.LOCKED else TextRole.ACCENT
    due: list[Word] = []
    if line.phase.due is not None and not complete:
        today = date.today()
        due = [(format_due(line.phase.due, today), due_role(line.phase.due, today))]
    due = [(" " * max(1, DUE - cells(due)), TextRole.QUIET), *due]
    count = f" {line.tally.completed}/{line.tally.total}".ljust(5)
    return PreviewLine(
        f"{line.number} {line.phase.name}",
        ((count if line.tally.total else "", TextRole.QUIET), *due),
        ((f"{look.signs.state(line.state)} ", role),),
        TextRole.TITLE if line.state is PhaseState.OPEN else TextRole.QUIET,
        most=1,
        tally=line.tally if line.tally.total else None,
    )


STATE_ROLES = {PhaseState.COMPLETE: TextRole.DONE, PhaseState.LOCKED: TextRole.QUIET}


def _gate_words(phase: Phase) -> str:
    evidence = " with evidence" if phase.evidence_required else ""
    return f"review{evidence}" if phase.gate is Gate.REVIEW else ""


def phase_page(detail: PhaseDetail, look: Styles, me: Id, team: Mapping[Id, str]) -> PreviewPage:
    phase = detail.phase
    known = (
        (f"{look.signs.state(detail.state)} {detail.state.lower()}", STATE_ROLES.get(detail.state, TextRole.TITLE)),
        *facts(f"{detail.tally.completed}/{detail.tally.total} done" if detail.tally.total else "no cards yet"),
        *facts(_gate_words(phase), "overridden" if phase.overridden else ""),
        *due_fact(phase.due, detail.state is PhaseState.COMPLETE),
        *people_facts([(user.id, user.name) for user in detail.members], me),
    )
    return PreviewPage(f"{detail.number} {phase.name}", (), known, tuple(_phase_parts(detail, look, me, team)))


def _phase_parts(detail: PhaseDetail, look: Styles, me: Id, team: Mapping[Id, str]) -> Iterator[PreviewPart]:
    gate = detail.gate
    if detail.state is not PhaseState.COMPLETE:
        text_role = TextRole.SOON if detail.state is PhaseState.LOCKED else TextRole.QUIET
        if gate.state is ReadinessState.READY:
            text_role = TextRole.DONE
        points = [PreviewLine(each.sentence, text_role=text_role, most=2) for each in gate.blockers]
        if gate.state is ReadinessState.READY or detail.state is PhaseState.LOCKED:
            points = []
        notes = [PreviewLine(each.sentence, text_role=TextRole.QUIET, most=2) for each in gate.notes]
        yield PreviewPart("Gate", (PreviewLine(gate.reason, text_role=text_role, most=4), *points, *notes))
    if detail.tally.total:
        line = PreviewLine(f"{detail.tally.open} open, {detail.tally.completed} completed", tally=detail.tally)
        people = Team(team, me)
        cards = [open_card_line(card, look, people) for card in detail.open_cards]
        yield PreviewPart("Cards", (line, *cards), left_out=detail.tally.open - len(cards))
    if detail.deliverables:
        deliverables = [line.deliverable for line in detail.deliverables]
        done = sum(each.done for each in deliverables)
        lines = tuple(
            PreviewLine(
                each.name,
                lead=((f"{look.signs.delivered[each.done]} ", TextRole.QUIET),),
                text_role=TextRole.QUIET if each.done else TextRole.TITLE,
            )
            for each in deliverables
        )
        yield PreviewPart("Deliverables", lines, f"{done}/{len(lines)}")
    for heading, text in (("Objectives", detail.phase.objectives), ("Outcomes", detail.phase.outcomes)):
        if text.strip():
            yield markdown(heading, text)
