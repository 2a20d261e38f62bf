"""The line of the cursor: the card that it is on, and for a while the changes of other users.

They are said there because a toast would cover cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.timer import Timer

from core.domain.canvas import ActivitySummary
from core.domain.model import Id
from core.record import replace
from core.text.phrases import count, some
from tui.screens.framework.controller import Action, Controller
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
        self._card_id: Id | None = None
        """The card that the cursor was on."""

    def actions(self) -> Sequence[Action]:
        return ()

    def text(self) -> str:
        """The news; without any, the marks, the other users on the card, and the card in a sentence."""
        if self.words:
            return self.words
        presenter, presence, marked = self.screen.presenter, self.podium.presence, ""
        if presenter.marked_ids:
            count, inside = len(self.selection.cards), presenter.marked_in_folds
            marked = f"{count} marked{f', {inside} of them in folds' if inside else ''}" if count else ""
        too = presence.too(self.screen.location) if presence.people else ""
        return " · ".join(filter(None, (marked, too, presenter.description)))

    def cursor_moved(self) -> None:
        """Describe the card of the cursor, on which the line of keys depends."""
        screen, card = self.screen, self.screen.presenter.card
        if screen.previewer is not None and screen.previewer.is_following:
            screen.previewer.read_soon()
        if card is None or card.id != self._card_id:
            self._card_id = card.id if card else None
            self.podium.presence.note_move()
        for line in (self.line, screen.key_line):
            if line.is_attached:
                line.show()

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
