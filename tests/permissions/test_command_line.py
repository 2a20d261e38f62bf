"""Role × message on the command line: it ends with 3 and the sentence exactly where the table says so.

``podium run`` sends every message; the nouns (``podium task …``) are held to it code by code.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.codec.encoding import to_json
from core.engine.messages import Message
from core.errors import Forbidden
from core.record import asdict, fields
from tests.permissions.conftest import Matrix, Scene
from tests.support.expected_rights import (
    CODE_OF,
    EVERY_ROLE,
    UNSEEN,
    Role,
    expected_error,
    is_of_project,
    is_refusal,
)
from tests.support.message_examples.daily_work import TEMPLATE_FILE
from tests.support.postgres_cluster import DIRECT, place_of
from tests.support.screen_cases import House
from tests.support.sweeps import SAMPLE, sweep
from tests.support.workspace import content, copy_of, open_database_of_test
from tests.unit.engine.test_messages import MESSAGES_OF, ROLES
from tui.cli.program import podium

REFUSED, NOT_FOUND = 3, 6

NOUNS = {
    "PROJECT_VIEW": "project show P; use P; project favourite P; phase list P; task list P; task show Print -p P;"
    " activity list P; gate check P 1; gate export P; gate record P; deliverable list P 1; member list P;"
    " application list P;"
    " history P; undo P; redo P; search brief --project P; project export P; report P;"
    " permission can maya MoveCard --project P; permission review P;"
    " online P; preset list P; preset choose P delivery; preset save P Mine",
    "PROJECT_UPDATE": "project edit P --name Spring; project archive P; project restore P",
    "PROJECT_DELETE": "task delete P Old --yes; project delete P --yes",
    "WORKFLOW_MANAGE": "phase add P Review; phase edit P 1 --name Find; phase remove P 3;"
    " gate override P 2 --reason No; template merge Event P; template merge Event P --dry-run;"
    " phase add P Review --dry-run; deliverable add P 1 Plan; deliverable edit P 1 Report Plan;"
    " deliverable remove P 1 Report",
    "GATE_DECIDE": "gate approve P 1; gate hold P 1 --reason No; gate back P 1 --reason No",
    "DELIVER": "deliverable deliver P 1 Report --statement Sent; deliverable take-back P 1 Report",
    "APPLICATION_MANAGE": "application add P Films --phase 1; application rename P Pictures Stills;"
    " application remove P Films",
    "MEMBER_MANAGE": "member add P gus; member guest P Ada Ng ada@ng.example; member role P bob viewer;"
    " member remove P vera",
    "META_ROLE_ASSIGN": "member meta-roles P bob",
    "PRESET_SHARE": "preset share P Ours",
    "ACTIVITY_MANAGE": "activity add P 1 Survey; activity archive P Interviews",
    "TASK_MANAGE": "task add P 1 Call; add Call -p P; task edit P Print --title Copy; task archive P Print;"
    " task restore P Old",
    "TASK_MOVE": "task move P Print to_do; task start Print -p P; task done Print -p P;"
    " activity move P Interviews in_progress",
    "COMMENT_ADD": "comment add Print Hello -p P",
    "APPLICATION_LAUNCH": "launch P Pictures; launch P Pictures --dry-run",
    "TEMPLATE_SAVE": "template save P --name Ours",
    "TEMPLATE_MANAGE": "template edit Event --name Fair; template remove Event; template import -",
    "PROJECT_CREATE": "project create Fair --template Event --start mon; project create Autumn",
    "PROJECT_CLAIM": "project claim P; project list --ownerless",
    "USER_MANAGE": "user add Ada Ng ada@ng.example; user role gus internal; user deactivate gus; history;"
    " token create CI --for gus; token gateway list; os-account link daemon gus",
    "HIERARCHY_MANAGE": "hierarchy add client Aurelia; hierarchy rename Fjordland Fjord; hierarchy remove Fjordland",
    "PRODUCT_MANAGE": "product add Planner --url https://planner.example/; product retire Films;"
    " product role add Films Reader; product token list; product token create Films Live; product remove Films",
    "PRODUCT_LAUNCH": "product launch Films; product launch Films --dry-run",
    "META_ROLE_MANAGE": "meta-role add Keeper; meta-role map viewer",
}
"""Command lines of the nouns that take each code; P is the project."""

QUICK = (
    "PROJECT_VIEW", "PROJECT_DELETE", "GATE_DECIDE", "TASK_MANAGE", "WORKSPACE_VIEW", "PROJECT_CREATE", "USER_MANAGE",
    "PRODUCT_LAUNCH",
)  # fmt: skip
"""Codes of a project and of the platform, with their borders at different roles."""

WITHOUT_NOUN = {
    "WORKSPACE_VIEW": "everybody holds it who is active",
}


@pytest.fixture(autouse=True)
def _nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("PODIUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PODIUM_CONFIG", os.devnull)
    monkeypatch.setenv("PODIUM_DAILY_BACKUP", "false")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def as_fields(message: Message[Any]) -> dict[str, Any]:
    """A message as ``--json-input`` takes it."""
    values: dict[str, Any] = {name: getattr(message, name) for name in fields(message)}
    given = {name: to_json(value) for name, value in values.items()}
    if "commands" in given:
        steps = values["commands"]
        given["commands"] = [{"message": type(step).__name__} | as_fields(step) for step in steps]
    if "slots" in given:  # a named tuple, whose fields are named as in its class when it is sent
        given["slots"] = [asdict(slot) for slot in values["slots"]]
    return given


class CommandLine:
    """``podium run`` of one message, in a copy of its database."""

    def __init__(self, scene: Scene, path: Path) -> None:
        self.path = copy_of(scene.world.database, path)
        self.name = type(scene.message).__name__
        self.given = json.dumps(as_fields(scene.message)).encode()

    def do(self, role: Role, *more: str) -> Result:
        return run_as(role, "run", self.name, "--json-input", "-", *more, path=self.path, given=self.given)


def run_as(role: Role, *words: str, path: Path, given: bytes | None = None) -> Result:
    """A command line of the user with this role."""
    first_name, last_name = role.name
    login = f"active.{first_name}.{last_name.replace(' ', '.')}".lower()
    line = [*words, "--db", place_of(path), "--as", login, *DIRECT]
    return CliRunner().invoke(podium, line, input=given, catch_exceptions=False)


def is_unseen(role: Role, code: str) -> bool:
    return is_of_project(code) and not role.on_project


def ends_with(role: Role, code: str) -> int:
    """The exit status for a user who may not: one who cannot see the project learns no more than that."""
    return NOT_FOUND if is_unseen(role, code) else REFUSED


def is_said(said: str, role: Role, code: str) -> bool:
    """True if this is the refusal for a user with this role."""
    if is_unseen(role, code):
        return bool(UNSEEN.fullmatch(said))
    return is_refusal(said, role.on_project if is_of_project(code) else role.on_platform, code)


def first_and_last(code: str) -> tuple[list[Role], list[Role]]:
    """A user who is allowed and one who is not: the two next to the border in the table."""
    may = [role for role in EVERY_ROLE if role.may(code)]
    may_not = [role for role in EVERY_ROLE if not role.may(code)]
    return may[-1:], may_not[:1]


@pytest.mark.parametrize("is_sampled", sweep([True, False], bool), ids=["the sample", "the others"])
def test_every_message_ends_with_3_exactly_for_those_who_may_not(
    matrix: Matrix, tmp_path: Path, is_sampled: bool
) -> None:
    found = []
    for name, scene in matrix.scenes.items():
        if (name in SAMPLE.split()) != is_sampled:
            continue
        run, code = CommandLine(scene, tmp_path / "one.db"), CODE_OF[name]
        before = content(scene.world.database)
        may, may_not = first_and_last(code)
        for role in may_not:
            result = run.do(role, "--json")
            (error,) = json.loads(result.stderr)["errors"] if result.exit_code else ({},)
            form_a = error.keys() == {"errorCode", "errorMessage", "correlationId", "link"}
            wanted = "NOT_FOUND" if is_unseen(role, code) else "FORBIDDEN"
            refused = form_a and error["errorCode"] == wanted and is_said(error["errorMessage"], role, code)
            if result.exit_code != ends_with(role, code) or result.stdout or not refused:
                found.append(f"{name} by {role}: {result.exit_code} {result.output}")
        assert content(scene.world.database) == before
        for role in may:
            result = run.do(role)
            expected = expected_error(name, role)
            if result.exit_code not in {type(None): (0,), Forbidden: (REFUSED,)}.get(expected, (1, 6)):
                found.append(f"{name} by {role}: {result.exit_code} {result.output}")
    assert found == []


@pytest.mark.parametrize("code", sweep(filter(ROLES.__contains__, MESSAGES_OF), QUICK.__contains__))
def test_every_role_meets_the_border_of_a_code_at_the_same_place(matrix: Matrix, tmp_path: Path, code: str) -> None:
    name = MESSAGES_OF[code].split()[-1]
    run, found = CommandLine(matrix.scenes[name], tmp_path / "one.db"), []
    for role in sorted(EVERY_ROLE, key=lambda each: each.may(code)):  # who may changes what the others would find
        result = run.do(role)
        said = result.stderr.strip().splitlines()
        if role.may(code):
            as_expected = result.exit_code in (0, 1, 6)
        else:
            as_expected = result.exit_code == ends_with(role, code) and not result.stdout
            as_expected &= is_said(_sentence(said), role, code)
        if not as_expected:
            found.append(f"{role}: {result.exit_code} {result.output}")
    assert found == []


@pytest.mark.parametrize("code", NOUNS)
def test_the_nouns_of_a_code_end_with_3_for_those_next_to_the_border(house: House, tmp_path: Path, code: str) -> None:
    path = copy_of(house.world.database, tmp_path / "nouns.db")
    before, found = content(house.world.database), []
    for line in NOUNS[code].split(";"):
        words = [house.world.project.id if word == "P" else word for word in line.split()]
        for role in outermost_without(code):
            result = run_as(role, *words, path=path, given=TEMPLATE_FILE.encode())
            said = _sentence(result.stderr.strip().splitlines())
            if role.on_platform == "guest" and result.stderr.endswith(" here, or you cannot see it.\n"):
                continue  # it names something of the workspace, where guests find what their projects have
            if is_unseen(role, code) and result.exit_code == NOT_FOUND and not result.stdout:
                continue  # the first of its records that is looked up is named as not there
            if result.exit_code != REFUSED or result.stdout or not is_said(said, role, code):
                found.append(f"{line} by {role}: {result.exit_code} {result.output}")
    with closing(open_database_of_test(path)) as database:
        assert content(database) == before
    assert found == []


@pytest.mark.parametrize("code", NOUNS)
def test_the_nouns_of_a_code_are_for_those_who_hold_it(house: House, tmp_path: Path, code: str) -> None:
    found = []
    for line in NOUNS[code].split(";"):
        path = copy_of(house.world.database, tmp_path / "nouns.db")
        words = [house.world.project.id if word == "P" else word for word in line.split()]
        (role,), _ = first_and_last(code)
        result = run_as(role, *words, path=path, given=TEMPLATE_FILE.encode())
        if result.exit_code not in (0, 1, 6) or "Not permitted" in result.output:
            found.append(f"{line} by {role}: {result.exit_code} {result.output}")
    assert found == []


def test_every_code_that_has_messages_has_nouns() -> None:
    assert NOUNS.keys() | WITHOUT_NOUN.keys() == MESSAGES_OF.keys()


def outermost_without(code: str) -> list[Role]:
    """The roles without a code that are closest to and farthest from holding it in the table."""
    may_not = [role for role in EVERY_ROLE if not role.may(code)]
    return [may_not[0], may_not[-1]]


def _sentence(lines: list[str]) -> str:
    """The sentence of a refusal, after its title. People who can help follow on a line of their own.

    Strangers and guests do not see those people.
    """
    title, _, sentence = lines[0].partition(": ") if len(lines) in (1, 2) else ("", "", "")
    named = len(lines) == 2 and lines[1].endswith(" can help.")
    alone = len(lines) == 1 and (bool(UNSEEN.fullmatch(sentence)) or sentence.endswith("; you are a guest."))
    return sentence if title in ("Not permitted", "Not found") and (named or alone) else ""
