"""The keys of the page of an application: launch it, change it, and go to its activity or phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from core.actions.cards.application_lists import ApplicationDetail
from core.actions.cards.applications import (
    AssignApplication,
    EditApplication,
    RemoveApplication,
    ReorderApplication,
    SetApplicationDueDate,
)
from core.actions.workflow.phases import ListPhases
from core.domain.model import Id
from core.domain.products.products import Application
from tui.dialogs.fields.form_fields import DateField, Field, TextField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.keys.table import Key
from tui.launch.actions import copy_context, inspect, launch
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.framework.global_actions import copy_id
from tui.screens.products.launch_or_open import launching
from tui.services.destinations import ToCard, ToPhase

if TYPE_CHECKING:
    from tui.screens.products.application import ApplicationScreen

A = TypeVar("A")

NO_ACTIVITY = "No activity holds it: it belongs to the phase itself."


class ApplicationActions(Controller):
    """Launch the application, change it, and go to the record that holds it."""

    screen: ApplicationScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("launch", self.do_launch),
            Action("inspect", self.do_inspect),
            Action("copy_context", self.do_copy_context),
            Action("open", self._with_detail(self.do_open), self._no_activity),
            Action("phase", self._with_detail(self.do_phase)),
            Action("copy", self.do_copy),
            Action("down", lambda: self.screen.cursor_actions.scroll(+1)),
            Action("up", lambda: self.screen.cursor_actions.scroll(-1)),
            Action("edit", self._with_detail(self.do_edit)),
            Action("due", self._with_detail(self.do_due)),
            Action("assign", self._with_detail(self.do_assign)),
            Action("assign_me", self._with_detail(self.do_assign_me)),
            Action("move_to", self._with_detail(self.do_move_to)),
            Action("remove", self._with_detail(self.do_remove)),
        )

    def _with_detail(self, handler: Callable[[ApplicationDetail], A]) -> Callable[[], A | None]:
        """The handler of a key, which gets the application as last read."""
        return with_found(lambda: self.screen.detail, handler)

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
