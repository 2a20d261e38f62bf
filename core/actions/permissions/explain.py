"""Explains a permission decision: the permission that an action needs, and the reason for the answer as a sentence."""

from __future__ import annotations

from core.domain.grants import LOCAL, Grant
from core.domain.model import Id, Member, Project, User, Workspace
from core.domain.permissions import ALL_CODES, PROJECT_CODES, Permission, decided_in_place, holders_of
from core.domain.products.products import Product
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.record import Record
from core.rules.member_roles import IN_PROJECT, MemberRoles
from core.text.naming import did_you_mean
from core.text.phrases import in_words, names
from core.text.sanitize import quote_value


class RequiredPermission(Record, kw_only=False):
    """The permission that an action needs, and the account on which it is held."""

    code: str
    ability: str
    """The words for the permission after "can", such as "move cards to another status"."""
    place: str
    """The name of the project, or of the workspace for a permission that comes from a platform role."""
    account_id: str
    asked: frozenset[str]
    """The codes that are queried together, so that a cached grant can answer."""
    product: Product | None = None
    """The product whose code it is; None for Podium's own codes."""


def required_permission(view: Snapshot, project_id: Id, action: str) -> RequiredPermission:
    """Return the permission that an action needs.

    ``action`` is a permission code, the name of a message, or a code of a product in the project, in any case. Raises
    InvalidInput, with similar names, for anything else.
    """
    catalog, project = view.load_catalog(), view.get(Project, id=project_id)
    word = action.strip().casefold()
    own = {code.casefold(): code for code in Permission}
    own |= {name.casefold(): message.permission for name, message in catalog.items()}
    products = _products(view, project_id)
    if word in own:
        return _of_podium(view, project, own[word])
    if word in products:
        product = products[word]
        code = word.upper()
        ability = f"use {code} of “{product.name}”"
        return RequiredPermission(
            code, ability, project.name, project.auth_id, frozenset(product.permission_codes), product
        )
    known = {code.casefold(): code for code in (*Permission, *catalog, *map(str.upper, products))}
    hint = did_you_mean(word, known.values()) or " “podium commands” lists what can be done."
    raise InvalidInput(
        "action",
        f"“{quote_value(action)}” is neither a permission code nor a message, nor a code of a product in"
        f" “{project.name}”."
        f"{hint}",
    )


def role_label(wanted: RequiredPermission, user: User, member: Member | None) -> str:
    """Return the role that the permission could come from, in words: the project role, or the platform roles."""
    if _is_of_workspace(wanted):
        return names([in_words(role) for role in user.platform_roles]) or "external guest"
    return in_words(member.role) if member else "not a member"


def because(view: Snapshot, wanted: RequiredPermission, user: User, member: Member | None, grant: Grant) -> str:
    """Return the decision and its reason as a sentence."""
    code = "" if wanted.product else f" ({wanted.code})"
    held = wanted.code in grant.held
    if grant.authority.fault and not held:
        return f"It is not known whether {user.name} can {wanted.ability}{code}: {grant.authority.fault.reason}"
    decision = f"{user.name} can{'' if held else 'not'} {wanted.ability}{code}"
    if grant.authority.source != LOCAL.source:
        unnamed = [each for each in grant.authority.unnamed if each == wanted.code]
        return " ".join(filter(None, (f"{decision}: {_of_service(grant)}", decided_in_place(unnamed))))
    if not user.active:
        return f"{decision}: the account is not active in this workspace."
    if wanted.product:
        return f"{decision}: {_of_product(view, wanted, wanted.product, member)}"
    return f"{decision}: {_of_role(wanted, user, member, held)}"


def _of_podium(view: Snapshot, project: Project, code: Permission) -> RequiredPermission:
    if code in PROJECT_CODES:
        return RequiredPermission(code, code.phrase, project.name, project.auth_id, ALL_CODES)
    workspace = view.all(Workspace, "1 = 1")[0]
    return RequiredPermission(code, code.phrase, workspace.name, workspace.auth_id, ALL_CODES)


def _products(view: Snapshot, project_id: Id) -> dict[str, Product]:
    """The products in the project by their codes. For a code of several, one with external authorization is used."""
    every = view.all(
        Product, f"id IN {IN_PROJECT} ORDER BY uses_external_authorization, name DESC", project_id=project_id
    )
    return {code.casefold(): product for product in every for code in product.permission_codes}


def _of_service(grant: Grant) -> str:
    if grant.authority.fault:
        return f"the permission service said so {grant.age:.0f} seconds ago, and does not answer now."
    return "the permission service says so."


def _of_role(wanted: RequiredPermission, user: User, member: Member | None, held: bool) -> str:
    """The reason, by the roles of Podium that have the permission."""
    holders = holders_of(Permission(wanted.code))
    if not holders:
        return "everyone who is active in this workspace can."
    if member is None and not _is_of_workspace(wanted):
        return f"only {holders} of this project can."
    role = role_label(wanted, user, member)
    return f"as {role}." if held else f"only {holders} can, and the role is {role}."


def _of_product(view: Snapshot, wanted: RequiredPermission, product: Product, member: Member | None) -> str:
    """The reason, by the roles of the product that have the code."""
    if not product.uses_external_authorization:
        return f"“{product.name}” does not use external authorization, so Podium's roles give no role in it."
    if member is None:
        return "only members of this project hold roles of its products."
    roles = MemberRoles(view, member.project_id)
    for each in roles.product_roles_of(member):
        if each.product.id == product.id and wanted.code in each.role.permission_codes:
            through = names([f"“{meta_role.name}”" for meta_role in each.through])
            return f"the role “{each.role.name}” follows from {through}."
    holders = [each for each in roles.roles if each.product_id == product.id and wanted.code in each.permission_codes]
    if not holders:
        return f"no role of “{product.name}” holds it."
    named = {meta_role.id: meta_role.name for meta_role in roles.meta_roles}
    ways = [f"“{named[each]}”" for role in holders for each in role.meta_role_ids if each in named]
    if not ways:
        return f"no meta role gives {names([f'“{role.name}”' for role in holders])}."
    return f"that takes the meta role {' or '.join(dict.fromkeys(ways))}."


def _is_of_workspace(wanted: RequiredPermission) -> bool:
    return wanted.product is None and wanted.code not in PROJECT_CODES
