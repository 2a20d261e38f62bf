"""The message when the user's own change has completed a phase, or all of its cards.

It says which phase is open now, or that the phase is ready for approval, and what the next key is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from core.domain.model import Id
from core.domain.readiness import ReadinessState
from core.errors import PodiumError
from core.text.dates import in_short
from core.text.phrases import count
from tui.keys.table import BY_ID
from tui.screens.framework.controller import OwnerScreen

if TYPE_CHECKING:
    from core.actions.workflow.next_phase import NextPhase, OpenPhase

SAVE_TEMPLATE = "canvas.save_template"
"""The key that enter presses when all phases are complete, where it works."""

APPROVE = ".approve_gate"
"""How the ids of the keys end that approve the phase under the cursor."""


async def announce_completed(
    screen: OwnerScreen, phase_ids: Iterable[Id], *, approved: bool = False, left_out: str = ""
) -> bool:
    """Say which of these phases is complete, and what is open now, or what is missing at its gate.

    Return False, and say nothing, if none is. The caller has just changed something in each of them, and none was
    complete before. ``left_out`` is a sentence
    about cards that were not changed.
    """
    from core.actions.workflow.next_phase import GetNextPhase

    for phase_id in dict.fromkeys(phase_ids):
        try:
            found = await screen.podium.query(GetNextPhase(phase_id=phase_id))
        except PodiumError:  # such as of a phase that was removed meanwhile; the change itself was told
            continue
        if (found.complete or found.gate.at_gate) and screen.is_alive:
            if found.complete:
                _announce(screen, found, approved, left_out)
            else:
                _announce_ready(screen, found, phase_id, left_out)
            return True
    return False


def _announce(screen: OwnerScreen, found: NextPhase, approved: bool, left_out: str) -> None:
    first = f"“{found.name}” {'approved' if approved else 'is complete'}."
    enter: Callable[[], Awaitable[object]] | None = None
    if found.project_complete:
        said = f"All {count(found.done, 'card')} are done." if found.done != 1 else "The one card is done."
        if SAVE_TEMPLATE in {key.id for key in screen.keys.live() if not screen.keys.why_not(key)}:
            said += " Enter to save the project as a template."
            enter = partial(screen.keys.run, BY_ID[SAVE_TEMPLATE])
    elif found.next is not None:
        said = f"“{found.next.name}” is open: {_work(found, found.next)}. Enter to go there."
        enter = partial(screen.phase_display.go_to, found.project_id, found.next.id, found.next.first_item_id)
        screen.phase_display.light(found.next.id)
    else:
        said = "u to undo."
    screen.podium.toast(f"{first} {said} {left_out}".rstrip(), enter=enter)


def _announce_ready(screen: OwnerScreen, found: NextPhase, phase_id: Id, left_out: str) -> None:
    """Say that all cards of a phase are done, and what its gate waits for."""
    approve = next((key for key in screen.keys.live() if key.id.endswith(APPROVE)), None)
    enter: Callable[[], Awaitable[object]] | None = None
    said = ""
    if approve is None:
        said = "Enter to go there."
        enter = partial(screen.phase_display.go_to, found.project_id, phase_id, None)
    elif found.gate.is_ready(found.deciders) and not screen.keys.why_not(approve):
        said = "> to vote." if found.gate.votes else "> to approve it."
    elif found.gate.state is ReadinessState.NOT_READY:
        said = "> to see all of it."
    words = found.gate.words(found.deciders)
    verb = "is" if words.startswith(("ready", "held", "not decided")) else "has" if found.gate.missing else ""
    first = " ".join(filter(None, (f"“{found.name}”", verb, words)))
    screen.podium.toast(f"{first}. {said} {left_out}".rstrip(), enter=enter)


def _work(found: NextPhase, phase: OpenPhase) -> str:
    """The open work of a phase: "3 tasks, first due 15 Jan"."""
    if not phase.items:
        return "no cards yet"
    cards = count(phase.items, "task" if phase.tasks == phase.items else "card")
    return f"{cards}, first due {in_short(phase.first_due, found.today)}" if phase.first_due else cards
