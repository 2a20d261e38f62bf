"""The options of ``podium serve`` and ``podium web`` that say where they listen."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.record import Record, fields
from tui.cli.choices import Number

if TYPE_CHECKING:
    import socket as net

    from core.server.transport.tls import Tls

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
LEVELS = ("debug", "info", "warning", "error")


class ListenOptions(Record, kw_only=False):
    """A Unix socket, a TCP port, both, or neither, as the options say."""

    socket: Path | None
    socket_group: str | None
    host: str
    port: int | None
    tls_cert: Path | None
    tls_key: Path | None

    def tls(self) -> Tls | None:
        """The certificate of the port. Raises InvalidInput, also where others could read the traffic."""
        from core.server.transport.tls import check_tls_required, tls_of

        tls = tls_of(self.tls_cert, self.tls_key)
        if self.port is not None:
            check_tls_required(self.host, tls)
        return tls

    def warn(self) -> None:
        """Note in the log where others of this machine could take the place of the port."""
        from core.server.transport.tls import warn_of_http

        if self.port is not None and self.tls_cert is None:
            warn_of_http(self.host)

    def sockets(self) -> list[net.socket]:
        """Listen on all that is named. Raises InvalidInput."""
        from core.server.transport.listeners import tcp_socket, unix_socket

        found = [unix_socket(self.socket, group=self.socket_group)] if self.socket is not None else []
        return found + ([tcp_socket(self.host, self.port)] if self.port is not None else [])


def listening_options(socket_help: str, least_port: int) -> Callable[[F], F]:
    """The options of a ``place``, which the function takes, and ``--log-level``. Port 0 is any that is free."""
    options = (
        click.option("--socket", type=FILE, help=socket_help),
        click.option("--socket-group", metavar="GROUP", help="The group whose members can connect to the socket."),
        click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
        click.option("--port", type=Number(least_port, 65535), help="Listen on this TCP port."),
        click.option("--tls-cert", type=FILE, help="The certificate, in PEM."),
        click.option("--tls-key", type=FILE, help="The private key of the certificate, in PEM."),
        click.option(
            "--log-level", type=click.Choice(LEVELS), default="info", show_default=True, help="The lowest log level."
        ),
    )

    def decorate(function: F) -> F:
        def run(*arguments: Any, **given: Any) -> Any:
            place = ListenOptions(**{name: given.pop(name) for name in fields(ListenOptions)})
            return function(*arguments, place=place, **given)

        wrapped: Any = update_wrapper(run, function)
        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped  # type: ignore[no-any-return]

    return decorate
