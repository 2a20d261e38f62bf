"""The keys of every screen: help, palette, going elsewhere, undo, back, menu, refresh, and those of the tour."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from textual.geometry import Offset

from core.domain.model import Id
from core.domain.permissions import Permission
from core.text.phrases import ULID_FORM, count
from tui.keys.table import BY_ID, Key
from tui.screens.framework.controller import Action, Controller, OwnerScreen
from tui.screens.framework.dialogs import asking
from tui.services.destinations import ToImport, ToPage, ToSearch
from tui.widgets.bars import GoalFacts


class GlobalActions(Controller):
    """The actions of the table ``everywhere``. A screen may replace one by an action of the same verb."""

    def actions(self) -> Sequence[Action]:
        """Those that ask, or that leave this screen, are work of the app, since the screen may be closed by them."""
        return (
            Action("help", lambda: self.podium.show_help()),
            Action("palette", lambda: self.podium.action_command_palette()),
            Action("go", lambda: self.podium.begin(self.podium.go)),
            Action("undo", lambda: self._begin(self.podium.undoing.undo)),
            Action(
                "redo",
                lambda: self._begin(self.podium.undoing.redo),
                offer=lambda: "redo" if self.podium.sending.undone else "",
            ),
            Action("undo_list", lambda: self._begin(self.podium.undoing.choose)),
            Action("back", self.do_back),
            Action("close", self.do_close),
            Action("last_place", lambda: self.podium.begin(self.podium.last_place)),
            Action("next_place", lambda: self.podium.begin(self.podium.next_place)),
            Action("my_work", lambda: self.podium.visit(ToPage.MY_WORK)),
            Action("search", lambda: self.podium.visit(ToSearch())),
            Action("menu", self.do_menu),
            Action("why", lambda: self.podium.toast("Nothing on this screen can be blocked or at risk.")),
            Action("refresh", lambda: self.screen.reading.read_again()),
            Action("redraw", lambda: self.podium.action_redraw()),
            Action("import", lambda: self.podium.open(ToImport()), self._cannot_create),
            Action("mouse", lambda: self.podium.toggle_mouse()),
            Action("suspend", lambda: self.podium.action_suspend_process()),
        )

    def _cannot_create(self, _: Key) -> str:
        return self.screen.access.reason(Permission.PROJECT_CREATE)

    def _begin(self, work: Callable[[Id], Awaitable[None]]) -> None:
        self.podium.begin(partial(work, self.screen.undo_scope))

    def do_back(self) -> None:
        """First marks and a filter go, then looking as a Viewer ends, then one level up.

        The project is not left for the list of projects, so that a second esc after that of a dialog does not cost the
        place. While the data is hidden, so are marks and filter, and the screen is left at once.
        """
        access = self.screen.access
        layers = reversed(self.screen.controllers) if access.unseen is None else ()
        if any(controller.step_back() for controller in layers):
            return
        if access.as_viewer:
            self.podium.view_as.end()
            return
        below = [*self.podium.open_screens][:-1]
        if self.screen.is_level and access.unseen is None and below and below[-1].is_level:
            self.podium.toast("Press q to leave the project.")
            return
        self._leave()
        self.podium.back()

    def do_close(self) -> None:
        self._leave()
        self.podium.close()

    def _leave(self) -> None:
        """Note the place that the user leaves; a page that closes because its record is gone is not noted."""
        if len(self.podium.screen_stack) > 1:
            self.podium.places.leave(self.screen)

    @asking
    async def do_menu(self, at: Offset | None = None) -> None:
        """Offer the actions for the selection with their keys, and disabled ones with their reason.

        ``at``: the cell of the mouse where the menu opens.
        """
        from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry

        keys = self.screen.keys
        offered = [key for key in keys.live() if key.menu]
        entries = [MenuEntry(key.id, key.shown, key.words, keys.why_not(key)) for key in offered]
        chosen = await self.podium.ask(KeyMenu(self.screen.menu_title(), entries, at))
        if chosen:
            await keys.run(BY_ID[chosen])


def copy_id(screen: OwnerScreen, name: str, key_or_id: str) -> None:
    """Put the key of a record on the clipboard, or its id if it has none, and show it for a terminal without one."""
    noun = "id" if ULID_FORM.fullmatch(key_or_id) else "key"
    screen.podium.copy_to_clipboard(" ".join(key_or_id.split()))
    screen.podium.toast(f"Copied the {noun} of “{name}”: {key_or_id}")


class TourActions(Controller):
    """The tour itself is a service: ``tui/services/tour.py``."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("tour", self.do_tour, lambda _: self.screen.access.reason(Permission.PROJECT_CREATE)),
            Action("remove_sample", self.do_remove_sample, self._no_sample),
        )

    def _no_sample(self, _: Key) -> str:
        is_sample = self.podium.tour.is_sample(self.screen)
        return "" if is_sample else "This key removes the sample project of the tour. Open it first."

    @asking
    async def do_tour(self) -> None:
        await self.podium.tour.start()

    @asking
    async def do_remove_sample(self) -> None:
        """Delete the sample project for good, after a question that says what goes with it."""
        from core.actions.workflow.canvas import GetCanvas
        from tui.dialogs.confirm import ConfirmDialog

        canvas = await self.podium.query(GetCanvas(project_id=self.screen.project_id))
        parts = f"{count(len(canvas.head.columns), 'phase')}, {count(len(canvas.cards), 'card')} and its history"
        words = f"“{canvas.head.name}” with {parts} will be deleted for good. Your other projects stay."
        if await self.podium.ask(ConfirmDialog("Remove the sample project?", words, "Remove")):
            await self.podium.tour.remove()
            self.podium.begin(partial(self.podium.visit, ToPage.PROJECTS))
            self.podium.toast(f"Removed “{canvas.head.name}”. Press n to create your own project.")

    def goal(self) -> GoalFacts | None:
        """The facts for the line above the keys: a goal of the tour on its sample project; None for no such line."""
        return self.podium.tour.facts(self.screen)

    def step_back(self) -> bool:
        """On the Canvas of the sample project, esc is about the tour; on its other pages it leads back there."""
        tour = self.podium.tour
        return self.screen.is_level and tour.is_sample(self.screen) and tour.step_back()
