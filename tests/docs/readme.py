"""The pages of Podium and their generated parts. ``python -m tests.docs.readme`` writes these parts."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from core.actions.catalog import COMMANDS, summary
from core.config import RULES, Config
from core.record import defaults, fields
from core.server.openapi.error_pages import pages
from tests.docs import completion_table
from tests.support.paths import ROOT
from tui.cli.commands import EXIT_STATUSES
from tui.cli.program import podium
from tui.keys.names import spell_key
from tui.keys.table import IDEAS, KEYS

README = ROOT / "README.md"
SERVER_GUIDE = ROOT / "core" / "server" / "README.md"
CLI = ROOT / "tui" / "cli" / "README.md"
WEB = ROOT / "tui" / "web" / "README.md"
API = ROOT / "core" / "server" / "API.md"
ARCHITECTURE = ROOT / "core" / "README.md"
CHANGELOG = ROOT / ".github" / "CHANGELOG.md"

PAGES = (
    README,
    ROOT / "tui" / "README.md",
    ROOT / "tui" / "KEYS.md",
    CLI,
    WEB,
    ARCHITECTURE,
    SERVER_GUIDE,
    API,
    ROOT / "tests" / "README.md",
    ROOT / "tests" / "benchmarks" / "README.md",
    ROOT / ".github" / "CONTRIBUTING.md",
    ROOT / ".github" / "SECURITY.md",
    ROOT / ".github" / "STABILITY.md",
    CHANGELOG,
)
"""Every page of the project."""

EXAMPLES = ROOT / "core" / "server" / "examples"
SHOWN = EXAMPLES / "sshd_podium.conf"
"""The one example that is short enough for a page; the pages link to the others."""

TITLES = {"list": "In every list", "view": "In every view of a project but the Canvas"}
"""Headings for the parts of the table of keys that are not single screens."""


def idea_table() -> str:
    """Each letter with its idea."""
    rows = "\n".join(f"| {_shown(idea.keys)} | {idea.words} |" for idea in IDEAS if idea.keys)
    return f"| Key | Idea |\n|---|---|\n{rows}"


def key_tables() -> str:
    """A heading and a table of keys for each screen."""
    parts = []
    for screen in dict.fromkeys(key.screen for key in KEYS):
        title = TITLES.get(screen, screen.replace("_", " ").capitalize())
        keys = [key for key in KEYS if key.screen == screen and key.keys]
        if not keys:
            continue
        rows = "\n".join(f"| {_shown(key.keys)} | {key.words} |" for key in keys if not key.arguments)
        parts.append(f"## {title}\n\n| Key | What it does |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def message_table() -> str:
    """Every command with its help: the messages of ``podium run``."""
    return _table("Message", ((command.__name__, summary(command)) for command in COMMANDS))


def command_table() -> str:
    """Every command of ``podium`` with the first paragraph of its help."""
    return _table("Command", _commands(podium, "podium"))


def exit_statuses() -> str:
    """The exit statuses of ``podium``."""
    rows = (f"| {status} | {meaning} |" for status, meaning in EXIT_STATUSES.items())
    return "\n".join(["| Status | Meaning |", "|---|---|", *rows])


def error_codes() -> str:
    """Every error code with its status and what to do."""
    rows = (f"| `{page.code}` | {page.status} | {page.title} | {page.what_to_do} |" for page in pages().values())
    return "\n".join(["| Code | Status | Meaning | What to do |", "|---|---|---|---|", *rows])


def setting_table() -> str:
    """Every setting with its meaning, the values that it can have, and its default."""
    rows = []
    for name in fields(Config):
        rule = RULES[name]
        usual = defaults(Config).get(name)
        default = str(usual).lower() if isinstance(usual, bool) else usual
        shown = "" if usual in ("", None, ()) else f"`{default}`"
        rows.append(f"| `{name}` | {rule.meaning} | {rule.allowed} | {shown} |")
    return "\n".join(["| Setting | Meaning | Value | Default |", "|---|---|---|---|", *rows])


def package_table(top: str) -> str:
    """The packages of ``core``, ``tui`` or ``tui.screens`` from the top layer to the bottom, with the rule of each."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [each["layers"] for each in contracts if each.get("containers") == [top]]
    names = [name for layer in layers for name in re.split(r" [|:] ", layer) if not name.startswith("__")]
    return _table("Package", (_package(ROOT.joinpath(*top.split("."), name)) for name in names), "Rule")


def example_file(path: Path) -> str:
    """An example file for administrators, as it is in the package."""
    return f"```\n{path.read_text()}```"


def example_test(path: str, name: str) -> str:
    """A test as it is in its file, with the imports that it needs."""
    source = (ROOT / path).read_text()
    body = ast.parse(source).body
    (test,) = (each for each in body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == name)
    used = {each.id for each in ast.walk(test) if isinstance(each, ast.Name)}
    blocks: list[list[str]] = [[], []]
    for each in body:
        if isinstance(each, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in each.names if alias.name in used]
            if names and isinstance(each, ast.Import):
                blocks[0] += [f"import {alias}" for alias in names]
            elif names and isinstance(each, ast.ImportFrom):
                blocks[1].append(f"from {each.module} import {', '.join(names)}")
    imports = "\n\n".join("\n".join(block) for block in blocks if block)
    return f"```python\n{imports}\n\n\n{ast.get_source_segment(source, test)}\n```"


CHAPTERS: dict[str, Callable[[], str]] = {
    "ideas": idea_table,
    "keys": key_tables,
    "messages": message_table,
    "commands": command_table,
    "exit-status": exit_statuses,
    "error-codes": error_codes,
    "settings": setting_table,
    "packages of core": partial(package_table, "core"),
    "packages of tui": partial(package_table, "tui"),
    "packages of tui.screens": partial(package_table, "tui.screens"),
    SHOWN.name: partial(example_file, SHOWN),
    "a core test": partial(
        example_test,
        "tests/unit/workflow/test_phases.py",
        "test_members_are_assigned_to_a_phase_and_a_stale_list_is_refused",
    ),
    "a screen test": partial(
        example_test,
        "tests/screens/cards/test_status.py",
        "test_l_moves_the_card_to_the_next_status_and_the_cursor_stays_on_it",
    ),
}
"""The generated parts, by the name in the comments around them."""


def with_chapters(text: str) -> str:
    """The text of a page with every generated part as it should be."""
    for name, chapter in CHAPTERS.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, found, rest = text.partition(start)
        if found:
            text = f"{before}{start}{chapter()}\n{end}{rest.partition(end)[2]}"
    return text


def without_chapters(text: str) -> str:
    """The text of a page without its generated parts."""
    for name in CHAPTERS:
        before, found, rest = text.partition(f"<!-- {name} -->\n")
        if found:
            text = before + rest.partition(f"<!-- /{name} -->")[2]
    return text


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            if below and not below.hidden:
                yield from _commands(below, f"{name} {each}")
    else:
        yield name, " ".join((command.help or "").partition("\n\n")[0].split()).replace("|", "\\|")


def _package(path: Path) -> tuple[str, str]:
    """The path of a package or a module, and the first paragraph of its docstring."""
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(source.read_text())) or ""
    shown = path if path.is_dir() else source
    return shown.relative_to(ROOT).as_posix(), " ".join(docstring.partition("\n\n")[0].split())


def _table(title: str, rows: Iterator[tuple[str, str]], heading: str = "What it does") -> str:
    return "\n".join(
        [f"| {title} | {heading} |", "|---|---|", *(f"| `{name}` | {words} |" for name, words in rows)]
    ).replace("``", "`")


def _shown(keys: str) -> str:
    return " ".join(f"`{spell_key(each)}`" for each in keys.split(",")).replace("|", r"\|")


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_chapters(page.read_text()))
    completion_table.FILE.write_text(completion_table.text_of(completion_table.made_table(podium)))
