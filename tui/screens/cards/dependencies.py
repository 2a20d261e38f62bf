"""The cards that a card waits for: the key that chooses them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from core.domain.model import Id, ItemKind, Status
from core.domain.statuses import CLOSED
from core.errors import PodiumError
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.screens.cards.controller import CardController
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.screens.framework.open_projects import read_open_project
from tui.services.cards import Target

if TYPE_CHECKING:
    from core.actions.cards.details import CardDetail
    from core.domain.canvas import Canvas
    from core.engine.messages import Command
    from tui.dialogs.menus.picker import Option

NO_WAITING = "An application waits for no card. Let its activity wait."
LATER = "A card cannot wait for a card of a later phase."
ONE_AT_A_TIME = "Choose what one card waits for at a time. Press esc to clear the marks."


UNSEEN = "unseen"
"""The option in the place of the cards that the user cannot see, whose ids no answer has."""


class CardDependencies(CardController):
    """Choose the cards that the selected card waits for."""

    def actions(self) -> Sequence[Action]:
        return (self.change("waits_for", self.do_waits_for, NO_WAITING),)

    @asking
    async def do_waits_for(self) -> None:
        from core.actions.cards.details import GetCard
        from core.actions.workflow.canvas import GetCanvas
        from tui.dialogs.waits_for import WaitsForDialog

        cards = [card for card in self.changes.some() if card.kind is not ItemKind.APPLICATION]
        if len(cards) > 1:
            self.podium.toast(ONE_AT_A_TIME, severity="warning")
        if len(cards) != 1:
            return
        detail = await self.podium.query(GetCard(item_id=cards[0].id))
        project_id = detail.item.project_id
        canvas: Canvas | None = await read_open_project(self.podium, project_id)
        if canvas is None:
            canvas = await self.podium.query(GetCanvas(project_id=project_id))
        now = {each.id for each in detail.linked.waits_for if not each.through_activity}
        now |= {UNSEEN} if detail.linked.removable_unseen else set()
        signs = ASCII if self.podium.ascii else UNICODE
        options, later = _options(detail, canvas, signs), _later(detail, canvas)

        async def look_up(key: str) -> Option | None:
            return await self._look_up(key, later, signs)

        picked = await self.podium.ask(WaitsForDialog(detail.item.title, options, now, look_up))
        if picked is not None:
            await self._save(cards[0], now, set(picked))

    async def _look_up(self, key: str, later: Collection[Id], signs: Symbols) -> Option | None:
        from core.actions.cards.details import GetCard
        from tui.dialogs.menus.picker import Option

        try:
            detail = await self.podium.query(GetCard(item_id=key))
        except PodiumError:
            return None
        item = detail.item
        label = _label(signs, item.status, item.kind, detail.key, item.title)
        return Option(item.id, label, detail.phase.name, LATER if item.phase_id in later else "")

    async def _save(self, card: Target, before: set[Id], after: set[Id]) -> None:
        from core.actions.cards.bulk import BulkUpdate
        from core.actions.dependencies.links import LinkCards, UnlinkCards

        commands: list[Command[Any]] = [
            *(
                UnlinkCards(waiting_id=card.id, blocker_id=None if each == UNSEEN else each, unseen=each == UNSEEN)
                for each in sorted(before - after)
            ),
            *(LinkCards(waiting_id=card.id, blocker_id=each) for each in sorted(after - before)),
        ]
        if not commands:
            return
        project_id = getattr(card, "project_id", None) or self.selection.project_id
        step = (
            commands[0]
            if len(commands) == 1
            else BulkUpdate(project_id=project_id, commands=tuple(commands), atomic=True)
        )
        await self.podium.perform(step)


def _options(detail: CardDetail, canvas: Canvas, signs: Symbols) -> list[Option]:
    """The cards that the card waits for, then those of the project that it can wait for, the open ones first."""
    from core.text.phrases import count
    from core.text.short_keys import card_key
    from tui.dialogs.menus.picker import Option

    names = {column.id: column.name for column in canvas.head.columns}
    later = _later(detail, canvas)
    linked = {each.id: each for each in detail.linked.waits_for if not each.through_activity}
    found = [
        Option(
            each.id,
            _label(signs, each.status, each.kind, each.key, each.title),
            " · ".join(filter(None, (each.project, each.phase))),
        )
        for each in linked.values()
    ]
    if hidden := detail.linked.removable_unseen:
        found.append(Option(UNSEEN, f"{count(hidden, 'card')} that you cannot see", "Unmark to wait for none of them."))
    others = [
        card for card in canvas.cards if card.status not in (None, Status.ARCHIVED) and card.phase_id not in later
    ]
    for card in sorted(others, key=lambda each: each.status in CLOSED):
        if card.id != detail.item.id and card.id not in linked:
            label = _label(signs, card.status, card.kind, card_key(canvas.head.key, card.number), card.title)
            found.append(Option(card.id, label, names[card.phase_id]))
    return found


def _later(detail: CardDetail, canvas: Canvas) -> set[Id]:
    """The phases after that of the card: it can wait for none of their cards."""
    ids = [column.id for column in canvas.head.columns]
    return set(ids[ids.index(detail.item.phase_id) + 1 :])


def _label(signs: Symbols, status: Status | None, kind: ItemKind, key: str, title: str) -> str:
    return f"{signs.of(status, kind is ItemKind.ACTIVITY)} {key} {title}"
