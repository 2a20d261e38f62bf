"""Derived roles: on the members screen, and in answers to the permission query over the account tree."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actions.projects.members import ListMembers
from core.authorization.local_source import LocalPermissions
from core.authorization.query_pages import QueryFilters, page
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.model import ProjectRole
from core.domain.permissions import ALL_CODES
from core.domain.products.products import ApplicationRole, LaunchKind, MetaRole, Product, RoleMapping
from core.domain.products.roles import HeldMetaRole, HeldProductRole, derive_product_roles, held_meta_roles
from tests.properties.reference_roles import CODES, PEOPLE, Carried, Plan, Workshop, plans

LEAD, ANALYST, CREATIVE = (MetaRole(id=name[0], name=name) for name in ("Lead", "analyst", "Creative"))
ASKED = ALL_CODES | set(CODES)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("roles"))


many = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])


# -- the rule by itself --------------------------------------------------------------------------------------------


def test_meta_roles_come_from_the_project_role_or_were_given_or_both() -> None:
    mapping = [
        RoleMapping(project_role=ProjectRole.OWNER, meta_role_id=LEAD.id),
        RoleMapping(project_role=ProjectRole.OWNER, meta_role_id=CREATIVE.id),
        RoleMapping(project_role=ProjectRole.VIEWER, meta_role_id=ANALYST.id),
    ]
    held = held_meta_roles(ProjectRole.OWNER, [ANALYST.id, LEAD.id], mapping, [LEAD, ANALYST, CREATIVE])
    assert held == (
        HeldMetaRole(ANALYST, False, True),
        HeldMetaRole(CREATIVE, True, False),
        HeldMetaRole(LEAD, True, True),
    )
    assert held_meta_roles(ProjectRole.CONTRIBUTOR, [], mapping, [LEAD, ANALYST]) == ()


def test_a_role_says_through_which_meta_roles_it_follows_and_none_does_without_external_authorization() -> None:
    library = Product(id="1", name="Asset library", kind=LaunchKind.WEB, uses_external_authorization=True)
    board = Product(id="2", name="Board", kind=LaunchKind.WEB)
    roles = [
        ApplicationRole(id=f"{product.id}{name}", product_id=product.id, name=name, meta_role_ids=meta_roles)
        for product in (library, board)
        for name, meta_roles in (("Editor", (LEAD.id, ANALYST.id)), ("Guest", (CREATIVE.id,)), ("Nobody", ()))
    ]
    held = derive_product_roles([LEAD.id, ANALYST.id], [library, board], roles, [LEAD, ANALYST, CREATIVE])
    assert held == (HeldProductRole(library, roles[0], (ANALYST, LEAD)),)
    assert derive_product_roles([], [library, board], roles, [LEAD]) == ()


# -- the rule through the database, against a naive statement of it ------------------------------------------------


@many
@given(plan=plans)
def test_the_members_of_a_project_have_the_roles_that_follow_and_no_others(workshop: Workshop, plan: Plan) -> None:
    with workshop.carried(plan) as carried:
        for number, project in enumerate(carried.projects):
            lines = {line.user.id: line for line in carried.world.ask(ListMembers(project_id=project))}
            for person, user_id in enumerate(carried.people):
                line = lines.pop(user_id, None)
                assert (line is not None) == (plan.role(number, person) is not None)
                if line is None:
                    continue
                meta_roles = {held.meta_role.id for held in line.meta_roles}
                assert meta_roles == set(carried.ids(plan.meta_roles(number, person)))
                follows = {carried.roles[each] for each in plan.follows(number, person)}
                follows = set() if person in plan.inactive else follows
                assert {held.role.id for held in line.product_roles} == follows
                assert all(
                    {meta_role.id for meta_role in held.through} == meta_roles & set(held.role.meta_role_ids)
                    for held in line.product_roles
                )
            assert lines == {}


@many
@given(plan=plans)
def test_each_account_of_the_tree_is_answered_for_alone_as_a_naive_walk_to_the_root_says(
    workshop: Workshop, plan: Plan
) -> None:
    with workshop.carried(plan) as carried:
        source = LocalPermissions(carried.world.database)
        for name, account in carried.accounts().items():
            for person, user_id in enumerate(carried.people):
                question = PermissionQuery(user_id, account, frozenset(ASKED))
                assert source.grant(question, CacheControl.MAX_STALE).held == plan.held(name, person), (name, person)


@many
@given(
    plan=plans,
    codes=st.frozensets(st.sampled_from(sorted(ASKED)), min_size=1, max_size=4),
    person=st.integers(0, PEOPLE - 1),
    limit=st.integers(1, 4),
)
def test_pages_hold_every_account_on_which_any_of_the_codes_is_held_once_and_in_order(
    workshop: Workshop, plan: Plan, codes: frozenset[str], person: int, limit: int
) -> None:
    with workshop.carried(plan) as carried:
        expected = sorted(
            (account, tuple(sorted(held)))
            for name, account in carried.accounts().items()
            if (held := codes & plan.held(name, person))
        )
        assert read(carried, person, codes, limit) == expected


def read(carried: Carried, person: int, codes: frozenset[str], limit: int) -> list[tuple[str, tuple[str, ...]]]:
    """All entries, page by page."""
    found: list[tuple[str, tuple[str, ...]]] = []
    while True:
        filters = QueryFilters(carried.people[person], tuple(codes), limit, len(found))
        answer = carried.world.database.read(partial(page, filters=filters))
        assert (answer.limit, answer.offset) == (limit, len(found))
        found += [(entry.account_id, entry.permissions) for entry in answer.data]
        if len(answer.data) < limit:
            assert answer.total_count == len(found)
            return found
