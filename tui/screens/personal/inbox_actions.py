"""The keys that act on what a line of the inbox asks: approve the gate, complete the card, answer a comment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.worker import Worker

from core.actions.personal.inbox import InboxItem, InboxReason, MarkNotificationsRead
from core.codec.encoding import camel
from core.domain.model import Id, ItemKind, Status
from core.engine.messages import Command
from core.errors import LapsesApproval, PodiumError
from core.record import Record
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart
from tui.drawing.styles import TextRole
from tui.keys.table import Key
from tui.screens.cards.changes import CardChanges
from tui.screens.framework.controller import Action
from tui.screens.framework.previewer import Previewed
from tui.screens.phases.gates import PhaseGates
from tui.screens.previews.cards import application_previewed, card_previewed
from tui.screens.previews.lines import preceded
from tui.screens.previews.phases import phase_previewed
from tui.services.cards import Target

if TYPE_CHECKING:
    from tui.screens.personal.inbox import InboxScreen
    from tui.services.card_commands import Change

EMPTY = "Your inbox is empty."
NO_CARD = "This line is not about a task or an activity."
NO_GATE = "This line does not wait for an approval."
NOT_READY = "Press w to see what is missing; enter opens the phase."

NEXT_STEPS = {
    InboxReason.ACCESS: "Press enter to see it, and to revoke it.",
    InboxReason.GATE: "Press > to approve it here; enter opens the phase.",
    InboxReason.DUE: "Press c to complete it here, or enter to open it.",
    InboxReason.ASSIGNED: "Press enter to open it, c to complete it here, or space to mark this read.",
    InboxReason.MENTIONED: "Press C to answer here, enter to open it, or space to mark this read.",
    InboxReason.CONSENT: "Press enter to see what it ends, and to agree; or space to mark this read.",
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
    from core.wire.message_decoder import COMMANDS_FIELD, checked

    steps: tuple[Command[Any], ...] = checked(COMMANDS_FIELD, tuple, json.loads(line.wanted), camel)
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

    def report(self, results: Sequence[Any], left_out: str = "", cards: int = 0) -> None:
        """Mark what was told of the card as read, unless the change was refused or its form was left."""
        super().report(results, left_out, cards)
        if any(result is not None for result in results):
            self._inbox.podium.begin(partial(self._inbox.mark_all_about, self._about))


class InboxGates(PhaseGates):
    """Approve the gate that a line waits for."""

    screen: InboxScreen

    def actions(self) -> Sequence[Action]:
        return (Action("approve_gate", self.do_approve_gate, self._no_gate, offer=self._if_ready),)

    def _no_gate(self, _key: Key) -> str:
        if (phase := self.selection.phase) is not None:
            return "" if phase.is_ready else f"“{phase.name}” is not ready for approval. w says what is missing."
        return NO_GATE if self.screen.records.current else EMPTY

    def do_approve_gate(self) -> Worker[None]:
        self.screen.changed_project = self.screen.project_id
        return super().do_approve_gate()


def inbox_previewed(line: InboxItem, me: Id) -> Previewed:
    """The request of a line, then its card, phase or application."""
    asks = PreviewPart(
        "What it asks",
        (
            PreviewLine(f"{line.words[:1].upper()}{line.words[1:]}.", most=4),
            PreviewLine(NOT_READY if is_lacking(line) else NEXT_STEPS[line.concern], text_role=TextRole.ACCENT, most=3),
        ),
    )
    about = line.target_id
    if line.concern is InboxReason.ACCESS:
        page = PreviewPage(line.title, parts=(asks,))
        return Previewed(id=f"{about} {line.words}", title=line.title, query=None, draw=lambda *_: page)
    if line.target_kind == "PHASE":
        return preceded(phase_previewed(about, line.title, me), asks)
    if line.target_kind == "APPLICATION":
        return preceded(application_previewed(about, line.title, me), asks)
    return preceded(card_previewed(about, line.title, me), asks)
