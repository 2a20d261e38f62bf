"""One application: its product and place, who works with it, what it was launched for and what became of it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.content import Content

from core.actions.cards.application_lists import ApplicationDetail, GetApplication
from core.actions.cards.applications import (
    AssignApplication,
    EditApplication,
    RemoveApplication,
    ReorderApplication,
    SetApplicationDueDate,
)
from core.domain.model import Id
from core.domain.product_fit import levels
from core.domain.products import Application
from tui.drawing.cells import plain
from tui.drawing.styles import ASCII, UNICODE
from tui.drawing.theme import QUIET
from tui.keys.bindings import Key, bindings
from tui.labels.facts import authorization_words, due_words, history_words, people_words, quiet
from tui.launch.handover import target_words
from tui.screens.framework.detail_screen import DetailScreen
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.products.launch_or_open import launching
from tui.services.destinations import ToCard, ToPhase
from tui.services.presence import Location
from tui.widgets.detail_page import Fact, Heading, Page, Pane, Words

if TYPE_CHECKING:
    from tui.dialogs.form_fields import Field

FACTS = ("Product", "Launches", "Phase", "Activity", "Assigned", "Due", "Requires", "Permissions", "My roles")


class ApplicationScreen(DetailScreen):
    """An application in full, from where it is launched."""

    name_in_table = "application"
    BINDINGS = bindings("application")

    def __init__(self, project_id: Id, application_id: Id) -> None:
        super().__init__(project_id)
        self._application_id = application_id
        self._detail: ApplicationDetail | None = None

    def again(self) -> ApplicationScreen:
        return ApplicationScreen(self.project_id, self._application_id)

    def body(self) -> ComposeResult:
        with Page():
            with Pane(id="main"):
                yield Words(id="title")
                for label in FACTS:
                    yield Fact(label, id=label.lower().replace(" ", "-"))
                yield Heading("About the product")
                yield Words(id="description", classes="prose")
            with Pane(id="side"):
                yield Heading("Launches and changes")
                yield Words(id="history")

    def place(self) -> str:
        return f"{self._detail.phase.name} · {self._detail.application.name}" if self._detail else "…"

    def menu_title(self) -> str:
        return f"“{self.name_of_record}”" if self._detail else self.place()

    @property
    def name_of_record(self) -> str:
        return self._detail.application.name if self._detail else ""

    @property
    def whereabouts(self) -> Location:
        return Location(self.project_id, card_id=self._application_id)

    async def read(self) -> None:
        self._detail = await self.podium.query(GetApplication(application_id=self._application_id))
        self.held = self._detail.held

    def draw(self) -> None:
        detail = self._detail
        assert detail is not None
        sign = (ASCII if self.podium.ascii else UNICODE).application
        self.show_title(Content.assemble(sign, "  ", plain(detail.application.name)))
        for name, words in self._facts(detail).items():
            self.query_one(f"#{name}", Fact).put(words)
        self.query_one("#description", Words).put(plain(detail.product.description) or quiet("Nothing is said of it"))
        self.query_one("#history", Words).put(history_words(detail.history, datetime.now(UTC)))

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
            "assigned": people_words(detail.people) or quiet("nobody · a assigns"),
            "due": due_words(application.due, date.today(), False) or quiet("no date · D sets one"),
            "requires": Content(levels(product.required_context)),
            "permissions": Content(authorization_words(product)),
            "my-roles": roles if external else Content(""),
        }

    # -- keys ------------------------------------------------------------------------------------------------

    def why_not(self, key: Key) -> str:
        if key.id == "application.open" and self._detail and self._detail.activity is None:
            return "No activity holds it: it belongs to the phase itself."
        return super().why_not(key)

    @launching
    async def do_launch(self) -> None:
        from tui.launch.actions import launch

        await launch(self.podium, self._application_id)

    @asking
    async def do_inspect(self) -> None:
        from tui.launch.actions import inspect

        await inspect(self.podium, self._application_id)

    @asking
    async def do_copy_context(self) -> None:
        from tui.launch.actions import copy_context

        await copy_context(self.podium, self._application_id)

    async def do_open(self) -> None:
        """Open the activity that holds it."""
        if self._detail is not None and self._detail.activity is not None:
            await self.podium.open(ToCard(self.project_id, self._detail.activity.id))

    async def do_phase(self) -> None:
        if self._detail is not None:
            await self.podium.open(ToPhase(self.project_id, self._detail.phase.id))

    def do_copy(self) -> None:
        self.copy_id(self.name_of_record, self._application_id)

    def do_down(self) -> None:
        self._scroller.scroll_relative(y=1, animate=False)

    def do_up(self) -> None:
        self._scroller.scroll_relative(y=-1, animate=False)

    # -- changing it -----------------------------------------------------------------------------------------

    @asking
    async def do_edit(self) -> None:
        from tui.dialogs.form_fields import Line

        if self._detail is not None:
            field = Line("name", "Name", self._detail.application.name)
            await self._ask("Rename the application", field, EditApplication, "Rename")

    @asking
    async def do_due(self) -> None:
        from tui.dialogs.form_fields import DateField

        if self._detail is not None:
            field = DateField("due", "Due", self._detail.application.due)
            await self._ask(f"Due date of “{self.name_of_record}”", field, SetApplicationDueDate)

    async def _ask(self, title: str, field: Field, message: type[Any], submit: str = "Save") -> None:
        """Ask for one field of the application, and send the message that changes it."""
        assert self._detail is not None
        application = self._detail.application

        async def save(values: dict[str, Any]) -> Application:
            command = message(application_id=application.id, seen_version=application.version, **values)
            return cast(Application, await self.podium.send(command))

        await show_form(self, title, [field], save, submit=submit)

    @asking
    async def do_assign(self) -> None:
        from tui.dialogs.picker import Option, PickDialog

        if self._detail is None:
            return
        options = [Option(*member) for member in member_options(self.team())]
        title = f"Assign members to “{self.name_of_record}”"
        chosen = [user.id for user in self._detail.people]
        picked = await self.podium.ask(PickDialog(title, options, multiple=True, chosen=chosen))
        if picked is not None:
            await self._assign(picked)

    async def do_assign_me(self) -> None:
        """Join the people of it."""
        if self._detail is not None:
            await self._assign((*(user.id for user in self._detail.people), self.podium.me.user.id))

    async def _assign(self, people: tuple[Id, ...]) -> None:
        assert self._detail is not None
        application = self._detail.application
        await self.podium.perform(
            AssignApplication(application_id=application.id, seen_version=application.version, member_ids=people)
        )

    @asking
    async def do_move_to(self) -> None:
        from core.actions.workflow.phases import ListPhases
        from tui.dialogs.picker import Option, PickDialog

        if self._detail is None:
            return
        application = self._detail.application
        phases = await self.podium.query(ListPhases(project_id=self.project_id))
        options = [Option(each.phase.id, f"{each.number} {each.phase.name}", each.state.lower()) for each in phases]
        picked = await self.podium.ask(PickDialog(f"Move “{application.name}” to phase", options))
        if picked and picked[0] != application.phase_id:
            await self.podium.perform(
                ReorderApplication(application_id=application.id, seen_version=application.version, phase_id=picked[0])
            )

    async def do_remove(self) -> None:
        """Remove it from the project; undo brings it back, so nothing is asked."""
        if self._detail is not None:
            application = self._detail.application
            self.farewell = f"Removed the application “{application.name}”. u brings it back."
            await self.podium.perform(
                RemoveApplication(application_id=application.id, seen_version=application.version)
            )
            self.farewell = ""
