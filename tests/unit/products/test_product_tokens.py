"""Tokens of products: who may make and end them, what is kept of them, what a product may ask with one."""

from __future__ import annotations

import hashlib

import pytest

from core.actions.history.history import ListWorkspaceHistory, Undo
from core.actions.permissions.permissions import QueryPermissions
from core.actions.products.products import RemoveProduct
from core.actions.products.tokens import CreateProductToken, ListProductTokens, RevokeProductToken
from core.domain.model import WORKSPACE
from core.errors import Forbidden, InvalidInput, NothingToUndo
from core.server.endpoints.permission_query import answer_product
from core.server.requests.authentication import ONLY_THIS
from tests.support.message_examples import messages
from tests.support.workspace import Clock, World


def test_only_the_hash_is_kept_and_the_history_says_who_made_it(world: World) -> None:
    product = world.product()
    made = world.do(CreateProductToken(product_id=product.id, label="Live", days=2))
    row = world.row("product_token")
    assert row["hash"] == hashlib.sha256(made.secret.encode()).hexdigest()
    assert made.secret not in repr(made)
    for table in ("product_token", "change", "change_record"):
        assert made.secret not in repr(world.rows(f"SELECT * FROM {table}"))
    line = world.ask(ListWorkspaceHistory())[0]
    assert (line.actor, line.summary) == (
        "Maya Okafor", "made the token “Live” of the product “Asset library”, for 2 days"
    )  # fmt: skip


def test_tokens_are_listed_of_one_product_or_of_all_and_end_by_time_or_by_hand(world: World, clock: Clock) -> None:
    first, second = world.product(), world.product("Planner")
    world.do(CreateProductToken(product_id=first.id, label="Live", days=1))
    other = world.do(CreateProductToken(product_id=second.id, label="Trial", days=30)).token
    assert [(each.product, each.label) for each in world.ask(ListProductTokens())] == [
        ("Planner", "Trial"), ("Asset library", "Live")
    ]  # fmt: skip
    assert [each.label for each in world.ask(ListProductTokens(product_id=first.id))] == ["Live"]
    ended = world.do(RevokeProductToken(product_token_id=other.id))
    assert (ended.state, world.last_change(WORKSPACE)["summary"]) == (
        "REVOKED", "revoked the token “Trial” of the product “Planner”"
    )  # fmt: skip
    clock.forward(days=2)
    assert [each.state for each in world.ask(ListProductTokens())] == ["REVOKED", "EXPIRED"]


def test_nothing_about_them_can_be_undone(world: World) -> None:
    product = world.product()
    token = world.do(CreateProductToken(product_id=product.id, label="Live")).token
    world.do(RevokeProductToken(product_token_id=token.id))
    with pytest.raises(NothingToUndo, match="Your last change here cannot be undone: revoked the token “Live”"):
        world.do(Undo(project_id=WORKSPACE))
    assert len(world.rows("SELECT 1 FROM product")) == 1
    assert world.row("product_token")["revoked_at"] is not None


@pytest.mark.parametrize("days", [0, 366])
def test_a_token_ends_within_a_year(world: World, days: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 365 days"):
        world.do(CreateProductToken(product_id=world.product().id, label="Live", days=days))


def test_a_product_asks_for_its_own_codes_where_it_is_used_and_nothing_else(world: World) -> None:
    code = messages.product_code(world)
    product_id = world.row("product")["id"]
    account = world.row("project", id=world.project.id)["auth_id"]
    elsewhere = world.row("project", id=world.new_project("Other").id)["auth_id"]

    def ask(user_id: str | None, account_id: str | None, *codes: str) -> object:
        return answer_product(
            world.engine,
            product_id,
            QueryPermissions(user_id=user_id, account_id=account_id, permission_codes=codes),
        ).data

    held = world.ask(QueryPermissions(account_id=account, permission_codes=(code,)))
    assert ask(world.maya.user_id, account, code) == held.data != ()
    assert ask(world.gus.user_id, account, code) == ask("unknown", account, code) == ()
    for refused in (
        (world.maya.user_id, elsewhere, code),
        (world.maya.user_id, world.row("workspace")["auth_id"], code),
        (world.maya.user_id, "unknown", code),
        (world.maya.user_id, None, code),
        (world.maya.user_id, account, "TASK_MOVE"),
        (world.maya.user_id, account, code, "TASK_MOVE"),
    ):
        with pytest.raises(Forbidden) as error:
            ask(*refused)
        assert (str(error.value), error.value.who_can) == (ONLY_THIS, ())
    with pytest.raises(InvalidInput, match="names the user"):
        ask(None, account, code)


def test_a_removed_product_asks_nothing_and_its_token_is_not_listed(world: World) -> None:
    product = world.product()
    world.do(CreateProductToken(product_id=product.id, label="Live"))
    world.do(RemoveProduct(product_id=product.id))
    assert world.ask(ListProductTokens()) == ()
