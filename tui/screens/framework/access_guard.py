"""What may be looked at on a screen: who decides it, what becomes of their answer, and the curtain before the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.css.query import NoMatches
from textual.screen import ModalScreen, Screen

from core.domain.grants import LOCAL, DecisionSource
from core.domain.model import WORKSPACE, Id
from core.domain.permissions import Permission
from core.errors import AuthorizationUnavailable, Forbidden, NotFound, PodiumError, StorageError, Unauthenticated
from tui.labels.permissions import refused
from tui.screens.framework.view_as import ViewAsMixin
from tui.widgets.bars import AccessOverlay
from tui.widgets.filter_line import FilterLine

if TYPE_CHECKING:
    from core.actions.permissions.permissions import Rights
    from tui.services.host import Host


class Sight(ViewAsMixin, Screen[Any]):
    """The part of a screen that holds its rights and hides its data from whoever may not look."""

    shows_data: ClassVar[bool] = True
    """Whether it shows anything that it takes a right to look at."""

    project_id: Id = WORKSPACE
    """The project that undo, history and rights are about, or WORKSPACE."""
    project_name: str = ""
    """The name of that project as last read here; empty where it was not."""
    authority: DecisionSource = LOCAL
    """Who decided what is held there, and whether they answer."""
    unseen: PodiumError | None = None
    """Why nothing may be looked at here now, or could be read yet; None while one may look."""

    async def refresh_from_core(self, *, unasked: bool = False) -> bool:
        """Read the screen's query again, and draw what differs."""
        raise NotImplementedError

    def show_titles(self) -> None:
        """Bring the title line and the line of keys up to date."""
        raise NotImplementedError

    @property
    def stands(self) -> bool:
        """Whether an answer can still be shown here: a screen that was closed loses its widgets bit by bit."""
        return self.is_attached and self.podium.is_running and self in self.podium.screen_stack

    @contextmanager
    def while_it_stands(self) -> Iterator[None]:
        """Around what waits for an answer and then draws it: on a screen that was closed meanwhile it ends there."""
        try:
            yield
        except NoMatches:
            if self.stands:
                raise

    @property
    def podium(self) -> Host:
        """The application, typed."""
        return cast("Host", self.app)

    def _begin_with_what_is_known(self) -> None:
        """Of the workspace the app knows it; of a project maybe a screen below, at the first time."""
        me = self.podium.me
        if self.project_id == WORKSPACE:
            self.held, self.authority = me.held, me.authority
        elif self.authority.source != me.authority.source:
            self.authority = DecisionSource(me.authority.source, pending=True)
            for other in self.podium.screen_stack:
                if isinstance(other, Sight) and other is not self and other.project_id == self.project_id:
                    self.held, self.authority = other._held, other.authority

    async def ask_rights(self) -> None:
        """Ask what is held here, waiting for the authorization service, and show what became of it. Never raises."""
        from core.actions.permissions.permissions import GetMyPermissions

        refusal: AuthorizationUnavailable | Forbidden | None = None
        try:
            rights = await self.podium.aside(GetMyPermissions(project_id=self.project_id))
        except (AuthorizationUnavailable, Forbidden) as error:
            refusal = error
        except PodiumError:
            return  # what cannot be read shows when the screen reads it
        if not self.stands:
            return
        if refusal is not None:
            self._take_refusal(refusal)
        else:
            await self._take_answer(rights)
        if self.stands:
            self.show_titles()

    def take_rights(self, rights: Rights) -> None:
        """Hold what an answer says."""
        self.held, self.authority = rights.held, rights.authority
        if rights.role is not None:
            self.role_words = rights.role.lower()
        if self.project_id == WORKSPACE:
            self.podium.take_rights(rights.held, rights.authority)

    async def _take_answer(self, rights: Rights) -> None:
        self.take_rights(rights)
        viewing = Permission.WORKSPACE_VIEW if self.project_id == WORKSPACE else Permission.PROJECT_VIEW
        hidden_now = self.shows_data and viewing not in rights.held
        if hidden_now != (self.unseen is not None):
            await self.refresh_from_core()

    def _take_refusal(self, error: AuthorizationUnavailable | Forbidden) -> None:
        self.held = frozenset()
        self.authority = refused(self.authority, error)
        if self.project_id == WORKSPACE:
            self.podium.take_rights(self.held, self.authority)
        self._must_not_look(error)

    def _must_not_look(self, error: PodiumError) -> None:
        if self.shows_data and self.stands and str(error) != str(self.unseen):
            self.unseen = error
            self.lose_sight(error)

    def name_of_project(self) -> str:
        """The name of the project as this or another open screen read it; empty where none did."""
        screens = [other for other in self.podium.screen_stack if isinstance(other, Sight)]
        names = (other.project_name for other in (self, *screens) if other.project_id == self.project_id)
        return next(filter(None, names), "")

    async def project_is_gone(self) -> bool:
        """Whether the project of this screen was deleted, which is told from a record of it that is gone."""
        from core.actions.permissions.permissions import GetMyPermissions

        try:
            if self.project_id != WORKSPACE:
                await self.podium.query(GetMyPermissions(project_id=self.project_id))
        except NotFound:
            return True
        except PodiumError:
            pass
        return False

    def of_deleted_project(self) -> NotFound:
        """What is said of a deleted project."""
        name = self.name_of_project()
        return NotFound(f"“{name}” was deleted for good." if name else "This project is not here: it was deleted.")

    def _may_look(self) -> None:
        if self.unseen is not None:
            self.unseen = None
            self.regain_sight()

    def lose_sight(self, error: PodiumError) -> None:
        """Show nothing of the data any more, but why; ``regain_sight`` follows as soon as one may look again.

        The place is kept: who may look again goes on where they were, and esc leads away. Dialogs above
        close, for they may show data.
        """
        visible: object = self.podium.visible_screen
        while visible is self and isinstance(self.podium.screen, ModalScreen):
            self.podium.screen.dismiss(None)
            visible = self.podium.visible_screen
        for line in self.query(FilterLine):
            if line.has_focus:
                line.action_leave(clear=False)
        way_out = "esc leads back." if len(self.podium.screen_stack) > 1 else "q quits."
        if isinstance(error, Unauthenticated) and self.podium.via == "browser":
            way_out = "Load this page again to sign in with another token."
        when = "it can be read" if isinstance(error, StorageError) else "you may look"
        hope = "" if isinstance(error, NotFound) else f"All is shown again by itself as soon as {when}. "
        words = f"{error}\n\n{hope}{way_out}"
        for curtain in self.query(AccessOverlay):
            curtain.say(words)
            return
        self.styles.layers = f"default {AccessOverlay.LAYER}"
        self.styles.overflow_y = "hidden"  # the margin of the curtain would make it scroll
        self.mount(AccessOverlay(words))

    def regain_sight(self) -> None:
        """Show the data again; it has just been read."""
        self.query(AccessOverlay).remove()
