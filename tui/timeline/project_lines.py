"""A project as one line of the Timeline: its phases as segments that follow each other, each ending in its gate."""

from __future__ import annotations

from datetime import date, timedelta

from rich.cells import cell_len

from core.actions.portfolio.timeline import PortfolioPhase, PortfolioProject
from core.domain.model import Id, PhaseState
from core.record import Record
from tui.drawing.health import health_role, health_sign
from tui.drawing.rows import Word, one_line
from tui.drawing.styles import TextRole
from tui.timeline.brush import ROOMY, Cells, RenderContext, due_words, fill, gate_role, point_outside, put, write

SHORTEST = timedelta(days=7)
"""The length of a bar without a known start."""


def bar_start(before: date | None, due: date) -> date:
    """The first day of a phase's bar; ``before`` is the one that ``next_start`` gave for the phases before it."""
    return before if before else due - SHORTEST


def next_start(start: date | None, due: date | None, before: date | None) -> date | None:
    """The first day of the next phase's bar. ``start`` is the first day of the project."""
    return max(due, start) if due and start else due or before


class PhaseSegment(Record, kw_only=False):
    """A phase with a due date: it begins where the dated phase before it ends."""

    phase: PortfolioPhase
    start: date
    due: date


class TimelineProject(Record, kw_only=False):
    """A project. Phases without a due date have no segment."""

    project: PortfolioProject
    segments: tuple[PhaseSegment, ...]

    @classmethod
    def of(cls, project: PortfolioProject) -> TimelineProject:
        """The line of a project."""
        start = before = project.summary.project.start
        segments = list[PhaseSegment]()
        for phase in project.phases:
            if phase.due:
                segments.append(PhaseSegment(phase, bar_start(before, phase.due), phase.due))
            before = next_start(start, phase.due, before)
        return cls(project, tuple(segments))

    @property
    def id(self) -> Id:
        return self.project.id

    @property
    def name(self) -> str:
        return self.project.summary.project.name

    @property
    def days(self) -> tuple[date, ...]:
        """The days to scroll to: the due date of the phase that is open now, then all others."""
        now = [each.due for each in self.segments if each.phase.state is not PhaseState.COMPLETE]
        ends = [day for each in self.segments for day in (each.due, each.start)]
        return (*now[:1], *ends)

    @property
    def bounds(self) -> tuple[date, ...]:
        """The days that the first window is to show: a complete project makes it no longer."""
        is_open = any(each.phase.state is not PhaseState.COMPLETE for each in self.segments)
        return tuple(day for each in self.segments for day in (each.start, each.due)) if is_open else ()


def project_label(brush: RenderContext, line: TimelineProject) -> tuple[list[Word], list[Word]]:
    """The words at the left: health and name; those at the right: the cards that are done, and the next due date."""
    summary = line.project.summary
    left = [
        (f"{health_sign(brush.look, summary.health) or ' '} ", health_role(summary.health)),
        (one_line(summary.project.name), TextRole.NAME if summary.favourite else TextRole.TITLE),
    ]
    tally = summary.tally
    done: Word = (f" {tally.done}/{tally.total}" if brush.label >= ROOMY else "", TextRole.QUIET)
    if summary.next_due is None:
        is_complete = bool(line.project.phases) and not summary.phase_now
        return left, [done, (" all done" if is_complete else " no date", TextRole.QUIET)]
    late = summary.next_due < brush.today
    return left, [done, *due_words(brush, summary.next_due, None, late, False)]


def draw_project(brush: RenderContext, line: TimelineProject, cells: Cells) -> None:
    """Draw the segments into the cells over the days, each with the name of its phase where that fits."""
    if not line.segments:
        return
    scale, marks = brush.scale, brush.marks
    for each in line.segments:
        _draw_segment(brush, each, cells)
    if scale.shows(brush.today):
        put(cells, scale.x(brush.today), marks.today, TextRole.ACCENT)
    for each in line.segments:
        put(cells, scale.x(each.due), marks.gate, gate_role(brush.bar_role(each.phase.state, each.due)))
    point_outside(brush, cells, scale.x(line.segments[0].start), max(scale.x(each.due) for each in line.segments))


def _draw_segment(brush: RenderContext, segment: PhaseSegment, cells: Cells) -> None:
    scale, marks, phase = brush.scale, brush.marks, segment.phase
    start, end = scale.x(segment.start), scale.x(segment.due)
    done = end - start if phase.state is PhaseState.COMPLETE else round(phase.tally.progress * (end - start))
    fill(cells, start, start + done, marks.full, TextRole.DONE)
    fill(cells, start + done, end, marks.rest, brush.bar_role(phase.state, segment.due))
    name = f" {one_line(phase.name)} "
    left, right = max(start + 1, 0), min(end, len(cells))
    room = right - left - cell_len(name)
    if room >= 2:
        write(cells, left + room // 2, name, TextRole.TITLE if phase.state is PhaseState.OPEN else TextRole.QUIET)
