"""The inbox: gates that wait for me, what is due, and what others did that concerns me."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.worker import Worker

from core.actions.personal.inbox import (
    DUE_TODAY,
    OF_MEETINGS,
    Inbox,
    InboxItem,
    InboxReason,
    ListInbox,
    MarkNotificationsRead,
)
from core.codec.encoding import camel
from core.domain.model import WORKSPACE, Id, ItemKind, Status
from core.engine.messages import Command
from core.errors import LapsesApproval, PodiumError
from core.record import Record
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart
from tui.drawing.styles import ASCII, Styles, TextRole
from tui.keys.table import Key
from tui.screens.cards.blockers import BlockerActions
from tui.screens.cards.controller import CardChanges
from tui.screens.cards.editing import CardEditing
from tui.screens.cards.status import CardStatus
from tui.screens.framework.controller import Action, PhaseRef, Selection
from tui.screens.framework.dialogs import ask_reason, asking
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.phases.gates import PhaseGates
from tui.screens.previews.kinds import preview_of
from tui.services.cards import Target
from tui.services.destinations import ToCanvas, ToPage, ToPhase
from tui.widgets.columns import Column, Line, cell
from tui.wording.times import format_moment_short

if TYPE_CHECKING:
    from tui.services.card_commands import Change

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
    InboxReason.MEETING: "Waits for my decision",
    InboxReason.ABSENT: "Waits for my decision",
    InboxReason.STOP: "Waits for my decision",
    InboxReason.DUE: "Late or due today",
    InboxReason.ASSIGNED: "What others did",
    InboxReason.MENTIONED: "What others did",
    InboxReason.COMMAND: "What others did",
    InboxReason.CONTRADICTION: "What others did",
}

LACKING = "At my gates, not ready for my decision"

NOTHING = "Your inbox is empty\nAssignments, mentions (@login), due cards and gates that wait for you are listed here."

EMPTY = "Your inbox is empty."
NO_CARD = "This line is not about a task or an activity."
NO_GATE = "This line does not wait for an approval."
NO_MEETING = "This line is not about a meeting."
CONTRADICT = "The approval then ends, and your reason is in the record of the gate."
NOT_READY = "Press w to see what is missing; enter opens the phase."

NEXT_STEPS = {
    InboxReason.ACCESS: "Press enter to see it, and to revoke it.",
    InboxReason.GATE: "Press > to approve it here, or to vote; enter opens the phase.",
    InboxReason.DUE: "Press c to complete it here, or enter to open it.",
    InboxReason.ASSIGNED: "Press enter to open it, c to complete it here, or space to mark this read.",
    InboxReason.MENTIONED: "Press C to answer here, enter to open it, or space to mark this read.",
    InboxReason.CONSENT: "Press enter to see what it ends, and to agree; or space to mark this read.",
    **dict.fromkeys(OF_MEETINGS, "Press < to contradict it, enter to open the phase, or space to mark this read."),
    InboxReason.CONTRADICTION: "Press enter to open the phase, or space to mark this read.",
    InboxReason.STOP: "Press enter to open the phase, where > carries it out, or space to mark this read.",
    InboxReason.COMMAND: "Press enter to open it, or space to mark this read.",
}
"""What a line asks for, with the key that does it in the inbox."""


class InboxCard(Record, kw_only=False):
    """The card of a line, for the keys of cards."""

    id: Id
    kind: ItemKind
    title: str
    status: Status | None
    version: int
    key: str
    phase_id: Id = ""
    activity_id: Id | None = None


def card_of(line: InboxItem) -> InboxCard | None:
    """The task or activity that a line is about."""
    if line.status is None:
        return None
    return InboxCard(line.target_id, ItemKind(line.target_kind), line.title, line.status, line.version, line.key)


def is_lacking(line: InboxItem) -> bool:
    """Return whether the line is a gate at which more than the decision is missing."""
    return line.concern is InboxReason.GATE and not line.ready


def wanted_by(line: InboxItem) -> Command[Any]:
    """The command that a request for consent is about."""
    from core.actions.cards.bulk import BulkUpdate
    from core.wire.message_decoder import COMMANDS_FIELD, check_value

    steps: tuple[Command[Any], ...] = check_value(COMMANDS_FIELD, tuple, json.loads(line.wanted), camel)
    return steps[0] if len(steps) == 1 else BulkUpdate(project_id=line.project_id, commands=steps)


async def ask_to_agree(screen: InboxScreen, line: InboxItem) -> None:
    """Ask whether what another person wants may end an approval; with a reason, do it, and the line is read."""
    podium, wanted = screen.podium, wanted_by(line)
    try:
        await podium.dry_run(wanted)
        podium.toast("It ends no approval any more, so they can do it themselves.")
    except LapsesApproval as error:
        again = await podium.sending.obtain_consent(wanted, error)
        if again is not None and await podium.perform(again) is not None:
            await screen.mark(MarkNotificationsRead(notification_ids=(line.notification_id or "",)))
            podium.toast("Done, and the approval has ended. u to undo.")
    except PodiumError as refused:
        podium.show_error(refused)


class InboxChanges(CardChanges):
    """Changes of the card of a line, whose notifications are read once it is dealt with."""

    def __init__(self, screen: InboxScreen) -> None:
        super().__init__(screen)
        self._inbox = screen
        self._about: Id = ""

    def steps(self, cards: Sequence[Target], make: Change, *, tasks_first: bool = False) -> Sequence[Command[Any]]:
        self._inbox.changed_project = self._inbox.project_id
        self._about = cards[0].id
        return super().steps(cards, make, tasks_first=tasks_first)

    def report(self, results: Sequence[Any], cards: Sequence[Target], left_out: str = "") -> None:
        """Mark what was told of the card as read, unless the change was refused or its form was left."""
        super().report(results, cards, left_out)
        if any(result is not None for result in results):
            self._inbox.podium.begin(partial(self._inbox.mark_all_about, self._about))


async def ask_to_contradict(screen: InboxScreen, line: InboxItem) -> None:
    """Ask why what a secretary recorded of the user is not true; with a reason the approval ends."""
    from core.actions.workflow.gate_votes import ContradictMeeting

    title, make = f"Contradict the meeting on “{line.title}”", partial(ContradictMeeting, record_id=line.record_id)
    note = f"{line.words[:1].upper()}{line.words[1:]}. {CONTRADICT}"
    if await ask_reason(screen, title, make, submit="Contradict", note=note):
        screen.changed_project = line.project_id
        await screen.mark_all_about(line.target_id)
        screen.podium.toast(f"The approval of “{line.title}” has ended. u to undo.")


class InboxGates(PhaseGates):
    """Approve the gate that a line waits for, or contradict the meeting that a line is about."""

    screen: InboxScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("approve_gate", self.do_approve_gate, self._no_gate, offer=self._if_ready),
            Action("contradict", self.do_contradict, self._no_meeting, offer=self._if_meeting),
        )

    def _no_meeting(self, _key: Key) -> str:
        return "" if self._if_meeting() else NO_MEETING

    def _if_meeting(self) -> str:
        line = self.screen.records.current
        return "contradict" if line and line.concern in OF_MEETINGS else ""

    @asking
    async def do_contradict(self) -> None:
        if line := self.screen.records.current:
            await ask_to_contradict(self.screen, line)

    def _no_gate(self, _key: Key) -> str:
        """A gate that is not ready can still be voted against, and else is explained."""
        if self.selection.phase is not None:
            return ""
        return NO_GATE if self.screen.records.current else EMPTY

    def do_approve_gate(self) -> Worker[None]:
        self.screen.changed_project = self.screen.project_id
        return super().do_approve_gate()


class InboxScreen(ListScreen[InboxItem]):
    """The inbox of the user. Only notifications can be marked read; the rest goes when it is dealt with."""

    name_in_table = "inbox"
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
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        """The request of the line, then its card, phase or application."""
        line = self.records.current
        if line is None:
            return None
        step = NOT_READY if is_lacking(line) else NEXT_STEPS[line.concern]
        lines = (
            PreviewLine(f"{line.words[:1].upper()}{line.words[1:]}.", most=4),
            PreviewLine(step, text_role=TextRole.ACCENT, most=3),
        )
        asks = PreviewPart("What it asks", lines)
        if line.concern is InboxReason.ACCESS:
            page = PreviewPage(line.title, parts=(asks,))
            return Previewed(id=f"{line.target_id} {line.words}", title=line.title, query=None, draw=lambda *_: page)
        return preview_of(line.target_kind, line.target_id, line.title, asks)

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
            name, votes = line.title.partition(" ")[2], "vote" in line.words
            phase = PhaseRef(line.target_id, name, is_ready=line.ready, takes_votes=votes, missing=missing)
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
