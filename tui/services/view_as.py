"""Looking at a project as somebody with the role of a Viewer does, on every screen of it.

It ends with esc, and by itself where one leaves the project, for elsewhere one acts as oneself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.model import WORKSPACE, Id

if TYPE_CHECKING:
    from core.domain.view_settings import ViewPreset
    from tui.services.host import Host, OpenScreen

ENDS = "You look as a Viewer would; esc ends it."


class ViewAs:
    """For the whole app: there is one project at most that is looked at so, with one preset."""

    def __init__(self, app: Host) -> None:
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

    def meet(self, screen: OpenScreen) -> None:
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
        for screen in self._app.open_screens:
            if screen.project_id == project_id:
                screen.look_with(preset)
        self._app.show_titles()
