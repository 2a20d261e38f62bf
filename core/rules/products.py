"""Rules of the product registry as a whole, checked after each change and each undo."""

from __future__ import annotations

import json

from core.domain.model import Id, NodeKind, Project
from core.domain.products.fit import levels, linked_levels, misfit
from core.domain.products.products import ApplicationRole, MetaRole, Product
from core.domain.products.roles import by_name
from core.engine.project_guard import owners
from core.engine.unit_of_work import Snapshot
from core.errors import OBSTACLES_LISTED, Blocker, InvalidInput, RuleViolation
from core.text.phrases import count, names, no_such

MAX_IN_NAME = 80
"""The most characters in the name of a product or of a product role."""


def check_product(view: Snapshot, product: Product) -> None:
    """Check a product against the others: its name, its roles and its applications.

    Raises InvalidInput for a name that is taken, RuleViolation if its roles or applications no longer fit.
    """
    for other in view.all(Product, "id <> :id", id=product.id):
        if other.name.casefold() == product.name.casefold():
            raise InvalidInput("name", f"There is a product “{other.name}” already. Choose another name.")
    for role in roles_of(view, product.id):
        if lost := [code for code in role.permission_codes if code not in product.permission_codes]:
            raise RuleViolation(
                f"The role “{role.name}” of “{product.name}” holds {names(lost)}. Take that from the role first."
            )
    check_existing_applications_fit(view, product)


def check_application_role(view: Snapshot, role: ApplicationRole) -> None:
    """Check an application role against its product, the product's other roles and the meta roles.

    Raises InvalidInput.
    """
    product = view.get(Product, id=role.product_id)
    for other in roles_of(view, product.id):
        if other.id != role.id and other.name.casefold() == role.name.casefold():
            raise InvalidInput("name", f"“{product.name}” has a role “{other.name}” already. Choose another name.")
    for code in role.permission_codes:
        if code not in product.permission_codes:
            raise InvalidInput(
                "permission_codes", f"“{code[:80]}” is not a code of “{product.name}”. Add it to the product first."
            )
    known = {each.id for each in view.all(MetaRole, "1 = 1")}
    for meta_role_id in role.meta_role_ids:
        if meta_role_id not in known:
            raise InvalidInput("meta_role_ids", f"{no_such('meta role', meta_role_id[:40])} Choose one from the list.")


def check_product_unused(view: Snapshot, product: Product) -> None:
    """Raise RuleViolation if projects have applications of the product."""
    row = view.rows(
        "SELECT count(*) AS applications, count(DISTINCT project_id) AS projects FROM application"
        " WHERE product_id = :id",
        id=product.id,
    )[0]
    if row["applications"]:
        raise RuleViolation(
            f"“{product.name}” cannot be removed: {count(row['projects'], 'project')} "
            f"hold{'s' if row['projects'] == 1 else ''} {count(row['applications'], 'application')} of it."
            " Remove them there first, or retire the product, so that no new ones are added."
        )


def roles_of(view: Snapshot, product_id: Id) -> list[ApplicationRole]:
    """Return the application roles of a product, by name."""
    return by_name(view.all(ApplicationRole, "product_id = :product_id", product_id=product_id))


def check_product_fits(project: Project, product: Product) -> None:
    """Raise RuleViolation if the project cannot have an application of the product."""
    refusal = misfit(product.name, product.required_context, linked_levels(project))
    if refusal:
        raise RuleViolation(refusal)


def check_existing_applications_fit(view: Snapshot, product: Product) -> None:
    """Check that the projects with applications of a product still have the links that it requires.

    Raises RuleViolation with the number of projects. It names none, since only their members may know of them.
    """
    where = "id IN (SELECT project_id FROM application WHERE product_id = :id)"
    linked = [linked_levels(project) for project in view.all(Project, where, id=product.id)]
    if wrong := sum(bool(misfit(product.name, product.required_context, each)) for each in linked):
        raise RuleViolation(
            f"“{product.name}” is used in {count(wrong, 'project')} that would no longer fit what it requires."
            " Remove its applications there first, or register another product."
        )


def check_applications_fit(view: Snapshot, project: Project) -> None:
    """Check that all applications of a project fit its links. Raises RuleViolation, which names those that do not."""
    linked = linked_levels(project)
    rows = view.rows(
        "SELECT application.id, application.name, phase.name AS phase, product.name AS product, required_context"
        " FROM application JOIN product ON product.id = application.product_id"
        " JOIN phase ON phase.project_id = application.project_id AND phase.id = application.phase_id"
        " WHERE application.project_id = :project_id ORDER BY phase.rank, application.rank, application.id",
        project_id=project.id,
    )
    required = {row["id"]: [NodeKind(level) for level in json.loads(row["required_context"])] for row in rows}
    wrong = [row for row in rows if misfit(row["product"], required[row["id"]], linked)]
    if not wrong:
        return
    listed = names([f"“{row['name']}” (requires {levels(required[row['id']])})" for row in wrong[:OBSTACLES_LISTED]])
    one = len(wrong) == 1
    raise RuleViolation(
        f"With {levels(linked)}{' linked' if linked else ''}, {count(len(wrong), 'application')} of"
        f" “{project.name}” would no longer fit: {listed}. Remove {'it' if one else 'them'} from the project first, or"
        f" link exactly the levels that {'it requires' if one else 'they require'}.",
        blockers=tuple(
            Blocker(row["id"], "APPLICATION", row["name"], row["phase"]) for row in wrong[:OBSTACLES_LISTED]
        ),
        who_can=owners(view, project.id),
    )
