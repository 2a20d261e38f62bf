"""The filter of a view of cards: the text that is typed and the preset's, and the filters that are offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rich.cells import cell_len

from core.domain.canvas import Canvas, CanvasHeader, Card
from core.domain.model import Id, Status
from core.domain.view_settings import PART_OF, ViewPreset
from core.errors import InvalidFilter
from tui.drawing.cells import fit
from tui.keys.table import Key
from tui.screens.framework.controller import Action, OwnerScreen
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.list_actions import FilterActions

if TYPE_CHECKING:
    from core.domain.presets import SavedFilter
    from core.filters.completion import Completion
    from core.filters.context import FilterContext
    from core.filters.filter import CardTexts, Filter
    from tui.widgets.filter_line import FilterLine


COMMON = (
    ("m", "Mine", "assignee:me"),
    ("l", "Late", "due:late"),
    ("w", "Due this week", "due:week"),
    ("u", "Unassigned", "assignee:none"),
    ("o", "Open", "status:open"),
)
"""The built-in filters: key, name and filter."""

KEEP, FORGET = "keep", "forget"
NUMBERED = 9
"""The number of saved filters with a key; the cursor reaches the others."""


class FilteredView(OwnerScreen, Protocol):
    """A view of a project as its filter knows it."""

    show_archived: bool

    @property
    def canvas(self) -> Canvas: ...
    @property
    def head(self) -> CanvasHeader: ...
    @property
    def preset(self) -> ViewPreset: ...


class CardCursor(Protocol):
    """The cursor of a view of cards as its filter knows it."""

    @property
    def card(self) -> Card | None:
        """The card of the cursor."""

    def list_shown(self) -> Sequence[Card]:
        """The cards that can be seen, in the order in which the cursor meets them."""

    def go_to_match(self, card_id: Id) -> None:
        """Move the cursor to a card that the filter leaves, without opening what a filter opens by itself."""

    def remember(self) -> Callable[[], None]:
        """Return what takes the cursor back to where it is now."""

    def redraw(self) -> None:
        """Draw the cards that the filter leaves."""

    def counts(self) -> tuple[int, int]:
        """The number of cards that the filter leaves, and the number without it."""


class CardFilter(FilterActions):
    """Filter the cards of a view, choose one of the saved filters, or clear it."""

    screen: FilteredView

    def __init__(self, screen: FilteredView, cursor: CardCursor) -> None:
        super().__init__(screen)
        self._cursor = cursor
        self._go_back: Callable[[], None] | None = None
        """Takes the cursor back to where it was before the filter took it away; None before."""
        self._match: Id | None = None
        """The match that the filter took it to; None where nothing matched."""
        self.current: Filter | None = None
        """What is understood of the text; None matches everything."""
        self.narrows = False
        """True if a term that is typed, and not only the preset's, is in force."""
        self._understood: object = None
        """The text and the facts of the project that ``current`` was made of."""
        self._texts: CardTexts | None = None
        self._left: dict[bool, tuple[tuple[object, ...], Sequence[Card]]] = {}
        """The cards with and without the filter, each with the state in which they were chosen."""
        self._counted: tuple[object, tuple[int, int]] = (None, (0, 0))
        """The numbers of cards with and without the filter, with the state in which they were counted."""

    def actions(self) -> Sequence[Action]:
        return (
            *super().actions(),
            Action("filters", self.do_filters),
            Action("clear_filter", self.clear, self._nothing_typed, offer=self.offer),
        )

    def make_line(self) -> FilterLine:
        from tui.widgets.filter_line import FilterLine

        return FilterLine(self.completions)

    def around(self) -> FilterContext:
        """The context of a filter here: the user, the day, the phases and the people."""
        from core.filters.context import FilterContext

        return FilterContext.of(self.screen.head, self.podium.me.user.id)

    def cards(self, *, without_filter: bool = False) -> Sequence[Card]:
        """The cards that the preset, the filter and the archive leave, in the order of the Canvas.

        The same list is returned until one of these changes, since the keys of some views ask for it many times.
        """
        only, screen = None if without_filter else self.current, self.screen
        made_of = (screen.canvas.cards, only, screen.preset.viewing.sections, screen.show_archived)
        known, cards = self._left.get(without_filter, ((), ()))
        if not known or any(new is not old for new, old in zip(made_of, known, strict=True)):
            cards = self._left_of(screen.canvas.cards, only)
            self._left[without_filter] = made_of, cards
        return cards

    def leaves(self, card: Card) -> bool:
        """Return whether the preset, the filter and the archive leave a card."""
        return bool(self.left_of((card,)))

    def left_of(self, cards: Iterable[Card]) -> list[Card]:
        """The cards of these that the preset, the filter and the archive leave."""
        return self._left_of(cards, self.current)

    def _left_of(self, cards: Iterable[Card], only: Filter | None) -> list[Card]:
        """The cards that the preset, this filter and the archive leave."""
        sections = self.screen.preset.viewing.sections
        kinds = {kind for kind, part in PART_OF.items() if part in sections}
        shows_archived = self.screen.show_archived or (only is not None and only.shows_archived)
        return [
            card
            for card in cards
            if card.kind in kinds
            and (shows_archived or card.status is not Status.ARCHIVED)
            and (only is None or only.matches(card))
        ]

    def apply(self) -> None:
        """Read the filter again, and draw the cards that match when it is another one."""
        before, go_back = self._cursor.card, self._cursor.remember()
        if self.read():
            self._cursor.redraw()
            self._move_cursor(before, go_back)

    def _move_cursor(self, before: Card | None, go_back: Callable[[], None]) -> None:
        """Take the cursor to the first match of what is typed, and back when that is cleared, unless it was moved."""
        if self.narrows and (before is None or not self.leaves(before)):
            self._go_back = self._go_back or go_back
            first = next(iter(self._cursor.list_shown()), None)
            self._match = first.id if first else None
            if self._match:
                self._cursor.go_to_match(self._match)
        elif not self.text:
            if self._go_back and (before.id if before else None) == self._match:
                self._go_back()
            self._go_back = self._match = None

    def read(self) -> bool:
        """Take the text that is typed and the preset's, which both hold; whether it differs from before.

        A term that cannot be understood leaves out nothing, and the line says where it is wrong.
        """
        self._counted = (None, (0, 0))  # a screen that was hidden shows all cards for a moment
        of_preset = self.screen.preset.viewing.filter
        if self._line is None and not of_preset and self.current is None:
            return False
        text = f"{of_preset} {self.text}" if of_preset else self.text
        head = self.screen.head
        phases = tuple((column.id, column.name, column.state) for column in head.columns)
        made_of = (text.strip(), head.today, head.members, phases, head.labels, head.fields)
        if made_of == self._understood:
            return False
        self._understood = made_of
        if self._line is not None:
            self._line.accept()
        self.current = self._understandable(text)
        return True

    def _understandable(self, text: str) -> Filter | None:
        """The filter of the terms that can be understood. The line shows what is wrong with the first other one."""
        from core.filters.parser import MAX_TERMS, without_term

        typed, first = len(self.text), True
        for _ in range(MAX_TERMS + 1):
            try:
                found = self._filter(text)
            except InvalidFilter as refused:
                before = len(text) - typed
                if first:
                    self.line.refuse(refused, before)
                rest = without_term(text, refused.at)
                typed -= len(text) - len(rest) if refused.at >= before else 0
                text, first = rest, False
            else:
                self.narrows = bool(text[len(text) - typed :].strip())
                return found
        self.narrows = False
        return None

    def _filter(self, text: str) -> Filter | None:
        if not text.strip():
            return None
        from core.filters.filter import CardTexts, Filter

        members = self.screen.head.members
        if self._texts is None or self._texts.members != members:
            self._texts = CardTexts(members, self.screen.head.key)
        return Filter(text, self.around(), self._texts)

    def completions(self, text: str, at: int) -> tuple[Completion, ...]:
        """The completions of a filter at a character index."""
        from core.filters.completion import complete

        return complete(text, at, self.around())

    def _nothing_typed(self, _key: Key) -> str:
        return "" if self.text else _nothing_typed(self.screen.preset)

    def offer(self) -> str:
        """The label that offers to clear the filter, with the numbers of cards; "" where nothing is typed."""
        if self._line is None or not self.text:
            return ""
        screen = self.screen
        state = (self.current, screen.head.seq, screen.show_archived, screen.preset.viewing)
        if self._counted[0] != state:
            self._counted = (state, self._cursor.counts())
        return "clear filter ({} of {})".format(*self._counted[1])

    @asking
    async def do_filters(self) -> None:
        await _choose_filter(self)


def _nothing_typed(preset: ViewPreset) -> str:
    if preset.viewing.filter:
        return f"The preset “{preset.name}” filters by “{preset.viewing.filter}”. Press P to choose another preset."
    return "There is no filter here. / begins one, f offers some."


async def _choose_filter(cards: CardFilter) -> None:
    """Offer the filters, and put the chosen one into the filter line."""
    from core.actions.personal.saved_filters import ListSavedFilters
    from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry

    saved = await cards.podium.query(ListSavedFilters())
    texts = {f"common {key}": text for key, _, text in COMMON}
    wide = max(cell_len(name) for name in (*(words for _, words, _ in COMMON), *(each.name for each in saved)))
    entries = [MenuEntry(f"common {key}", key, f"{fit(words, wide, pad=True)}  {text}") for key, words, text in COMMON]
    for number, each in enumerate(saved, 1):
        texts[f"saved {each.name}"] = each.text
        key = str(number) if number <= NUMBERED else ""
        entries.append(MenuEntry(f"saved {each.name}", key, f"{fit(each.name, wide, pad=True)}  {each.text}"))
    nothing = "" if cards.text.strip() else "No filter to save. Press / to type one."
    entries.append(MenuEntry(KEEP, "k", "Save this filter…", nothing))
    entries.append(MenuEntry(FORGET, "d", "Delete a saved filter…", "" if saved else "No saved filters yet."))
    picked = await cards.podium.ask(KeyMenu("Filter by", entries))
    if picked == KEEP:
        await _keep(cards)
    elif picked == FORGET:
        await _forget(cards, saved)
    elif picked:
        cards.line.put(texts[picked])


async def _keep(cards: CardFilter) -> None:
    from core.actions.personal.saved_filters import SaveFilter
    from tui.dialogs.fields.form_fields import TextField

    text = cards.text

    async def save(values: dict[str, Any]) -> SavedFilter:
        return await cards.podium.send(SaveFilter(name=values["name"], text=text))

    fields = [TextField("name", "Name", "", "Such as: my week")]
    kept = await show_form(cards.screen, "Save this filter", fields, save, submit="Save", note=text)
    if kept is not None:
        cards.podium.toast(f"Saved as “{kept.name}”. Press f in any project to use it.")


async def _forget(cards: CardFilter, saved: tuple[SavedFilter, ...]) -> None:
    from core.actions.personal.saved_filters import DeleteSavedFilter
    from tui.dialogs.menus.picker import Option, PickDialog

    options = [Option(each.name, each.name, each.text) for each in saved]
    for name in await cards.podium.ask(PickDialog("Delete saved filters", options)) or ():
        await cards.podium.send(DeleteSavedFilter(name=name))
        text = next(each.text for each in saved if each.name == name)
        cards.podium.toast(f"Deleted the filter “{name}”, which was {text}")
