"""Permissions on a screen: who grants them, what becomes of their answer, and the overlay that hides the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import ModalScreen

from core.domain.grants import LOCAL, DecisionSource
from core.domain.model import WORKSPACE, ProjectRole
from core.domain.permissions import PROJECT_CODES, PROJECT_RIGHTS, Permission
from core.errors import AuthorizationUnavailable, Forbidden, NotFound, PodiumError, StorageError, Unauthenticated
from core.record import replace
from tui.screens.framework.controller import OwnerScreen
from tui.widgets.bars import AccessOverlay
from tui.wording.permissions import missing_permission_reason, state_after_refusal

if TYPE_CHECKING:
    from core.actions.permissions.permissions import MyPermissions
    from core.domain.canvas import CanvasHeader


class Access:
    """The user's permissions on one screen. While the data must not be seen, an overlay says why."""

    def __init__(self, screen: OwnerScreen) -> None:
        self._screen = screen
        self._held: frozenset[Permission] = frozenset()
        self._role_words = ""
        self.authority: DecisionSource = LOCAL
        """Who decides about the permissions, and whether they answer."""
        self.unseen: PodiumError | None = None
        """Why the data is hidden or could not be read yet; None while it is shown."""

    # -- the permissions -------------------------------------------------------------------------------------

    @property
    def as_viewer(self) -> bool:
        """True while the user looks at the project with the role of a Viewer."""
        return self._screen.podium.view_as.project_id == self._screen.project_id != WORKSPACE

    @property
    def held(self) -> frozenset[Permission]:
        """The permissions as last read; at most those of a Viewer while the user looks as one."""
        return self._held & PROJECT_RIGHTS[ProjectRole.VIEWER] if self.as_viewer else self._held

    @held.setter
    def held(self, held: frozenset[Permission]) -> None:
        self._held = held

    @property
    def role_words(self) -> str:
        """The user's role, for the title line and for refusals."""
        return ProjectRole.VIEWER.lower() if self.as_viewer else self._role_words

    @role_words.setter
    def role_words(self, words: str) -> None:
        self._role_words = words

    @property
    def title_words(self) -> str:
        """The user's role for the title line, or that it is lost."""
        lost = isinstance(self.unseen, Forbidden | NotFound | Unauthenticated)
        return "no access" if lost else self.role_words

    def shown_place(self) -> str:
        """The place for the title line and for the terminal, as far as it may be shown."""
        place = self._screen.place() if self.unseen is None else self._screen.title_words or "Podium"
        return f"as Viewer · {place}" if self.as_viewer else place

    def reason(self, permission: Permission) -> str:
        """The reason why something that takes a permission is disabled; "" for a permission that is held."""
        known = self if permission in PROJECT_CODES else self._screen.podium.me
        return (
            "" if permission in known.held else missing_permission_reason(permission, known.authority, self.role_words)
        )

    # -- asking ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start with the permissions that are known: those of the workspace, or of a screen below on the project."""
        screen, me = self._screen, self._screen.podium.me
        if screen.project_id == WORKSPACE:
            self.held, self.authority = me.held, me.authority
        elif self.authority.source != me.authority.source:
            self.authority = replace(me.authority, pending=True, fault=None)
            for other in screen.podium.open_screens:
                if isinstance(other.access, Access) and other is not screen and other.project_id == screen.project_id:
                    self.held, self.authority = other.access._held, other.access.authority

    async def ask(self) -> None:
        """Ask for the permissions, waiting for the authorization service, and show the answer. Never raises."""
        screen = self._screen
        if not screen.spans_projects or screen.project_id == WORKSPACE:
            await self._ask()
        if screen.spans_projects and screen.is_alive:
            await screen.refresh_from_core()

    async def _ask(self) -> None:
        from core.actions.permissions.permissions import GetMyPermissions

        screen = self._screen
        refusal: AuthorizationUnavailable | Forbidden | None = None
        try:
            rights = await screen.podium.aside(GetMyPermissions(project_id=screen.project_id))
        except (AuthorizationUnavailable, Forbidden) as error:
            refusal = error
        except NotFound:
            await screen.refresh_from_core()  # which hides it
            return
        except PodiumError:
            return  # an error of reading shows when the screen reads
        if not screen.is_alive:
            return
        if refusal is not None:
            self._take_refusal(refusal)
        else:
            await self._take_answer(rights)
        if screen.is_alive:
            screen.show_titles()

    def take_head(self, head: CanvasHeader) -> None:
        """Keep the permissions and the name of a project that was read."""
        self._screen.project_name = head.name
        self.held, self.authority = head.held, head.authority
        self.role_words = head.my_role.lower() if head.my_role else ""

    def take(self, rights: MyPermissions) -> None:
        """Keep the permissions of an answer."""
        self.held, self.authority = rights.held, rights.authority
        if rights.role is not None:
            self.role_words = rights.role.lower()
        if self._screen.project_id == WORKSPACE:
            self._screen.podium.take_rights(rights.held, rights.authority)
        self._screen.permissions_changed()

    async def _take_answer(self, rights: MyPermissions) -> None:
        self.take(rights)
        viewing = Permission.WORKSPACE_VIEW if self._screen.project_id == WORKSPACE else Permission.PROJECT_VIEW
        hidden_now = self._screen.shows_data and viewing not in rights.held
        if hidden_now != (self.unseen is not None):
            await self._screen.refresh_from_core()

    def _take_refusal(self, error: AuthorizationUnavailable | Forbidden) -> None:
        self.held = frozenset()
        self.authority = state_after_refusal(self.authority, error)
        if self._screen.project_id == WORKSPACE:
            self._screen.podium.take_rights(self.held, self.authority)
        self.hide(error)

    # -- the data --------------------------------------------------------------------------------------------

    def hide(self, error: PodiumError) -> None:
        """Hide the data of a screen that shows any, and say why."""
        if self._screen.shows_data and self._screen.is_alive and str(error) != str(self.unseen):
            self.unseen = error
            for controller in self._screen.controllers:
                controller.data_hidden()
            self._screen.data_hidden()
            self._cover(error)

    def show(self) -> None:
        """Show the data again, which has just been read."""
        if self.unseen is not None:
            self.unseen = None
            self._screen.podium.messages.clear()  # it may say why
            self._screen.query(AccessOverlay).remove()

    def _cover(self, error: PodiumError) -> None:
        """Draw the overlay; the screen keeps its place below. Dialogs above close, since they may show data."""
        screen = self._screen
        visible: object = screen.podium.visible_screen
        while visible is screen and isinstance(screen.podium.screen, ModalScreen):
            screen.podium.screen.dismiss(None)
            visible = screen.podium.visible_screen
        for line in screen.query("FilterLine"):
            if line.has_focus:
                line.action_leave(clear=False)
        words = f"{error}\n\n{self._hope(error)}{self._way_out(error)}"
        for overlay in screen.query(AccessOverlay):
            overlay.say(words)
            return
        screen.mount(AccessOverlay(words))

    def _hope(self, error: PodiumError) -> str:
        if isinstance(error, NotFound):
            return ""
        when = "it can be read" if isinstance(error, StorageError) else "you may look"
        return f"All is shown again by itself as soon as {when}. "

    def _way_out(self, error: PodiumError) -> str:
        if isinstance(error, Unauthenticated) and self._screen.podium.via == "browser":
            return "Load this page again to sign in with another token."
        return "esc leads back." if len(self._screen.podium.screen_stack) > 1 else "q quits."
