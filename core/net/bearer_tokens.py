"""The bearer tokens that Podium sends, to the authorization service and to its own server: from the environment, the
keyring, a file that only we can read, or a pipe that a parent hands over.

They are never printed: their repr leaves them out, and no message is made of them.
"""

from __future__ import annotations

import importlib
import os
import re
import select
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from core.domain.credentials import has_bad_checksum
from core.errors import InvalidInput
from core.files.opening import open_now
from core.net.server_address import ServerAddress
from core.text.phrases import shell_command

SERVICE = "podium"
"""The name in the keyring; the user there is the address that the token is sent to."""

PIPE_VARIABLE = "PODIUM_TOKEN_FD"
"""Holds the number of an open pipe with the token for the server, by which a parent hands it to this process alone."""

PIPE_SECONDS = 5.0
"""How long the pipe may keep us waiting."""

MAX_BYTES = 16 * 1024
REAL = 1
"""The priority from which a keyring keeps secrets as one should, by the words of its documentation."""


class Purpose(NamedTuple):
    """What a token is for, and where one is looked for."""

    receiver: str
    variable: str
    setting: str
    """The setting that names a file with it."""


PERMISSIONS = Purpose("permission service", "PODIUM_AUTH_TOKEN", "auth_token_file")
SERVER = Purpose("server", "PODIUM_TOKEN", "token_file")


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, and where it came from."""

    value: str = field(repr=False)
    source: str


_handed_over: list[Token] = []


def read_token_from_pipe() -> None:
    """Take the token that a parent left in a pipe, before anything else runs: read once, closed, and forgotten outside.

    Nothing that this process starts later finds it. Raises InvalidInput for what is no pipe with a token.
    """
    number = os.environ.pop(PIPE_VARIABLE, None)
    if number is not None:
        _handed_over[:] = [_token(SERVER, _in_pipe(number), PIPE_VARIABLE)]


def server_token(server: ServerAddress, file: Path | None, environ: Mapping[str, str] = os.environ) -> Token | None:
    """The token for a server. On a Unix socket the kernel says who one is: there only one that was given is sent.

    Raises InvalidInput.
    """
    if _handed_over:
        return _handed_over[0]
    if server.socket is None or file is not None or environ.get(SERVER.variable, "").strip():
        return find_token(SERVER, str(server), file, environ)
    return None


def find_token(purpose: Purpose, url: str, file: Path | None, environ: Mapping[str, str] = os.environ) -> Token:
    """The token for the service at this address.

    Raises InvalidInput that says how to give one, or why the one there is cannot be used.
    """
    for value, source in ((environ.get(purpose.variable), purpose.variable), (_in_keyring(url), "the keyring")):
        if value and value.strip():
            return _token(purpose, value, source)
    if file is not None:
        return _token(purpose, _in_file(purpose, file), str(file))
    raise InvalidInput(
        purpose.variable,
        f"Podium has no token for the {purpose.receiver}. Set {purpose.variable}, put it into the keyring "
        f"(“keyring set {SERVICE} {url}”), or name a file of mode 0600 in “{purpose.setting}”.",
    )


def _token(purpose: Purpose, value: str, source: str) -> Token:
    value = value.strip()
    if not re.fullmatch(r"[!-~]+", value):
        raise InvalidInput(purpose.variable, f"What {source} holds is no token: it must be one word of plain letters.")
    if has_bad_checksum(value):
        raise InvalidInput(
            purpose.variable, f"The token from {source} is not whole: look whether all of it was copied."
        )
    return Token(value, source)


def _in_pipe(number: str) -> str:
    """The line in a pipe. Raises InvalidInput."""
    try:
        descriptor = int(number)
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            raise ValueError(number)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(PIPE_VARIABLE, f"{PIPE_VARIABLE} names no open pipe.") from error
    found = bytearray()
    ends = time.monotonic() + PIPE_SECONDS
    with open(descriptor, "rb", buffering=0) as pipe:
        while len(found) < MAX_BYTES and b"\n" not in found:
            if not select.select([pipe], [], [], max(0.0, ends - time.monotonic()))[0]:
                raise InvalidInput(PIPE_VARIABLE, f"Nothing came through the pipe of {PIPE_VARIABLE}.")
            if not (piece := pipe.read(MAX_BYTES)):
                break
            found += piece
    return found.decode("ascii", "replace")


def _in_keyring(url: str) -> str | None:
    """What the keyring holds, when there is one that deserves the name; it may be missing, locked or broken."""
    try:
        keyring: Any = importlib.import_module("keyring")
        if keyring.get_keyring().priority < REAL:
            return None
        found: str | None = keyring.get_password(SERVICE, url)
    except Exception:  # noqa: BLE001 (backends raise what they like, and there are other places to look)
        return None
    return found


def _in_file(purpose: Purpose, path: Path) -> str:
    """The text of the file. Raises InvalidInput unless it is a file of ours that nobody else can read."""
    try:
        with open_now(path) as opened:
            _refuse_open_to_others(purpose, path, os.fstat(opened.fileno()))
            text = opened.read(MAX_BYTES).decode("ascii", "replace")
    except OSError as error:
        raise InvalidInput(purpose.setting, f"The token file {path} cannot be read: {error.strerror}.") from error
    if not text.strip():
        raise InvalidInput(purpose.setting, f"The token file {path} is empty.")
    return text


def _refuse_open_to_others(purpose: Purpose, path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput(purpose.setting, f"The token file {path} is not a file.")
    if found.st_uid != os.geteuid():
        raise InvalidInput(purpose.setting, f"The token file {path} belongs to somebody else. Own it: “chown”.")
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        raise InvalidInput(
            purpose.setting,
            f"Others can reach the token file {path} (mode {mode:04o}). "
            f"{shell_command('chmod', '600', str(path))} ends that; have the token "
            "replaced too, for it may have been read.",
        )
