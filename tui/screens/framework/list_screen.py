"""The base of screens with a list of records: moving in it, its filter, its menu, and keys that act on a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Input

from core.domain.model import Id
from core.engine.messages import Command
from tui.drawing.cells import fit
from tui.drawing.rows import wrap_text
from tui.keys.table import Key
from tui.screens.framework.controller import Action, with_found
from tui.screens.framework.list_actions import FilterActions, ListCursorActions
from tui.screens.framework.screen import PodiumScreen
from tui.widgets.bars import DetailLine
from tui.widgets.columns import Column, Line
from tui.widgets.list_view import ListView

R = TypeVar("R")


class ListDetail(DetailLine):
    """The details of the focused line beside its columns, in as many lines as the screen has room for."""

    def line(self, width: int) -> Content:
        owner = self.screen
        assert isinstance(owner, ListScreen)
        words, height = owner.listing.description, self.size.height
        lines = wrap_text(words, width - 3, height, "…") if height > 1 else [fit(words, width - 3)]
        return Content("\n".join(f"  {line}" for line in lines))

    def on_resize(self) -> None:
        self.show()

    def render_line(self, y: int) -> Strip:
        lines = self.render().plain.split("\n")
        return Strip([Segment(lines[y] if y < len(lines) else "", self.rich_style)])


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
            await self._screen.podium.undoing.report_removed(done, self._screen.undo_scope)

    def go_to_new(self, line_id: str) -> None:
        """Put the cursor on a line that has just come, which the filter could hide."""
        self._screen.filter.clear()
        lines = self._listing
        lines.filter_by("")
        lines.go_to(line_id)


class ListScreen(PodiumScreen, Generic[R]):
    """A screen that shows one list of records. A subclass gives its columns, reads the records and handles its keys.

    Example::

        class ProductsScreen(ListScreen[Product]):
            nothing_here = "No product here. Press n to register one."

            async def reload(self) -> None:
                self.records.show((each, _line(each)) for each in await self.podium.query(ListProducts()))

            def actions(self) -> Sequence[Action]:
                return (self.records.action("open", self.do_open),)

            async def do_open(self, product: Product) -> None: ...
    """

    AUTO_FOCUS = "#lines"
    DEFAULT_CSS = "ListScreen.-previewing ListDetail { display: none; }"
    columns: ClassVar[Sequence[Column]]
    opens: ClassVar[str] = ""
    """The id of the key that a double click presses."""
    nothing_here: ClassVar[str] = "There is nothing here."
    """The reason against a key that needs a record where there is none."""
    is_of_workspace: ClassVar[bool] = False
    """Whether the records are those of the workspace, whose name is then in the title line."""

    def __init__(self) -> None:
        super().__init__()
        self.records: RecordList[R] = RecordList(self)
        self.add(ListCursorActions(self, lambda: self.listing))
        self.filter = self.add(FilterActions(self))

    def body(self) -> ComposeResult:
        yield ListView(self.columns, id="lines")
        yield ListDetail()

    @property
    def listing(self) -> ListView:
        """The list that the keys are about."""
        return self.query_one("#lines", ListView)

    @property
    def line(self) -> Line | None:
        """The line of the cursor."""
        return self.listing.line

    def place(self) -> str:
        return f"{self.title_words} · {self.podium.me.workspace.name}" if self.is_of_workspace else self.title_words

    def menu_title(self) -> str:
        words = self.line.cells[0] if self.line else ()
        return "".join(text for text, _ in words).strip() or self.place()

    @on(Input.Changed, "FilterLine")
    def _filter(self, event: Input.Changed) -> None:
        self.query_one("#lines", ListView).filter_by(event.value)
        self.show_titles()

    @on(ListView.CursorMoved)
    def _describe(self) -> None:
        """Another line may have other things to say, and other keys that work."""
        for detail in self.query(ListDetail):
            detail.show()
        self.show_titles()
        if self.previewer is not None:
            self.previewer.read_soon()

    @on(ListView.Opened)
    async def _open(self) -> None:
        if self.opens:
            await self.action_do(self.opens)

    @on(ListView.MenuRequested)
    def _open_menu(self) -> None:
        self.keys.actions["menu"].run(self.app.mouse_position)
