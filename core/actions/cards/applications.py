"""Applications: uses of products in the phases and activities of a project."""

from __future__ import annotations

from datetime import date
from typing import TypeVar

from core.domain.max_lengths import APPLICATION_NAME
from core.domain.model import Id, Item, ItemKind, Phase, Project, Status
from core.domain.permissions import Permission
from core.domain.products.products import Application, Product
from core.engine.messages import Command, ProjectCommand
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput, NotFound, RuleViolation
from core.rules.assignments import assign
from core.rules.items import REORDERED, application_of, due_date, find_item, remove_application
from core.rules.ordering import rank_before
from core.rules.products import check_product_fits
from core.text.phrases import no_such
from core.text.sanitize import one_line

R = TypeVar("R")


class AddApplication(ProjectCommand[Application]):
    """Add an application of a product to a phase or an activity of the project.

    Exactly one of ``phase_id`` and ``activity_id`` is needed; with an activity, the phase is the activity's. An
    activity has at most one application, and can have a link beside it.
    """

    route = "POST /v1/projects/{project_id}/applications"
    permission = Permission.APPLICATION_MANAGE
    creates = True
    product_id: Id
    phase_id: Id | None = None
    activity_id: Id | None = None
    name: str = ""
    """Without a name the application gets the product's."""
    due: date | None = None
    member_ids: tuple[Id, ...] = ()

    def run(self, work: UnitOfWork) -> Application:
        product = work.get(Product, id=self.product_id)
        if product.retired:
            raise RuleViolation(f"“{product.name}” is retired and gets no new applications. Choose another product.")
        check_product_fits(work.get(Project, id=self.project_id), product)
        phase, where = self._place(work)
        application = Application(
            project_id=self.project_id,
            id=new_id(),
            product_id=product.id,
            phase_id=phase.id,
            rank=rank_before(work, Application, None, project_id=self.project_id, phase_id=phase.id),
            name=one_line(self.name or product.name, "name", most=APPLICATION_NAME),
            activity_id=self.activity_id,
            due=due_date(self.due),
        )
        added = assign(work, work.insert(application), self.member_ids)[0]
        work.say(f"added the application “{application.name}” to {where}")
        return added

    def _place(self, work: UnitOfWork) -> tuple[Phase, str]:
        """Return the phase of the new application, and its place in words."""
        if (self.phase_id is None) == (self.activity_id is None):
            raise InvalidInput("phase_id", "An application is added to a phase or to an activity. Name one of the two.")
        if self.activity_id is None:
            phase = work.get(Phase, project_id=self.project_id, id=self.phase_id)
            return phase, f"phase “{phase.name}”"
        activity = _activity_for_one(work, self.project_id, self.activity_id)
        return work.get(Phase, project_id=self.project_id, id=activity.phase_id), f"“{activity.title}”"


class ApplicationCommand(Command[R]):
    """The base of commands on one application."""

    permission = Permission.APPLICATION_MANAGE
    application_id: Id
    seen_version: int | None = None

    def scope(self, view: Snapshot) -> Id:
        return view.get(Application, id=self.application_id).project_id

    def load_unchanged(self, work: UnitOfWork) -> Application:
        """Return the application. Raises VersionConflict when it has changed since the sender saw it."""
        return work.get(Application, project_id=work.scope, id=self.application_id, seen_version=self.seen_version)


class EditApplication(ApplicationCommand[Application]):
    """Rename an application."""

    route = "PATCH /v1/applications/{application_id}"
    name: str

    def run(self, work: UnitOfWork) -> Application:
        application = self.load_unchanged(work)
        name = one_line(self.name, "name", most=APPLICATION_NAME)
        work.say(f"renamed the application “{application.name}” to “{name}”")
        return work.update(application, name=name)


class SetApplicationDueDate(ApplicationCommand[Application]):
    """Set the due date of an application, or remove it."""

    route = "POST /v1/applications/{application_id}/due-date"
    due: date | None

    def run(self, work: UnitOfWork) -> Application:
        application = self.load_unchanged(work)
        name = application.name
        work.say(f"set “{name}” due {self.due}" if self.due else f"removed the due date of “{name}”")
        return work.update(application, due=due_date(self.due))


class AssignApplication(ApplicationCommand[Application]):
    """Assign exactly these members to an application."""

    route = "POST /v1/applications/{application_id}/members"
    member_ids: tuple[Id, ...]

    def run(self, work: UnitOfWork) -> Application:
        application, people = assign(work, self.load_unchanged(work), self.member_ids)
        work.say(f"assigned “{application.name}” to {people}")
        return application


class ReorderApplication(ApplicationCommand[Application]):
    """Put an application before another one, or last, in its own or another phase.

    An application that leaves its phase leaves its activity too, as a task does.
    """

    route = "POST /v1/applications/{application_id}/order"
    phase_id: Id
    before_id: Id | None = None

    def run(self, work: UnitOfWork) -> Application:
        application = self.load_unchanged(work)
        phase = work.get(Phase, project_id=work.scope, id=self.phase_id)
        stays = phase.id == application.phase_id
        if stays and self.before_id == application.id:
            return application
        rank = rank_before(work, Application, self.before_id, project_id=work.scope, phase_id=phase.id)
        application = work.get(Application, project_id=work.scope, id=application.id)
        if stays:
            work.say(f"{REORDERED} “{application.name}”")
            return work.update(application, rank=rank)
        work.say(f"moved “{application.name}” to phase “{phase.name}”")
        return work.update(application, phase_id=phase.id, activity_id=None, rank=rank)


class RemoveApplication(ApplicationCommand[None]):
    """Remove an application from the project; Undo brings it back."""

    route = "DELETE /v1/applications/{application_id}"
    held_key = True

    def run(self, work: UnitOfWork) -> None:
        application = self.load_unchanged(work)
        remove_application(work, application)
        work.say(f"removed the application “{application.name}”")


def _activity_for_one(work: UnitOfWork, project_id: Id, activity_id: Id) -> Item:
    """Return the activity for a new application. Raises NotFound, or RuleViolation when it cannot have one."""
    activity = find_item(work, activity_id, ItemKind.ACTIVITY)
    if activity.project_id != project_id:
        raise NotFound(no_such("activity", activity_id))
    if activity.status is Status.ARCHIVED:
        raise RuleViolation(f"“{activity.title}” is archived. Restore it first.")
    held = application_of(work, activity)
    if held:
        raise RuleViolation(
            f"“{activity.title}” holds the application “{held.name}” already. Remove that first, or choose the phase."
        )
    return activity
