"""Keys of hidden projects on a server: ten times a day a person learns that one is not free, whatever way they try."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from core.actions.projects.imports import ImportProject
from core.actions.projects.projects import CreateProject, EditProject
from core.domain.quotas import Quotas
from core.engine.messages import Command
from core.errors import InvalidInput
from core.import_export.document import ProjectDocument
from tests.support.workspace import Clock, World

USED_UP = re.compile(r"You chose 10 keys today that were not free\. Choose ([A-Z]{6}), which is free, or wait")


@pytest.fixture
def vault(world: World) -> World:
    """With a project of the key MHA, which Gus cannot see, on a server."""
    world.internal(world.gus)
    world.do(CreateProject(name="Merger", key="MHA"))
    world.engine.quotas = Quotas()
    return world


def key_of(world: World, command: Command[Any]) -> str:
    """The key that a dry run answers."""
    changes = world.engine.dry_run(command, world.gus).changes
    return str(next(each.after["key"] for each in changes if each.entity == "project" and each.after))


def said(world: World, command: Command[Any], *, dry: bool) -> str:
    """The key or the refusal."""
    try:
        return key_of(world, command) if dry else str(world.do(command, world.gus).key)
    except InvalidInput as error:
        return str(error)


def edit(world: World) -> Callable[[str], Command[Any]]:
    mine = world.do(CreateProject(name="Garden", key="GA"), world.gus)
    return lambda key: EditProject(project_id=mine.id, key=key)


WAYS: dict[str, Callable[[World], Callable[[str], Command[Any]]]] = {
    "create": lambda _: lambda key: CreateProject(name="Garden", key=key),
    "edit": edit,
    "import": lambda _: lambda key: ImportProject(document=ProjectDocument(name="Garden", key=key, phases=())),
    "a name": lambda _: lambda key: CreateProject(name=key),
}


@pytest.mark.parametrize(
    ("way", "dry"), [(way, dry) for way in WAYS for dry in (True, False) if dry or way != "a name"]
)
def test_after_ten_keys_nothing_tells_whether_another_is_free(vault: World, clock: Clock, way: str, dry: bool) -> None:
    command = WAYS[way](vault)
    for _ in range(10):
        assert said(vault, command("MHA"), dry=dry) not in ("MHA", "")
    for key in ("MHA", "MHB"):
        answer = said(vault, command(key), dry=True)
        assert USED_UP.match(answer) or re.fullmatch("[A-Z]{6}", answer), answer
        assert key not in answer
    clock.forward(days=1)
    assert said(vault, command("MHB"), dry=True) == "MHB"


def test_the_key_that_is_proposed_can_be_chosen(vault: World) -> None:
    for _ in range(10):
        said(vault, CreateProject(name="Garden", key="MHA"), dry=True)
    refusals = {said(vault, CreateProject(name="Garden", key=key), dry=False) for key in ("MHA", "FREE")}
    (refusal,) = refusals
    proposed = USED_UP.match(refusal)
    assert proposed
    assert said(vault, CreateProject(name="Garden", key=proposed[1]), dry=False) == proposed[1]


def test_keys_that_are_free_and_those_of_others_are_not_counted_for_a_person(vault: World) -> None:
    for number in range(12):
        assert said(vault, CreateProject(name="Garden", key=f"GAR{chr(65 + number)}"), dry=True).startswith("GAR")
        with pytest.raises(InvalidInput, match="has or had the key MHA"):
            vault.engine.dry_run(CreateProject(name="Mine", key="MHA"), vault.maya if number < 6 else vault.gus)


def test_in_a_local_file_nothing_is_counted(vault: World) -> None:
    vault.engine.quotas = None
    answers = {said(vault, CreateProject(name="Garden", key="MHA"), dry=True) for _ in range(12)}
    assert answers == {"Another project has or had the key MHA. Choose another one."}
    assert vault.rows("SELECT 1 FROM usage WHERE kind = 'REFUSED_KEYS'") == []
