"""Looking at a project as somebody with the role of a Viewer does, on every screen of it.

It ends with esc, and by itself where one leaves the project, for elsewhere one acts as oneself (decided here).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.model import WORKSPACE, Id, ProjectRole
from core.domain.permissions import PROJECT_RIGHTS, Permission

if TYPE_CHECKING:
    from core.domain.view_settings import ViewPreset
    from tui.app import PodiumApp
    from tui.screens.framework.screen import PodiumScreen

ENDS = "You look as a Viewer would; esc ends it."


class ViewAs:
    """For the whole app: there is one project at most that is looked at so, with one preset."""

    def __init__(self, app: PodiumApp) -> None:
        self._app = app
        self._project_id: Id = WORKSPACE
        self._preset: ViewPreset | None = None
        self._own: ViewPreset | None = None
        """What the person looks with again afterwards."""

    def holds(self, project_id: Id) -> bool:
        """Whether a screen of this project shows what a Viewer would see, with the rights of one."""
        return self._project_id == project_id != WORKSPACE

    def begin(self, project_id: Id, preset: ViewPreset, own: ViewPreset) -> None:
        """Look at a project as a Viewer does who has chosen this preset; ``own`` is what the person has chosen."""
        self._project_id, self._preset, self._own = project_id, preset, own
        self._look_with(project_id, preset)

    def end(self) -> None:
        """Look as oneself again."""
        project_id, self._project_id = self._project_id, WORKSPACE
        if self._own is not None:
            self._look_with(project_id, self._own)

    def meet(self, screen: PodiumScreen) -> None:
        """A screen appears: one of another place ends it."""
        if self._project_id not in (WORKSPACE, screen.project_id):
            self.end()

    def preset(self, project_id: Id, own: ViewPreset) -> ViewPreset:
        """What a view looks with, given what the person has chosen, which meanwhile waits."""
        if not self.holds(project_id) or self._preset is None:
            return own
        self._own = own
        return self._preset

    def _look_with(self, project_id: Id, preset: ViewPreset) -> None:
        from tui.screens.views.preset_view import PresetViewMixin

        for screen in self._app.screen_stack:
            if isinstance(screen, PresetViewMixin) and screen.project_id == project_id:
                screen.look_with(preset)
        self._app.show_titles()


class ViewAsMixin:
    """The part of a screen that says in whose role its project is looked at."""

    project_id: Id
    _held: frozenset[Permission] = frozenset()
    _role_words: str = ""

    @property
    def podium(self) -> PodiumApp:
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
