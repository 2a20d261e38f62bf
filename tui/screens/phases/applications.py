"""The applications of a phase, on its screen: listed, added, opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from core.actions.cards.application_lists import ApplicationSummary
from core.domain.model import Id
from core.text.dates import format_due
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.styles import ASCII, UNICODE
from tui.labels.facts import people_words, quiet
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.products.new_application import ask_new_application
from tui.services.destinations import ToApplication
from tui.widgets.detail_page import Heading, TextBlock
from tui.widgets.option_list import Row, Rows

if TYPE_CHECKING:
    from tui.screens.phases.phase import PhaseScreen


class ApplicationRows(Rows):
    """The applications of the phase, without a cursor; a double click opens one."""

    class Opened(Message):
        """An application was opened."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def on_click(self, event: Click) -> None:
        event.prevent_default()
        if event.chain == 2 and event.y <= self.last:
            self.post_message(self.Opened(event.y))


class PhaseApplications(Controller):
    """List the applications of a phase, add one and open one."""

    screen: PhaseScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("add_application", self.do_add_application),
            Action("open_application", self.do_open_application),
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
        screen.query_one("#no-applications", TextBlock).put(Content("") if lines else quiet("None yet · + adds one"))
        sign = (ASCII if self.podium.ascii else UNICODE).application
        screen.query_one(ApplicationRows).show([_row(line, sign) for line in lines])

    @asking
    async def do_add_application(self) -> None:
        selection = self.selection
        if selection.phase is not None:
            await ask_new_application(self.screen, selection.team, phase_id=selection.phase.id)

    @asking
    async def do_open_application(self) -> None:
        """Open the application of the phase; ask which where there are several."""
        lines = self.screen.detail.applications if self.screen.detail else ()
        if not lines:
            self.podium.toast("No application here. Press + to add one.")
            return
        picked: tuple[Id, ...] | None = (lines[0].application.id,)
        if len(lines) > 1:
            options = [Option(each.application.id, each.application.name, each.product.name) for each in lines]
            picked = await self.podium.ask(PickDialog("Open which application?", options))
        if picked:
            await self.podium.open(ToApplication(self.screen.project_id, picked[0]))


def _row(line: ApplicationSummary, sign: str) -> Row:
    """Its name; then its date, its product unless it has the name of it, the activity that holds it, its people."""
    application = line.application
    facts = (
        format_due(application.due, date.today()) if application.due else "",
        line.product.name if line.product.name != application.name else "",
        f"on {line.activity}" if line.activity else "",
        people_words(line.people).plain,
    )
    return Row(f"{sign} {application.name}", " · ".join(fact for fact in facts if fact))
