"""``podium serve``: the HTTP API of a workspace, for many people at once."""

from __future__ import annotations

import contextlib
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.actions import load_catalog
from core.config import Config, settings
from core.errors import InvalidInput
from core.files.config_file import check_host_file, read_files
from core.record import replace
from core.text.phrases import shell_command
from tui.cli.operations.listen_options import ListenOptions, listening_options
from tui.cli.options import workspace_options
from tui.cli.session import require_database

if TYPE_CHECKING:
    from core.engine.engine import Engine
    from core.server.run import Listener
    from core.server.transport.tls import Tls


@click.command("serve")
@listening_options("Listen on a Unix socket at this path.", least_port=0)
@workspace_options("--db")
@click.option("--also", is_flag=True, help="Start even if another server runs on this file.")
@click.pass_context
def serve_(context: click.Context, place: ListenOptions, log_level: str, also: bool) -> None:
    """Serve the workspace to many people at once.

    Sockets that systemd hands over are listened on as well; then no option is needed. What happens is written to
    stderr, a line of JSON each. Where “synchronous” is not set, it is FULL: what was saved survives a loss of power.
    """
    from core.server.requests.json_log import log_event, log_to
    from core.server.run import serve
    from core.storage.sqlite.write_queue import only_server

    check_host_file()
    tls = place.tls()
    config = require_database(context)
    if settings()["synchronous"].source == "default":
        config = replace(config, synchronous="FULL")
    alone = only_server(config.db, also=also) if isinstance(config.db, Path) else contextlib.nullcontext()
    with alone:
        engine = _open_workspace(config)
        try:
            listeners = _listeners(place, tls)
            log_to(sys.stderr, log_level)
            log_event("settings", files=read_files())
            place.warn()
            serve(engine, listeners, config.public_url, daily_backup=config.daily_backup)
        finally:
            engine.close()


def _open_workspace(config: Config) -> Engine:
    """The workspace to serve; a file that cannot be written can be read. Raises PodiumError if it is missing."""
    from core.authorization.configured_source import configured_source
    from core.engine.engine import Engine
    from core.engine.quotas import quotas_of
    from core.sign_in.local import require_workspace
    from core.storage.opening import open_database

    database = open_database(config.db, synchronous=config.synchronous)
    if isinstance(config.db, Path):
        _check_closed_to_others(config.db)
    else:
        database.check_writable()
    engine = Engine(database, load_catalog, configured_source(config, database), quotas=quotas_of(config))
    require_workspace(engine, config.db)
    return engine


def _check_closed_to_others(path: Path) -> None:
    if path.stat().st_mode & stat.S_IRWXO:
        raise InvalidInput(
            "db",
            f"Everybody on this machine may open {path}, whatever their role in it. "
            f"{shell_command('chmod', 'o=', str(path))} ends that.",
        )


def _listeners(place: ListenOptions, tls: Tls | None) -> list[Listener]:
    """The sockets to listen on. Raises InvalidInput, also when there are none."""
    from socket import AF_UNIX

    from core.server.run import Listener
    from core.server.transport.listeners import inherited_sockets

    sockets = inherited_sockets() + place.sockets()
    if not sockets:
        raise InvalidInput("socket", "Say where to listen: --socket PATH, --port N, or both.")
    return [Listener(each, None if each.family == AF_UNIX else tls) for each in sockets]
