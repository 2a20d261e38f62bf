"""Opening Podium in this terminal: connects to a database or a server, signs the user on, and runs the application.

Textual is imported last, so that an authorization service answers meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from enum import StrEnum, auto
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from core.actions import load_catalog
from core.actions.projects.find import FindProjects
from core.actions.workspace.profile import CurrentUser, GetCurrentUser
from core.backends.local import Backend, LocalBackend
from core.config import Config, place_of
from core.domain.model import WORKSPACE, Id
from core.engine.engine import Engine
from core.engine.messages import Query
from core.errors import DatabaseMissing, PodiumError
from core.net.database_url import DatabaseUrl
from core.record import Record, replace
from core.rules.project_names import ProjectRef, names_of_project
from core.sign_in.local import connection_kind, require_workspace, sign_on
from core.storage.opening import open_database
from core.text.naming import the_one
from core.text.short_keys import read_card_key

if TYPE_CHECKING:
    from tui.app import PodiumApp
    from tui.dialogs.drafts import DraftFiles
    from tui.screens.shell.first_run import NewWorkspace

R = TypeVar("R")


class Startup(Record, kw_only=False):
    """Everything that is needed before the first frame."""

    backend: Backend
    me: CurrentUser
    project: ProjectRef | None
    card_id: Id | None = None
    """The card under the first cursor."""
    read_only: bool = False
    """True if the database cannot be written."""
    first_run: NewWorkspace | None = None
    """The first run, if it made the workspace just now."""


class Opening(StrEnum):
    """The thing that Podium shows first besides its screen."""

    PLAIN = auto()
    TOUR = auto()
    """The tour."""
    DEMO = auto()
    """A line with the first things to try."""


def run_app(
    config: Config, login: str | None = None, project: str | None = None, opening: Opening = Opening.PLAIN
) -> int:
    """Open Podium in this terminal until the user quits, and return the exit status.

    ``project`` is an id or a name, or the key of a card. Raises PodiumError, before anything is drawn.
    """
    loop = asyncio.new_event_loop()
    try:
        open_workspace = _behind_server if config.server else _in_file
        opened = open_workspace(config, login, project, loop)
        return _run(opened, config, loop, opening) if opened else 0
    finally:
        loop.close()


def _run(opened: Startup, config: Config, loop: asyncio.AbstractEventLoop, opening: Opening) -> int:
    from tui.app import PodiumApp
    from tui.screens.shell.navigation import first_screen
    from tui.services.tour import DEMO
    from tui.terminal.lifecycle import living_with_terminal

    first = first_screen(opened.project, opened.card_id)
    app = PodiumApp(opened.backend, opened.me, first, connection_kind(), config.public_url, config)
    app.idle.minutes = config.idle_timeout_minutes
    app.escape_delay = config.escape_delay / 1000 or app.escape_delay
    app.place = place_of(config)
    app.files = config.files
    app.drafts = drafts = None if opening is Opening.DEMO else _drafts(app)
    app.saving.read_only = opened.read_only
    app.begins_with_tour = opening is Opening.TOUR
    app.tour.hint = DEMO if opening is Opening.DEMO else None
    if opened.first_run:
        app.type_ahead.take_over(opened.first_run.typed)
        app.begin_in_theme(light=opened.first_run.is_light)
    try:
        with living_with_terminal(app.leave):
            return app.run(loop=loop) or app.return_code or 0
    finally:
        if drafts is not None:
            drafts.close()
        with contextlib.suppress(PodiumError):
            loop.run_until_complete(opened.backend.close())


def _drafts(app: PodiumApp) -> DraftFiles | None:
    """The drafts of the user; None in a browser, where one account of the host runs the screens of many people."""
    if app.via == "browser":
        return None
    from tui.dialogs.drafts import DraftFiles

    drafts = DraftFiles(app.place, app.me.workspace.id, app.me.user.id)
    drafts.prune()
    return drafts


def _in_file(config: Config, login: str | None, named: str | None, loop: asyncio.AbstractEventLoop) -> Startup | None:
    """Open a database, created by the first run if it is missing. Return None if the user cancels that."""
    from core.authorization.configured_source import configured_source

    founded = _open_or_found(config, login)
    if founded is None:
        return None
    engine, login, first_run = founded
    engine.permissions = configured_source(config, engine.database)
    actor = sign_on(engine, login)
    me = engine.query(GetCurrentUser(), actor, at_once=True)
    read_only = engine.database.unwritable is not None
    opened = Startup(LocalBackend(engine, actor), me, None, None, read_only, first_run)
    if named is None:
        engine.authorizer.ask_ahead(actor, WORKSPACE)
        return opened

    async def ask(query: Query[R]) -> R:
        if isinstance(query, FindProjects) and query.name:
            return cast("R", engine.query(query, actor, at_once=True))
        return engine.query(query, actor)

    project, card_id = loop.run_until_complete(_find_project_and_card(ask, named))
    engine.authorizer.ask_ahead(actor, WORKSPACE, project.id)
    return replace(opened, project=project, card_id=card_id)


def _behind_server(config: Config, login: str | None, named: str | None, loop: asyncio.AbstractEventLoop) -> Startup:
    from core.backends.remote import remote_backend

    backend = remote_backend(config, login)

    async def ask() -> Startup:
        opened = Startup(backend, await backend.query(GetCurrentUser()), None)
        if named is None:
            return opened
        project, card_id = await _find_project_and_card(backend.query, named)
        return replace(opened, project=project, card_id=card_id)

    try:
        return loop.run_until_complete(ask())
    except PodiumError:
        loop.run_until_complete(backend.close())
        raise


class Ask(Protocol):
    """A function that answers queries."""

    def __call__(self, query: Query[R], /) -> Awaitable[R]: ...


async def _find_project_and_card(ask: Ask, named: str) -> tuple[ProjectRef, Id | None]:
    """The project of this id or name, or the card of this key with its project. Raises NotFound and InvalidInput."""
    found = await ask(FindProjects(name=named))
    if not found and read_card_key(named):
        from core.actions.cards.details import GetCard

        card = (await ask(GetCard(item_id=named.strip()))).item
        return the_one(
            "project", card.project_id, await ask(FindProjects(name=card.project_id)), names_of_project
        ), card.id
    return the_one("project", named, found or await ask(FindProjects()), names_of_project), None


def _open_or_found(config: Config, login: str | None) -> tuple[Engine, str | None, NewWorkspace | None] | None:
    """An engine on a database with a workspace, the login to sign on with, and the first run if there was one.

    The first run creates the workspace in a file, and signs its founder on; None if the user cancels.
    """
    try:
        engine = Engine(open_database(config.db, synchronous=config.synchronous), load_catalog)
        require_workspace(engine, config.db)
        return engine, login, None
    except DatabaseMissing:
        if isinstance(config.db, DatabaseUrl):
            raise
    from tui.screens.shell.first_run import run_first_run

    made = run_first_run(config.db, {"synchronous": config.synchronous})
    return (made.engine, made.login, made) if made else None
