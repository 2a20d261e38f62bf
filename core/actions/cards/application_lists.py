"""The data of lists, pickers and pages of applications."""

from __future__ import annotations

from core.actions.history.entries import HistoryEntry, item_history
from core.domain.model import Id, Item, Member, Phase, Project, User
from core.domain.permissions import Permission
from core.domain.products.fit import linked_levels, misfit
from core.domain.products.products import Application, Launch, Product
from core.domain.products.roles import by_name
from core.engine.messages import ProjectQuery, Query
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.rules.member_roles import IN_PROJECT, MemberRoles


class ProductOption(Record):
    """A product that can be added to a project, or else the ``refusal``: why not, and what to do."""

    product: Product
    refusal: str


class ApplicationSummary(Record):
    """One line in a list of applications."""

    application: Application
    product: Product
    phase: str
    activity: str
    """The title of the activity that it belongs to, or "" for none."""
    people: tuple[User, ...]


class ApplicationDetail(Record):
    """An application with its product, place, people, history and the sender's roles."""

    application: Application
    product: Product
    phase: Phase
    activity: Item | None
    people: tuple[User, ...]
    history: tuple[HistoryEntry, ...]
    """The changes of the application and its launches, the newest first."""
    my_roles: tuple[str, ...]
    """The names of the product's roles that the sender has on this project."""
    held: frozenset[Permission]


class ListApplications(ProjectQuery[tuple[ApplicationSummary, ...]]):
    """List the applications of a project, by phase and order."""

    route = "GET /v1/projects/{project_id}/applications"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[ApplicationSummary, ...]:
        applications = view.all(Application, "project_id = :project_id ORDER BY rank, id", project_id=self.project_id)
        if not applications:
            return ()
        phases = view.all(Phase, "project_id = :project_id ORDER BY rank, id", project_id=self.project_id)
        numbers = {phase.id: number for number, phase in enumerate(phases)}
        products = _products(view, self.project_id)
        titles = _activity_titles(view, self.project_id)
        people = _people(view, self.project_id)
        return tuple(
            ApplicationSummary(
                application=each,
                product=products[each.product_id],
                phase=phases[numbers[each.phase_id]].name,
                activity=titles.get(each.id, ""),
                people=people.get(each.id, ()),
            )
            for each in sorted(applications, key=lambda each: numbers[each.phase_id])
        )


class ListProductOptions(ProjectQuery[tuple[ProductOption, ...]]):
    """List every product that is not retired: first those that fit this project, then the others with the reason.

    A guest without the permission to add applications sees only the products that the project uses.
    """

    route = "GET /v1/projects/{project_id}/product-options"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[ProductOption, ...]:
        linked = linked_levels(view.get(Project, id=self.project_id))
        all_of_them = not view.by_guest or Permission.APPLICATION_MANAGE in view.held
        here = "retired = 0" if all_of_them else f"retired = 0 AND id IN {IN_PROJECT}"
        choices = [
            ProductOption(product=product, refusal=misfit(product.name, product.required_context, linked))
            for product in by_name(view.all(Product, here, project_id=self.project_id))
        ]
        return tuple(sorted(choices, key=lambda each: bool(each.refusal)))


class GetApplication(Query[ApplicationDetail]):
    """Show one application: its product, place, people, due date and history."""

    route = "GET /v1/applications/{application_id}"
    permission = Permission.PROJECT_VIEW
    application_id: Id

    def scope(self, view: Snapshot) -> Id:
        return view.get(Application, id=self.application_id).project_id

    def run(self, view: Snapshot) -> ApplicationDetail:
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
            people=_people(view, project_id).get(application.id, ()),
            history=item_history(view, project_id, application.id, *(launch.id for launch in launches)),
            my_roles=_my_roles(view, application),
            held=view.held,
        )


def _my_roles(view: Snapshot, application: Application) -> tuple[str, ...]:
    """The names of the sender's roles in the product of an application; none for a user who is no member."""
    me = view.find(Member, project_id=application.project_id, user_id=view.actor.user_id)
    held = MemberRoles(view, application.project_id).product_roles_of(me) if me else ()
    return tuple(each.role.name for each in held if each.product.id == application.product_id)


def _products(view: Snapshot, project_id: Id) -> dict[Id, Product]:
    return {product.id: product for product in view.all(Product, f"id IN {IN_PROJECT}", project_id=project_id)}


def _activity_titles(view: Snapshot, project_id: Id) -> dict[Id, str]:
    """The title of the activity that each application belongs to, by application."""
    rows = view.rows(
        "SELECT application.id, item.title FROM application"
        " JOIN item ON item.project_id = application.project_id AND item.id = application.activity_id"
        " WHERE application.project_id = :project_id",
        project_id=project_id,
    )
    return {row["id"]: row["title"] for row in rows}


def _people(view: Snapshot, project_id: Id) -> dict[Id, tuple[User, ...]]:
    """The users assigned to each application, by application."""
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
