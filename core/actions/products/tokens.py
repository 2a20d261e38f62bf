"""Product tokens: with one, a product sends the permission query itself.

No command here can be undone, as with the tokens of users.
"""

from __future__ import annotations

from datetime import datetime

from core.actions.workspace.credentials import DAYS, TokenCommand, TokenState, insert_token, revoke_token, state_of
from core.domain.credentials import ProductToken
from core.domain.model import Id
from core.domain.permissions import Permission
from core.domain.products.products import Product
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.record import Record, made_from
from core.text.phrases import count

_MAKERS = (
    "SELECT product_token.id, actor_id FROM product_token JOIN change_record AS made"
    " ON made.project_id = 'workspace' AND made.key = '{\"id\": \"' || product_token.id || '\"}'"
    " AND entity = 'product_token' AND before IS NULL JOIN change USING (project_id, seq)"
)


class ProductTokenSummary(Record):
    """A product token without its hash."""

    id: Id
    product_id: Id
    product: str
    """The name of the product."""
    label: str
    maker_id: Id | None
    state: TokenState
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


class NewProductToken(Record):
    """A new product token with its secret, which is shown only once and never stored."""

    token: ProductTokenSummary
    secret: str


class ListProductTokens(Query[tuple[ProductTokenSummary, ...]]):
    """List the tokens of a product, or of all products, the newest first."""

    route = "GET /v1/product-tokens"
    permission = Permission.PRODUCT_MANAGE
    product_id: Id | None = None

    def run(self, view: Snapshot) -> tuple[ProductTokenSummary, ...]:
        names = {each.id: each.name for each in view.all(Product, "1 = 1")}
        of_one = self.product_id is not None and view.get(Product, id=self.product_id)
        condition = "product_id = :product" if of_one else "product_id IN (SELECT id FROM product)"
        tokens = view.all(ProductToken, f"{condition} ORDER BY id DESC", product=self.product_id)
        makers: dict[Id, Id] = dict(view.tx.tuples(_MAKERS))
        return tuple(_line(each, names[each.product_id], view.now, makers.get(each.id)) for each in tokens)


class CreateProductToken(TokenCommand[NewProductToken]):
    """Create a token with which a product sends the permission query. Its secret is shown once.

    The product can ask about any user, for its own codes, on the projects that have an application of it.
    """

    route = "POST /v1/products/{product_id}/tokens"
    permission = Permission.PRODUCT_MANAGE
    product_id: Id
    label: str
    days: int = DAYS

    def run(self, work: UnitOfWork) -> NewProductToken:
        product = work.get(Product, id=self.product_id)
        token, secret = insert_token(work, ProductToken, self.label, self.days, product_id=product.id)
        work.say(f"made the token “{token.label}” of the product “{product.name}”, for {count(self.days, 'day')}")
        return NewProductToken(token=_line(token, product.name, work.now, work.actor.user_id), secret=secret)


class RevokeProductToken(Command[ProductTokenSummary]):
    """Revoke a token of a product. It is refused from then on."""

    route = "POST /v1/product-tokens/{product_token_id}/revoke"
    permission = Permission.PRODUCT_MANAGE
    ends_access = True
    undoable = False
    product_token_id: Id

    def run(self, work: UnitOfWork) -> ProductTokenSummary:
        token = work.get(ProductToken, id=self.product_token_id)
        product = work.get(Product, id=token.product_id)
        maker_id = dict(work.tx.tuples(_MAKERS)).get(token.id)
        return _line(revoke_token(work, token, f"the product “{product.name}”"), product.name, work.now, maker_id)


def _line(token: ProductToken, product: str, now: datetime, maker_id: Id | None) -> ProductTokenSummary:
    return made_from(ProductTokenSummary, token, product=product, maker_id=maker_id, state=state_of(token, now))
