"""A page about a record of a project, which knows the team: what the Card and the Phase screen have in common."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from core.actions.projects.lists import GetProject
from core.actions.projects.members import ListMembers
from core.domain.canvas import CanvasMember
from core.domain.model import Id
from tui.drawing.styles import ASCII, UNICODE
from tui.screens.framework.page_screen import PageScreen
from tui.widgets.detail_page import Words


class DetailScreen(PageScreen):
    """A page about one record of a project."""

    _members: tuple[CanvasMember, ...] = ()
    _title: Content | None = None

    def __init__(self, project_id: Id) -> None:
        super().__init__()
        self.project_id = project_id

    def show_title(self, title: Content) -> None:
        """Draw the title of the page, and beside it who else is there."""
        self._title = title
        sign = (ASCII if self.podium.ascii else UNICODE).here
        too = self.podium.presence.too(self.whereabouts)
        here = Content.styled(f"   {sign} {too}", "not bold $text-accent") if too else Content("")
        self.query_one("#title", Words).put(title + here)

    def show_people(self) -> None:
        super().show_people()
        if self._title is not None and self.query("#title"):
            self.show_title(self._title)

    async def read_all(self) -> None:
        await self._read_project_name()
        await self._read_members()
        await self.read()

    async def _read_project_name(self) -> None:
        """Once, and only where the page was not opened from a view of the project, which has the name."""
        self.project_name = self.project_name or self.name_of_project()
        if not self.project_name:
            self.project_name = (await self.podium.query(GetProject(project_id=self.project_id))).project.name

    async def _read_members(self) -> None:
        lines = await self.podium.query(ListMembers(project_id=self.project_id))
        self._members = tuple(CanvasMember.of(line.user, line.role) for line in lines)
        me = self.podium.me.user.id
        self.role_words = next((line.role.lower() for line in lines if line.user.id == me), "")

    def team(self) -> Sequence[CanvasMember]:
        return self._members
