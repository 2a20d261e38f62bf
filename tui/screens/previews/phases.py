"""The preview of a phase: what its gate waits for, its open cards, its deliverables and its texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.actions.cards.details import PhaseDetail
from core.domain.model import Gate, Id, PhaseState
from core.domain.readiness import ReadinessState
from tui.drawing.people import Team
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart, markdown
from tui.drawing.rows import Word
from tui.drawing.styles import Styles, TextRole
from tui.screens.previews.lines import due_fact, facts, open_card_line, people_facts

STATE_ROLES = {PhaseState.COMPLETE: TextRole.DONE, PhaseState.LOCKED: TextRole.QUIET}


def state_words(look: Styles, state: PhaseState) -> Word:
    """A state with its sign and its colour."""
    return (f"{look.signs.state(state)} {state.lower()}", STATE_ROLES.get(state, TextRole.TITLE))


def phase_page(detail: PhaseDetail, look: Styles, me: Id, team: Mapping[Id, str]) -> PreviewPage:
    phase = detail.phase
    known = (
        state_words(look, detail.state),
        *facts(f"{detail.tally.completed}/{detail.tally.total} done" if detail.tally.total else "no cards yet"),
        *facts("review" if phase.gate is Gate.REVIEW else "", "overridden" if phase.overridden else ""),
        *due_fact(phase.due, detail.state is PhaseState.COMPLETE),
        *people_facts([(user.id, user.name) for user in detail.members], me),
    )
    return PreviewPage(f"{detail.number} {phase.name}", (), known, tuple(_parts(detail, look, me, team)))


def _parts(detail: PhaseDetail, look: Styles, me: Id, team: Mapping[Id, str]) -> Iterator[PreviewPart]:
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
