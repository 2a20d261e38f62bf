"""The meta roles of the workspace: what brings them, and what they bring."""

from __future__ import annotations

from core.actions.meta_roles import ListMetaRoles, MetaRoleLine
from tui.bindings import bindings
from tui.board.look import Ink
from tui.screens.list_screen import ListScreen
from tui.screens.platform_roles import roles_of
from tui.widgets.columns import Column, Line, cell

COLUMNS = (
    Column("Name", 14, 30),
    Column("Brought by", 10, 28, rank=1),
    Column("Given", 5, 5, rank=2, right=True),
    Column("Brings", 16, 80, rank=3),
)


class MetaRolesScreen(ListScreen):
    """The meta roles; workspace admins change them here."""

    name_in_table = "meta_roles"
    BINDINGS = bindings("meta_roles", "list")
    title_words = "Meta roles"
    columns = COLUMNS
    opens = "meta_roles.edit"

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[MetaRoleLine, ...] = ()

    async def reload(self) -> None:
        self.role_words = roles_of(self.podium.me.user)
        self._lines = await self.podium.query(ListMetaRoles())
        self.listing.show([_line(each) for each in self._lines])


def _line(line: MetaRoleLine) -> Line:
    roles = ", ".join(role.lower() for role in line.project_roles)
    return Line(
        line.meta_role.id,
        (cell(line.meta_role.name, Ink.TITLE), cell(roles), cell(line.given or ""), cell(", ".join(line.brings))),
    )
