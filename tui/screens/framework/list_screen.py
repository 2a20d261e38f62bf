"""The base of screens with a list of records: moving in it, its filter, its menu, and the details of its line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Input

from tui.drawing.cells import fit
from tui.drawing.rows import wrapped
from tui.keys.keymap import LIST
from tui.screens.framework.cursor_actions import ListCursorActions
from tui.screens.framework.filter_actions import FilterActions
from tui.screens.framework.record_list import RecordList
from tui.screens.framework.screen import PodiumScreen
from tui.widgets.bars import DetailLine
from tui.widgets.columns import Column, Line
from tui.widgets.list_view import ListView

R = TypeVar("R")
A = TypeVar("A")


class ListDetail(DetailLine):
    """The details of the focused line beside its columns, in as many lines as the screen has room for."""

    def line(self, width: int) -> Content:
        owner = self.screen
        assert isinstance(owner, ListScreen)
        words, height = owner.listing.description, self.size.height
        lines = wrapped(words, width - 3, height, "…") if height > 1 else [fit(words, width - 3)]
        return Content("\n".join(f"  {line}" for line in lines))

    def on_resize(self) -> None:
        self.show()

    def render_line(self, y: int) -> Strip:
        lines = self.render().plain.split("\n")
        return Strip([Segment(lines[y] if y < len(lines) else "", self.rich_style)])


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

    def key_tables(self) -> Sequence[str]:
        return (self.name_in_table, LIST)

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
            self.previewer.moved()

    @on(ListView.Opened)
    async def _open(self) -> None:
        if self.opens:
            await self.action_do(self.opens)

    @on(ListView.MenuRequested)
    def _open_menu(self) -> None:
        self.keys.actions["menu"].run(self.app.mouse_position)
