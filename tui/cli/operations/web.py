"""``podium web``: the TUI in a browser, for the people of a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from core.config import Config
from core.errors import InvalidInput
from core.files.config_file import check_host_file, read_files
from core.text.urls import is_loopback, service_address
from tui.cli.choices import Number
from tui.cli.operations.listen_options import ListenOptions, listening_options
from tui.cli.options import workspace_options
from tui.cli.session import config_of, login_of

if TYPE_CHECKING:
    from tui.web.proxy_auth import TrustedProxy

NO_SERVER = (
    "Podium in a browser needs a server, which knows each person by a token: --server unix:/path or https://…. "
    "For a database of your own, and for you alone, there is “textual serve "
    "'podium --db FILE --as LOGIN'”."
)

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104
"""Addresses that stand for every address of this machine, so people cannot type them."""


@click.command("web")
@listening_options("Listen on a Unix socket instead, behind a proxy.", least_port=1)
@click.option("--public-url", metavar="URL", help="The address that people type, if a proxy is in front of it.")
@click.option("--proxy-user", metavar="ACCOUNT", help="Trust X-Forwarded-User from a proxy that runs as this account.")
@click.option(
    "--screen-reader", "reader", is_flag=True, help="Support screen readers in browsers that made no other choice."
)
@click.option(
    "--idle-timeout",
    "idle",
    type=Number(1, 24 * 60),
    default=60,
    show_default=True,
    help="Minutes without a key after which a tab ends.",
)
@click.option(
    "--max-sessions",
    "most",
    type=Number(1),
    default=100,
    show_default=True,
    help="The maximum number of tabs of all people.",
)
@click.option(
    "--max-sessions-per-user",
    "most_each",
    type=Number(1),
    default=5,
    show_default=True,
    help="The maximum number of tabs of one person.",
)
@workspace_options("--server")
@click.pass_context
def web_(
    context: click.Context,
    place: ListenOptions,
    public_url: str | None,
    proxy_user: str | None,
    reader: bool,
    idle: int,
    most: int,
    most_each: int,
    log_level: str,
) -> None:
    """Show Podium in browsers. Each person signs in with a token; each tab runs its own Podium.

    What happens is written to stderr, a line of JSON each.
    """
    from core.net.server_address import server_address
    from core.server.requests.json_log import log_event, log_to  # what is not installed is said first
    from tui.web.gateway import Gateway
    from tui.web.run import serve
    from tui.web.sessions import GatewayLimits

    check_host_file()
    config = config_of(context)
    if not config.server or login_of(context) is not None:
        raise InvalidInput("server", NO_SERVER)

    tls = place.tls()
    origins = _origins(public_url, place.host, place.port, encrypted=tls is not None)
    if proxy_user and not place.socket:
        raise InvalidInput("proxy-user", "Only on a Unix socket is it sure who the proxy is: --socket PATH.")
    trusted = _find_proxy(config, proxy_user) if proxy_user else None
    limits = GatewayLimits(idle * 60, most, most_each)
    gateway = Gateway(server_address(config.server), origins, limits, _environ(config), trusted, reader=reader)
    if (place.port is None) == (place.socket is None):
        raise InvalidInput("port", "Say where to listen: --port N, or --socket PATH behind a proxy.")
    [listener] = place.sockets()
    log_to(sys.stderr, log_level)
    log_event("settings", files=read_files())
    place.warn()
    serve(gateway, listener, tls)


def _find_proxy(config: Config, account: str) -> TrustedProxy:
    """The proxy that runs as an account. Raises InvalidInput."""
    import pwd

    from core.net.bearer_tokens import server_token
    from core.net.server_address import server_address
    from tui.web.proxy_auth import TrustedProxy

    try:
        uid = pwd.getpwnam(account).pw_uid
    except KeyError:
        raise InvalidInput("proxy-user", f"This machine has no account “{account}”.") from None
    token = server_token(server_address(config.server), config.token_file)
    if token is None:
        raise InvalidInput(
            "token_file",
            "To open sessions for the people whom the proxy names, the gateway needs a token of its own: make one with "
            "“podium token gateway create LABEL”, and give it as PODIUM_TOKEN or “token_file”.",
        )
    return TrustedProxy(uid, token)


def _environ(config: Config) -> dict[str, str]:
    """The environment variables that each Podium needs to know too."""
    return {"PODIUM_PUBLIC_URL": config.public_url} if config.public_url else {}


def _origins(public_url: str | None, host: str, port: int | None, *, encrypted: bool) -> frozenset[str]:
    """The origins of our own pages, as browsers state them. Raises InvalidInput."""
    from urllib.parse import urlsplit

    if public_url is not None:
        try:
            address = service_address(public_url)
        except ValueError as error:
            raise InvalidInput("public-url", f"{public_url} cannot be the public URL: {error}.") from error
        if not address or urlsplit(address).path:
            raise InvalidInput("public-url", "The public URL is one without a path: https://podium.example.com.")
        return frozenset({address.lower()})
    if port is None or host in EVERYWHERE:
        raise InvalidInput("public-url", "Say what people type to come here: --public-url https://podium.example.com.")
    hosts = ("127.0.0.1", "localhost", "[::1]") if is_loopback(host) else (host.lower(),)
    scheme, usual = ("https", 443) if encrypted else ("http", 80)
    return frozenset(f"{scheme}://{each}" + ("" if port == usual else f":{port}") for each in hosts)
