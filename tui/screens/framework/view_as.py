"""The part of a screen that says with which role its project is viewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.model import Id, ProjectRole
from core.domain.permissions import PROJECT_RIGHTS, Permission

if TYPE_CHECKING:
    from tui.services.host import Host


class ViewAsMixin:
    """The part of a screen that says in whose role its project is looked at."""

    project_id: Id
    _held: frozenset[Permission] = frozenset()
    _role_words: str = ""

    @property
    def podium(self) -> Host:
        """The application, typed."""
        raise NotImplementedError

    @property
    def as_viewer(self) -> bool:
        """Whether all here is as a Viewer of the project sees it, with the rights of one."""
        return self.podium.viewer_sight.holds(self.project_id)

    @property
    def held(self) -> frozenset[Permission]:
        """What the person holds here, as last read; no more than a Viewer while looking as one."""
        return self._held & PROJECT_RIGHTS[ProjectRole.VIEWER] if self.as_viewer else self._held

    @held.setter
    def held(self, held: frozenset[Permission]) -> None:
        self._held = held

    @property
    def role_words(self) -> str:
        """The person's role here, for the title line and for refusals."""
        return ProjectRole.VIEWER.lower() if self.as_viewer else self._role_words

    @role_words.setter
    def role_words(self, words: str) -> None:
        self._role_words = words
