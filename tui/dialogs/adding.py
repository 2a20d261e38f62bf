"""The form for new cards, which can stay open for the next one and takes a pasted list."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, Protocol, TypeVar, cast

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Button, Input

from core.domain.canvas import CanvasMember
from core.domain.max_lengths import CARD_TITLE
from core.domain.model import Id
from core.text.typed_titles import TypedTitle
from tui.dialogs.dialog import InlineButton
from tui.dialogs.fields.form_fields import Field
from tui.dialogs.fields.title_input import ListPasted, TitleControl
from tui.dialogs.form import FormDialog
from tui.dialogs.pasted_list import PastedListDialog, PastedListUse

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

TITLE = "title"
"""The name of the first field."""

SHOWN = 32
"""The most characters of an added title that are shown, in one line."""

Titles = Sequence[TypedTitle[CanvasMember]]


class AddList(Protocol[R_co]):
    """Adds a card for each title."""

    async def __call__(self, values: dict[str, Any], *, titles: Titles) -> R_co | None: ...


class AddDialog(FormDialog[R]):
    """A form whose first field is a ``TitleField``, named ``TITLE``.

    ``add`` adds a card, ``add_list`` one card for each title. Esc returns the result for the last card that was added
    while the form stayed open.
    """

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
        hints = "ctrl+j add another · "
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
        noun, can_be_title = self._noun(self._chosen()), len(pasted.text) <= CARD_TITLE
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
