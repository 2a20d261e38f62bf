"""``podium launch`` and ``podium product launch``: by the rules of the screens, from a command line."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from core.actions.cards.application_lists import GetApplication
from core.actions.products.launch import (
    GetLaunchContext,
    GetProductContext,
    LaunchApplication,
    LaunchPayload,
    LaunchProduct,
)
from core.actions.workspace.profile import GetCurrentUser
from core.codec.encoding import to_json
from core.config import place_of
from core.domain.model import Id
from core.domain.products.launch_context import LaunchContext
from core.domain.products.products import LaunchKind, Product
from core.engine.messages import Command, Query
from core.errors import CannotLaunch
from core.record import Record
from core.sign_in.local import connection_kind
from core.text.sanitize import sanitize
from tui.cli.cards.applications import APPLICATION
from tui.cli.message_command import runs
from tui.cli.records import BRAND, CLIENT, MARKET, PRODUCT, PROJECT
from tui.cli.session import Parameter, Session
from tui.launch.agreements import Agreements
from tui.launch.browser import can_open_browser, open_in_browser
from tui.launch.launch_rules import check_launchable, check_unchanged, exit_message, question_of, run_product, url_of
from tui.terminal.lifecycle import forget_keys


class LaunchOutcome(Record):
    """The outcome of a launch: ``opened`` of a web product, the exit ``status`` of a terminal product."""

    launch_id: Id
    url: str = ""
    opened: bool | None = None
    status: int | None = None


ON_CLIENT = CLIENT.option("--client", "The client that it is launched for, by name or id.")
ON_MARKET = MARKET.option("--market", "The market, with the client that it is under.")
ON_BRAND = BRAND.option("--brand", "The brand, with the market and client that it is under.")


@runs("launch", PROJECT, APPLICATION, changes=True)
def launch_(session: Session) -> None:
    """Launch an application with its context: a web product in the browser, a terminal product right here.

    Over SSH, or without a desktop, the link is printed instead of opened. Exit status 0 says that it was launched, not
    how a terminal product ended; that is said in words. With --dry-run the launch context is printed as JSON.
    """
    found = session[APPLICATION]
    context = GetLaunchContext(application_id=found.id)
    product = session.query(GetApplication(application_id=found.id)).product
    _launch(session, product, found.name, LaunchApplication(application_id=found.id), context)


@runs("launch", PRODUCT, ON_CLIENT, ON_MARKET, ON_BRAND, changes=True)
def launch_product_(session: Session) -> None:
    """Launch a product outside of a project, with exactly the client, market and brand that it requires.

    Otherwise as “podium launch”, which launches the applications of projects.
    """
    product = session[PRODUCT]
    named: tuple[Parameter[Any], ...] = (PRODUCT, ON_CLIENT, ON_MARKET, ON_BRAND)
    chosen = {each.field: each.sent(session[each]) for each in named}
    _launch(session, product, product.name, LaunchProduct(**chosen), GetProductContext(**chosen))


def _launch(
    session: Session, product: Product, name: str, command: Command[LaunchPayload], context: Query[LaunchContext]
) -> None:
    """Launch a product. What is not possible from here, or not agreed to, is not recorded."""
    if not session.dry_run:
        check_launchable(product, connection_kind())
        if product.kind is LaunchKind.TERMINAL:
            _ask(session, product)
    handed = session.execute(
        command,
        preview=lambda: print(_safe(session.query(context))),
        document=lambda: to_json(session.query(context)),
    )
    check_unchanged(product, handed.product)
    if handed.product.kind is LaunchKind.WEB:
        launched, sentence = _open(session, handed, name)
    else:
        launched, sentence = _run(session, handed, name, product)
    session.print_result(launched, sentence)


def _open(session: Session, handed: LaunchPayload, name: str) -> tuple[LaunchOutcome, str]:
    url = url_of(handed, session.config.public_url)
    opened = can_open_browser(connection_kind()) and open_in_browser(url)
    return (
        LaunchOutcome(launch_id=handed.launch.id, url=url, opened=opened),
        f"Launched “{name}” in the browser." if opened else url,
    )


def _ask(session: Session, product: Product) -> None:
    """Show the command and ask, unless the person agreed to it before. Raises CannotLaunch.

    There is no option that answers beforehand: it would agree to whatever the command is by then.
    """
    agreements = Agreements(place_of(session.config), session.query(GetCurrentUser()).workspace.id)
    question = question_of(product, agreements)
    if not question:
        return
    try:
        print(sanitize(question), file=sys.stderr)
        forget_keys()
        agreed = click.confirm("Run it?", err=True)
    except (click.Abort, KeyboardInterrupt):
        agreed = False
    if not agreed:
        raise CannotLaunch(f"You did not agree to the command of “{product.name}”, so nothing was run.")
    agreements.add(product)


def _run(session: Session, handed: LaunchPayload, name: str, agreed: Product) -> tuple[LaunchOutcome, str]:
    """Release the database while the product runs, which can take hours."""
    session.workspace.let_go()
    status = run_product(handed, agreed)
    return LaunchOutcome(launch_id=handed.launch.id, status=status), exit_message(name, status)


def _safe(context: LaunchContext) -> str:
    """The context exactly as it is handed over; in ASCII, which says the same, where a name could act on a terminal."""
    exact = context.as_json()
    return exact if sanitize(exact) == exact else json.dumps(to_json(context), separators=(",", ":"))
