"""Role × message × state, through the core, for every message of the catalog."""

from __future__ import annotations

import pytest

from core.actions.catalog import BY_NAME
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, NotFound, PodiumError, RuleViolation
from tests.permissions.conftest import Matrix, Scene
from tests.support.expected_rights import (
    CODE_OF,
    EVERY_ROLE,
    MEMBERS,
    ON_PLATFORM,
    UNSEEN,
    Role,
    expected_error,
    is_of_project,
    is_refusal,
    outcome,
)
from tests.support.message_examples import messages

OF_PROJECT = {kind.__name__ for kind in messages.PROJECT_COMMANDS}
OWNERS = {"Maya Okafor", *(" ".join(role.name) for role in EVERY_ROLE if role.on_project == "owner")}
ADMINS = {"Maya Okafor", *(" ".join(role.name) for role in EVERY_ROLE if "admin" in role.on_platform)}

by_role = pytest.mark.parametrize("role", EVERY_ROLE, ids=str)


def is_refused(scene: Scene, name: str, role: Role, actor: Actor, *, active: bool = True) -> str:
    """Check that a message is refused for a missing permission, in the right words, and writes nothing; "" if so."""
    before = scene.writes
    error = outcome(scene.rehearsed, scene.message, actor)
    wanted = NotFound if active and is_unseen(name, role) else Forbidden
    if not isinstance(error, wanted):
        return f"{name}: {error!r} and not {wanted.__name__}"
    if scene.writes != before:
        return f"{name}: refused, but {scene.writes - before} rows were written"
    return _wrong_words(name, error, role, active)


def is_unseen(name: str, role: Role) -> bool:
    return is_of_project(CODE_OF[name]) and not role.on_project


def _wrong_words(name: str, error: Forbidden | NotFound, role: Role, active: bool) -> str:
    code, said = CODE_OF[name], str(error)
    of_project = is_of_project(code)
    if not active:
        as_expected = "not active" in said and said.endswith("Ask a workspace admin.")
    elif isinstance(error, NotFound):
        as_expected = bool(UNSEEN.fullmatch(said))
    else:
        as_expected = is_refusal(said, role.on_project if of_project else role.on_platform, code)
        as_expected &= set(error.who_can) == (OWNERS if of_project else _admins_known_to(role))
    return "" if as_expected else f"{name}: refused with “{said}” {getattr(error, 'who_can', ())}"


def _admins_known_to(role: Role) -> set[str]:
    """Guests hear of no admin: they see the people on their projects and nobody else."""
    return set() if role.on_platform == "guest" else ADMINS


UNSEEN_BY_GUESTS = frozenset(
    [
        "GetProduct",
        "GetUser",
        "GetTemplate",
        "CompareTemplateVersions",
        "DiffAgainstTemplate",
        "PreviewTemplateMerge",
        "MergeTemplate",
        "LinkProject",
        "InviteMember",
    ]
)
"""Messages whose sample names a product, a template, a client or a person that no project of the guests has."""


def is_done(scene: Scene, name: str, actor: Actor, role: Role) -> str:
    """Check that a message is carried out; "" if so."""
    error = outcome(scene.rehearsed, scene.message, actor)
    if isinstance(error, expected_error(name, role)):
        return ""
    if role.on_platform == "guest" and name in UNSEEN_BY_GUESTS:
        unseen = isinstance(error, NotFound) and UNSEEN.fullmatch(str(error))
        return "" if unseen else f"{name}: {error!r}"
    return f"{name}: {error!r}"


def told(found: list[str]) -> list[str]:
    return [each for each in found if each]


@by_role
def test_a_message_is_done_for_whom_the_table_says_so_and_refused_to_all_others(matrix: Matrix, role: Role) -> None:
    actor = matrix.cast.active[role]
    found = [
        is_done(scene, name, actor, role) if role.may(CODE_OF[name]) else is_refused(scene, name, role, actor)
        for name, scene in matrix.scenes.items()
    ]
    assert told(found) == []


@pytest.mark.parametrize("on_platform", ON_PLATFORM)
def test_an_archived_project_takes_only_what_the_archive_takes(matrix: Matrix, on_platform: str) -> None:
    found = []
    for name, scene in matrix.scenes.items():
        with scene.archived():
            for role in (each for each in EVERY_ROLE if each.on_platform == on_platform):
                actor = matrix.cast.active[role]
                if not role.may(CODE_OF[name]):
                    found.append(is_refused(scene, name, role, actor))
                elif name in (*OF_PROJECT, "CheckVersion") and not _in_archive(name):  # refused as a change would be
                    found.append(_is_archived(scene, name, actor))
                else:
                    found.append(is_done(scene, name, actor, role))
    assert told(found) == []


def _in_archive(name: str) -> bool:
    kind = BY_NAME[name]
    return issubclass(kind, Command) and kind.in_archive


def _is_archived(scene: Scene, name: str, actor: Actor) -> str:
    before = scene.writes
    error: PodiumError | None = outcome(scene.rehearsed, scene.message, actor)
    as_expected = (
        isinstance(error, RuleViolation)
        and "is archived. Restore the project first." in str(error)
        and scene.writes == before
        and set(error.who_can) == OWNERS
    )
    return "" if as_expected else f"{name}: {error!r}"


@by_role
def test_a_deactivated_user_may_do_nothing_at_all(matrix: Matrix, role: Role) -> None:
    actor = matrix.cast.deactivated[role]
    found = [is_refused(scene, name, role, actor, active=False) for name, scene in matrix.scenes.items()]
    assert told(found) == []


@pytest.mark.parametrize("role", MEMBERS, ids=str)
def test_a_removed_member_keeps_what_the_platform_gives(matrix: Matrix, role: Role) -> None:
    actor, left = matrix.cast.removed[role], role._replace(on_project="")
    found = [
        is_done(scene, name, actor, left) if left.may(CODE_OF[name]) else is_refused(scene, name, left, actor)
        for name, scene in matrix.scenes.items()
    ]
    assert told(found) == []
