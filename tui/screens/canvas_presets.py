"""Presets on the Canvas: it looks with one, opens the view that one asks for, and can look as a Viewer would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.canvas import CanvasHead
from core.model import ProjectRole
from core.rights import PROJECT_RIGHTS, Permission
from core.viewings import PREDEFINED, Density, Layout, NamedViewing
from tui.bindings import Key
from tui.screens.canvas_applications import CanvasApplications
from tui.screens.filtered import Filtered

if TYPE_CHECKING:
    from core.actions.authorization import Rights

ENDS = "You look as a Viewer would; esc ends it."
NO_PHASES = "This project has no phases yet"


class CanvasPresets(CanvasApplications, Filtered):
    """A screen with a board that follows a preset."""

    _preset: NamedViewing = PREDEFINED[0]
    _kept: NamedViewing | None = None
    """What is looked with again when looking as a Viewer ends; None while that is not done."""

    @property
    def preset(self) -> NamedViewing:
        return self._preset

    @property
    def as_viewer(self) -> bool:
        """Whether it shows what a Viewer would see, with the rights of one."""
        return self._kept is not None

    @property
    def shows_archive(self) -> bool:
        return self.board.show_archived

    @property
    def preset_words(self) -> list[str]:
        return [*super().preset_words, *(["as Viewer"] if self.as_viewer else [])]

    def look_with(self, preset: NamedViewing) -> None:
        self._preset = preset
        if preset.viewing != self.board.model.viewing:
            self.board.look_with(preset.viewing)
        self.take_density()
        if self._head is not None:  # else there is nothing to be filtered, and it is read with all the rest
            self.filter_cards()
        self.show_titles()

    def take_preset(self, preset: NamedViewing) -> None:
        """Look with what the person has chosen; while looking as a Viewer it waits."""
        if self.as_viewer:
            self._kept = preset
        elif preset != self._preset:
            self.look_with(preset)

    @property
    def canvas_head(self) -> CanvasHead:
        return self.head

    def leave_cards(self) -> None:
        if self.card_filter is not self.board.model.filter:
            self.board.filter_by(self.card_filter)

    def take_density(self) -> None:
        """Draw cards as the preset or, where it leaves that open, the person has them; and signs as the person has."""
        chosen = self._preset.viewing.density
        own = self.podium.me.preferences.get("density") == "compact"
        compact = chosen is Density.COMPACT if chosen else own
        if (compact, self.podium.ascii) != (self.board.compact, self.board.ascii):
            self.board.compact, self.board.ascii = compact, self.podium.ascii

    async def do_density(self) -> None:
        """Kept for the person, as if it was set in Settings."""
        from core.actions.me import SetPreference, ShowMe

        if chosen := self._preset.viewing.density:
            self.podium.tell(f"With “{self._preset.name}” cards are {chosen.lower()}. P chooses another preset.")
            return
        await self.podium.send(SetPreference(name="density", value="" if self.board.compact else "compact"))
        self.podium.me = await self.podium.query(ShowMe())
        self.take_density()

    def open_layout(self) -> None:
        """Open the view that the preset asks for, on top."""
        if self._preset.viewing.layout is not Layout.PHASE_COLUMNS:
            from tui.screens.views import view_of

            view = view_of(self._preset.viewing.layout)
            self.podium.call_later(self.podium.push_screen, view.make(self.project_id, None))

    # -- as a Viewer -----------------------------------------------------------------------------------------

    def look_as_viewer(self, preset: NamedViewing) -> None:
        """Show what somebody with the role of a Viewer sees who looks with this preset."""
        self._kept = self._kept or self._preset
        self._limit_rights()
        self.look_with(preset)

    def _look_as_oneself(self) -> None:
        kept, self._kept = self._kept, None
        self.take_head(self.head)
        self.look_with(kept or self._preset)

    def take_head(self, head: CanvasHead) -> None:
        """Hold what was read of the project, and what the person may do there."""
        self._head = head
        self.held, self.authority = head.held, head.authority
        self.role_words = head.my_role.lower() if head.my_role else ""
        self._limit_rights()

    def take_rights(self, rights: Rights) -> None:
        super().take_rights(rights)
        self._limit_rights()

    def _limit_rights(self) -> None:
        """Hold no more than a Viewer does, while looking as one."""
        if self.as_viewer:
            self.held = self.held & PROJECT_RIGHTS[ProjectRole.VIEWER]
            self.role_words = ProjectRole.VIEWER.lower()
        self.board.say_empty(
            "Empty · n adds a card" if Permission.TASK_MANAGE in self.held else "Empty",
            NO_PHASES + (" · N adds the first" if Permission.WORKFLOW_MANAGE in self.held else ""),
        )

    def why_not(self, key: Key) -> str:
        """What is undone is the person's own, whoever they look as."""
        return ENDS if self.as_viewer and key.verb in ("undo", "redo") else super().why_not(key)

    def do_presets(self) -> None:
        if self.as_viewer:
            self._look_as_oneself()
        else:
            super().do_presets()

    def do_back(self) -> None:
        if self.as_viewer:
            self._look_as_oneself()
        else:
            super().do_back()
