"""The open cards and the applications of a phase, on its screen: listed, added, launched, opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from textual.content import Content
from textual.widget import Widget

from core.actions.cards.application_lists import ApplicationSummary
from core.actions.cards.details import PhaseDetail
from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id, ItemKind
from core.domain.permissions import Permission
from core.text.dates import format_due
from core.text.phrases import some
from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.markdown.blocks import Link, links_of
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.keys.table import Key
from tui.launch.actions import launch
from tui.launch.links import open_link
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.framework.page_screen import PageScreen
from tui.screens.products.launch_or_open import launching, link_entries
from tui.screens.products.new_application import ask_new_application
from tui.services.destinations import ToApplication, ToCard
from tui.widgets.detail_page import Heading, TextBlock
from tui.widgets.option_list import OpenedRows, Row
from tui.wording.facts import quiet

NAMED = 2
"""The most people of a card that are named."""

NONE_OPEN = "No card of this phase is open."


class CardRows(OpenedRows):
    """The open cards of the phase."""

    class Opened(OpenedRows.Opened):
        """A card was opened."""


class PhaseCards(Controller):
    """List the open cards of a phase, and open one."""

    screen: PageScreen[PhaseDetail]

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
        screen.query_one("#card-rows", CardRows).show([_card_row(card, signs, names) for card in cards])

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


def _card_row(card: Card, signs: Symbols, names: dict[str, str]) -> Row:
    """Its sign and title; then its date and its people."""
    people = some([names[user_id] for user_id in card.assignee_ids if user_id in names], NAMED)
    due = format_due(card.due, date.today()) if card.due else ""
    sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
    return Row(f"{sign} {card.title}", " · ".join(fact for fact in (due, people) if fact))


class ApplicationRows(OpenedRows):
    """The applications of the phase."""

    class Opened(OpenedRows.Opened):
        """An application was opened."""


class PhaseApplications(Controller):
    """List the applications of a phase, add one, launch one and open one."""

    screen: PageScreen[PhaseDetail]

    def actions(self) -> Sequence[Action]:
        return (
            Action("add_application", self.do_add_application),
            Action("launch", self.do_launch, self._nothing_to_open, self._to_launch),
            Action("open_application", self.do_open_application, self._none),
        )

    def widgets(self) -> Iterator[Widget]:
        """The list under its heading."""
        yield Heading("Applications", id="applications")
        yield TextBlock(id="no-applications")
        yield ApplicationRows(on_page=True)

    def show(self, lines: Sequence[ApplicationSummary]) -> None:
        """Draw the list."""
        screen = self.screen
        screen.query_one("#applications", Heading).put(str(len(lines)) if lines else "")
        screen.query_one("#no-applications", TextBlock).put(Content("") if lines else quiet("None yet · + to add one"))
        sign = (ASCII if self.podium.ascii else UNICODE).application
        screen.query_one(ApplicationRows).show([_application_row(line, sign) for line in lines])

    @asking
    async def do_add_application(self) -> None:
        selection = self.selection
        if selection.phase is not None:
            await ask_new_application(self.screen, selection.team, phase_id=selection.phase.id)

    @property
    def _lines(self) -> Sequence[ApplicationSummary]:
        return self.screen.detail.applications if self.screen.detail else ()

    def _none(self, _key: Key) -> str:
        return "" if self._lines else "No application here. Press + to add one."

    @property
    def _links(self) -> Sequence[Link]:
        """The links in objectives and outcomes."""
        detail = self.screen.detail
        return links_of(detail.phase.objectives, detail.phase.outcomes) if detail else ()

    def _nothing_to_open(self, key: Key) -> str:
        return "" if self._links else self._none(key)

    def _to_launch(self, key: Key) -> Sequence[Permission]:
        """To open a link takes no permission."""
        return () if self._links or key.needs is None else (key.needs,)

    @launching
    async def do_launch(self) -> None:
        """Launch an application, or open a link."""
        if self._links:
            await self._open_or_launch()
            return
        picked = await self._ask_which("Launch which application?")
        if picked is not None:
            await launch(self.podium, picked)

    async def _open_or_launch(self) -> None:
        refusal = self.screen.access.reason(Permission.APPLICATION_LAUNCH)
        entries = [
            MenuEntry(each.application.id, "", f"Launch “{each.application.name}”", refusal) for each in self._lines
        ]
        entries += link_entries(self._links)
        meant: str | None = entries[0].id
        if len(entries) > 1:
            meant = await self.podium.ask(KeyMenu("Launch or open", entries))
        if meant in [link.url for link in self._links]:
            open_link(self.podium, str(meant))
        elif meant is not None:
            await launch(self.podium, meant)

    @asking
    async def do_open_application(self) -> None:
        picked = await self._ask_which("Open which application?")
        if picked is not None:
            await self.podium.open(ToApplication(self.screen.project_id, picked))

    async def _ask_which(self, question: str) -> Id | None:
        """The application of the phase; where there are several, the one that the user picks."""
        lines = self._lines
        if len(lines) < 2:
            return lines[0].application.id if lines else None
        options = [Option(each.application.id, each.application.name, each.product.name) for each in lines]
        picked = await self.podium.ask(PickDialog(question, options))
        return picked[0] if picked else None


def _application_row(line: ApplicationSummary, sign: str) -> Row:
    """Its name; then its date, its product unless it has the name of it, the activity that holds it, its people."""
    application = line.application
    facts = (
        format_due(application.due, date.today()) if application.due else "",
        line.product.name if line.product.name != application.name else "",
        f"on {line.activity}" if line.activity else "",
        ", ".join(person.name for person in line.people),
    )
    return Row(f"{sign} {application.name}", " · ".join(fact for fact in facts if fact))
