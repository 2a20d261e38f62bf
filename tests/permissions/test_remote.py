"""Code × message with the authorization service: the code of a message opens it, all the others together do not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.authorization.remote_source import RemotePermissions
from core.domain.permissions import Permission
from core.errors import Forbidden, RuleViolation
from tests.permissions.conftest import Matrix, Scene
from tests.support.authorization_service.server import Service
from tests.support.expected_rights import CODE_OF, OWN, Rehearsal, Role, is_of_project, outcome
from tests.unit.engine.test_messages import ROLES

SENDER = Role("viewer", "internal")
"""A member, since the Canvas says what one is on the project. What the database gives them does not count here,
but that they are no guest, who would see less of the workspace."""

REFUSED_FOR_OTHER_REASONS = {
    **OWN,
    "CastVote": RuleViolation,  # the panel is a rule of Podium, with either source
    "QueryPermissions": RuleViolation,  # without an account, which only Podium's own database can answer
}

TAKES_MORE = {
    "AskForConsent": ("TASK_MANAGE",),
    "ImportInto": ("TASK_MANAGE",),
    "ReschedulePhase": ("TASK_MANAGE",),
    "MergeTemplate": ("TASK_MANAGE", "ACTIVITY_MANAGE", "APPLICATION_MANAGE"),
}
"""What these take besides for the cards that they change, or ask others to change, in the samples."""


@pytest.fixture
def source(service: Service) -> Iterator[RemotePermissions]:
    source = service.source(max_age=0)
    yield source
    source.close()


def accounts(scene: Scene) -> tuple[str, str]:
    """Of the project and of the workspace."""
    world = scene.world
    return world.row("project", id=world.project.id)["auth_id"], world.row("workspace")["auth_id"]


def test_the_code_of_a_message_is_enough(matrix: Matrix, service: Service, source: RemotePermissions) -> None:
    actor, found = matrix.cast.active[SENDER], {}
    for name, scene in matrix.scenes.items():
        project, workspace = accounts(scene)
        service.holdings.held.clear()
        account = project if is_of_project(CODE_OF[name]) else workspace
        service.grant(actor.user_id, account, CODE_OF[name], *TAKES_MORE.get(name, ()))
        error = outcome(Rehearsal(scene.world.database).engine(permissions=source), scene.message, actor)
        if not isinstance(error, REFUSED_FOR_OTHER_REASONS.get(name, type(None))):
            found[name] = error
    assert found == {}
    assert len(service.requests) >= len(matrix.scenes), "the service decided"


def test_all_the_other_codes_together_are_not(matrix: Matrix, service: Service, source: RemotePermissions) -> None:
    actor, found = matrix.cast.active[SENDER], {}
    for name, scene in matrix.scenes.items():
        service.holdings.held.clear()
        for account in accounts(scene):
            service.grant(actor.user_id, account, *(ROLES.keys() - {CODE_OF[name]}))
        before = scene.writes
        error = outcome(Rehearsal(scene.world.database).engine(permissions=source), scene.message, actor)
        said = isinstance(error, Forbidden) and str(error).endswith(f"({CODE_OF[name]}).")
        if not said or scene.writes != before:
            found[name] = error
    assert found == {}


def test_the_table_and_the_core_know_the_same_codes() -> None:
    assert ROLES.keys() == set(Permission)
