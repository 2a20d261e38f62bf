"""The cards that a card waits for, chosen by title or key; the key of another project's card is looked up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence

from textual import on, work
from textual.widgets import Input

from core.text.short_keys import read_card_key
from tui.dialogs.menus.picker import Option, PickDialog

LookUp = Callable[[str], Awaitable[Option | None]]
"""Finds the card of a key; None for one that the user cannot see."""


class WaitsForDialog(PickDialog):
    """Marks the cards that a card waits for. Dismissed with their ids, or None."""

    types_space = True

    def __init__(self, title: str, options: Sequence[Option], chosen: Collection[str], look_up: LookUp) -> None:
        super().__init__(
            f"“{title}” waits for",
            options,
            multiple=True,
            only_marked=True,
            chosen=chosen,
            empty="There is no other card here. Type the key of a card of another project.",
        )
        self._look_up = look_up

    @property
    def _nothing(self) -> str:
        if not self._options:
            return self._empty
        return f"{super()._nothing} Cards of later phases are not listed; of another project, type the whole key."

    @on(Input.Changed)
    def find_key(self, changed: Input.Changed) -> None:
        """Look up a whole key that none of the options has."""
        typed = changed.value.strip()
        if read_card_key(typed) and not any(typed.casefold() in option.searched for option in self._options):
            self._find(typed)

    @work(exclusive=True)
    async def _find(self, key: str) -> None:
        option = await self._look_up(key)
        if option is not None and self.is_open and option.id not in {each.id for each in self._options}:
            self._options = (*self._options, option)
            self._found = (option,)
            self._show(0)
