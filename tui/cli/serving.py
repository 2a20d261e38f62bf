"""``podium serve``: the HTTP API of a workspace, for many people at once."""

from __future__ import annotations

from pathlib import Path

import click

from core.errors import InvalidInput
from tui.cli.session import config_of, place_options


@click.command("serve")
@click.option("--socket", type=click.Path(path_type=Path), help="Listen on a Unix socket at this path.")
@click.option("--socket-group", metavar="GROUP", help="Open that socket to the members of a group.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this TCP port.")
@click.option("--tls-cert", type=click.Path(path_type=Path), help="The certificate, in PEM.")
@click.option("--tls-key", type=click.Path(path_type=Path), help="Its private key, in PEM.")
@place_options
@click.pass_context
def serve_(
    context: click.Context,
    socket: Path | None,
    socket_group: str | None,
    host: str,
    port: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Serve the workspace to many people at once, over a Unix socket, TCP or both.

    Sockets that systemd hands over are listened on as well; then no option is needed.
    """
    from socket import AF_UNIX

    from core.application import Application
    from core.authorization.sources import source_in_use
    from core.server.listening import inherited_sockets, tcp_socket, unix_socket
    from core.server.serving import Listener, Tls, serve
    from core.storage.sqlite import SqliteDatabase

    tls = Tls(tls_cert, tls_key) if tls_cert and tls_key else None
    sockets = inherited_sockets()
    if not sockets and socket is None and port is None:
        raise InvalidInput("socket", "Say where to listen: --socket PATH, --port N, or both.")
    config = config_of(context)
    database = SqliteDatabase(config.db, synchronous=config.synchronous)
    application = Application(database, source_in_use(config, database))
    if socket:
        sockets.append(unix_socket(socket, group=socket_group))
    if port is not None:
        sockets.append(tcp_socket(host, port))
    listeners = [Listener(each, None if each.family == AF_UNIX else tls) for each in sockets]
    try:
        serve(application, listeners)
    finally:
        application.close()
