"""Presets on the Canvas: it looks with one, and opens the view that one asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.canvas import CanvasHeader
from core.domain.permissions import Permission
from core.domain.view_settings import PREDEFINED, Layout, ViewPreset
from tui.board.model import NOTHING
from tui.screens.canvas.applications import CanvasApplications
from tui.screens.views.filtering import FilterMixin
from tui.screens.views.registry import view_of

if TYPE_CHECKING:
    from core.actions.permissions.permissions import Rights

NO_PHASES = "This project has no phases yet"


class CanvasPresets(CanvasApplications, FilterMixin):
    """A screen with a board that follows a preset."""

    _preset: ViewPreset = PREDEFINED[0]

    @property
    def preset(self) -> ViewPreset:
        return self._preset

    @property
    def shows_archive(self) -> bool:
        return self.board.show_archived

    def look_with(self, preset: ViewPreset) -> None:
        self._preset = preset
        if preset.viewing != self.board.model.viewing:
            self.board.look_with(preset.viewing)
        self.dress(self.board)
        if self._head is not None:  # else there is nothing to be filtered, and it is read with all the rest
            self.filter_cards()
        self._say_empty()
        self.show_titles()

    def take_preset(self, preset: ViewPreset) -> None:
        """Look with what the person has chosen; while looking as a Viewer it waits."""
        shown = self.podium.viewer_sight.preset(self.project_id, preset)
        if shown != self._preset:
            self.look_with(shown)

    @property
    def canvas_head(self) -> CanvasHeader:
        return self._head or NOTHING.head

    def leave_cards(self) -> None:
        if self.card_filter is not self.board.model.filter:
            self.board.filter_by(self.card_filter)

    async def do_density(self) -> None:
        """Kept for the person, as if it was set in Settings."""
        from core.actions.workspace.profile import GetCurrentUser, SetPreference

        if chosen := self._preset.viewing.density:
            self.podium.tell(f"With “{self._preset.name}” cards are {chosen.lower()}. P chooses another preset.")
            return
        await self.podium.send(SetPreference(name="density", value="" if self.board.compact else "compact"))
        self.podium.me = await self.podium.query(GetCurrentUser())
        self.dress(self.board)

    def open_layout(self) -> None:
        """Open the view that the preset asks for, on top."""
        if self._preset.viewing.layout is not Layout.PHASE_COLUMNS:
            view = view_of(self._preset.viewing.layout)
            self.podium.call_later(self.podium.open, view.to(self.project_id, None))

    def take_head(self, head: CanvasHeader) -> None:
        """Hold what was read of the project, and what the person may do there."""
        self._head, self.project_name = head, head.name
        self.held, self.authority = head.held, head.authority
        self.role_words = head.my_role.lower() if head.my_role else ""
        self._say_empty()

    def take_rights(self, rights: Rights) -> None:
        super().take_rights(rights)
        self._say_empty()

    def _say_empty(self) -> None:
        """Where nothing is, name the keys that add something, to whoever may."""
        self.board.say_empty(
            "Empty · n adds a card" if Permission.TASK_MANAGE in self.held else "Empty",
            NO_PHASES + (" · N adds the first" if Permission.WORKFLOW_MANAGE in self.held else ""),
        )
