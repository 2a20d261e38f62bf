"""A page about a record of a project, which knows the team: what the Card and the Phase screen have in common."""

from __future__ import annotations

from collections.abc import Sequence

from core.actions.members import ListMembers
from core.canvas import CanvasMember
from core.model import Id
from tui.screens.page_screen import PageScreen


class DetailScreen(PageScreen):
    """A page about one record of a project."""

    _members: tuple[CanvasMember, ...] = ()

    def __init__(self, project_id: Id) -> None:
        super().__init__()
        self.project_id = project_id

    async def read_all(self) -> None:
        await self._read_members()
        await self.read()

    async def _read_members(self) -> None:
        lines = await self.podium.query(ListMembers(project_id=self.project_id))
        self._members = tuple(
            CanvasMember(
                user_id=line.user.id,
                name=line.user.name,
                login=line.user.login,
                role=line.role,
                active=line.user.active,
            )
            for line in lines
        )
        me = self.podium.me.user.id
        self.role_words = next((line.role.lower() for line in lines if line.user.id == me), "")

    def team(self) -> Sequence[CanvasMember]:
        return self._members
