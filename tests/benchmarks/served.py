"""``podium serve`` on a Unix socket, in a process of its own, and people who come in by tokens."""

from __future__ import annotations

import contextlib
import os
import pwd
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from core.domain.credentials import LinkedAccount, Token, token_hash
from core.net.server_address import ServerAddress, server_address
from core.net.this_host import host_id
from core.server.transport.tls import Tls
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks import workspace
from tests.support.system_programs import free_port

PODIUM = (sys.executable, "-m", "tui")
"""The program of this checkout, whichever one the environment has installed."""

NOTHING_MORE: Mapping[str, str] = {}


class Server(NamedTuple):
    """A process that listens, and the address to reach it by."""

    address: ServerAddress
    pid: int


@contextlib.contextmanager
def served(
    database: Path, home: Path, env: Mapping[str, str] = NOTHING_MORE, tls: Tls | None = None
) -> Iterator[Server]:
    """The database behind a server; the person of the benchmark may come in by their account and by a token."""
    admit(database, 0)
    with served_at(str(database), home, env, tls) as server:
        yield server


@contextlib.contextmanager
def served_at(
    place: str, home: Path, env: Mapping[str, str] = NOTHING_MORE, tls: Tls | None = None
) -> Iterator[Server]:
    """A server on a database, which is a path or a URL. With a certificate its address is one on the loopback."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PODIUM_DAILY_BACKUP": "false", **env}
    with TemporaryDirectory(prefix="podium-served-") as folder:
        path = Path(folder, "socket")
        argv, address = [*PODIUM, "serve", "--socket", str(path), "--db", place], f"unix:{path}"
        if tls:
            port = free_port()
            argv += ["--port", str(port), "--tls-cert", str(tls.certificate), "--tls-key", str(tls.key)]
            address = f"https://127.0.0.1:{port}"
        with listening(argv, path, environment) as pid:
            yield Server(server_address(address), pid)


@contextlib.contextmanager
def listening(argv: Sequence[str], path: Path, env: Mapping[str, str] | None = None) -> Iterator[int]:
    """The number of a process, from when it answers on a Unix socket; it is ended afterwards."""
    with subprocess.Popen(argv, env=env, stderr=subprocess.DEVNULL) as process:  # of each request it logs a line
        try:
            _await(path, process)
            yield process.pid
        finally:
            process.terminate()


def _await(path: Path, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        with contextlib.suppress(OSError), connected(path):
            return
        time.sleep(0.01)
    raise RuntimeError(f"{process.args!r} ended with the status {process.returncode}")


def connected(path: Path) -> socket.socket:
    """A connection to a Unix socket. Raises OSError."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        raise
    return connection


def token_of(number: int) -> str:
    """The token of a person, by their number in the workspace."""
    return f"benchmark-{number:032d}"


def admit(database: Path, *numbers: int) -> None:
    """Let people in, by their numbers; the account that runs this is the person of the benchmark."""
    now, me = datetime.now(UTC), os.getuid()
    tokens = [
        Token(
            id=workspace.ulid(7, number),
            user_id=workspace.ulid(2, number),
            label="benchmark",
            hash=token_hash(token_of(number)),
            created_at=now,
            expires_at=now + timedelta(days=1),
        )
        for number in numbers
    ]
    linked_account = LinkedAccount(
        host=host_id(), os_user=pwd.getpwuid(me).pw_name, uid=me, user_id=workspace.USER, at=now
    )
    opened = SqliteDatabase(database)
    opened.connection.execute("DELETE FROM token")
    opened.connection.execute("DELETE FROM linked_account")
    workspace.insert(opened.connection, [*tokens, linked_account])
    opened.close()
