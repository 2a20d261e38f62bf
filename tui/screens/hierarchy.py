"""The clients, markets and brands of the workspace as a tree, and what uses them."""

from __future__ import annotations

from core.actions.hierarchy import NodeLine, ShowHierarchy
from tui.bindings import bindings
from tui.board.look import Ink
from tui.screens.list_screen import ListScreen
from tui.screens.platform_roles import roles_of
from tui.widgets.columns import Column, Line, cell

COLUMNS = (
    Column("Name", 18, 60),
    Column("Level", 6, 6, rank=1),
    Column("Projects", 8, 8, rank=2, right=True),
)


class HierarchyScreen(ListScreen):
    """The tree; workspace admins change it here."""

    name_in_table = "hierarchy"
    BINDINGS = bindings("hierarchy", "list")
    title_words = "Hierarchy"
    columns = COLUMNS
    opens = "hierarchy.edit"

    def __init__(self) -> None:
        super().__init__()
        self._nodes: tuple[NodeLine, ...] = ()

    async def reload(self) -> None:
        self.role_words = roles_of(self.podium.me.user)
        self._nodes = await self.podium.query(ShowHierarchy())
        self.listing.show([_line(each) for each in self._nodes])


def _line(line: NodeLine) -> Line:
    name = f"{'  ' * line.depth}{line.node.name}"
    return Line(line.node.id, (cell(name, Ink.TITLE), cell(line.node.kind.lower()), cell(line.projects or "")))
