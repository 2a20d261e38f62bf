"""A client looks who listens on a Unix socket before it sends anything there."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.backends.remote import RemoteBackend
from core.diagnostics import server
from core.errors import ServerUnavailable
from core.net.http_client import InvalidResponse
from core.net.server_address import server_address
from core.net.unix_http_client import SocketClient
from core.server.transport.listeners import unix_socket
from tests.support.api.accounts import Account

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can work as another account")

LISTENS = """
import os, socket, sys
path, uid = sys.argv[1], int(sys.argv[2])
os.setuid(uid)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
print("ready", flush=True)
connection, _ = listener.accept()
print(len(connection.recv(1000)), flush=True)
connection.sendall(b"HTTP/1.1 204 No Content\\r\\nConnection: close\\r\\n\\r\\n")
"""


BECOMES_NOBODY = """
import asyncio, os, sys
from pathlib import Path
import core.actions.catalog, core.net.unix_http_client
from core.actions.workspace.workspace import RenameWorkspace
from core.errors import PodiumError
from core.backends.remote import RemoteBackend
from core.server.transport.listeners import unix_socket
from core.net.server_address import server_address
path = Path(sys.argv[1])
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    {does}
except PodiumError as error:
    print(error)
"""

KNOCKS = BECOMES_NOBODY.format(
    does='asyncio.run(RemoteBackend(server_address(f"unix:{path}"), None).execute(RenameWorkspace(name="Mine")))'
)

OPENS_TO_A_GROUP = BECOMES_NOBODY.format(does='unix_socket(path, group="daemon")')


def as_nobody(code: str, folder: Path) -> str:
    """The output of a program without any rights on this machine."""
    command = [sys.executable, "-c", code, str(folder / "s")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextmanager
def listening(folder: Path, account: Account) -> Iterator[subprocess.Popen[str]]:
    """A program of this account that listens in the folder, and prints how many bytes it was sent."""
    command = [sys.executable, "-c", LISTENS, str(folder / "s"), str(account.uid)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd="/") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        yield program


def bytes_sent_to(program: subprocess.Popen[str]) -> int:
    assert program.stdout is not None
    return int(program.stdout.readline())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One in which everybody may make a socket, as in /tmp."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for each in tmp_path.parents:
        if each.stat().st_uid == 0 and each != Path("/"):
            each.chmod(each.stat().st_mode | 0o011)
    tmp_path.chmod(0o711)
    return shared


async def ask(folder: Path) -> int:
    client = SocketClient(folder / "s")
    try:
        return (await client.fetch("GET", "http://podium/v1/me", {"Authorization": "Bearer x"}, b"", 5)).status
    finally:
        await client.close()


def test_nothing_is_sent_to_a_socket_that_another_account_made(folder: Path) -> None:
    with listening(folder, Account.named("daemon")) as program:
        with pytest.raises(InvalidResponse, match="nothing was sent"):
            asyncio.run(ask(folder))
        assert bytes_sent_to(program) == 0


def test_the_owner_of_the_folder_decides_who_listens_there(folder: Path) -> None:
    daemon = Account.named("daemon")
    os.chown(folder, daemon.uid, -1)
    with listening(folder, daemon) as program:
        assert asyncio.run(ask(folder)) == 204
        assert bytes_sent_to(program) > 0


def test_an_account_outside_the_group_of_the_socket_reads_which_group_is_let_in(folder: Path) -> None:
    with unix_socket(folder / "s", group="daemon"):
        told = as_nobody(KNOCKS, folder)
    assert f"unix:{folder}/s accepts only the group “daemon”, which you are not a member of. Ask an admin" in told
    assert "then log in to it again. Nothing was changed." in told


def test_an_account_that_may_not_reach_a_socket_of_no_group_reads_what_to_look_at(folder: Path) -> None:
    with unix_socket(folder / "s"):
        told = as_nobody(KNOCKS, folder)
    assert f"cannot be reached from this account: check the permissions of {folder}/s and of its folders." in told


def test_a_server_that_is_not_in_the_group_of_its_socket_says_so_and_leaves_none_behind(folder: Path) -> None:
    assert "has to be in the group “daemon” itself" in as_nobody(OPENS_TO_A_GROUP, folder)
    assert not (folder / "s").exists()


def test_a_person_is_told_why_nothing_was_sent(folder: Path) -> None:
    async def show() -> None:
        from core.actions.workspace.profile import GetCurrentUser

        backend = RemoteBackend(server_address(f"unix:{folder}/s"), "secret")
        try:
            await backend.query(GetCurrentUser())
        finally:
            await backend.close()

    with listening(folder, Account.named("daemon")) as program:
        with pytest.raises(ServerUnavailable, match="belongs to another account than the folder"):
            asyncio.run(show())
        assert bytes_sent_to(program) == 0


def test_doctor_sends_nothing_either(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "socket_of", lambda _: ())  # it knocks, and this program opens once
    with listening(folder, Account.named("daemon")) as program:
        findings = asyncio.run(server.diagnose_server(server_address(f"unix:{folder}/s"), "secret"))
        assert [each.found for each in findings if each.found.endswith("so nothing was sent to it.")]
        assert not [each for each in findings if each.what == "You"]
        assert bytes_sent_to(program) == 0
