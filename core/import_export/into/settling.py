"""The statuses that the cards of an import can have, by the rules that hold for changes by hand.

The phases are settled in their order, since what completes one opens the next. In a locked phase a card cannot start or
be completed, nor can one that waits for an open card; an activity with an open task is not complete.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from core.domain.model import GateState, Id, Phase, PhaseState, Status
from core.domain.phase_states import NEEDS_UNLOCKED, is_complete
from core.domain.statuses import CLOSED, STATUS_WORDS, ItemCounts
from core.engine.unit_of_work import Snapshot
from core.errors import RuleViolation
from core.import_export.into.here import IncomingCard
from core.import_export.into.matching import Matching
from core.import_export.into.plan import LineNote
from core.record import replace
from core.rules.gate_conditions import check_completed, conditions_of


class Settlement:
    """The statuses of all cards, with the approvals that end and the phases that lock again."""

    def __init__(self, view: Snapshot, matching: Matching) -> None:
        self._view, self._matching, self._here = view, matching, matching.here
        self._refused: dict[Id, str] = {}
        """Why cards cannot be completed, as conditions of gates, or not be moved."""
        self._check_conditions()
        while not self._settle():
            pass
        matching.notes += self.notes

    def _check_conditions(self) -> None:
        """Find the conditions of gates that the sender cannot complete."""
        cards = self._matching.cards.values()
        done = {each.id: each for each in cards if each.item and each.wanted is Status.COMPLETED and each.enters_wanted}
        for found in conditions_of(self._view, self._here.project.id, "item_id", done.keys()):
            item = self._here.items[found.condition.item_id or ""]
            try:
                check_completed(self._view, [item])
            except RuleViolation as refused:
                self._refused[item.id] = str(refused)

    def _settle(self) -> bool:
        """Settle all phases in their order. Returns False where a card cannot be moved, and now stays where it was."""
        self.notes: list[LineNote] = []
        self.ended: dict[Id, list[str]] = {}
        """What ends the approval of a phase, in words, by the phase."""
        self.relocked: list[str] = []
        cards = self._matching.cards
        of_phase, left = defaultdict[Id, list[IncomingCard]](list), defaultdict[Id, list[IncomingCard]](list)
        self._tasks = defaultdict[Id, list[IncomingCard]](list)
        for card in cards.values():
            card.status, card.archived_with = card.wanted, None
            of_phase[card.phase_id].append(card)
            if card.moves and card.item:
                left[card.item.phase_id].append(card)
            if card.activity_id:
                self._tasks[card.activity_id].append(card)
        if self._keep_order():
            return False
        is_whole = True
        for phase in self._matching.phases:
            is_locked = not is_whole and not phase.overridden
            here = of_phase[phase.id]
            for card in here:
                self._settle_archived(card)
            if is_locked and (stuck := [each for each in here if _is_stuck(each)]):
                for card in stuck:
                    why = f"“{phase.name}” is locked and it is {STATUS_WORDS[card.wanted]}"
                    self._stay(card, why)
                return False
            self._settle_cards(phase, here, is_locked)
            is_over = self._end(phase, here, left[phase.id])
            found = is_complete(replace(phase, gate_state=GateState.NONE) if is_over else phase, _count(here))
            was = self._here.workflow.states.get(phase.id)
            if was is PhaseState.OPEN and not found and is_locked:
                self.relocked.append(phase.name)
            is_whole = is_whole and found
        return True

    def _keep_order(self) -> bool:
        """Leave a card in its phase that would wait for one of a later phase, or be waited for. True for any."""
        cards = self._matching.cards
        place = {phase.id: number for number, phase in enumerate(self._matching.phases)}
        is_found = False
        for card in cards.values():
            for blocker in self._matching.blockers(card):
                other = cards.get(blocker, card)
                moved = next((each for each in (card, other) if each.moves), None)
                if place[other.phase_id] > place[card.phase_id] and moved:
                    self._stay(moved, f"“{card.title}” waits for “{other.title}”, which is not in a later phase")
                    is_found = True
        return is_found

    def _stay(self, card: IncomingCard, why: str) -> None:
        """Leave a card, and its activity or its tasks, in its phase."""
        self._matching.notes.append(card.note(f"It stays in its phase, because {why}."))
        activity = self._matching.cards.get(card.activity_id or "")
        first = activity if activity and activity.moves else card
        assert first.item is not None
        for each in (first, *self._tasks[first.id]):
            each.phase_id = first.item.phase_id
            if each.item and not each.moves:
                each.activity_id = each.item.activity_id
            each.taken -= {"phase", "activity"} if each.item else set()

    def _settle_cards(self, phase: Phase, cards: Sequence[IncomingCard], is_locked: bool) -> None:
        entering = [each for each in cards if each.status in NEEDS_UNLOCKED and each.enters]
        for card in entering:
            if is_locked:
                self._lower(card, f"“{phase.name}” is locked until the phases before it are complete.")
            elif card.id in self._refused:
                self._lower(card, self._refused[card.id])
        again = True
        while again:
            again = False
            for card in entering:
                if card.enters and card.status in NEEDS_UNLOCKED and (blocker := self._blocker(card)):
                    self._lower(card, f"It waits for {blocker}, which is open.")
                    again = True
            for activity in cards:
                again = (activity.is_activity and self._follow_tasks(activity, is_locked)) or again

    def _settle_archived(self, card: IncomingCard) -> None:
        """Archive the tasks of an activity that is archived; no task is open in one that was archived before."""
        activity = self._matching.cards.get(card.activity_id or "")
        if activity is None or activity.wanted is not Status.ARCHIVED or card.status is Status.ARCHIVED:
            if card.entry and card.status is Status.ARCHIVED and card.entry.archived_with_activity:
                card.archived_with = card.activity_id if card.enters else None
            return
        if activity.enters_wanted:
            card.status, card.archived_with = Status.ARCHIVED, activity.id
        elif card.before is Status.ARCHIVED:
            card.status = Status.ARCHIVED
            self.notes.append(card.note(f"It stays archived, because its activity “{activity.title}” is."))
        else:
            card.activity_id = None
            self.notes.append(card.note(f"It is beside its activity “{activity.title}”, which is archived here."))

    def _follow_tasks(self, activity: IncomingCard, is_locked: bool) -> bool:
        """Reopen an activity with an open task, and start one whose task starts. Returns True if it has changed."""
        tasks = [each for each in self._tasks[activity.id] if each.activity_id == activity.id]
        started = Status.TO_DO if is_locked or self._blocker(activity) else Status.IN_PROGRESS
        if activity.status is Status.COMPLETED and any(each.status not in CLOSED for each in tasks):
            activity.status = started
            self.notes.append(activity.note(f"It is {STATUS_WORDS[started]}, because a task in it is open."))
            return True
        starts = any(each.enters and each.status is Status.IN_PROGRESS for each in tasks)
        if activity.item and activity.status is Status.TO_DO and starts and started is Status.IN_PROGRESS:
            activity.status = started
            return True
        return False

    def _blocker(self, card: IncomingCard) -> str:
        """An open card that a card, or its activity, waits for; "" for none."""
        for each in filter(None, (card, self._matching.cards.get(card.activity_id or ""))):
            if each.id in self._here.blocked_elsewhere:
                return "a card of another project"
            for blocker in self._matching.blockers(each):
                other = self._matching.cards.get(blocker)
                if other and other.status not in CLOSED:
                    return f"“{other.title}”"
        return ""

    def _lower(self, card: IncomingCard, why: str) -> None:
        """Give a card the status that it has, or To Do, because it cannot have the one of the file."""
        wanted = STATUS_WORDS[card.status]
        card.status = card.before if card.before and card.before is not Status.ARCHIVED else Status.TO_DO
        self.notes.append(card.note(f"It is {STATUS_WORDS[card.status]}, not {wanted}: {why}"))

    def _end(self, phase: Phase, cards: Collection[IncomingCard], left: Collection[IncomingCard]) -> bool:
        """Note what ends the approval of a phase. Returns True if it ends."""
        if phase.gate_state is not GateState.PASSED:
            return False
        words = [f"“{each.title}” was moved out" for each in left]
        for card in cards:
            if card.before is None:
                words.append(f"“{card.title}” was added")
            elif card.moves:
                words.append(f"“{card.title}” was moved in")
            elif (card.before in CLOSED) != (card.status in CLOSED):
                how = "completed" if card.status in CLOSED else "reopened"
                words.append(f"“{card.title}” was {how}")
        if words:
            self.ended[phase.id] = words
        return bool(words)


def _is_stuck(card: IncomingCard) -> bool:
    """True for a card that has a status which it cannot have in a locked phase that it would be moved to."""
    return card.moves and card.before in NEEDS_UNLOCKED and card.status in NEEDS_UNLOCKED


def _count(cards: Collection[IncomingCard]) -> ItemCounts:
    found = Counter(card.status for card in cards)
    return ItemCounts(**{status.lower(): number for status, number in found.items()})
