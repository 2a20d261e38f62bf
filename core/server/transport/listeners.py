"""The sockets of a server, created with the right owner and mode from the first moment."""

from __future__ import annotations

import contextlib
import fcntl
import grp
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

from core.errors import InvalidInput
from core.files.own_files import check_file_name, open_own
from core.text.phrases import shell_command

MAX_LENGTH = 107
"""Bytes of the path of a Unix socket; the kernel takes no more."""

FOR_GROUP = 0o660
"""The mode of a socket with a group."""

FIRST_INHERITED = 3
"""The descriptor of the first socket from systemd."""

FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)


def unix_socket(path: Path, mode: int = 0o600, group: str | None = None) -> socket.socket:
    """Listen on a Unix socket with this ``mode``; with a group, its members can connect whatever the mode.

    The socket of a dead server is replaced. Raises InvalidInput, also if a running server listens there.
    """
    if len(os.fsencode(path)) > MAX_LENGTH:
        raise InvalidInput(
            "socket", f"{path} is longer than the {MAX_LENGTH} bytes that the path of a socket may have."
        )
    check_file_name(path, "socket")
    number = _group(group) if group else -1
    try:
        _refuse_shared(path.parent, number)
        with _alone(path):
            return _bind_socket(path, FOR_GROUP if group else mode, number)
    except OSError as error:
        words = (
            f"{path} cannot be listened on: {error.strerror}. Its folder has to exist and be writable for this account."
        )
        raise InvalidInput("socket", words) from error


def tcp_socket(host: str, port: int) -> socket.socket:
    """Listen on an address of this machine. Raises InvalidInput."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidInput("port", f"{host}:{port} cannot be listened on: {error.strerror}.") from error


def inherited_sockets() -> list[socket.socket]:
    """The sockets that systemd opened for this process (see sd_listen_fds(3)), if any. Raises InvalidInput.

    Their variables are removed from the environment, so that no child process takes the sockets too.
    """
    variables = {name: os.environ.pop(name, "") for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")}
    if variables["LISTEN_PID"] != str(os.getpid()) or not variables["LISTEN_FDS"].isdecimal():
        return []
    return [_inherit_socket(FIRST_INHERITED + place) for place in range(int(variables["LISTEN_FDS"]))]


def _inherit_socket(descriptor: int) -> socket.socket:
    try:
        os.set_inheritable(descriptor, False)
        listener = socket.socket(fileno=descriptor)
        takes_connections = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise InvalidInput("socket", f"The descriptor {descriptor} from systemd is not a socket.") from error
    if listener.family not in FAMILIES or listener.type != socket.SOCK_STREAM or not takes_connections:
        listener.detach()
        raise InvalidInput("socket", "The socket of systemd has to be a ListenStream=, with Accept=no.")
    return listener


def _group(name: str) -> int:
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError as error:
        raise InvalidInput("socket-group", f"There is no group “{name}” on this machine.") from error


def _refuse_shared(folder: Path, group: int) -> None:
    """Raise InvalidInput if accounts that may connect to the socket could replace it, with a socket of their own or
    with a link to a file that would then be opened to them. Raises OSError."""
    found = folder.stat()
    if found.st_mode & stat.S_ISVTX:
        return
    if found.st_mode & stat.S_IWOTH:
        raise InvalidInput("socket", f"Every account can write to {folder}, and so replace the socket.")
    if found.st_mode & stat.S_IWGRP and found.st_gid == group:
        raise InvalidInput(
            "socket",
            f"The group of the socket can write to {folder}, and so replace the socket. "
            f"{shell_command('chmod', 'g-w', str(folder))} ends that.",
        )


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Lock the path, so that no other server checks or takes it meanwhile. Raises OSError, and UnsafeFile."""
    with open(open_own(path.with_name(f"{path.name}.lock"))) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _bind_socket(path: Path, mode: int, group: int) -> socket.socket:
    """A socket that listens; other accounts get access as the last step. Raises OSError and InvalidInput."""
    _clear(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    except OSError:  # another program has the path now
        listener.close()
        raise
    finally:
        os.umask(before)
    try:
        if group >= 0:
            _give(path, group)
        listener.listen()  # before another server can probe it
        path.chmod(mode)
    except (OSError, InvalidInput):
        listener.close()
        path.unlink(missing_ok=True)
        raise
    return listener


def _give(path: Path, group: int) -> None:
    """Give the socket to a group, of which this account has to be a member. Raises InvalidInput."""
    try:
        os.chown(path, -1, group)
    except PermissionError as error:
        name = grp.getgrgid(group).gr_name
        words = f"The account of the server has to be in the group “{name}” itself, to open the socket to it."
        raise InvalidInput("socket-group", words) from error


def _clear(path: Path) -> None:
    """Remove the socket of a dead server. Raises InvalidInput for anything else at the path."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise InvalidInput("socket", f"{path} exists and is not a socket. Name another path.")
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        except OSError as error:
            raise InvalidInput("socket", f"{path} cannot be used: {error.strerror}.") from error
        else:
            raise InvalidInput("socket", f"A server is listening on {path} already.")
