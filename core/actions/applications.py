"""Applications: instances of products on the phases and activities of a project."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from core.actions.assignments import assign, assigned
from core.actions.automatic_roles import RolesOnProject
from core.actions.compatibility import refuse_misfit
from core.actions.history import HistoryLine, item_history
from core.actions.items import application_of, due_date, find_item, remove_application
from core.actions.order import rank_at
from core.compatibility import linked_levels, misfit
from core.errors import InvalidInput, NotFound, RuleRefused
from core.messages import Command, ProjectCommand, ProjectQuery, Query
from core.model import Id, Item, ItemKind, Member, Phase, Project, Status, User
from core.products import Application, Launch, Product
from core.rights import Permission
from core.text import one_line
from core.work import View, Work, new_id

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductChoice:
    """A product that could be added to a project; ``refusal`` is empty, or says why it cannot and the way out."""

    product: Product
    refusal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationLine:
    """An application as lists show it."""

    application: Application
    product: Product
    phase: str
    activity: str
    """The title of the activity that holds it, or nothing."""
    people: tuple[User, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationDetail:
    """An application with all that belongs to it."""

    application: Application
    product: Product
    phase: Phase
    activity: Item | None
    people: tuple[User, ...]
    history: tuple[HistoryLine, ...]
    """Its launches among them, the newest first."""
    my_roles: tuple[str, ...]
    """Names of the product's roles that the person who asks has on this project."""
    held: frozenset[Permission]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListApplications(ProjectQuery[tuple[ApplicationLine, ...]]):
    """The applications of a project, by phase and order."""

    route = "GET /v1/projects/{project_id}/applications"
    permission = Permission.PROJECT_VIEW

    def run(self, view: View) -> tuple[ApplicationLine, ...]:
        applications = view.all(Application, "project_id = :project_id ORDER BY rank, id", project_id=self.project_id)
        if not applications:
            return ()
        phases = view.all(Phase, "project_id = :project_id ORDER BY rank, id", project_id=self.project_id)
        numbers = {phase.id: number for number, phase in enumerate(phases)}
        products = _products(view, self.project_id)
        titles = _activity_titles(view, self.project_id)
        people = _people(view, self.project_id)
        return tuple(
            ApplicationLine(
                application=each,
                product=products[each.product_id],
                phase=phases[numbers[each.phase_id]].name,
                activity=titles.get(each.id, ""),
                people=people.get(each.id, ()),
            )
            for each in sorted(applications, key=lambda each: numbers[each.phase_id])
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProductChoices(ProjectQuery[tuple[ProductChoice, ...]]):
    """Every product that is not retired, the ones that fit this project first, the others with the reason."""

    route = "GET /v1/projects/{project_id}/product-choices"
    permission = Permission.PROJECT_VIEW

    def run(self, view: View) -> tuple[ProductChoice, ...]:
        linked = linked_levels(view.get(Project, id=self.project_id))
        choices = [
            ProductChoice(product=product, refusal=misfit(product.name, product.required_context, linked))
            for product in view.all(Product, "retired = 0")
        ]
        return tuple(sorted(choices, key=lambda each: (bool(each.refusal), each.product.name.casefold())))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowApplication(Query[ApplicationDetail]):
    """One application: its product, place, people, due date and history."""

    route = "GET /v1/applications/{application_id}"
    permission = Permission.PROJECT_VIEW
    application_id: Id

    def scope(self, view: View) -> Id:
        return view.get(Application, id=self.application_id).project_id

    def run(self, view: View) -> ApplicationDetail:
        application = view.get(Application, id=self.application_id)
        project_id = application.project_id
        launches = view.all(
            Launch,
            "project_id = :project_id AND application_id = :id ORDER BY id DESC LIMIT 50",
            project_id=project_id,
            id=application.id,
        )
        return ApplicationDetail(
            application=application,
            product=view.get(Product, id=application.product_id),
            phase=view.get(Phase, project_id=project_id, id=application.phase_id),
            activity=view.find(Item, id=application.activity_id) if application.activity_id else None,
            people=tuple(view.get(User, id=each.user_id) for each in assigned(view, project_id, application.id)),
            history=item_history(view, project_id, application.id, *(launch.id for launch in launches)),
            my_roles=_my_roles(view, application),
            held=view.held,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AddApplication(ProjectCommand[Application]):
    """Add an application of a product to a phase, or to an activity, of the project.

    Exactly one of ``phase_id`` and ``activity_id`` is needed; the phase of an activity follows. An activity holds one
    application at most (source document, section 2: "an external link or an application"; that it may hold both is
    decided here).
    """

    route = "POST /v1/projects/{project_id}/applications"
    permission = Permission.APPLICATION_MANAGE
    product_id: Id
    phase_id: Id | None = None
    activity_id: Id | None = None
    name: str = ""
    """The product's name unless told."""
    due: date | None = None
    member_ids: tuple[Id, ...] = ()

    def run(self, work: Work) -> Application:
        product = work.get(Product, id=self.product_id)
        if product.retired:
            raise RuleRefused(f"“{product.name}” is retired and gets no new applications. Choose another product.")
        refuse_misfit(work.get(Project, id=self.project_id), product)
        phase, where = self._place(work)
        application = Application(
            project_id=self.project_id,
            id=new_id(),
            product_id=product.id,
            phase_id=phase.id,
            rank=rank_at(work, Application, None, project_id=self.project_id, phase_id=phase.id),
            name=one_line(self.name or product.name, "name", most=120),
            activity_id=self.activity_id,
            due=due_date(self.due),
        )
        added = assign(work, work.insert(application), self.member_ids)[0]
        work.say(f"added the application “{application.name}” to {where}")
        return added

    def _place(self, work: Work) -> tuple[Phase, str]:
        """The phase of the new application, and where it will be in words."""
        if (self.phase_id is None) == (self.activity_id is None):
            raise InvalidInput("phase_id", "An application is added to a phase or to an activity. Name one of the two.")
        if self.activity_id is None:
            phase = work.get(Phase, project_id=self.project_id, id=self.phase_id)
            return phase, f"phase “{phase.name}”"
        activity = _activity_for_one(work, self.project_id, self.activity_id)
        return work.get(Phase, project_id=self.project_id, id=activity.phase_id), f"“{activity.title}”"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationCommand(Command[R]):
    """A command on one application."""

    permission = Permission.APPLICATION_MANAGE
    application_id: Id
    seen_version: int | None = None

    def scope(self, view: View) -> Id:
        return view.get(Application, id=self.application_id).project_id

    def seen(self, work: Work) -> Application:
        """The application as it is; raises VersionConflict when it is not as the sender saw it."""
        return work.get(Application, project_id=work.scope, id=self.application_id, seen_version=self.seen_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditApplication(ApplicationCommand[Application]):
    """Rename an application."""

    route = "PATCH /v1/applications/{application_id}"
    name: str

    def run(self, work: Work) -> Application:
        application = self.seen(work)
        name = one_line(self.name, "name", most=120)
        work.say(f"renamed the application “{application.name}” to “{name}”")
        return work.update(application, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleApplication(ApplicationCommand[Application]):
    """Give an application a due date, or take it away."""

    route = "POST /v1/applications/{application_id}/due"
    due: date | None

    def run(self, work: Work) -> Application:
        application = self.seen(work)
        name = application.name
        work.say(f"set “{name}” due {self.due}" if self.due else f"removed the due date of “{name}”")
        return work.update(application, due=due_date(self.due))


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignApplication(ApplicationCommand[Application]):
    """Make exactly these members the assigned ones of an application."""

    route = "POST /v1/applications/{application_id}/members"
    member_ids: tuple[Id, ...]

    def run(self, work: Work) -> Application:
        application, people = assign(work, self.seen(work), self.member_ids)
        work.say(f"assigned “{application.name}” to {people}")
        return application


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceApplication(ApplicationCommand[Application]):
    """Put an application before another one, or last, in its own or another phase.

    Leaving its phase it leaves its activity too, as a task does.
    """

    route = "POST /v1/applications/{application_id}/place"
    phase_id: Id
    before_id: Id | None = None

    def run(self, work: Work) -> Application:
        application = self.seen(work)
        phase = work.get(Phase, project_id=work.scope, id=self.phase_id)
        stays = phase.id == application.phase_id
        if stays and self.before_id == application.id:
            return application
        rank = rank_at(work, Application, self.before_id, project_id=work.scope, phase_id=phase.id)
        application = work.get(Application, project_id=work.scope, id=application.id)
        if stays:
            work.say(f"reordered “{application.name}”")
            return work.update(application, rank=rank)
        work.say(f"moved “{application.name}” to phase “{phase.name}”")
        return work.update(application, phase_id=phase.id, activity_id=None, rank=rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveApplication(ApplicationCommand[None]):
    """Remove an application from the project; Undo brings it back."""

    route = "DELETE /v1/applications/{application_id}"

    def run(self, work: Work) -> None:
        application = self.seen(work)
        remove_application(work, application)
        work.say(f"removed the application “{application.name}”")


def _activity_for_one(work: Work, project_id: Id, activity_id: Id) -> Item:
    """The activity that shall hold an application. Raises NotFound, or RuleRefused when it cannot hold one."""
    activity = find_item(work, activity_id, ItemKind.ACTIVITY)
    if activity.project_id != project_id:
        raise NotFound(f"There is no activity “{activity_id}” in this project.")
    if activity.status is Status.ARCHIVED:
        raise RuleRefused(f"“{activity.title}” is archived. Restore it first.")
    held = application_of(work, activity)
    if held:
        raise RuleRefused(
            f"“{activity.title}” holds the application “{held.name}” already. Remove that first, or choose the phase."
        )
    return activity


def _my_roles(view: View, application: Application) -> tuple[str, ...]:
    """The roles of its product that follow for the person who asks; whoever is no member has none."""
    me = view.find(Member, project_id=application.project_id, user_id=view.actor.user_id)
    held = RolesOnProject(view, application.project_id).product_roles_of(me) if me else ()
    return tuple(each.role.name for each in held if each.product.id == application.product_id)


def _products(view: View, project_id: Id) -> dict[Id, Product]:
    found = view.all(
        Product, "id IN (SELECT product_id FROM application WHERE project_id = :project_id)", project_id=project_id
    )
    return {product.id: product for product in found}


def _activity_titles(view: View, project_id: Id) -> dict[Id, str]:
    """The titles of the activities that hold applications, by application."""
    rows = view.rows(
        "SELECT application.id, item.title FROM application"
        " JOIN item ON item.project_id = application.project_id AND item.id = application.activity_id"
        " WHERE application.project_id = :project_id",
        project_id=project_id,
    )
    return {row["id"]: row["title"] for row in rows}


def _people(view: View, project_id: Id) -> dict[Id, tuple[User, ...]]:
    """Who is assigned, by application."""
    rows = view.rows(
        "SELECT target_id, user_id FROM assignment JOIN application"
        " ON application.project_id = assignment.project_id AND application.id = assignment.target_id"
        " WHERE assignment.project_id = :project_id",
        project_id=project_id,
    )
    members = "id IN (SELECT user_id FROM member WHERE project_id = :project_id) ORDER BY first_name, last_name, id"
    users = view.all(User, members, project_id=project_id)
    pairs = {(row["target_id"], row["user_id"]) for row in rows}
    return {
        target: tuple(user for user in users if (target, user.id) in pairs) for target in {pair[0] for pair in pairs}
    }
