"""Search in everything that the user can see: results appear while typing, and enter opens one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Self

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input

from core.actions.personal.search import Search, SearchHit, SearchHitKind, SearchResult
from core.domain.model import Status
from core.errors import PodiumError
from core.record import Record
from core.text.excerpts import Mark
from tui.drawing.styles import Styles, TextRole
from tui.screens.framework.controller import Action, Controller, while_open
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.list_screen import ListDetail, ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.previews.kinds import preview_of
from tui.services.destinations import (
    Destination,
    ToApplication,
    ToCanvas,
    ToCard,
    ToPage,
    ToPhase,
    ToProduct,
    ToTemplate,
)
from tui.services.host import Host
from tui.widgets.bars import OwnKey, focus_moved
from tui.widgets.columns import Cell, Column, Line, cell
from tui.widgets.list_view import ListView
from tui.widgets.steady_input import SteadyInput

PAUSE = 0.08
"""Seconds without a key before the search starts, so that fast typing does not query at each letter."""

NOT_YET = (
    "Search everything that you can see\n"
    "Type words, or their beginnings, of projects, phases, cards, comments, deliverables, applications, templates,"
    " products and people. A result has all of the words; case and accents make no difference.\n"
    "Paste an id to jump to its record.\n"
    "Press enter to open the first result, down to go into the list, esc to go back."
)
NO_WORDS = "No words to search for\nWords are letters and digits; signs alone find nothing."
NOTHING = (
    "No results\n"
    "Each word must begin a word of the record; a single letter must be a whole word. Fewer words find more."
)

COLUMNS = (
    Column("Title", 24, 70),
    Column("Type", 12, 22, rank=1),
    Column("Phase", 16, 24, rank=3),
    Column("Match", 20, 130, rank=2),
)

OF_ALL = "The whole workspace"
"""The heading of what is in no project."""

RECENT_SEARCHES = "recent_searches"
"""The setting: one search per line."""
MAX_RECENT = 8


class RecentSearch(Record):
    """A search that can be repeated."""

    text: str


def recent_searches(podium: Host) -> tuple[RecentSearch, ...]:
    """The recent searches, the newest first."""
    return tuple(RecentSearch(text=text) for text in _recent_texts(podium))


async def remember(podium: Host, text: str) -> None:
    """Put a search first. Without an answer the search is not kept, which is no reason to disturb the user."""
    text = " ".join(text.split())
    try:
        if text and _recent_texts(podium)[:1] != [text]:
            await _keep_recent(podium, [text, *_without(podium, text)])
    except PodiumError:
        return


async def forget(podium: Host, text: str) -> None:
    """Remove a search from the list. Raises PodiumError."""
    await _keep_recent(podium, _without(podium, text))


def _recent_texts(podium: Host) -> list[str]:
    return podium.me.preferences.get(RECENT_SEARCHES, "").splitlines()


def _without(podium: Host, text: str) -> list[str]:
    return [other for other in _recent_texts(podium) if other.casefold() != text.casefold()]


async def _keep_recent(podium: Host, texts: list[str]) -> None:
    await podium.keep(RECENT_SEARCHES, "\n".join(texts[:MAX_RECENT]))


def lines_of(found: Sequence[SearchHit], look: Styles) -> Iterator[tuple[SearchHit, Line]]:
    """The findings by project, the project with the best one first, each with its line."""
    order = {project: place for place, project in enumerate(dict.fromkeys(each.project_id for each in found))}
    return ((each, _line(each, look)) for each in sorted(found, key=lambda each: order[each.project_id]))


def _line(found: SearchHit, look: Styles) -> Line:
    text_role = TextRole.QUIET if found.out_of_use else TextRole.TITLE
    return Line(
        f"{found.kind} {found.id}",
        (
            (*_sign(found, look), *_key(found), *_emphasise(found.title, found.title_marks, text_role)),
            cell(found.what),
            cell(found.phase),
            _emphasise(found.excerpt, found.excerpt_marks, TextRole.QUIET),
        ),
        section=found.project or OF_ALL,
    )


def _sign(found: SearchHit, look: Styles) -> Cell:
    signs = look.signs
    of_kind = {SearchHitKind.COMMENT: signs.comment, SearchHitKind.APPLICATION: signs.application}
    if found.kind in (SearchHitKind.TASK, SearchHitKind.ACTIVITY):
        sign = signs.of(found.status or Status.TO_DO, found.kind is SearchHitKind.ACTIVITY)
    else:
        sign = of_kind.get(found.kind, signs.dot)
    return ((f"{sign} ", TextRole.QUIET),)


def _key(found: SearchHit) -> Cell:
    return ((f"{found.key} ", TextRole.QUIET),) if found.key else ()


def _emphasise(text: str, marks: Sequence[Mark], text_role: TextRole) -> Cell:
    """A text with the words in it that were looked for."""
    words: list[tuple[str, TextRole]] = []
    end = 0
    for mark in marks:
        words += [*cell(text[end : mark.start], text_role), *cell(text[mark.start : mark.end], TextRole.ACCENT)]
        end = mark.end
    return (*words, *cell(text[end:], text_role))


class SearchLine(SteadyInput):
    """The line of the words. Down goes into the list; letters are letters here, and keys there."""

    DEFAULT_CSS = """
    SearchLine, SearchLine:focus {
        height: 3; border: round $border; padding: 0 1; background: $background; color: $foreground;
    }
    SearchLine:focus { border: round $primary; }
    .-low SearchLine, .-low SearchLine:focus { height: 1; border: none; padding: 0 2; background: $boost; }
    .-ascii SearchLine, .-ascii SearchLine:focus { border: ascii $border; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,tab", "screen.into_list", "Into the list", show=False),
    ]

    own_keys: tuple[OwnKey, ...] = (
        ("enter", "open the first", "submit"),
        ("down", "into the list", "screen.into_list"),
        ("esc", "back", "screen.do('everywhere.back')"),
    )
    """Its keys, for the line of keys."""

    def __init__(self, text: str) -> None:
        super().__init__(text, placeholder="Search for words, or an id", select_on_focus=False)

    def on_focus(self) -> None:
        focus_moved(self)

    def on_blur(self) -> None:
        focus_moved(self)


class SearchResults(ListView):
    """The list, kept from frame to frame: Textual asks for all of its lines at each letter that is typed above it."""

    _drawn: tuple[object, list[Strip]] | None = None

    def render_lines(self, crop: Region) -> list[Strip]:
        view = (crop, self.scroll_offset)
        if self._drawn is None or self._drawn[0] != view:
            self._drawn = (view, super().render_lines(crop))
        return self._drawn[1]

    def refresh(self, *regions: Region, **options: Any) -> Self:
        self._drawn = None
        return super().refresh(*regions, **options)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn = None


class SearchScreen(ListScreen[SearchHit | RecentSearch]):
    """The results of a search, by project."""

    name_in_table = "search"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 - as Textual declares it
    AUTO_FOCUS = "SearchLine"
    title_words = "Search"
    columns = COLUMNS
    opens = "search.open"
    nothing_here = "Nothing to open. Type words to search for."

    def __init__(self, text: str = "", focus_id: str = "") -> None:
        """``focus_id`` is the line that the cursor is to be on."""
        super().__init__()
        self._begin = text
        self._focus_id = focus_id
        self._result = SearchResult(found=(), words=())
        self._soon: asyncio.TimerHandle | None = None
        self.add(SearchActions(self))
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        """The record that a result opens."""
        found = self.records.current
        if not isinstance(found, SearchHit):
            return None
        record_id = found.project_id if found.kind is SearchHitKind.PROJECT else found.target_id
        return preview_of(found.kind, record_id, found.title)

    def on_unmount(self) -> None:
        if self._soon is not None:
            self._soon.cancel()

    def again(self) -> SearchScreen:
        return SearchScreen(self.text, self.line.id if self.line else "")

    def body(self) -> ComposeResult:
        yield SearchLine(self._begin)
        yield SearchResults(self.columns, id="lines")
        yield ListDetail()

    @property
    def text(self) -> str:
        """The text that is typed."""
        return self.query_one(SearchLine).value

    def place(self) -> str:
        found = self._result
        if not found.words:
            return "Search"
        listed = f"{'more than ' if found.more else ''}{len(found.found) or 'nothing'} found"
        withheld = f"{found.unseen} of your projects withheld from you" if found.unseen else ""
        return " · ".join(filter(None, ("Search", listed, withheld)))

    async def reload(self) -> None:
        text = self.text
        asked = Search(text=text)
        result = await self.podium.aside(asked) if text.strip() else SearchResult(found=(), words=())
        if self.is_alive and text == self.text:  # else more was typed meanwhile, which is looked for in its turn
            self._show(result)

    def _show(self, result: SearchResult) -> None:
        self._result = result
        lines = self.listing
        lines.empty = NOTHING if result.words else NO_WORDS if self.text.strip() else NOT_YET
        if self.text.strip():
            self.records.show(lines_of(result.found, lines.look))
        else:
            found = recent_searches(self.podium)
            self.records.show(
                (each, Line(f"RECENT {each.text}", (cell(each.text), (), (), ()), section="Recent searches"))
                for each in found
            )
        if self._focus_id:
            lines.go_to(self._focus_id)
            lines.focus()  # who comes back to a result goes on with keys, not with words
            self._focus_id = ""

    @on(Input.Changed, "SearchLine")
    def _search_soon(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._begin:  # the line tells of the words that it began with too
            self._begin = ""
            if self._soon is not None:
                self._soon.cancel()
            self._soon = asyncio.get_running_loop().call_later(PAUSE, self._search)

    @work(exclusive=True, group="search")
    async def _search(self) -> None:
        """Other words: the cursor goes to the best of what they find."""
        with while_open(self):
            await self.refresh_from_core()
            self.listing.top()

    def search_for(self, text: str) -> None:
        """Search for a text as if it was typed."""
        line = self.query_one(SearchLine)
        line.value = text
        line.cursor_position = len(text)
        line.focus()

    def action_into_list(self) -> None:
        if self.listing.lines:
            self.listing.focus()

    @on(Input.Submitted)
    async def _open_first(self) -> None:
        await self.action_do(self.opens)


class SearchActions(Controller):
    """Go from the list to the words, open the result under the cursor, and copy its id."""

    screen: SearchScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("words", self.do_words),
            Action("up", self.do_up),
            self.screen.records.action("open", self.do_open),
            self.screen.records.action("forget", self.do_forget),
            Action("copy", self.do_copy),
        )

    def do_words(self) -> None:
        self.screen.query_one(SearchLine).focus()

    def do_up(self) -> None:
        """Up from the first line is back to the words."""
        line, listing = self.screen.line, self.screen.listing
        if line is None or line is listing.lines[0]:
            self.do_words()
        else:
            listing.step(-1)

    async def do_open(self, found: SearchHit | RecentSearch) -> None:
        if isinstance(found, RecentSearch):
            self.screen.search_for(found.text)
        else:
            self.podium.begin(partial(remember, self.podium, self.screen.text), group="recent searches")
            await open_hit(self.podium, found)

    async def do_forget(self, found: SearchHit | RecentSearch) -> None:
        if isinstance(found, RecentSearch):
            await forget(self.podium, found.text)
            await self.screen.refresh_from_core()
        else:
            self.podium.toast("Only recent searches can be removed here. Press enter to open the result.")

    def do_copy(self) -> None:
        found = self.screen.records.current
        if isinstance(found, SearchHit):
            copy_id(self.screen, found.title, found.key or found.id)


async def open_hit(podium: Host, found: SearchHit) -> None:
    """Go to a result; of a person, to their line among the people."""
    await podium.open(destination_of(found))
    screen = podium.visible_screen
    if found.kind is SearchHitKind.PERSON and isinstance(screen, ListScreen):
        await screen.refresh_from_core()
        screen.listing.go_to(found.target_id)


def destination_of(found: SearchHit) -> Destination:
    """The destination of a result: the Canvas with the cursor on a card, and the page of anything else.

    A card in the archive has its page too, since the Canvas hides the archive.
    """
    match found.kind:
        case SearchHitKind.PROJECT:
            return ToCanvas(found.project_id)
        case SearchHitKind.PHASE | SearchHitKind.DELIVERABLE:
            return ToPhase(found.project_id, found.target_id)
        case SearchHitKind.APPLICATION:
            return ToApplication(found.project_id, found.target_id)
        case SearchHitKind.TEMPLATE:
            return ToTemplate(found.target_id)
        case SearchHitKind.PRODUCT:
            return ToProduct(found.target_id)
        case SearchHitKind.PERSON:
            return ToPage.PEOPLE
    return (ToCard if found.status is Status.ARCHIVED else ToCanvas)(found.project_id, found.target_id)
