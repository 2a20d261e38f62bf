"""The sockets of a server: their modes and owners, one that is there already, and those that systemd hands over."""

from __future__ import annotations

import grp
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from multiprocessing.pool import ThreadPool
from pathlib import Path

import httpx
import pytest

from core.errors import InvalidInput, UnsafeFile
from core.server.transport.listeners import inherited_sockets, unix_socket
from tests.support.postgres_cluster import place_of
from tests.support.system_programs import needs, needs_root
from tests.support.systemd_socket import taking_over
from tests.support.waiting import wait_until
from tests.support.workspace import World

AT_ONCE = 8


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short one: the path of a socket has 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="p", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


def test_a_socket_is_for_its_owner_alone_unless_told(folder: Path) -> None:
    with unix_socket(folder / "s"):
        found = (folder / "s").stat()
        assert (found.st_mode & 0o777, found.st_uid) == (0o600, os.getuid())


def test_a_socket_with_a_group_is_open_to_its_members(folder: Path) -> None:
    needs_root()
    with unix_socket(folder / "s", group="games"):
        found = (folder / "s").stat()
        assert (found.st_mode & 0o777, found.st_gid) == (0o660, grp.getgrnam("games").gr_gid)


def test_a_group_that_is_none_is_refused(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="There is no group “no-such-group”"):
        unix_socket(folder / "s", group="no-such-group")
    assert not (folder / "s").exists()


def test_a_folder_in_which_everybody_may_write_is_refused(folder: Path) -> None:
    folder.chmod(0o777)
    with pytest.raises(InvalidInput, match="Every account can write to"):
        unix_socket(folder / "s")
    folder.chmod(0o1777)
    unix_socket(folder / "s").close()


def test_a_folder_in_which_the_group_of_the_socket_may_write_is_refused(folder: Path) -> None:
    needs_root()
    games = grp.getgrnam("games").gr_gid
    for owner, mode, refused in ((games, 0o2770, True), (games, 0o3770, False), (0, 0o770, False)):
        os.chown(folder, -1, owner)
        folder.chmod(mode)
        with pytest.raises(InvalidInput, match="The group of the socket can write to") if refused else nullcontext():
            unix_socket(folder / "s", group="games").close()


def test_a_path_that_is_too_long_or_holds_something_else_is_refused(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="longer than the 107 bytes"):
        unix_socket(folder / ("s" * 108))
    (folder / "s").write_text("mine")
    with pytest.raises(InvalidInput, match="exists and is not a socket"):
        unix_socket(folder / "s")
    assert (folder / "s").read_text() == "mine"
    with pytest.raises(InvalidInput, match=r"No such file or directory\. Its folder has to exist"):
        unix_socket(folder / "not" / "there")
    for name in ("", ".", "/", ".."):
        with pytest.raises(InvalidInput, match="is a folder"):
            unix_socket(Path(name))


def test_what_stands_at_the_lock_of_a_socket_and_is_no_file_of_podium_is_not_opened(folder: Path) -> None:
    (folder / "mine").write_text("as it was")
    (folder / "s.lock").hardlink_to(folder / "mine")
    with pytest.raises(UnsafeFile, match="is a file with a second name"):
        unix_socket(folder / "s")
    (folder / "s.lock").unlink()
    os.mkfifo(folder / "s.lock")
    with pytest.raises(UnsafeFile, match="is not a file"):
        unix_socket(folder / "s")


def test_the_socket_of_a_dead_server_is_replaced_and_that_of_a_living_one_left(folder: Path) -> None:
    first = unix_socket(folder / "s")
    with pytest.raises(InvalidInput, match=r"A server is listening on .* already"):
        unix_socket(folder / "s")
    first.close()
    with unix_socket(folder / "s"), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(folder / "s"))


def _try(path: str) -> bool:
    try:
        kept = unix_socket(Path(path))
    except InvalidInput:
        return False
    kept.detach()
    return True


def test_of_servers_that_start_at_once_one_gets_the_socket(folder: Path) -> None:
    unix_socket(folder / "s").close()  # a dead one, which each of them wants to replace
    with ThreadPool(AT_ONCE) as pool:
        assert sorted(pool.map(_try, [str(folder / "s")] * AT_ONCE)) == [False] * (AT_ONCE - 1) + [True]
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(folder / "s"))


def test_sockets_for_another_process_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LISTEN_PID", str(os.getpid() + 1))
    monkeypatch.setenv("LISTEN_FDS", "1")
    assert inherited_sockets() == []
    assert "LISTEN_FDS" not in os.environ


def handed_over(listener: socket.socket, *arguments: str) -> subprocess.Popen[str]:
    argv = taking_over(sys.executable, listener, [sys.executable, "-m", "tui", "serve", *arguments])
    return subprocess.Popen(argv, pass_fds=[listener.fileno()], stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM])
def test_a_socket_that_takes_no_connections_is_refused(world: World, kind: int) -> None:
    with socket.socket(socket.AF_UNIX, kind) as listener:
        process = handed_over(listener, "--db", place_of(world.database.path))
        _, told = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "The socket of systemd has to be a ListenStream=, with Accept=no." in told


def test_without_any_socket_it_says_how_to_name_one(world: World) -> None:
    command = [sys.executable, "-m", "tui", "serve", "--db", place_of(world.database.path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "Say where to listen: --socket PATH, --port N, or both." in done.stderr


def test_a_socket_that_is_handed_over_is_served(world: World, folder: Path) -> None:
    with unix_socket(folder / "s") as listener:
        process = handed_over(listener, "--db", place_of(world.database.path))
        assert asked(folder / "s") == 401
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr is not None
        process.stderr.close()
        assert (folder / "s").exists()  # it is systemd's, which listens on


def test_the_real_activation_starts_the_server_at_the_first_connection(world: World, folder: Path) -> None:
    activate = needs("systemd-socket-activate")
    command = [activate, "-l", str(folder / "s"), sys.executable, "-m", "tui", "serve", "--db"]
    process = subprocess.Popen([*command, place_of(world.database.path)], stderr=subprocess.PIPE)
    try:
        wait_until((folder / "s").exists)
        assert asked(folder / "s") == 401
    finally:
        process.terminate()
        assert process.wait(30) == 0
        if process.stderr is not None:
            process.stderr.close()


def asked(path: Path) -> int:
    """The status for an account that is not linked; the server may still be starting."""
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(path), retries=5), timeout=30) as client:
        return client.get("http://podium/v1/me").status_code
