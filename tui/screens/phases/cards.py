"""The open cards of a phase, on its screen: listed, and opened by a key or a double click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from core.actions.cards.details import PhaseDetail
from core.domain.canvas import CanvasMember, Card
from core.domain.model import ItemKind
from core.text.dates import format_due
from core.text.phrases import some
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.services.destinations import ToCard
from tui.widgets.detail_page import Heading, TextBlock
from tui.widgets.option_list import OpenedRows, Row
from tui.wording.facts import quiet

if TYPE_CHECKING:
    from tui.screens.phases.phase import PhaseScreen

NAMED = 2
"""The most people of a card that are named."""

NONE_OPEN = "No card of this phase is open."


class CardRows(OpenedRows):
    """The open cards of the phase."""

    class Opened(OpenedRows.Opened):
        """A card was opened."""


class PhaseCards(Controller):
    """List the open cards of a phase, and open one."""

    screen: PhaseScreen

    def actions(self) -> Sequence[Action]:
        return (Action("open_card", self.do_open_card, self._none),)

    def widgets(self) -> Iterator[Widget]:
        """The list under its heading."""
        yield Heading("Open cards", id="cards")
        yield TextBlock(id="no-cards")
        yield CardRows(id="card-rows", on_page=True)

    def show(self, detail: PhaseDetail, team: Sequence[CanvasMember]) -> None:
        """Draw the list."""
        screen, cards = self.screen, detail.open_cards
        names = {member.user_id: member.name for member in team}
        signs = ASCII if self.podium.ascii else UNICODE
        screen.query_one("#cards", Heading).put(f"{detail.tally.open}" if cards else "")
        more = detail.tally.open - len(cards)
        none = "" if cards else "No cards yet" if not detail.tally.total else "All done"
        note = quiet(none or f"{more} more are on the Canvas") if none or more > 0 else Content("")
        screen.query_one("#no-cards", TextBlock).put(note)
        screen.query_one("#card-rows", CardRows).show([_row(card, signs, names) for card in cards])

    def _none(self, _key: Key) -> str:
        return "" if self.screen.detail is None or self.screen.detail.open_cards else NONE_OPEN

    @asking
    async def do_open_card(self) -> None:
        """Open the card; ask which where there are several."""
        cards = self.screen.detail.open_cards if self.screen.detail else ()
        picked: tuple[str, ...] | None = (cards[0].id,) if len(cards) == 1 else None
        if len(cards) > 1:
            options = [Option(card.id, card.title) for card in cards]
            picked = await self.podium.ask(PickDialog("Open which card?", options))
        if picked:
            await self.podium.open(ToCard(self.screen.project_id, picked[0]))


def _row(card: Card, signs: Symbols, names: dict[str, str]) -> Row:
    """Its sign and title; then its date and its people."""
    people = some([names[user_id] for user_id in card.assignee_ids if user_id in names], NAMED)
    due = format_due(card.due, date.today()) if card.due else ""
    sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
    return Row(f"{sign} {card.title}", " · ".join(fact for fact in (due, people) if fact))
