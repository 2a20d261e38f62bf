"""One application: its product and place, who works with it, what it was launched for and what became of it."""

from __future__ import annotations

from datetime import UTC, date, datetime

from textual.app import ComposeResult
from textual.content import Content

from core.actions.cards.application_lists import ApplicationDetail, GetApplication
from core.domain.model import Id
from core.domain.products.fit import levels
from tui.drawing.cells import plain
from tui.drawing.styles import ASCII, UNICODE
from tui.drawing.theme import QUIET
from tui.keys.bindings import bindings
from tui.launch.launch_rules import target_words
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.project_record import ProjectRecord
from tui.screens.products.application_actions import ApplicationActions
from tui.services.host import Location
from tui.widgets.detail_page import Fact, Heading, Page, Pane, TextBlock
from tui.widgets.markdown_text import MarkdownText
from tui.widgets.outline import Outline
from tui.wording.facts import authorization_words, due_words, history_entries, people_words, quiet

FACTS = ("Product", "Launches", "Phase", "Activity", "Assigned", "Due", "Requires", "Permissions", "My roles")


class ApplicationScreen(PageScreen):
    """An application in full, from where it is launched."""

    name_in_table = "application"
    BINDINGS = bindings("application")

    def __init__(self, project_id: Id, application_id: Id) -> None:
        super().__init__()
        self.project_id = project_id
        self.application_id = application_id
        self.detail: ApplicationDetail | None = None
        """The application as last read."""
        self.project = ProjectRecord(self)
        self.add(ApplicationActions(self))

    def again(self) -> ApplicationScreen:
        return ApplicationScreen(self.project_id, self.application_id)

    def body(self) -> ComposeResult:
        with Page():
            with Pane(id="main"):
                yield TextBlock(id="title")
                for label in FACTS:
                    yield Fact(label, id=label.lower().replace(" ", "-"))
                yield Heading("About the product")
                yield MarkdownText(id="description")
            with Pane(id="side"):
                yield Heading("Launches and changes")
                yield Outline(id="history")

    def place(self) -> str:
        detail = self.detail
        return f"{self.project_name} · {detail.phase.name} · {detail.application.name}" if detail else "…"

    def menu_title(self) -> str:
        return f"“{self.name_of_record}”" if self.detail else self.place()

    @property
    def name_of_record(self) -> str:
        return self.detail.application.name if self.detail else ""

    @property
    def location(self) -> Location:
        return Location(self.project_id, card_id=self.application_id)

    def show_people(self) -> None:
        super().show_people()
        self.project.show_title()

    async def read(self) -> None:
        await self.project.read()
        self.detail = await self.podium.query(GetApplication(application_id=self.application_id))
        self.access.held = self.detail.held

    def draw(self) -> None:
        detail = self.detail
        assert detail is not None
        sign = (ASCII if self.podium.ascii else UNICODE).application
        self.project.show_title(Content.assemble(sign, "  ", plain(detail.application.name)))
        for name, words in self._facts(detail).items():
            self.query_one(f"#{name}", Fact).put(words)
        self.query_one("#description", MarkdownText).put_text(
            detail.product.description, quiet("Nothing is said of it")
        )
        self.query_one("#history", Outline).put(history_entries(detail.history, datetime.now(UTC)))

    def _facts(self, detail: ApplicationDetail) -> dict[str, Content]:
        application, product = detail.application, detail.product
        external = product.uses_external_authorization
        kind = f"  {product.kind.lower()} product{', retired' if product.retired else ''}"
        roles = plain(", ".join(detail.my_roles)) or quiet("none follows from your meta roles")
        return {
            "product": Content.assemble(plain(product.name), (kind, QUIET)),
            "launches": plain(target_words(product)),
            "phase": plain(detail.phase.name),
            "activity": plain(detail.activity.title) if detail.activity else Content(""),
            "assigned": people_words(detail.people, self.podium.me.user.id) or quiet("nobody · a to assign"),
            "due": due_words(application.due, date.today(), False) or quiet("no date · D to set one"),
            "requires": Content(levels(product.required_context)),
            "permissions": Content(authorization_words(product)),
            "my-roles": roles if external else Content(""),
        }
