"""The inbox: gates that wait for me, what is due, and what others did that concerns me."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from core.actions.personal.inbox import (
    DUE_TODAY,
    Inbox,
    InboxItem,
    InboxReason,
    ListInbox,
    MarkNotificationsRead,
)
from core.domain.model import WORKSPACE, Id
from tui.drawing.styles import ASCII, Styles, TextRole
from tui.keys.bindings import bindings
from tui.screens.cards.blockers import BlockerActions
from tui.screens.cards.editing import CardEditing
from tui.screens.cards.status import CardStatus
from tui.screens.framework.controller import Action, PhaseRef, Selection
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.personal.inbox_actions import (
    EMPTY,
    NO_CARD,
    InboxChanges,
    InboxGates,
    ask_to_agree,
    card_of,
    inbox_previewed,
    is_lacking,
)
from tui.services.destinations import ToCanvas, ToPage, ToPhase
from tui.widgets.columns import Column, Line, cell
from tui.wording.times import format_moment_short

COLUMNS = (
    Column("What", 22, 60),
    Column("Why", 29, 64, rank=1),
    Column("Project", 20, 34, rank=2),
    Column("When", 16, 16, rank=3),
)

HEADINGS = {
    InboxReason.ACCESS: "Who can act as you",
    InboxReason.GATE: "Waits for my decision",
    InboxReason.CONSENT: "Waits for my decision",
    InboxReason.DUE: "Late or due today",
    InboxReason.ASSIGNED: "What others did",
    InboxReason.MENTIONED: "What others did",
    InboxReason.COMMAND: "What others did",
}

LACKING = "At my gates, not ready for my decision"

NOTHING = "Your inbox is empty\nAssignments, mentions (@login), due cards and gates that wait for you are listed here."


class InboxScreen(ListScreen[InboxItem]):
    """The inbox of the user. Only notifications can be marked read; the rest goes when it is dealt with."""

    name_in_table = "inbox"
    BINDINGS = bindings("inbox", "list")
    title_words = "Inbox"
    columns = COLUMNS
    opens = "inbox.open"
    nothing_here = "Nothing to open."
    spans_projects = True

    def __init__(self) -> None:
        super().__init__()
        self._read_too = False
        self._inbox: Inbox | None = None
        self.changed_project: Id | None = None
        """The project that was changed from here last."""
        changes = InboxChanges(self)
        self.add(CardStatus(self, changes))
        self.add(CardEditing(self, changes))
        self.add(InboxGates(self))
        self.add(BlockerActions(self))
        self.previewer = self.add(InboxPreview(self))

    def place(self) -> str:
        unread = sum(line.unread for line in self.records.by_id.values())
        older = f"{self._inbox.older:,} older not listed" if self._inbox and self._inbox.older else ""
        facts = (f"{unread} unread" if unread else "", "with what is read" if self._read_too else "", older)
        return " · ".join([self.title_words, *filter(None, facts)])

    async def reload(self) -> None:
        self._inbox = await self.podium.query(ListInbox(read_too=self._read_too))
        self.access.authority = self.podium.me.authority
        self.listing.empty = NOTHING
        now, look = datetime.now(UTC), self.listing.look
        self.records.show((line, inbox_line(line, now, look)) for line in self._inbox.lines)
        self._take_line()

    def _describe(self) -> None:
        self._take_line()
        super()._describe()

    def _take_line(self) -> None:
        """Be about the project of the line: what is held there, and in which role."""
        line, inbox = self.records.current, self._inbox
        self.project_id = line.project_id if line else WORKSPACE
        self.access.held = inbox.held.get(self.project_id, frozenset()) if inbox else frozenset()
        role = inbox.roles.get(self.project_id) if inbox else None
        self.access.role_words = role.lower() if role else ""

    @property
    def undo_scope(self) -> Id:
        """The project that was changed from here last, also when its line has gone."""
        return self.changed_project or self.project_id

    def selection(self) -> Selection:
        """The card of the line, or the phase whose gate waits."""
        self._take_line()
        line = self.records.current
        card = card_of(line) if line else None
        waits = line is not None and line.concern is InboxReason.GATE
        phase = None
        if line and waits:
            missing = "" if line.ready else "what is missing"
            phase = PhaseRef(line.target_id, line.title.partition(" ")[2], is_ready=line.ready, missing=missing)
        cards = (card,) if card else ()
        nothing = NO_CARD if line else EMPTY
        return Selection(self.project_id, card, cards, phase=phase, permissions=self.access.held, nothing=nothing)

    def actions(self) -> Sequence[Action]:
        return (
            self.records.action("open", self.do_open),
            Action("mark_read", self.do_mark_read),
            Action("mark_all_read", self.do_mark_all_read),
            Action("toggle_read", self.do_toggle_read),
        )

    async def do_open(self, found: InboxItem) -> None:
        if found.unread and not found.wanted:
            await self.mark_all_about(found.target_id)
        if found.concern is InboxReason.ACCESS:
            await self.podium.open(ToPage.TOKENS)
            return
        to = ToPhase if found.target_kind == "PHASE" else ToCanvas
        await self.podium.open(to(found.project_id, found.target_id))
        if found.wanted:
            self.podium.begin(partial(ask_to_agree, self, found))

    async def do_mark_read(self) -> None:
        found = self.records.current
        if found is not None and found.notification_id is None:
            self.podium.toast("This disappears automatically when it is done.")
        elif found is not None:
            await self.mark_all_about(found.target_id, unread=not found.unread)

    async def mark_all_about(self, target_id: Id, *, unread: bool = False) -> None:
        """Mark all notifications about a record as read."""
        same = (each for each in self.records.by_id.values() if each.target_id == target_id and each.unread != unread)
        ids = tuple(each.notification_id for each in same if each.notification_id)
        if ids:
            await self.mark(MarkNotificationsRead(notification_ids=ids, unread=unread))

    async def do_mark_all_read(self) -> None:
        if any(line.unread for line in self.records.by_id.values()):
            await self.mark(MarkNotificationsRead())
            self.podium.toast("All read. Press A to show read ones.")
        else:
            self.podium.toast("Nothing is unread.")

    async def mark(self, command: MarkNotificationsRead) -> None:
        """Mark notifications as read or unread: the title line counts at once what the person themselves has read."""
        await self.podium.perform(command)
        await self.podium.inbox.count()

    async def do_toggle_read(self) -> None:
        self._read_too = not self._read_too
        await self.refresh_from_core()
        self.podium.toast("Showing read notifications." if self._read_too else "Read notifications hidden.")


def line_id(line: InboxItem) -> str:
    """A notification by its own id; what is due or waits by what it is about."""
    return line.notification_id or f"{line.concern} {line.target_id}"


def inbox_line(line: InboxItem, now: datetime, look: Styles) -> Line:
    """An unread one has a sign; a gate and what is late stand out by their headings."""
    sign = ("* " if look.signs is ASCII else "● ") if line.unread else "  "
    waits = line.concern in (InboxReason.GATE, InboxReason.DUE, InboxReason.ACCESS)
    late = line.concern is InboxReason.DUE and line.words != DUE_TODAY
    return Line(
        line_id(line),
        (
            ((sign, TextRole.ACCENT), *cell(line.title, TextRole.TITLE if line.unread or waits else TextRole.QUIET)),
            cell(line.words, TextRole.LATE if late else TextRole.SOON if waits else TextRole.QUIET),
            cell(line.project),
            cell(format_moment_short(line.at, now)) if line.at else (),
        ),
        section=LACKING if is_lacking(line) else HEADINGS[line.concern],
    )


class InboxPreview(Previewer):
    """The request of the line, and what it is about."""

    screen: InboxScreen

    def named(self) -> Previewed | None:
        line = self.screen.records.current
        return inbox_previewed(line, self.me) if line else None
