"""The records of a list screen: one for each line, the one under the cursor, and keys that act on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.domain.model import Id
from core.engine.messages import Command
from tui.keys.table import Key
from tui.screens.framework.controller import Action, with_found
from tui.widgets.columns import Line
from tui.widgets.list_view import ListView

if TYPE_CHECKING:
    from tui.screens.framework.list_screen import ListScreen

R = TypeVar("R")


class RecordList(Generic[R]):
    """The records of one list screen, by the ids of their lines."""

    def __init__(self, screen: ListScreen[R]) -> None:
        self._screen = screen
        self.by_id: dict[Id, R] = {}
        """The records by the id of their line."""

    @property
    def _listing(self) -> ListView:
        return self._screen.query_one("#lines", ListView)

    def show(self, lines: Iterable[tuple[R, Line]]) -> None:
        """Show these records, each with its line."""
        found = [*lines]
        self.by_id = {line.id: record for record, line in found}
        self._listing.show([line for _, line in found])

    @property
    def current(self) -> R | None:
        """The record under the cursor."""
        line = self._listing.line
        return self.by_id.get(line.id) if line else None

    def action(self, verb: str, handler: Callable[[R], object], disabled: Callable[[R], str] | None = None) -> Action:
        """An action on the current record; without one, the screen's ``nothing_here`` is the reason against it, unless
        the user could not do it to any record.

        ``disabled`` gives a reason against a record, or "".
        """

        def why_not(key: Key) -> str:
            if self.current is not None:
                return disabled(self.current) if disabled else ""
            is_refused = key.needs is not None and self._screen.access.reason(key.needs)
            return "" if is_refused else self._screen.nothing_here

        return Action(verb, with_found(lambda: self.current, handler), why_not)

    async def remove(self, command: Command[Any], line_id: Id, done: str) -> None:
        """Send a command that removes the record of a line, and say ``done`` once the line has gone."""
        await self._screen.podium.perform(command)
        if line_id not in self.by_id:
            await self._screen.podium.undoing.removed(done, self._screen.undo_scope)

    def go_to_new(self, line_id: str) -> None:
        """Put the cursor on a line that has just come, which the filter could hide."""
        self._screen.filter.clear()
        lines = self._listing
        lines.filter_by("")
        lines.go_to(line_id)
