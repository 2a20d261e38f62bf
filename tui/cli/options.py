"""The options of every command that name its workspace, its user and the form of its output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import click

from tui.cli.choices import Number
from tui.cli.option_keys import DB, DIRECT, DRY_RUN, FIELDS, IDS, JSON, LIMIT, LOGIN, SERVER, SORT

F = TypeVar("F", bound=Callable[..., Any])


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value or (name in (DB, LIMIT) and value is not None):  # an empty path is refused, and not the usual one
            context.meta[name] = value

    return keep


_OPTIONS: dict[str, dict[str, Any]] = {
    "--db": {
        "type": click.Path(),
        "callback": _keep(DB),
        "help": "The database of the workspace: a file, or postgresql://ROLE@HOST/DATABASE.",
    },
    "--direct": {
        "is_flag": True,
        "callback": _keep(DIRECT),
        "help": "Open a database of PostgreSQL without its servers.",
    },
    "--server": {
        "metavar": "URL",
        "callback": _keep(SERVER),
        "help": "The server that has the workspace: unix:/path or https://….",
    },
    "--as": {"metavar": "LOGIN", "envvar": "PODIUM_AS", "callback": _keep(LOGIN), "help": "Act as this person."},
    "--json": {"is_flag": True, "callback": _keep(JSON), "help": "Print JSON."},
}

_DRY_RUN: dict[str, Any] = {
    "is_flag": True,
    "callback": _keep(DRY_RUN),
    "help": "Print what would change, and change nothing.",
}

_ONLY_IDS: dict[str, Any] = {"is_flag": True, "callback": _keep(IDS), "help": "Print only ids, one on a line."}


_OF_LISTS: dict[str, dict[str, Any]] = {
    "--fields": {
        "metavar": "NAME,NAME…",
        "callback": _keep(FIELDS),
        "help": "Print only these fields, with tabs between them or with --json.",
    },
    "--sort": {
        "metavar": "NAME",
        "callback": _keep(SORT),
        "help": "Sort by a field; with “-” before its name, the highest first.",
    },
    "--limit": {"type": Number(1), "callback": _keep(LIMIT), "help": "The most lines."},
}


def _forms(shown: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The options. Where some are to be shown, the others are hidden.

    All stand before any command too, so a hidden one is still accepted: what a command cannot use, it refuses with a
    sentence.
    """
    for name, form in _OPTIONS.items():
        yield name, form | {"expose_value": False, "hidden": bool(shown) and name not in shown}


def workspace_parameters(
    *, ids: bool = False, changes: bool = False, lists: bool = False, own: Iterable[str] = ()
) -> list[click.Parameter]:
    """--db, --direct, --server, --as and --json; with ``changes`` --dry-run before them, with ``ids`` -q behind.

    With ``lists`` also --fields, --sort and --limit, but for those that the command has of its ``own``.
    """
    options: list[click.Parameter] = [click.Option([name], **form) for name, form in _forms(())]
    if lists:
        of_lists = [
            click.Option([name], expose_value=False, **form) for name, form in _OF_LISTS.items() if name not in own
        ]
        options = [*of_lists, *options]
    if changes:
        options = [click.Option(["--dry-run"], expose_value=False, **_DRY_RUN), *options]
    return [*options, click.Option(["-q", "--quiet"], expose_value=False, **_ONLY_IDS)] if ids else options


def workspace_options(*shown: str) -> Callable[[F], F]:
    """The same for a command that is a function; the help has those that it can use, or all."""

    def add(function: F) -> F:
        for name, form in reversed(list(_forms(shown))):
            function = click.option(name, **form)(function)
        return function

    return add
