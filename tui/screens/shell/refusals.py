"""A refusal with its ways out: override the lock, approve the phase before, go to what blocks, or ask an owner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard
from core.actions.projects.members import ListMembers
from core.actions.workflow.gates import CheckGate
from core.domain.gates import Decision
from core.domain.model import WORKSPACE, Id, ItemKind, ProjectRole
from core.domain.permissions import Permission
from core.domain.readiness import NAMED
from core.errors import Blocker, CardBlocked, PhaseLocked, PodiumError, RuleViolation
from core.text.phrases import names, some
from tui.dialogs.blockers import BlockersDialog, WayOut
from tui.dialogs.fields.form_fields import MultilineField
from tui.screens.framework.controller import PhaseRef
from tui.screens.framework.dialogs import show_form
from tui.screens.phases.gates import ask_decision, ask_override
from tui.services.destinations import ToCard

if TYPE_CHECKING:
    from tui.screens.framework.screen import PodiumScreen
    from tui.services.cards import Target
    from tui.services.host import Host

OWNERS_NAMED = 2
"""The most owners whose names stand in the way to ask them; the comment mentions all."""

Ways = dict[str, tuple[WayOut, Callable[[], Awaitable[object]]]]
"""The ways out by their keys, and what each does."""


async def explain(app: Host, screen: PodiumScreen, error: RuleViolation, title: str = "") -> None:
    """Show a refusal, and do what the user picks."""
    try:
        ways = await _ways(screen, error)
    except PodiumError:  # without them the refusal is shown all the same
        ways = {}
    offered = [way for way, _ in ways.values()]
    helps = Permission.WORKFLOW_MANAGE if isinstance(error, PhaseLocked) else Permission.DELIVER
    note = _helpers(error, app.me.user.name if helps in screen.access.held else "")
    picked = await app.ask(BlockersDialog(title or error.title, str(error), error.blockers, note, offered))
    if not screen.is_alive:
        return
    try:
        if isinstance(picked, Blocker) and picked.project_id:
            await app.open(ToCard(picked.project_id, picked.id))
        elif isinstance(picked, Blocker):
            await screen.jump_to(picked)
        elif picked is not None:
            await ways[picked.key][1]()
    except PodiumError as refused:
        app.show_error(refused)


def _helpers(error: RuleViolation, me: str) -> str:
    """The people who can help; the one who is the user, with the name ``me``, is "you"."""
    people = [*error.who_can]
    if me in people:
        people.remove(me)  # once: another owner can have the same name
        people.insert(0, "You")
    if not people:
        return ""
    return f"{some(people, NAMED)} can {'unlock it' if isinstance(error, PhaseLocked) else 'help'}."


async def _ways(screen: PodiumScreen, error: RuleViolation) -> Ways:
    """The ways out that are open to the user. Raises PodiumError."""
    held = screen.access.held
    if screen.project_id == WORKSPACE:
        return {}
    ways: Ways = {}
    await _add_decisions(screen, error, ways)
    asks = not ways and Permission.WORKFLOW_MANAGE not in held and Permission.COMMENT_ADD in held
    if asks and (card := _card_of(screen, error)) is not None:
        owners = await _owners(screen.project_id, screen.podium)
        if owners:
            who = some([name for _, name in owners], OWNERS_NAMED)
            ways["@"] = (
                WayOut("@", f"Ask {who} by a comment on “{card.title}”"),
                partial(_ask_owners, screen, card, owners),
            )
    return ways


async def _add_decisions(screen: PodiumScreen, error: RuleViolation, ways: Ways) -> None:
    """Add the decisions that the user can make: override the lock, approve the phase that only waits for that."""
    overrides, decides = (code in screen.access.held for code in (Permission.WORKFLOW_MANAGE, Permission.GATE_DECIDE))
    if overrides and isinstance(error, PhaseLocked):
        locked = (await screen.podium.query(CheckGate(phase_id=error.phase_id))).phase
        phase = PhaseRef(locked.id, locked.name)
        ways["!"] = (
            WayOut("!", f"Override the lock of “{locked.name}”"),
            partial(ask_decision, screen, Decision.OVERRIDE, phase),
        )
    if overrides and isinstance(error, CardBlocked):
        card = (await screen.podium.query(GetCard(item_id=error.card_id))).item
        ways["!"] = (
            WayOut("!", f"Override what “{card.title}” waits for"),
            partial(ask_override, screen, card.id, card.title),
        )
    waiting = next((each.id for each in error.blockers if each.kind == "PHASE"), None)
    if decides and waiting is not None:
        check = await screen.podium.query(CheckGate(phase_id=waiting))
        if check.can_approve:
            from tui.screens.phases.votes import ask_at_gate

            phase = PhaseRef(check.phase.id, check.phase.name)
            ways[">"] = (
                WayOut(">", f"{'Vote on' if check.panel.policy else 'Approve'} “{phase.name}”"),
                partial(ask_at_gate, screen, phase),
            )


def _card_of(screen: PodiumScreen, error: RuleViolation) -> Target | None:
    """The selected card, if the refusal is about it."""
    card = screen.selection().card
    is_meant = card is not None and card.kind is not ItemKind.APPLICATION and f"“{card.title}”" in str(error)
    return card if is_meant else None


async def _owners(project_id: Id, app: Host) -> list[tuple[str, str]]:
    """Login and name of the other owners of a project."""
    members = await app.query(ListMembers(project_id=project_id))
    owners = [each.user for each in members if each.role is ProjectRole.OWNER and each.user.active]
    return [(user.login, user.name) for user in owners if user.id != app.me.user.id]


async def _ask_owners(screen: PodiumScreen, card: Target, owners: list[tuple[str, str]]) -> None:
    """Ask for a comment on the card that mentions the owners already."""

    async def save(values: dict[str, str]) -> object:
        return await screen.podium.send(AddComment(item_id=card.id, text=values["text"]))

    mentions = " ".join(f"@{login}" for login, _ in owners)
    field = MultilineField("text", "Comment", f"{mentions} ", people=tuple(owners))
    if await show_form(screen, f"Ask about “{card.title}”", [field], save, submit="Send", about=card.id):
        screen.podium.toast(f"Asked {names([name for _, name in owners])}. u to undo.")
