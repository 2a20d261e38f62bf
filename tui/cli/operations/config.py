"""``podium config``."""

from __future__ import annotations

import click

from core.config import settings
from core.files.config_file import HOST_FILE, config_file, fault_of
from tui.cli.option_keys import DB, SERVER
from tui.cli.options import workspace_options
from tui.cli.output import print_json, print_line, say, table
from tui.cli.session import login_of, wants_json


@click.command("config")
@workspace_options("--db", "--server", "--as", "--json")
@click.pass_context
def config_(context: click.Context) -> None:
    """List every setting with its value and its source."""
    from core.sign_in.local import os_login

    found = settings({"db": context.meta.get(DB), "server": context.meta.get(SERVER)})
    rows = [(name, _format_value(setting.value), setting.source) for name, setting in found.items()]
    login = login_of(context)
    account = f"your account “{os_login()}”, or the user whom it is linked to"
    rows.append(("as", login, "--as or PODIUM_AS" if login else account))
    if wants_json(context):
        print_json([{"name": name, "value": value, "source": source} for name, value, source in rows])
        return
    table(("SETTING", "VALUE", "FROM"), [(name, value or "not set", source) for name, value, source in rows], "")
    say("")
    for path, whose in {HOST_FILE: "The file of this host", config_file(): "Your file"}.items():
        fault = fault_of(path)
        why = "is not there" if isinstance(fault, FileNotFoundError) else f"cannot be read: {fault and fault.strerror}"
        print_line(f"{whose} is {path}{f', which {why}' if fault else ''}.")


def _format_value(value: object) -> str | None:
    """A value as text; None where nothing is set."""
    if isinstance(value, tuple):
        return ", ".join(value) or None
    return None if value in (None, "") else str(value).lower() if isinstance(value, bool) else str(value)
