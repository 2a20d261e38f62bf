"""Opening Podium in this terminal: the database or a first run, who signs on, and the application on top of them."""

from __future__ import annotations

import asyncio
import contextlib

from core.actions.me import ShowMe
from core.application import Application
from core.backend import LocalBackend
from core.config import Config
from core.errors import DatabaseMissing, PodiumError
from core.sign_on import connection_kind, is_founded, sign_on
from core.storage.sqlite import SqliteDatabase
from tui.app import PodiumApp
from tui.screens.places import first_screen
from tui.terminal import accept_any_bytes, leave_on_signals


def run_app(config: Config, login: str | None = None, project: str | None = None) -> int:
    """Open Podium in this terminal; the exit status. Raises PodiumError before anything is drawn."""
    from core.authorization.sources import source_in_use

    application = _founded(config)
    if application is None:
        return 0
    application.permissions = source_in_use(config, application.database)
    actor = sign_on(application, login)
    me = application.query(ShowMe(), actor, at_once=True)
    backend = LocalBackend(application, actor)
    app = PodiumApp(backend, me, first_screen(application, actor, project), connection_kind(), config.api_url)
    accept_any_bytes()
    leave_on_signals(app.leave)
    try:
        return app.run() or app.return_code or 0
    finally:
        with contextlib.suppress(PodiumError):
            asyncio.run(backend.close())


def _founded(config: Config) -> Application | None:
    """A database with a workspace in it, which the first-run screen makes; None when the person gave up there."""
    try:
        application = Application(SqliteDatabase(config.db, synchronous=config.synchronous))
    except DatabaseMissing:
        application = None
    if application is None or not is_founded(application):
        from tui.screens.first_run import run_first_run

        application = run_first_run(config.db, {"synchronous": config.synchronous})
    return application
