"""Rules of the product registry as a whole, checked after each change and each undo."""

from __future__ import annotations

from core.domain.model import Id
from core.domain.products.products import ApplicationRole, MetaRole, Product
from core.domain.products.roles import by_name
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput, RuleViolation
from core.rules.product_fit import check_existing_applications_fit
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
