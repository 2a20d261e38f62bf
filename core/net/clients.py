"""The choice of the client for a server: HTTP over its Unix socket, or https."""

from __future__ import annotations

from core.net.http_client import HttpClient
from core.net.server_address import ServerAddress
from core.net.unix_http_client import SocketClient


def client_of(server: ServerAddress) -> SocketClient | HttpClient:
    """Return a client for this server."""
    return SocketClient(server.socket) if server.socket else HttpClient(secure=server.secure, most_bytes=None)
