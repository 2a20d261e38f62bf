"""A screen that shows a project as a viewing preset says, and can be asked to look with another one."""

from __future__ import annotations

from core.canvas import Card
from core.model import Id
from core.viewings import PREDEFINED, NamedViewing
from tui.screens.podium_screen import PodiumScreen


class Looking(PodiumScreen):
    """A view of a project, the Canvas among them."""

    @property
    def preset(self) -> NamedViewing:
        """What it looks with."""
        raise NotImplementedError

    @property
    def filter_text(self) -> str:
        """What is typed to filter by, besides the preset's own."""
        raise NotImplementedError

    @property
    def shows_archive(self) -> bool:
        """Whether archived cards are shown now, by the preset or by key."""
        raise NotImplementedError

    @property
    def preset_words(self) -> list[str]:
        """What the title line says of it: nothing of the ordinary one."""
        return [] if self.preset == PREDEFINED[0] else [self.preset.name]

    @property
    def card(self) -> Card | None:
        """The card of the cursor."""
        raise NotImplementedError

    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card, if it can be seen."""
        raise NotImplementedError

    def look_with(self, preset: NamedViewing) -> None:
        """Draw everything as a preset says; which view that takes is left to who chooses."""
        raise NotImplementedError

    def do_presets(self) -> None:
        """Another preset is one's own: whoever looks as a Viewer looks as oneself first."""
        if self.as_viewer:
            self.podium.viewer_sight.end()
            return
        from tui.screens.presets import choose_preset

        choose_preset(self)
