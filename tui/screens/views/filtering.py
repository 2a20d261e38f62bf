"""The filter of a view of cards: what is typed and what the preset says, read alike on the Canvas and on every view."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from core.domain.canvas import CanvasHeader
from core.domain.view_settings import ViewPreset
from core.errors import InvalidFilter
from tui.screens.framework.dialogs import asking
from tui.screens.views.preset_view import PresetViewMixin
from tui.widgets.filter_line import FilterLine

if TYPE_CHECKING:
    from core.filters.card_texts import CardTexts
    from core.filters.completion import Completion
    from core.filters.context import Around
    from core.filters.filter import Filter


class FilterMixin(PresetViewMixin):
    """A screen whose cards a filter leaves."""

    card_filter: Filter | None = None
    """The last filter that was understood; None leaves everything."""
    _understood: object = None
    """What ``card_filter`` was made of."""
    _texts: CardTexts | None = None

    @property
    def canvas_head(self) -> CanvasHeader:
        """The head of the Canvas, whose phases and people a filter may name."""
        raise NotImplementedError

    def leave_cards(self) -> None:
        """Show the cards that ``card_filter`` leaves."""
        raise NotImplementedError

    @property
    def filter_line(self) -> FilterLine:
        """Where it is typed."""
        return self.query_one(FilterLine)

    @property
    def filter_text(self) -> str:
        return self.filter_line.text

    def around(self) -> Around:
        """What the words of a filter refer to here."""
        from core.filters.context import Around

        head = self.canvas_head
        return Around(self.podium.me.user.id, head.today, head.columns, head.members)

    def filter_cards(self) -> None:
        """Read the filter again, and show the cards that are left when it is another one."""
        if self.read_filter():
            self.leave_cards()

    def read_filter(self) -> bool:
        """Take what is typed and what the preset says, which hold together; whether it differs from before.

        While it cannot be understood the last filter that could stays, and the line says where it is wrong.
        """
        of_preset = self.preset.viewing.filter
        text = f"{of_preset} {self.filter_text}" if of_preset else self.filter_text
        head = self.canvas_head
        phases = tuple((column.id, column.name) for column in head.columns)
        made_of = (text.strip(), head.today, head.members, phases)
        if made_of == self._understood:
            return False
        try:
            self.card_filter = self._filter(text)
        except InvalidFilter as refused:
            self.filter_line.refuse(refused, len(text) - len(self.filter_text))
            return self._take_rest(text, refused)
        self.filter_line.accept()
        self._understood = made_of
        return True

    def _take_rest(self, text: str, refused: InvalidFilter) -> bool:
        """A field without a value leaves out nothing yet; what was read before its colon was typed was a word."""
        from core.filters.parser import without_term

        if not text[: refused.at + refused.length].endswith(":"):
            return False
        self._understood = None
        with suppress(InvalidFilter):
            self.card_filter = self._filter(without_term(text, refused.at))
        return True

    def _filter(self, text: str) -> Filter | None:
        if not text.strip():
            return None
        from core.filters.card_texts import CardTexts
        from core.filters.filter import Filter

        members = self.canvas_head.members
        if self._texts is None or self._texts.members != members:
            self._texts = CardTexts(members)
        return Filter(text, self.around(), self._texts)

    def completions(self, text: str, at: int) -> tuple[Completion, ...]:
        """How a filter may go on at this place."""
        from core.filters.completion import complete

        return complete(text, at, self.around())

    @on(Input.Changed, "FilterLine")
    def _filter_as_typed(self) -> None:
        self.filter_cards()

    def do_filter(self) -> None:
        self.filter_line.open()

    def do_clear_filter(self) -> None:
        if not self.filter_text:
            self.podium.tell(_nothing_typed(self.preset))
        self.filter_line.clear()

    @asking
    async def do_filters(self) -> None:
        from tui.screens.views.saved_filters import choose_filter

        await choose_filter(self)


def _nothing_typed(preset: ViewPreset) -> str:
    if preset.viewing.filter:
        return f"The preset “{preset.name}” filters by “{preset.viewing.filter}”. P chooses another preset."
    return "There is no filter here. / begins one, f offers some."
