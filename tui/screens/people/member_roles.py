"""The roles of one member: which meta roles, from where, and which product roles follow from them."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from core.actions.projects.members import MemberSummary
from core.actions.workspace.meta_roles import ListMetaRoles, SetMetaRoles
from core.domain.model import Id
from core.domain.products.products import Product
from core.domain.products.roles import HeldMetaRole
from core.text.phrases import names
from tui.dialogs.menus.picker import Option, PickDialog
from tui.dialogs.text import TextDialog, section
from tui.services.host import Host

NO_META_ROLE = "The project role gives none, and none was assigned."
NO_PRODUCT = "No application is in this project."
NOT_EXTERNAL = "This product manages its own permissions."
NOTHING_FOLLOWS = "Their meta roles grant no role of this product."


def meta_role_words(member: MemberSummary) -> str:
    """For the column of the list."""
    return ", ".join(held.meta_role.name for held in member.meta_roles)


def product_role_words(member: MemberSummary) -> str:
    """For the column of the list."""
    return ", ".join(f"{held.product.name}: {held.role.name}" for held in member.product_roles)


def roles_dialog(member: MemberSummary, products: Iterable[Product]) -> TextDialog:
    """Everything about the roles of a member; ``products`` are those in the project."""
    brought = [(held.meta_role.name, _source(held, member)) for held in member.meta_roles]
    meta_roles = section("Meta roles", brought or [("None", NO_META_ROLE)])
    following = [line for product in products for line in _lines(product, member)]
    product_roles = section("Product roles", following or [("None", NO_PRODUCT)])
    return TextDialog(f"Roles of {member.user.name}", Content("\n\n").join([meta_roles, product_roles]))


def _source(held: HeldMetaRole, member: MemberSummary) -> str:
    by_role = f"Comes with the project role {member.role.lower()}"
    if held.by_role and held.given:
        return f"{by_role}; also assigned in this project."
    return f"{by_role}." if held.by_role else "Assigned in this project."


def _lines(product: Product, member: MemberSummary) -> list[tuple[str, str]]:
    if not product.uses_external_authorization:
        return [(product.name, NOT_EXTERNAL)]
    held = [each for each in member.product_roles if each.product.id == product.id]
    if not held:
        return [(product.name, NOTHING_FOLLOWS)]
    return [
        (f"{product.name}: {each.role.name}", f"via {names([meta_role.name for meta_role in each.through])}")
        for each in held
    ]


async def products_of(app: Host, project_id: Id) -> list[Product]:
    """The products of which an application is in the project, each once, by name. Raises PodiumError."""
    from core.actions.cards.application_lists import ListApplications

    lines = await app.query(ListApplications(project_id=project_id))
    found = {line.product.id: line.product for line in lines}
    return sorted(found.values(), key=lambda product: (product.name.casefold(), product.id))


async def ask_meta_roles(app: Host, project_id: Id, member: MemberSummary) -> None:
    """Ask which meta roles a member is given, and give them. Raises PodiumError."""
    brought = {held.meta_role.id for held in member.meta_roles if held.by_role}
    given = {held.meta_role.id for held in member.meta_roles if held.given}
    by_role = f"comes with the {member.role.lower()} role"
    options = [
        Option(line.meta_role.id, line.meta_role.name, by_role if line.meta_role.id in brought else "")
        for line in await app.query(ListMetaRoles())
    ]
    empty = "This workspace has no meta roles yet."
    dialog = PickDialog(
        f"Meta roles of {member.user.name}", options, multiple=True, only_marked=True, chosen=given, empty=empty
    )
    picked = await app.ask(dialog)
    if picked is not None and set(picked) != given:
        await app.perform(
            SetMetaRoles(
                project_id=project_id, user_id=member.user.id, meta_role_ids=picked, seen_version=member.version
            )
        )
