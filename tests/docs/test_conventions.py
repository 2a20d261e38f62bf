"""Rules for the code as a whole: borders, the catalog, sizes, names."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from core.actions.catalog import BY_NAME, MESSAGES, summary
from core.domain.permissions import Permission
from core.engine.messages import Command, Message, Query
from core.record import fields
from tests.support.message_examples import messages
from tests.support.paths import ROOT

SOURCES = sorted([*(ROOT / "core").rglob("*.py"), *(ROOT / "tui").rglob("*.py")])
TESTS = sorted(path for path in (ROOT / "tests").rglob("*") if path.suffix in (".py", ".svg"))
"""The pictures to compare with, too."""
MAX_LINES = 500
MAX_METHODS = 70
UNFINISHED = r"\b(TODO|FIXME|XXX|HACK)\b"
VAGUE = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "base", "misc"}

ASKED_BY_POST = {"QueryPermissions", "PreviewImport", "PreviewImportInto", "ReportPresence"}
"""Queries sent as POST: the permission query, as its document has it (source document, section 4.1), what brings a
whole project along, and what says where its sender is."""

PLACES_OF_THEIR_OWN = {
    "tui/__main__.py",
    "tui/launch/launch_rules.py",
    "tui/services/preferences.py",
    "tui/terminal/fault.py",
    "tui/terminal/lifecycle.py",
}
"""The modules that read or write a file whose place is fixed: nobody types it on a screen."""

START = (
    "core.backends.local",
    "core.actions.catalog",
    "core.storage.sqlite.database",
    "core.sign_in.local",
    "core.engine.engine",
)
"""What is imported before the first paint, and what must not come with it."""
HEAVY = ("httpx", "markdown_it", "sqlite_utils", "click", "fractional_indexing", "platformdirs", "icalendar", "jinja2")
SCREEN = ("textual", "rich", "tui")

by_name = pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)


def modules(package: str) -> list[str]:
    found = importlib.import_module(package)
    return [package, *(each.name for each in pkgutil.walk_packages(found.__path__, f"{package}."))]


def imported_by(*names: str) -> set[str]:
    """The modules that importing these in a new Python brings along."""
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def defined() -> set[type[Message[Any]]]:
    """Every message that a module of core.actions defines: the classes with a route of their own."""
    found = set()
    for name in modules("core.actions"):
        for _, kind in inspect.getmembers(importlib.import_module(name), inspect.isclass):
            if issubclass(kind, Message) and kind.__module__ == name and "route" in vars(kind):
                found.add(kind)
    return found


def test_the_core_knows_nothing_of_a_screen() -> None:
    assert imported_by(*modules("core")).isdisjoint(SCREEN)


def test_what_is_imported_before_the_first_paint_is_light() -> None:
    assert imported_by(*START).isdisjoint((*HEAVY, *SCREEN))


def test_the_first_paint_of_the_canvas_brings_along_only_the_messages_that_it_asks() -> None:
    found = {
        name
        for name in imported_by("tui.start", "tui.screens.canvas.screen")
        if re.match(r"core\.actions\.\w+\.", name)
    }
    assert found == {
        "core.actions.workflow.canvas",
        "core.actions.workflow.canvas_changes",
        "core.actions.projects.find",
        "core.actions.workspace.profile",
    }


def test_only_who_is_there_is_said_before_the_authorization_service_has_answered() -> None:
    uses = {
        (str(path.relative_to(ROOT)), line.strip())
        for path in SOURCES
        for line in path.read_text().splitlines()
        if "at_once=True" in line
    }
    assert uses == {
        ("tui/start.py", "me = engine.query(GetCurrentUser(), actor, at_once=True)"),
        ("tui/start.py", 'return cast("R", engine.query(query, actor, at_once=True))'),
    }


def test_one_screen_alone_reads_and_writes_files_that_a_person_names() -> None:
    opens = r"(?<![.\w])(?<!def )open(?:_now)?|os\.open|mkstemp|write_whole"
    touches = re.compile(rf"(?:{opens}|(?:read|write)_(?:file|text|bytes))\(")
    found = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.is_relative_to(ROOT / "tui") and not path.is_relative_to(ROOT / "tui" / "cli")
        if touches.search(path.read_text())
    }
    own = {path for path in found if path.startswith("tui/web/")}
    assert found - own == {"tui/screens/projects/import_file.py", *PLACES_OF_THEIR_OWN}


def test_the_top_level_holds_only_what_belongs_there() -> None:
    """Files that a trial run leaves there were committed more than once."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("only git knows which files belong to a checkout")
    tracked = subprocess.check_output([git, "ls-files"], cwd=ROOT, text=True).splitlines()
    top = {name.split("/")[0] for name in tracked if not name.startswith(".")}
    assert top == {"LICENSE", "README.md", "core", "pyproject.toml", "requirements.lock", "screenshots", "tests", "tui"}


def test_one_place_alone_turns_the_garbage_collector_off_and_it_turns_it_on_again() -> None:
    """It was off in servers for as long as they ran: each connection stayed in memory."""
    off = [path for path in SOURCES if re.search(r"\bgc\.(disable|set_threshold|set_debug)\b", path.read_text())]
    assert [str(path.relative_to(ROOT)) for path in off] == ["tui/terminal/collector.py"]
    assert [path for path in SOURCES if re.search(r"^from gc\b", path.read_text(), re.MULTILINE)] == []
    (opens,) = [
        node
        for node in ast.walk(ast.parse(off[0].read_text()))
        if isinstance(node, ast.FunctionDef) and "gc.disable()" in ast.unparse(node)
    ]
    after = opens.body[next(n for n, each in enumerate(opens.body) if ast.unparse(each) == "gc.disable()") + 1]
    assert isinstance(after, ast.Try)
    assert "gc.enable()" in map(ast.unparse, after.finalbody)


def test_the_catalog_lists_every_message_once() -> None:
    assert set(MESSAGES) == defined()
    assert len(MESSAGES) == len(BY_NAME)
    assert all(issubclass(kind, Command) != issubclass(kind, Query) for kind in MESSAGES)


def test_there_is_a_sample_and_a_test_of_every_message() -> None:
    assert set(messages.ALL) == set(MESSAGES)
    tests = "".join(
        path.read_text() for path in (ROOT / "tests" / "unit").rglob("test_*.py") if path.name != "test_messages.py"
    )
    made = set(re.findall(r"\b(\w+)\(", tests))
    assert [kind.__name__ for kind in MESSAGES if kind.__name__ not in made] == []


def test_routes_are_distinct_whatever_their_fields_are_called() -> None:
    shapes = [re.sub(r"\{\w+\}", "{}", kind.route) for kind in MESSAGES]
    assert sorted(shapes) == sorted(set(shapes))


@by_name
def test_a_message_says_what_it_does_where_it_lives_and_what_it_takes(kind: type[Message[Any]]) -> None:
    assert re.fullmatch(r"[A-Z].*[.;]", summary(kind)), summary(kind)
    assert not summary(kind).startswith(f"{kind.__name__}(")
    assert isinstance(kind.permission, Permission)
    method, path = kind.route.split(" ")
    asked_by = {"POST"} if kind.__name__ in ASKED_BY_POST else {"GET"}
    assert method in (asked_by if issubclass(kind, Query) else {"POST", "PUT", "PATCH", "DELETE"})
    assert path.startswith("/v1/")
    assert set(re.findall(r"\{(\w+)\}", path)) <= set(fields(kind))
    assert kind.__struct_config__.frozen
    assert "__dict__" not in dir(kind)


def methods_of(kind: type) -> set[str]:
    """The names of the methods and properties of a class, with those that it inherits from other classes of Podium."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith(("core.", "tui."))]
    kinds = (FunctionType, classmethod, staticmethod, property, cached_property)
    return {name for base in bases for name, value in vars(base).items() if isinstance(value, kinds)}


def test_no_class_has_too_many_methods() -> None:
    kinds = {
        kind
        for name in [*modules("core"), *modules("tui")]
        if not name.endswith("__main__")
        for kind in vars(importlib.import_module(name)).values()
        if inspect.isclass(kind) and kind.__module__ == name
    }
    assert len(kinds) > 1000
    assert {kind.__qualname__: len(methods_of(kind)) for kind in kinds if len(methods_of(kind)) > MAX_METHODS} == {}


def faults_of(path: Path) -> Iterator[str]:
    """The rules of files that a file breaks."""
    text = path.read_text()
    if len(text.splitlines()) > MAX_LINES:
        yield "it is too long"
    if path.stem in VAGUE:
        yield "its name says nothing"
    if path in TESTS:
        return
    if text.strip() and not ast.get_docstring(ast.parse(text)):
        yield "it has no docstring"
    if not re.search(UNFINISHED, text):
        return
    with path.open("rb") as file:
        comments = [token.string for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT]
    yield from (comment for comment in comments if re.search(UNFINISHED, comment))


def broken_rules(paths: Sequence[Path]) -> dict[str, list[str]]:
    assert len(paths) > 100
    return {str(path.relative_to(ROOT)): faults for path in paths if (faults := list(faults_of(path)))}


def test_each_source_file_is_short_documented_and_finished() -> None:
    assert broken_rules(SOURCES) == {}


PACKAGES = [str(path.parent.relative_to(ROOT)) for top in ("core", "tui") for path in (ROOT / top).rglob("__init__.py")]


@pytest.mark.parametrize("folder", PACKAGES)
def test_the_map_of_a_folder_names_each_file_in_it_and_no_other(folder: str) -> None:
    files = {path.name for path in (ROOT / folder).glob("*.py")} - {"__init__.py"}
    folders = {f"{path.parent.name}/" for path in (ROOT / folder).glob("*/__init__.py")}
    drawn = ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text()))
    assert set(re.findall(r"\b\w+(?:\.py|/)", drawn or "")) == files | folders


def test_each_file_of_the_tests_is_short_too() -> None:
    assert broken_rules(TESTS) == {}
