"""The permission query of a product with its own token.

A product may ask about any user, for its own permission codes, on the account of a project that has an application of
it. Everything else is Forbidden, always with the same sentence, which names no record.
"""

from __future__ import annotations

from functools import partial

from core.actions.permissions.permissions import QueryPermissions
from core.authorization.query_pages import PermissionPage, check_filters, single_entry_page
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.model import Id
from core.domain.products.products import Product
from core.engine.engine import Engine
from core.engine.unit_of_work import Snapshot
from core.errors import Forbidden, InvalidInput
from core.sign_in.local import NOBODY

ONLY_THIS = (
    "A product may ask the permission query for its own codes, on the account of a project that has an application of"
    " it, and nothing else."
)

_HAS_APPLICATION = (
    "SELECT 1 FROM project JOIN application ON application.project_id = project.id"
    " WHERE project.auth_id = :account AND application.product_id = :product LIMIT 1"
)


def answer(engine: Engine, product_id: Id, asked: QueryPermissions) -> PermissionPage:
    """Return the codes that a user holds; none for an unknown user. Raises Forbidden, InvalidInput, or the fault."""
    if asked.account_id is None or not engine.read(NOBODY, partial(_may_ask, product_id, asked)):
        raise Forbidden(ONLY_THIS)
    if asked.user_id is None:
        raise InvalidInput("user_id", "A product names the user whom it asks about.")
    check_filters(asked.permission_codes, asked.limit, asked.offset)
    question = PermissionQuery(asked.user_id, asked.account, frozenset(asked.permission_codes))
    grant = engine.permissions.grant(question, CacheControl.MAX_STALE)
    if fault := grant.authority.fault:
        raise fault.error
    return single_entry_page(asked.account_id, grant.held, asked.limit, asked.offset)


def _may_ask(product_id: Id, asked: QueryPermissions, view: Snapshot) -> bool:
    product = view.find(Product, id=product_id)
    return (
        product is not None
        and set(asked.permission_codes) <= set(product.permission_codes)
        and bool(view.rows(_HAS_APPLICATION, account=asked.account, product=product_id))
    )
