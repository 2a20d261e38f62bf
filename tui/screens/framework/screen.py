"""What every screen of Podium does alike: keys with reasons, title and key lines, reading again after news."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.reactive import Reactive

from core.domain.grants import LOCAL
from core.domain.model import Id
from core.domain.permissions import PROJECT_CODES
from core.domain.view_settings import ViewPreset
from core.errors import (
    AuthorizationUnavailable,
    Blocker,
    Forbidden,
    NotFound,
    PodiumError,
    ServerUnavailable,
    StorageError,
    Unauthenticated,
)
from tui.keys.bindings import BY_ID, EVERYWHERE, NOT_ON, Key, keys_of
from tui.keys.keymap import keymap_of, remapped
from tui.labels.permissions import ASKING, in_full, is_certain, missing_permission_reason
from tui.screens.framework.access_guard import Sight
from tui.screens.framework.dialogs import asking
from tui.services.destinations import Destination, ToApplication, ToCard, ToPage, ToPhase
from tui.services.presence import Location
from tui.services.view_as import ENDS
from tui.widgets.bars import KeyBar, TitleBar, TitleFacts

SOON = (1.0, 2.0)
"""Seconds from news whose question failed to one more try: nothing says when the database can be read again, and of
many who heard the news not all ask at once."""

WHY = "everywhere.why"
"""While nobody can say what is held, that is what blocks, whatever else does."""


class PodiumScreen(Sight):
    """The frame of a screen: a title line, the body, a line of keys.

    A subclass gives ``name_in_table``, ``body()``, ``reload()`` and a method ``do_…`` for each of its keys. Keys come
    to ``action_do``, which is the one place that asks for the permission and shows what went wrong.
    """

    name_in_table: ClassVar[str]
    """The screen's name in the table of keys."""
    title_words: ClassVar[str] = ""
    is_level: ClassVar[bool] = False
    """Whether other places open on top of it, and esc leads back to it."""
    is_of_record: ClassVar[bool] = False
    """Whether it is the page of one record."""

    BLANK = True  # its own lines lie under the widgets; Textual asks for them in every frame
    ALLOW_SELECT = False  # starting a selection would repaint the whole widget at each press of the mouse
    focused = Reactive(None, repaint=False)  # Textual's own repaints everything whenever the focus moves

    was_read: bool = False
    """Whether there is something to show, however old; without it no key has anything to be about."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = asyncio.Lock()
        """To be held while the screen is read: an older answer that came last would be drawn over a newer one."""
        self._reads = 0
        """How many times the screen has begun to read."""
        self._drawn = 0
        """Which of these was drawn last."""

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield from self.body()
        yield KeyBar()

    def body(self) -> ComposeResult:
        """The widgets between the title and the keys."""
        raise NotImplementedError

    async def reload(self) -> None:
        """Ask the screen's query again and draw what differs."""
        raise NotImplementedError

    async def on_screen_resume(self) -> None:
        """At the start too, and before the first paint, which so has everything in it."""
        self.podium.type_ahead.look_again()
        self.podium.viewer_sight.meet(self)
        self._begin_with_what_is_known()
        await self.refresh_from_core()
        if self.stands:
            self.podium.presence.moved()
            self.show_people()
            self.podium.rights.ask_soon()

    async def refresh_from_core(self, *, unasked: bool = False, last: bool = False) -> bool:
        """``reload``, with its errors shown; called on news, on return to the screen and after one's own changes.

        Whether it was read. While the server is away the title line says so: only whoever asked is told it again.
        What is read ``unasked`` is tried once more where the database fails, and that is the ``last`` time.
        """
        if not self.is_mounted:  # it has no widgets yet, and reads when it appears
            return False
        if self.authority.pending and self.shows_data:
            self._must_not_look(AuthorizationUnavailable(ASKING, correlation_id=""))
            self.show_titles()
            return False
        wanted_after = self._reads
        async with self._turn:
            is_drawn = self._drawn > wanted_after  # by a read that began when this one waited for its turn
            read = is_drawn or await self._read_and_show(unasked, last)
        self.show_titles()
        return read

    async def _read_and_show(self, unasked: bool, last: bool) -> bool:
        """``reload``, with its errors shown; whether something was read."""
        self._reads += 1
        number = self._reads
        try:
            with self.while_it_stands():
                await self.reload()
        except (AuthorizationUnavailable, Forbidden, Unauthenticated) as error:
            self._must_not_look(error)
        except PodiumError as error:
            tries_again = unasked and not last and isinstance(error, StorageError)
            if tries_again:
                self.set_timer(random.uniform(*SOON), self._once_more)  # noqa: S311 (a waiting time)
            if isinstance(error, NotFound) and await self.project_is_gone():
                self._must_not_look(self.of_deleted_project())
            elif isinstance(error, StorageError) and not self.was_read:
                self._must_not_look(error)
            elif not tries_again and not (unasked and isinstance(error, ServerUnavailable)):
                self.podium.show_error(error)
        else:
            self._may_look()
            self._drawn = number
            self.was_read = self.stands
            return self.stands
        return False

    def _once_more(self) -> None:
        if self.podium.visible_screen is self:  # any other reads when it is seen again
            again = partial(self.refresh_from_core, unasked=True, last=True)
            self.run_worker(again, group="news")  # type: ignore[arg-type]  # see tui/services/presence.py

    def show_titles(self) -> None:
        """Bring the title line and the line of keys up to date."""
        for line in self.query("TitleBar, KeyBar"):
            cast("TitleBar | KeyBar", line).show()

    def again(self) -> PodiumScreen:
        """A new screen of the same place, to come back to."""
        return type(self)()

    def is_same_place(self, other: PodiumScreen) -> bool:
        """Whether going to ``other`` would show what is here."""
        return type(self) is type(other) and self.project_id == other.project_id and self.is_level

    def look_with(self, preset: ViewPreset) -> None:
        """Draw everything as a preset says; a view of a project does."""

    async def jump_to(self, blocker: Blocker) -> None:
        """Show what stands in the way; a screen with a cursor puts it there instead."""
        kinds: dict[str, Callable[[Id, Id], Destination]] = {"PHASE": ToPhase, "APPLICATION": ToApplication}
        await self.podium.open(kinds.get(blocker.kind, ToCard)(self.project_id, blocker.id))

    @property
    def whereabouts(self) -> Location:
        """Where the person is, for others on the project; a screen with a cursor says its card too."""
        return Location(self.project_id)

    def show_people(self) -> None:
        """Draw who else is here, which has changed."""
        self.show_titles()

    def place(self) -> str:
        """Where we are, for the title line."""
        return self.title_words

    def title_facts(self) -> TitleFacts:
        """The facts for the title line."""
        podium = self.podium
        place = self.place() if self.unseen is None else self.title_words or "Podium"
        return TitleFacts(
            f"as Viewer · {place}" if self.as_viewer else place,
            tuple(filter(None, (podium.me.user.name, self.role_words, podium.via))),
            podium.inbox.unread,
            podium.presence.words(),
            podium.saving.words(),
            podium.saving.is_saved,
            self.authority,
            self.unseen is not None,
        )

    def tables(self) -> tuple[str, ...]:
        """The parts of the table of keys that work here, the screen's own first."""
        return (self.name_in_table, EVERYWHERE)

    def live_keys(self) -> tuple[Key, ...]:
        """The keys that work here, as the person has them."""
        keys = (key for table in self.tables() for key in keys_of(table))
        left_out = NOT_ON.get(self.name_in_table, ())
        return remapped((key for key in keys if key.id not in left_out), keymap_of(self.podium.me))

    def why_not(self, key: Key) -> str:
        """The reason why a key does nothing now; empty when it works."""
        if self.unseen is not None and key.screen != EVERYWHERE:
            return str(self.unseen)
        if self.as_viewer and key.verb in ("undo", "redo"):
            return ENDS  # what is undone is the person's own, whoever they look as
        if key.needs is None:
            return ""
        of_project = key.needs in PROJECT_CODES
        known = self if of_project else self.podium.me
        return "" if key.needs in known.held else missing_permission_reason(key.needs, known.authority, self.role_words)

    async def action_do(self, key_id: str) -> None:
        """What every key comes to."""
        await self.run_key(BY_ID[key_id])

    async def run_key(self, key: Key) -> None:
        """Do what a key says, or say why not."""
        reason = self.why_not(key)
        if key.id == WHY and not is_certain(self.authority):
            reason = in_full(self.authority)
        elif key.id == WHY and self.unseen is not None:
            reason = str(self.unseen)
        if reason and self._may_be_granted_by_now(key):
            self.podium.begin(partial(self._ask_and_run, key))
        elif reason:
            self.podium.tell(reason, severity="warning")
        else:
            await self._do(key)

    def _may_be_granted_by_now(self, key: Key) -> bool:
        """Whether a service decides, which tells nobody of a new grant: it is asked again before a key is refused."""
        is_asked = is_certain(self.authority) and self.authority.source != LOCAL.source
        return is_asked and key.needs is not None and self.unseen is None and not self.as_viewer

    async def _ask_and_run(self, key: Key) -> None:
        await self.podium.rights.ask_for(self)
        if not self.stands:
            return
        if reason := self.why_not(key):
            self.podium.tell(reason, severity="warning")
        else:
            await self._do(key)

    async def _do(self, key: Key) -> None:
        """Do what a key says; what is refused is shown."""
        deed: Callable[..., Awaitable[object] | object] = getattr(self, f"do_{key.verb}")
        if self.unseen is not None and key.verb == "back":  # marks and a filter, which go first, cannot be seen
            deed = partial(PodiumScreen.do_back, self)
        try:
            with self.while_it_stands():
                result = deed(*key.arguments)
                if isinstance(result, Awaitable):
                    await result
        except PodiumError as error:
            self.podium.show_error(error)

    def copy_id(self, name: str, record_id: Id) -> None:
        """Put the id of a record on the clipboard, and show it for where there is none."""
        self.podium.copy_to_clipboard(" ".join(record_id.split()))
        self.podium.tell(f"Copied the id of “{name}”: {record_id}")

    # -- the keys that work everywhere -----------------------------------------------------------------------

    def do_help(self) -> None:
        self.podium.show_help()

    def do_palette(self) -> None:
        self.podium.action_command_palette()

    def do_go(self) -> None:
        """As work of the app, since the screen that asks may be left by it."""
        self.podium.begin(self.podium.go)

    async def do_undo(self) -> None:
        await self.podium.undo(self.project_id)

    async def do_redo(self) -> None:
        await self.podium.redo(self.project_id)

    def do_back(self) -> None:
        """First looking as a Viewer ends."""
        if self.as_viewer:
            self.podium.viewer_sight.end()
            return
        self._leave()
        self.podium.back()

    def do_close(self) -> None:
        self._leave()
        self.podium.close()

    def _leave(self) -> None:
        """Note that the person leaves; a page that closes because its record is gone is not to be found again."""
        if len(self.podium.screen_stack) > 1:
            self.podium.places.leave(self)

    def do_last_place(self) -> None:
        self.podium.begin(self.podium.last_place)

    def do_next_place(self) -> None:
        self.podium.begin(self.podium.next_place)

    async def do_my_work(self) -> None:
        await self.podium.visit(ToPage.MY_WORK)

    async def do_search(self) -> None:
        await self.podium.visit(ToPage.SEARCH)

    @asking
    async def do_menu(self) -> None:
        """Offer the actions for what is focused, with their keys; disabled ones with their reason."""
        from tui.dialogs.key_menu import Entry, KeyMenu

        offered = [key for key in self.live_keys() if key.menu]
        entries = [Entry(key.id, key.shown, key.words, self.why_not(key)) for key in offered]
        chosen = await self.podium.ask(KeyMenu(self.menu_title(), entries))
        if chosen:
            await self.run_key(BY_ID[chosen])

    def menu_title(self) -> str:
        """What the menu is about."""
        return self.place()

    @asking
    async def do_why(self) -> None:
        self.podium.tell("Nothing is blocked here.")

    async def do_refresh(self) -> None:
        if await self.refresh_from_core():
            self.podium.tell("Read again.")

    def do_mouse(self) -> None:
        self.podium.toggle_mouse()
