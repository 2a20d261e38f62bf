"""The form for new cards, which can stay open for the next one and takes a pasted list."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Protocol, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button, Input

from core.domain.canvas import CanvasMember
from core.domain.max_lengths import CARD_TITLE, MAX_STEPS
from core.domain.model import Id
from core.text.typed_titles import TypedTitle
from tui.dialogs.dialog import Body, InlineButton, PlainText, ScrollingDialog
from tui.dialogs.fields.form_fields import Field
from tui.dialogs.fields.title_input import ListPasted, TitleControl
from tui.dialogs.form import FormDialog
from tui.wording.typed_titles import describe_typed

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

TITLE = "title"
"""The name of the first field."""

SHOWN = 32
"""The most characters of an added title that are shown, in one line."""

Titles = Sequence[TypedTitle[CanvasMember]]


class PastedListUse(StrEnum):
    """The answer to the question about a pasted list."""

    EACH_LINE = "EACH_LINE"
    ONE_TITLE = "ONE_TITLE"


class PastedListDialog(ScrollingDialog[PastedListUse | None]):
    """Shows the cards that a list would add. Dismissed with the answer, or None if the user cancels."""

    DEFAULT_CSS = """
    PastedListDialog {
        Body { max-height: 14; }
        .note { color: $text-muted; margin-top: 1; }
        #acts { height: 1; margin-top: 1; }
    }
    PastedListDialog.-tight Body { max-height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,ctrl+s", "choose('EACH_LINE')", show=False),
        Binding("n", "leave", show=False),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, titles: Sequence[TypedTitle[Any]], noun: str, warning: str, *, can_be_title: bool) -> None:
        self.titles = titles[:MAX_STEPS]
        """The titles that can be added in one change."""
        self._left_out = len(titles) - len(self.titles)
        question = f"Add the first {len(self.titles):,}" if self._left_out else f"Add {len(self.titles)}"
        super().__init__(f"{question} {noun}?", "y add · esc cancel")
        self._yes = f"Add {len(self.titles)} {noun}"
        self._warning = warning
        self._can_be_title = can_be_title

    def questions(self) -> ComposeResult:
        with Body():
            yield PlainText("\n".join(map(_line, self.titles)))
        for note in self._notes():
            yield PlainText(note, classes="note")
        with Horizontal(id="acts"):
            yield InlineButton(self._yes, id=PastedListUse.EACH_LINE, is_primary=True)
            if self._can_be_title:
                yield InlineButton("Use as one title", id=PastedListUse.ONE_TITLE)
            yield InlineButton("Cancel", id="cancel")

    def _notes(self) -> list[str]:
        notes = [self._warning] if self._warning else []
        if self._left_out:
            notes.append(f"One step adds at most {MAX_STEPS}; the last {self._left_out:,} lines are left out.")
        literal = dict.fromkeys(note for title in self.titles for note in title.notes)
        return [*notes, *list(literal)[:3]]

    def on_mount(self) -> None:
        self.query_one(f"#{PastedListUse.EACH_LINE}").focus(scroll_visible=False)

    def action_choose(self, use: str) -> None:
        self.dismiss(PastedListUse(use))

    @on(Button.Pressed)
    def _on_button(self, event: Button.Pressed) -> None:
        self.dismiss(PastedListUse(event.button.id) if event.button.id in list(PastedListUse) else None)


def _line(title: TypedTitle[Any]) -> str:
    meaning = describe_typed(title, date.today())
    return f"{title.title} · {meaning}" if meaning else title.title


class AddList(Protocol[R_co]):
    """Adds a card for each title."""

    async def __call__(self, values: dict[str, Any], *, titles: Titles) -> R_co | None: ...


class AddDialog(FormDialog[R]):
    """A form whose first field is a ``TitleField``, named ``TITLE``.

    ``add`` adds a card, ``add_list`` one card for each title. Esc returns the result for the last card that was added
    while the form stayed open.
    """

    enter_saves = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,ctrl+enter", "add_another", show=False),
    ]

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        add: Callable[[dict[str, Any]], Awaitable[R | None]],
        add_list: AddList[R],
        *,
        redraw: Callable[[], Awaitable[object]],
        noun: Callable[[dict[str, Any]], str],
        warning: str = "",
        about: Id = "",
    ) -> None:
        """``redraw`` shows an added card on the screen below, ``noun`` names the chosen kind of card in the plural, and
        ``warning`` is shown above the fields, and with the question about a list."""
        hints = "tab more · ctrl+j add another · "
        super().__init__(title, fields, self._add_one, submit="Add", hints=hints, note=warning, about=about)
        self._add = add
        self._add_list = add_list
        self._redraw = redraw
        self._noun = noun
        self._warning = warning
        self._stays = False

    def buttons(self) -> Iterable[InlineButton]:
        submit, cancel = super().buttons()
        return submit, InlineButton("Add another", id="another"), cancel

    @on(Button.Pressed, "#another")
    def action_add_another(self) -> None:
        """Add the card, and stay for the next one."""
        self.save_with(partial(self._add_one, stays=True))

    async def _add_one(self, values: dict[str, Any], *, stays: bool = False) -> R | None:
        self._stays = stays
        return await self._add(values)

    async def finish(self, result: R) -> None:
        """Close the form; if it stays, empty the title and show the card on the screen below."""
        if not self._stays:
            self.dismiss(result)
            return
        self.so_far = result
        title = self._title.take().title
        with self.prevent(Input.Changed):
            self._title.clear()
        self._title.focus()
        for row in self.rows:
            row.settle()
        self.rows[0].say(f"Added “{title if len(title) <= SHOWN else title[: SHOWN - 1] + '…'}”.")
        await self._redraw()

    @on(ListPasted)
    def take_list(self, pasted: ListPasted) -> None:
        pasted.stop()
        self.podium.begin(partial(self._ask_about, pasted))

    async def _ask_about(self, pasted: ListPasted) -> None:
        noun, can_be_title = self._noun(self._read_values()), len(pasted.text) <= CARD_TITLE
        question = PastedListDialog(pasted.titles, noun, self._warning, can_be_title=can_be_title)
        use = await self.podium.ask(question)
        if use is PastedListUse.ONE_TITLE:
            self._title.insert_text_at_cursor(pasted.text)
        elif use is PastedListUse.EACH_LINE:
            self._stays = False
            self.save_with(partial(self._add_list, titles=question.titles))

    @property
    def _title(self) -> TitleControl:
        return cast(TitleControl, self.rows[0].widget)
