"""The line of the cursor: the card that it is on, and for a while the changes of other users.

They are said there because a toast would cover cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.timer import Timer

from core.domain.canvas import ActivitySummary
from core.domain.model import ItemKind, Status
from core.domain.permissions import CHANGING_CARDS
from core.record import replace
from core.text.phrases import count, some
from tui.screens.framework.controller import Action, Controller, why_if_locked
from tui.screens.views.presenter import ViewScreen
from tui.widgets.bars import SentenceLine

NAMED = 3
"""How many people are named; the others are counted."""

SAID_SECONDS = 5.0
"""How long a change of another user is said."""


class ChangesOrDetail(SentenceLine):
    """The news, and otherwise the card of the cursor and the other users on it."""

    DEFAULT_CSS = "ChangesOrDetail.-changes { color: $text-accent; }"


class CursorLine(Controller):
    """The line of one view of a project. News are said until they are old or a key is pressed."""

    screen: ViewScreen

    def __init__(self, screen: ViewScreen) -> None:
        super().__init__(screen)
        screen.presenter.moved.append(self.cursor_moved)
        self.line = ChangesOrDetail(self.text)
        self.words = ""
        """The sentence that is said now."""
        self._old: Timer | None = None
        self._activity: ActivitySummary | None = None
        self._around: object = None
        """The facts about the cursor on which the line of keys depends, as it has them."""

    def actions(self) -> Sequence[Action]:
        return ()

    def text(self) -> str:
        """The news; without any, the marks, the other users on the card, and the card in a sentence."""
        if self.words:
            return self.words
        screen = self.screen
        count, inside = len(self.selection.cards) if screen.marks.ids else 0, screen.presenter.marked_in_folds
        marked = f"{count} marked{f', {inside} of them in folds' if inside else ''}" if count else ""
        too = self.podium.presence.too(screen.location)
        return " · ".join(filter(None, (marked, too, screen.presenter.description)))

    def cursor_moved(self) -> None:
        """Describe the card of the cursor. The line of keys depends on its kind, its phase and what blocks it."""
        if self.line.is_attached:
            self.line.show()
        if self.screen.previewer is not None:
            self.screen.previewer.note_move()
        self.podium.presence.note_move()
        selection, held = self.selection, self.screen.access.held
        kind, phase = selection.kind, selection.phase
        is_archived = selection.card is not None and selection.card.status is Status.ARCHIVED
        facts = (
            selection.card is None,
            is_archived,
            selection.marked,
            phase and (phase.state, phase.is_ready, phase.missing),
        )
        may_change = CHANGING_CARDS[kind] in held if kind else True
        around = (kind is ItemKind.APPLICATION, may_change, why_if_locked(selection), facts)
        if around != self._around:
            self._around = around
            if self.screen.key_line.is_attached:
                self.screen.key_line.show()

    def say(self, words: str, seconds: float | None = None) -> None:
        """Say what is new, for some seconds or until a key is pressed."""
        if self._old is not None:
            self._old.stop()
        self._old = self.screen.set_timer(seconds, self.say_nothing) if seconds else None
        if words and self.say_nothing not in self.screen.keys.before_key:
            self.screen.keys.before_key.append(self.say_nothing)
        if words != self.words:
            self.words = words
            self.show()

    def say_nothing(self) -> None:
        """Take the news away."""
        self._activity = None
        self.say("")

    def say_activity(self, others: ActivitySummary | None) -> None:
        """Say what others have just done, together with what is still said: so a burst does not flicker."""
        if others is not None:
            self._activity = together(self._activity, others)
            self.say(activity_sentence(self._activity), SAID_SECONDS)

    def show(self) -> None:
        """Draw the line of the cursor."""
        if self.line.is_attached:
            self.line.set_class(bool(self.words), "-changes")
            self.line.show()

    def data_hidden(self) -> None:
        self.say_nothing()


def together(before: ActivitySummary | None, after: ActivitySummary) -> ActivitySummary:
    """Two summaries as one."""
    if before is None:
        return after
    names = tuple(dict.fromkeys([*after.names, *before.names]))
    return replace(after, names=names, changes=before.changes + after.changes)


def activity_sentence(others: ActivitySummary) -> str:
    """The change: Bob Lind started “Write the brief”; of several changes their number and people."""
    who = some(others.names, NAMED)
    if others.changes > 1:
        return f"{who} made {count(others.changes, 'change')}"
    return f"{who} {others.kind.describe(others.summary)}"
