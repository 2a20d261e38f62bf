"""Lines of previews that several kinds of records share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from core.actions.history.entries import HistoryEntry
from core.actions.projects.digest import NextDueCard
from core.domain.canvas import Card
from core.domain.model import Id, ItemKind, Status
from core.domain.statuses import CLOSED
from core.engine.messages import Query
from core.text.dates import format_due
from tui.board.cards import due_role
from tui.drawing.people import Team
from tui.drawing.preview_rows import PreviewLine, PreviewPage
from tui.drawing.rows import Word
from tui.drawing.styles import Styles, TextRole
from tui.wording.times import format_day

Kind = tuple[Callable[[Id], Query[Any]], Callable[[Any, Styles, Id, Mapping[Id, str]], PreviewPage]]
"""A kind of record: the query that reads it; and its page, for a user, with the names of the members of its project."""

WHO = 12
"""Cells for the people of a card in a list."""


def card_line(
    look: Styles,
    title: str,
    status: Status | None,
    due: date | None,
    people: Sequence[Word] = (),
    *,
    is_activity: bool = False,
) -> PreviewLine:
    """``○ Write the brief          Hanna  3d late``; a closed card is muted, and its date is not told."""
    closed = status in CLOSED
    when_due = [] if due is None or closed else [(format_due(due, date.today()), due_role(due, date.today()))]
    between: list[Word] = [("  ", TextRole.QUIET)] if people and when_due else []
    return PreviewLine(
        title,
        (*people, *between, *when_due),
        ((f"{look.signs.of(status, is_activity)} ", TextRole.QUIET),),
        TextRole.QUIET if closed else TextRole.TITLE,
    )


def open_card_line(card: Card | NextDueCard, look: Styles, team: Team) -> PreviewLine:
    """An open card with the people assigned to it."""
    who = team.words(card.assignee_ids, WHO)
    return card_line(look, card.title, card.status, card.due, who, is_activity=card.kind is ItemKind.ACTIVITY)


def due_fact(due: date | None, closed: bool) -> tuple[Word, ...]:
    """A due date as a fact: "due tomorrow", "3d late"."""
    if due is None:
        return ()
    today = date.today()
    words = format_due(due, today)
    return ((words if words.endswith("late") else f"due {words}", TextRole.QUIET if closed else due_role(due, today)),)


def facts(*words: str) -> tuple[Word, ...]:
    """Quiet facts, without the empty ones."""
    return tuple((each, TextRole.QUIET) for each in words if each)


def people_facts(people: Iterable[tuple[Id, str]], me: Id) -> tuple[Word, ...]:
    """People by their short names, each in their colour."""
    names = dict(people)
    team = Team(names, me)
    return tuple(word for user_id in names for word in team.words([user_id], 30))


def change_lines(changes: Iterable[HistoryEntry]) -> tuple[PreviewLine, ...]:
    """Changes with their moments, quiet."""
    now = datetime.now(UTC)
    days = [(format_day(change.at, now), change) for change in changes]
    widest = max((len(day) for day, _ in days), default=0)
    return tuple(
        PreviewLine(
            f"{change.actor} {change.kind.describe(change.summary)}",
            lead=((f"{day:{widest}}  ", TextRole.QUIET),),
            text_role=TextRole.QUIET,
        )
        for day, change in days
    )
