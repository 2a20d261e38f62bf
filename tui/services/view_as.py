"""Viewing a project as a Viewer, on all its screens.

It ends with esc, and automatically when the user leaves the project.
"""

from __future__ import annotations

from core.domain.model import WORKSPACE, Id
from core.domain.view_settings import ViewPreset
from tui.services.host import Host, OpenScreen

ENDS = "You are viewing this project as a viewer. Press Esc to stop."


class ViewAs:
    """The state for the whole app: at most one project is viewed so, with one preset."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self.project_id: Id = WORKSPACE
        """The project that is viewed with a Viewer's permissions; WORKSPACE for none."""
        self._preset: ViewPreset | None = None
        self._own: ViewPreset | None = None
        """The user's own preset, restored at the end."""

    def begin(self, project_id: Id, preset: ViewPreset, own: ViewPreset) -> None:
        """View a project as a Viewer with a preset; ``own`` is the user's own preset, for later."""
        self.project_id, self._preset, self._own = project_id, preset, own
        self.show_preset(project_id, preset)

    def end(self) -> None:
        """Return to the user's own role and preset."""
        project_id, self.project_id = self.project_id, WORKSPACE
        if self._own is not None:
            self.show_preset(project_id, self._own)

    def meet(self, screen: OpenScreen) -> None:
        """Called when a screen appears: a screen outside the project ends it."""
        if self.project_id not in (WORKSPACE, screen.project_id):
            self.end()

    def preset(self, project_id: Id, own: ViewPreset) -> ViewPreset:
        """The preset for a view: the Viewer's, or ``own`` if the project is not viewed as a Viewer."""
        if project_id != self.project_id or self._preset is None:
            return own
        self._own = own
        return self._preset

    def show_preset(self, project_id: Id, preset: ViewPreset) -> None:
        """Draw the open views of a project as a preset says."""
        for screen in self._app.open_screens:
            if screen.project_id == project_id:
                screen.apply_preset(preset)
        self._app.show_titles()
