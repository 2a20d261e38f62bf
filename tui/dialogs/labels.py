"""The labels and the priority of one or several cards, in one dialog: typing filters, and creates what is not there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from core.domain.labels import Label
from core.domain.model import Id, Priority
from core.engine.unit_of_work import in_workspace
from core.errors import InvalidInput
from core.record import Record
from core.text.label_names import fold_name, free_sign, label_name, without_hash
from core.text.sanitize import sanitize
from tui.dialogs.dialog import Dialog, PlainText
from tui.dialogs.menus.picker import PickFilter
from tui.widgets.option_list import Row, Rows

NEW = "new label"


class LabelledCard(Record, kw_only=False):
    """The labels and the priority of a card."""

    labels: Collection[Id]
    priority: Priority


class LabelChoice(Record, kw_only=False):
    """The changes for every card. ``add`` are ids, and names of new labels."""

    add: tuple[str, ...] = ()
    remove: tuple[Id, ...] = ()
    priority: Priority | None = None


class _Line(Record, kw_only=False):
    """A label of the list: ``key`` is its id, or its name if it is new."""

    key: str
    name: str
    sign: str
    hint: str = ""


class LabelFilter(PickFilter):
    """The text that filters the labels. While it is empty, a digit chooses a priority."""

    class Number(Message):
        """Posted for a digit that is the number of a priority."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self) -> None:
        super().__init__(types_space=True)
        self.placeholder = "Type to find a label or to add one"

    def on_key(self, event: events.Key) -> None:
        """Take the digit; of any other key Textual tells the base class, too."""
        if not self.value and event.character in ("1", "2", "3", "4"):
            event.stop()
            event.prevent_default()
            self.post_message(self.Number(int(event.character)))


class LabelDialog(Dialog[LabelChoice | None]):
    """Asks for the labels and the priority. Dismissed with what differs, or None.

    Space marks; enter marks what was typed and is done. While nothing is typed, 1 to 4 choose the priority.
    """

    DEFAULT_CSS = """
    LabelDialog #priority { padding: 0 1; }
    LabelDialog.-roomy PickFilter { margin-bottom: 1; }
    LabelDialog.-roomy #priority { margin-bottom: 1; }
    LabelDialog #signs { dock: bottom; color: $text-muted; padding: 0 1; }
    LabelDialog.-roomy #signs { margin-top: 1; }
    LabelDialog #empty { color: $text-muted; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "step(-1)", show=False),
        Binding("down,ctrl+n", "step(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    def __init__(self, title: str, labels: Sequence[Label], cards: Sequence[LabelledCard]) -> None:
        super().__init__(title, "space mark · enter done · 1-4 priority · esc cancel")
        counts = {label.id: sum(label.id in card.labels for card in cards) for label in labels}
        self._lines = [
            _Line(label.id, label.name, label.sign, _hint(label, counts[label.id], len(cards))) for label in labels
        ]
        self._before = {key for key, count in counts.items() if count == len(cards)}
        self._some = {key for key, count in counts.items() if 0 < count < len(cards)}
        self._marked = set(self._before)
        self._cleared: set[str] = set()
        """The labels that some of the cards have, and that are to be taken off them."""
        first, *others = {card.priority for card in cards}
        self._priority = self._priority_before = None if others else first
        self._found: list[_Line] = list(self._lines)

    def questions(self) -> ComposeResult:
        yield LabelFilter()
        yield PlainText(id="priority")
        yield Rows(id="rows", takes_focus=False)
        yield PlainText(id="empty")
        if self._lines:
            yield PlainText("Cards without room for the name of a label show its letters.", id="signs")

    def on_mount(self) -> None:
        self._show_priority()
        self._show(0)

    # -- typing ----------------------------------------------------------------------------------------------

    @on(LabelFilter.Number)
    def choose_priority(self, number: LabelFilter.Number) -> None:
        """Handle a digit before any name: the number of a priority."""
        self._priority = tuple(Priority)[number.number - 1]
        self._show_priority()

    @property
    def _typed(self) -> str:
        return without_hash(self.query_one(PickFilter).value)

    @on(Input.Changed)
    def narrow(self) -> None:
        """Show the labels with the typed text, those that begin with it first, and at last a new one of that name."""
        self.query_one(PickFilter).row_is_found = False
        word = fold_name(self._typed)
        found = [line for line in self._lines if word in fold_name(line.name)]
        found.sort(key=lambda line: not fold_name(line.name).startswith(word))
        if word and not any(fold_name(line.name) == word for line in found):
            taken = {line.sign for line in self._lines}
            found.append(_Line("", self._typed, free_sign(self._typed, taken), NEW))
        self._found = found
        self._show(0)

    @on(Input.Submitted)
    def accept(self) -> None:
        """Handle enter: mark what was typed, and be done."""
        if self._typed and not self._mark(only_on=True):
            return
        marked = [line.key for line in self._lines if line.key in self._marked]
        now = None if self._priority is self._priority_before else self._priority
        self.dismiss(
            LabelChoice(
                tuple(key for key in marked if key not in self._before),
                tuple(sorted((self._before - self._marked) | self._cleared)),
                now,
            )
        )

    @on(Rows.Chosen)
    @on(PickFilter.Space)
    def toggle(self) -> None:
        """Handle space, or a click on a row."""
        self._mark(only_on=False)

    def action_step(self, rows: int) -> None:
        self.query_one(Rows).action_step(rows)
        self._row_found()

    def action_page(self, pages: int) -> None:
        self.query_one(Rows).action_page(pages)
        self._row_found()

    def _row_found(self) -> None:
        words = self.query_one(PickFilter)
        words.row_is_found = True
        words.go_into_list()

    def _mark(self, *, only_on: bool) -> bool:
        """Mark the label of the cursor, or take its mark away. Return False without one, or if its name is refused."""
        cursor = self.query_one(Rows).cursor
        if not 0 <= cursor < len(self._found):
            return False
        line = self._found[cursor]
        if not line.key:
            try:
                name = label_name(line.name)
            except InvalidInput as refused:
                self.say(str(refused), bad=True)
                return False
            line = _Line(name, name, line.sign, NEW)
            self._lines.append(line)
        if line.key in self._marked and not only_on:
            self._marked.discard(line.key)
            self._cleared |= {line.key} & self._some
        else:
            self._marked.add(line.key)
            self._cleared.discard(line.key)
        with self.prevent(Input.Changed):
            self.query_one(PickFilter).value = ""
            self.query_one(PickFilter).go_into_list()
        self._found = list(self._lines)
        self._show(self._found.index(line))
        return True

    # -- drawing ---------------------------------------------------------------------------------------------

    def _show(self, cursor: int) -> None:
        self.query_one(Rows).show([self._row(line) for line in self._found], cursor)
        self.query_one(Rows).display = bool(self._found)
        self.query_one("#empty", PlainText).put("" if self._found else "No labels yet. Type a name to create one.")
        self.say("")

    def _row(self, line: _Line) -> Row:
        hint = "will be taken off" if line.key in self._cleared else line.hint
        name = f"Create “{sanitize(line.name)}”" if not line.key else line.name
        return Row(name, hint, key=f"{line.sign:2}", mark=line.key in self._marked if line.key else False)

    def _show_priority(self) -> None:
        words = (
            f"[{number} {each.lower()}]" if each is self._priority else f" {number} {each.lower()} "
            for number, each in enumerate(Priority, 1)
        )
        self.query_one("#priority", PlainText).put(f"Priority: {''.join(words)}")


def _hint(label: Label, count: int, cards: int) -> str:
    some = f"{count} of {cards} cards" if 0 < count < cards else ""
    return " · ".join(filter(None, (some, "workspace" if in_workspace(label.project_id) else "")))
