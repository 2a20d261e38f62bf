"""A page about a record of a project: the project's name and team, and the title with the other users beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content

from core.actions.projects.lists import GetProject
from core.actions.projects.members import ListMembers
from core.domain.canvas import CanvasMember
from tui.drawing.styles import ASCII, UNICODE
from tui.widgets.detail_page import TextBlock

if TYPE_CHECKING:
    from tui.screens.framework.page_screen import PageScreen


class ProjectRecord:
    """The project around the record of a page."""

    def __init__(self, screen: PageScreen[Any]) -> None:
        self._screen = screen
        self._title: Content | None = None
        self.team: Sequence[CanvasMember] = ()
        """The members of the project."""

    async def read(self) -> None:
        """Read the name of the project, once and unless another screen has it, and the members. Raises PodiumError."""
        screen = self._screen
        screen.project_name = screen.project_name or screen.reading.project_name()
        if not screen.project_name:
            project = (await screen.podium.query(GetProject(project_id=screen.project_id))).project
            screen.project_name = project.name
        lines = await screen.podium.query(ListMembers(project_id=screen.project_id))
        self.team = tuple(CanvasMember.of(line.user, line.role) for line in lines)
        me = screen.podium.me.user.id
        screen.access.role_words = next((line.role.lower() for line in lines if line.user.id == me), "")

    def show_title(self, title: Content | None = None) -> None:
        """Draw the title of the page, by default the last one, with the other users on the record beside it."""
        self._title = title or self._title
        screen = self._screen
        if self._title is None or not screen.query("#title"):
            return
        sign = (ASCII if screen.podium.ascii else UNICODE).here
        too = screen.podium.presence.too(screen.location)
        here = Content.styled(f"   {sign} {too}", "not bold $text-accent") if too else Content("")
        screen.query_one("#title", TextBlock).put(self._title + here)
