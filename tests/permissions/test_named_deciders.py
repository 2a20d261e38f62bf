"""Contributors whom a policy of a gate names hold GATE_DECIDE on the project; viewers and strangers never do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.actions.permissions.permissions import ExplainPermission, PermissionExplanation, QueryPermissions
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.workflow.gates import DecideGate
from core.actions.workspace.meta_roles import MapProjectRole, SetMetaRoles
from core.actions.workspace.users import DeactivateUser
from core.authorization.local_source import LocalPermissions
from core.domain.gate_policy import Deciding, GatePolicy
from core.domain.gates import Decision
from core.domain.grants import CacheControl, DecisionSource, PermissionQuery
from core.domain.model import Id, Project, ProjectRole
from core.domain.permissions import ALL_CODES, Permission
from core.engine.change_records import RecordChange
from core.engine.grant_counter import TOTAL, count_granting
from core.engine.project_guard import holders
from core.errors import Forbidden
from tests.support.authorization_service.server import Service
from tests.support.workspace import World

DECIDE = Permission.GATE_DECIDE


def add_policy(world: World, project: Project | None = None, **named: Any) -> None:
    """A policy of the first gate of a project, past all rules."""
    where = project or world.project
    phase = world.discover if project is None else world.phase("Concept", where.id)
    world.insert(GatePolicy(project_id=where.id, phase_id=phase.id, **named))


def by_name(world: World, who: Id) -> None:
    add_policy(world, deciders=Deciding.PEOPLE, people=(world.maya.user_id, who, world.gus.user_id))


def as_secretary(world: World, who: Id) -> None:
    add_policy(world, secretary_id=who)


def by_given_meta_role(world: World, who: Id) -> None:
    add_policy(world, deciders=Deciding.META_ROLE, meta_role_id=world.meta_role("Creative"))
    give = (world.meta_role("Creative"),)
    world.do(SetMetaRoles(project_id=world.project.id, user_id=who, meta_role_ids=give))


def by_mapped_meta_role(world: World, who: Id) -> None:
    add_policy(world, deciders=Deciding.META_ROLE, meta_role_id=world.meta_role("Creative"))
    for role in ProjectRole:
        world.do(MapProjectRole(project_role=role, meta_role_ids=(world.meta_role("Creative"),)))


def by_no_policy(world: World, who: Id) -> None:
    """Nothing names anyone."""


def others_only(world: World, who: Id) -> None:
    add_policy(world, deciders=Deciding.META_ROLE, people=("unknown",), meta_role_id=world.meta_role("Creative"))


def elsewhere(world: World, who: Id) -> None:
    """A policy of another project names them by all ways."""
    other, meta_role = world.new_project("Autumn"), world.meta_role("Creative")
    world.do(InviteMember(project_id=other.id, user_id=who, role=ProjectRole.VIEWER))
    world.do(SetMetaRoles(project_id=other.id, user_id=who, meta_role_ids=(meta_role,)))
    add_policy(world, other, people=(who,), meta_role_id=meta_role, secretary_id=who)


def remove(world: World, who: Id) -> None:
    by_name(world, who)
    world.do(RemoveMember(project_id=world.project.id, user_id=who))


def deactivate(world: World, who: Id) -> None:
    by_name(world, who)
    world.do(DeactivateUser(user_id=who))


NAMING = (by_name, as_secretary, by_given_meta_role, by_mapped_meta_role)
LEAVING = (remove, deactivate)


def account(world: World) -> str:
    return str(world.row("project", id=world.project.id)["auth_id"])


def ask_source(world: World, codes: frozenset[str], user_id: Id) -> frozenset[str]:
    question = PermissionQuery(user_id, account(world), codes)
    return LocalPermissions(world.database).grant(question, CacheControl.MAX_STALE).held


def explain(world: World, code: Permission = DECIDE) -> PermissionExplanation:
    return world.ask(ExplainPermission(project_id=world.project.id, user_id=world.bob.user_id, action=code))


@pytest.mark.parametrize("way", [*NAMING, by_no_policy, others_only, elsewhere, *LEAVING])
@pytest.mark.parametrize("role", ProjectRole)
def test_to_decide_takes_an_owner_or_a_contributor_whom_a_policy_of_the_project_names(
    world: World, role: ProjectRole, way: Callable[[World, Id], None]
) -> None:
    bob = world.bob.user_id
    world.do(SetProjectRole(project_id=world.project.id, user_id=bob, role=role))
    way(world, bob)
    decides = way not in LEAVING and (role is ProjectRole.OWNER or (role is ProjectRole.CONTRIBUTOR and way in NAMING))
    expected = {DECIDE} if decides else set()
    assert ask_source(world, ALL_CODES, bob) & {DECIDE} == expected
    assert ask_source(world, frozenset({DECIDE}), bob) == expected
    assert DECIDE not in ask_source(world, ALL_CODES - {DECIDE}, bob)
    listed = world.engine.read(world.maya, lambda view: holders(view, world.project.id, DECIDE))
    assert listed == ("Bob Lind",) * decides + ("Maya Okafor",)
    assert explain(world).held == decides
    if way is not deactivate:
        page = world.ask(QueryPermissions(permission_codes=(DECIDE,)), as_=world.bob)
        on_project = [each.permissions for each in page.data if each.account_id == account(world)]
        assert (on_project, page.total_count) == ([(DECIDE,)] * decides, int(decides))


def test_the_explanation_says_which_policy_names_a_contributor_and_a_refusal_names_who_decides(world: World) -> None:
    refused = world.refuses(
        DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason="We wait."), Forbidden, as_=world.bob
    )
    assert str(refused) == (
        "Only owners and contributors named by the policy of a gate can approve, hold or send back phases;"
        " you are a contributor."
    )
    assert refused.who_can == ("Maya Okafor",)
    by_name(world, world.bob.user_id)
    answer = explain(world)
    assert answer.role == "contributor, named by the policy of “Discover”"
    assert answer.reason == (
        "Bob Lind can approve, hold or send back phases (GATE_DECIDE): as contributor, named by the policy of"
        " “Discover”."
    )
    assert explain(world, Permission.DELIVER).role == "contributor"
    world.insert(GatePolicy(project_id=world.project.id, phase_id=world.build.id, secretary_id=world.bob.user_id))
    assert explain(world).role == "contributor, named by the policies of “Discover” and “Build”"
    refused = world.refuses(DecideGate(phase_id=world.discover.id, decision=Decision.PASS), Forbidden, as_=world.vera)
    assert refused.who_can == ("Bob Lind", "Maya Okafor")


def test_with_an_authorization_service_no_policy_gives_the_permission(world: World, service: Service) -> None:
    by_name(world, world.bob.user_id)
    service.grant(world.bob.user_id, account(world), Permission.PROJECT_VIEW)
    service.grant(world.maya.user_id, account(world), *Permission)
    world.engine = world.engine.__class__(world.database, world.engine.load_catalog, service.source())
    answer = explain(world)
    assert (answer.held, answer.role) == (False, "contributor")
    assert answer.authority == DecisionSource("remote", unnamed=answer.authority.unnamed)


@pytest.mark.parametrize("table", ["gate_policy", "member_meta_role", "role_mapping"])
def test_a_change_of_those_whom_policies_name_drops_cached_grants(world: World, table: str) -> None:
    def count(change: RecordChange) -> int:
        return world.database.write(
            lambda tx: count_granting(tx, world.project.id, [change]) and int(tx.tuples(TOTAL)[0][0])
        )

    before = count(RecordChange("member", {}, None, {}))
    assert count(RecordChange(table, {}, None, {})) == before + 1
    assert count(RecordChange("gate_criterion", {}, None, {})) is False
