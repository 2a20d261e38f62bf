"""``podium init``: a workspace without a screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from core.text.phrases import shell_command
from tui.cli.option_keys import DB
from tui.cli.options import workspace_options
from tui.cli.output import print_json, print_line
from tui.cli.session import login_of, require_database, wants_json


@click.command("init")
@click.option("--name", required=True, help="The name of the workspace.")
@click.option("--first-name", default="", help="Your first name (default: your login).")
@click.option("--last-name", default="", help="Your last name (default: none).")
@click.option("--email", default="", help="Your e-mail (default: none).")
@click.option("--login", default="", help="Your login (default: your login on this machine).")
@click.option("--city", default="", help="Your city.")
@click.option("--allow-root", is_flag=True, help="Let root sign in as you, if root runs this under another login.")
@workspace_options("--db", "--json")
@click.pass_context
def init_(context: click.Context, /, name: str, login: str, first_name: str, last_name: str, **others: Any) -> None:
    """Create a workspace. You will be its administrator."""
    from core.actions import load_catalog
    from core.actions.workspace.create import FirstUser, new_workspace, why_not_linked
    from core.codec.encoding import to_json
    from core.sign_in.local import os_login

    login = login or login_of(context) or os_login()
    first_name = first_name or login.capitalize()
    founder = FirstUser(login=login, first_name=first_name, last_name=last_name, **others)
    place = require_database(context).db
    new_workspace(place, name, founder, load_catalog).database.close()
    if wants_json(context):
        print_json(to_json({"db": str(place), "name": name, "login": login}))
    else:
        named = ["--db", str(place)] if DB in context.meta else []
        if isinstance(place, Path):
            way = f"{shell_command('podium', *named)} opens it"
        else:
            way = f"{shell_command('podium', 'serve', *named)} serves it"
        print_line(f"The workspace “{name}” is at {place}. You are its admin; {way}.")
    if why := why_not_linked(founder):
        print(f"The account of this process is not linked to {login}. {why}", file=sys.stderr)
