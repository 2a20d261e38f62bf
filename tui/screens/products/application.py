"""One application, with its keys: its place, who works with it, what it was launched for and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, cast

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
from core.actions.workflow.phases import ListPhases
from core.domain.model import Id
from core.domain.products.fit import levels
from core.domain.products.products import Application
from tui.dialogs.fields.form_fields import DateField, Field, TextField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.cells import plain
from tui.drawing.people import PersonColours
from tui.drawing.styles import ASCII, UNICODE
from tui.drawing.theme import QUIET
from tui.keys.table import Key
from tui.launch.actions import copy_context, inspect, launch
from tui.launch.launch_rules import target_words
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.project_record import ProjectRecord
from tui.screens.products.launch_or_open import launching
from tui.services.destinations import ToCard, ToPhase
from tui.services.host import Location
from tui.widgets.detail_page import Fact, Heading, Page, Pane, TextBlock
from tui.widgets.markdown_text import MarkdownText
from tui.widgets.outline import Outline
from tui.wording.facts import authorization_words, due_words, history_entries, people_words, quiet

FACTS = ("Product", "Launches", "Phase", "Activity", "Assigned", "Due", "Requires", "Permissions", "My roles")

NO_ACTIVITY = "No activity holds it: it belongs to the phase itself."


class ApplicationScreen(PageScreen[ApplicationDetail]):
    """An application in full, from where it is launched."""

    name_in_table = "application"

    def __init__(self, project_id: Id, application_id: Id) -> None:
        super().__init__()
        self.project_id = project_id
        self.application_id = application_id
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
            "assigned": people_words(detail.people, PersonColours(me=self.podium.me.user.id))
            or quiet("nobody · a to assign"),
            "due": due_words(application.due, date.today(), False) or quiet("no date · D to set one"),
            "requires": Content(levels(product.required_context)),
            "permissions": Content(authorization_words(product)),
            "my-roles": roles if external else Content(""),
        }


class ApplicationActions(Controller):
    """Launch the application, change it, and go to the record that holds it."""

    screen: ApplicationScreen

    def actions(self) -> Sequence[Action]:
        with_detail = self.screen.with_detail
        return (
            Action("launch", self.do_launch),
            Action("inspect", self.do_inspect),
            Action("copy_context", self.do_copy_context),
            Action("open", with_detail(self.do_open), self._no_activity),
            Action("phase", with_detail(self.do_phase)),
            Action("copy", self.do_copy),
            Action("down", lambda: self.screen.cursor_actions.scroll(+1)),
            Action("up", lambda: self.screen.cursor_actions.scroll(-1)),
            Action("edit", with_detail(self.do_edit)),
            Action("due", with_detail(self.do_due)),
            Action("assign", with_detail(self.do_assign)),
            Action("assign_me", with_detail(self.do_assign_me)),
            Action("move_to", with_detail(self.do_move_to)),
            Action("remove", with_detail(self.do_remove)),
        )

    def _no_activity(self, _key: Key) -> str:
        detail = self.screen.detail
        return NO_ACTIVITY if detail and detail.activity is None else ""

    @launching
    async def do_launch(self) -> None:
        await launch(self.podium, self.screen.application_id)

    @asking
    async def do_inspect(self) -> None:
        await inspect(self.podium, self.screen.application_id)

    @asking
    async def do_copy_context(self) -> None:
        await copy_context(self.podium, self.screen.application_id)

    async def do_open(self, detail: ApplicationDetail) -> None:
        """Open the activity that holds it."""
        if detail.activity is not None:
            await self.podium.open(ToCard(self.screen.project_id, detail.activity.id))

    async def do_phase(self, detail: ApplicationDetail) -> None:
        await self.podium.open(ToPhase(self.screen.project_id, detail.phase.id))

    def do_copy(self) -> None:
        copy_id(self.screen, self.screen.name_of_record, self.screen.application_id)

    # -- changing it -----------------------------------------------------------------------------------------

    @asking
    async def do_edit(self, detail: ApplicationDetail) -> None:
        field = TextField("name", "Name", detail.application.name)
        await self._ask(detail.application, "Rename the application", field, EditApplication, "Rename")

    @asking
    async def do_due(self, detail: ApplicationDetail) -> None:
        field = DateField("due", "Due", detail.application.due)
        title = f"Due date of “{detail.application.name}”"
        await self._ask(detail.application, title, field, SetApplicationDueDate)

    async def _ask(
        self, application: Application, title: str, field: Field, message: type[Any], submit: str = "Save"
    ) -> None:
        """Ask for one field of the application, and send the message that changes it."""

        async def save(values: dict[str, Any]) -> Application:
            command = message(application_id=application.id, seen_version=application.version, **values)
            return cast(Application, await self.podium.send(command))

        await show_form(self.screen, title, [field], save, submit=submit, record=application)

    @asking
    async def do_assign(self, detail: ApplicationDetail) -> None:
        options = [Option(*member) for member in member_options(self.screen.project.team)]
        title = f"Assign members to “{detail.application.name}”"
        chosen = [user.id for user in detail.people]
        picked = await self.podium.ask(PickDialog(title, options, multiple=True, chosen=chosen))
        if picked is not None:
            await self._assign(detail.application, picked)

    async def do_assign_me(self, detail: ApplicationDetail) -> None:
        """Join the people of it."""
        await self._assign(detail.application, (*(user.id for user in detail.people), self.podium.me.user.id))

    async def _assign(self, application: Application, people: tuple[Id, ...]) -> None:
        await self.podium.perform(
            AssignApplication(application_id=application.id, seen_version=application.version, member_ids=people)
        )

    @asking
    async def do_move_to(self, detail: ApplicationDetail) -> None:
        application = detail.application
        phases = await self.podium.query(ListPhases(project_id=self.screen.project_id))
        options = [Option(each.phase.id, f"{each.number} {each.phase.name}", each.state.lower()) for each in phases]
        picked = await self.podium.ask(PickDialog(f"Move “{application.name}” to phase", options))
        if picked and picked[0] != application.phase_id:
            await self.podium.perform(
                ReorderApplication(application_id=application.id, seen_version=application.version, phase_id=picked[0])
            )

    async def do_remove(self, detail: ApplicationDetail) -> None:
        """Remove it from the project without a question, because undo restores it."""
        application = detail.application
        self.screen.farewell = f"Removed the application “{application.name}”. u to undo."
        await self.podium.perform(RemoveApplication(application_id=application.id, seen_version=application.version))
        self.screen.farewell = ""
