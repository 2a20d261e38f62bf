"""``podium serve``: the HTTP API of a workspace, for many people at once."""

from __future__ import annotations

from pathlib import Path

import click

from core.errors import InvalidInput
from tui.cli.session import config_of, place_options


@click.command("serve")
@click.option("--socket", type=click.Path(path_type=Path), help="Listen on a Unix socket at this path.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this TCP port.")
@click.option("--tls-cert", type=click.Path(path_type=Path), help="The certificate, in PEM.")
@click.option("--tls-key", type=click.Path(path_type=Path), help="Its private key, in PEM.")
@place_options
@click.pass_context
def serve_(
    context: click.Context,
    socket: Path | None,
    host: str,
    port: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Serve the workspace to many people at once, over a Unix socket, TCP or both."""
    from core.application import Application
    from core.authorization.sources import source_in_use
    from core.server.listening import tcp_socket, unix_socket
    from core.server.serving import Listener, Tls, serve
    from core.storage.sqlite import SqliteDatabase

    if socket is None and port is None:
        raise InvalidInput("socket", "Say where to listen: --socket PATH, --port N, or both.")
    config = config_of(context)
    database = SqliteDatabase(config.db, synchronous=config.synchronous)
    application = Application(database, source_in_use(config, database))
    tls = Tls(tls_cert, tls_key) if tls_cert and tls_key else None
    listeners = [Listener(unix_socket(socket))] if socket else []
    if port is not None:
        listeners.append(Listener(tcp_socket(host, port), tls))
    try:
        serve(application, listeners)
    finally:
        application.close()
