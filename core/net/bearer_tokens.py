"""The bearer tokens for the authorization service and for a Podium server.

A token is found in the environment, the keyring, a private file, or a pipe from the parent process. Tokens are never
printed: their repr omits them, and no error message contains one.
"""

from __future__ import annotations

import importlib
import os
import re
import select
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.domain.credentials import has_bad_checksum
from core.errors import InvalidInput
from core.files.opening import open_now
from core.net.server_address import ServerAddress
from core.record import Record
from core.text.phrases import shell_command

SERVICE = "podium"
"""The service name in the keyring; the user name there is the address that the token is sent to."""

PIPE_VARIABLE = "PODIUM_TOKEN_FD"
"""The environment variable with the number of an open pipe, through which a parent passes the token for the server."""

PIPE_SECONDS = 5.0
"""Seconds to wait for the token in the pipe."""

MAX_BYTES = 16 * 1024
REAL = 1
"""The lowest priority of a keyring that keeps secrets safely, according to the documentation of ``keyring``."""


class TokenPurpose(Record, kw_only=False):
    """The receiver of a token, and the sources in which it is found."""

    receiver: str
    variable: str
    setting: str
    """The setting with the path of a file that holds the token."""


PERMISSIONS = TokenPurpose("permission service", "PODIUM_AUTH_TOKEN", "auth_token_file")
SERVER = TokenPurpose("server", "PODIUM_TOKEN", "token_file")


class BearerToken(Record, kw_only=False):
    """A secret, and the source it was found in."""

    secret: str
    source: str


_handed_over: list[BearerToken] = []


def read_token_from_pipe() -> None:
    """Read the token from the pipe that the parent process left, before anything else runs. Raises InvalidInput.

    The pipe is closed and the variable unset, so that child processes cannot read the token.
    """
    number = os.environ.pop(PIPE_VARIABLE, None)
    if number is not None:
        _handed_over[:] = [_token(SERVER, _in_pipe(number), PIPE_VARIABLE)]


def server_token(
    server: ServerAddress, file: Path | None, environ: Mapping[str, str] = os.environ
) -> BearerToken | None:
    """Return the token for a server, or None. Raises InvalidInput.

    On a Unix socket the kernel identifies the user, so only a token that was passed or configured explicitly is sent.
    """
    if _handed_over:
        return _handed_over[0]
    if server.socket is None or file is not None or environ.get(SERVER.variable, "").strip():
        return find_token(SERVER, str(server), file, environ)
    return None


def find_token(
    purpose: TokenPurpose, url: str, file: Path | None, environ: Mapping[str, str] = os.environ
) -> BearerToken:
    """Return the token for the service at this address.

    Raises InvalidInput, which says how to provide a token, or why the one that was found is unusable.
    """
    if value := environ.get(purpose.variable, "").strip():
        return _token(purpose, value, purpose.variable)
    if value := _in_keyring(url):
        return _token(purpose, value, "the keyring")
    if file is not None:
        return _token(purpose, _in_file(purpose, file), str(file))
    raise InvalidInput(
        purpose.variable,
        f"Podium has no token for the {purpose.receiver}. Set {purpose.variable}, put it into the keyring "
        f"(“keyring set {SERVICE} {url}”), or name a file of mode 0600 in “{purpose.setting}”.",
    )


def _token(purpose: TokenPurpose, value: str, source: str) -> BearerToken:
    value = value.strip()
    if not re.fullmatch(r"[!-~]+", value):
        raise InvalidInput(
            purpose.variable, f"The token from {source} is malformed: it must be one word of ASCII characters."
        )
    if has_bad_checksum(value):
        raise InvalidInput(purpose.variable, f"The token from {source} is incomplete: check that all of it was copied.")
    return BearerToken(value, source)


def _in_pipe(number: str) -> str:
    """Return the line in a pipe. Raises InvalidInput."""
    try:
        descriptor = int(number)
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            raise ValueError(number)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(PIPE_VARIABLE, f"{PIPE_VARIABLE} does not name an open pipe.") from error
    found = bytearray()
    ends = time.monotonic() + PIPE_SECONDS
    with open(descriptor, "rb", buffering=0) as pipe:
        while len(found) < MAX_BYTES and b"\n" not in found:
            if not select.select([pipe], [], [], max(0.0, ends - time.monotonic()))[0]:
                raise InvalidInput(PIPE_VARIABLE, f"No token came through the pipe in {PIPE_VARIABLE}.")
            if not (piece := pipe.read(MAX_BYTES)):
                break
            found += piece
    return found.decode("ascii", "replace")


def _in_keyring(url: str) -> str:
    """Return the token in the keyring. It is empty without a safe keyring, and where the keyring is locked or broken.

    Importing the keyring takes longer than asking the service.
    """
    try:
        keyring: Any = importlib.import_module("keyring")
        if keyring.get_keyring().priority < REAL:
            return ""
        found: str | None = keyring.get_password(SERVICE, url)
        return (found or "").strip()
    except Exception:  # noqa: BLE001 (backends raise what they like, and there are other places to look)
        return ""


def _in_file(purpose: TokenPurpose, path: Path) -> str:
    """Return the text of the file. Raises InvalidInput unless it belongs to this account and others cannot read it."""
    try:
        with open_now(path) as opened:
            _refuse_open_to_others(purpose, path, os.fstat(opened.fileno()))
            text = opened.read(MAX_BYTES).decode("ascii", "replace")
    except OSError as error:
        raise InvalidInput(purpose.setting, f"The token file {path} cannot be read: {error.strerror}.") from error
    if not text.strip():
        raise InvalidInput(purpose.setting, f"The token file {path} is empty.")
    return text


def _refuse_open_to_others(purpose: TokenPurpose, path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput(purpose.setting, f"The token file {path} is not a file.")
    if found.st_uid != os.geteuid():
        raise InvalidInput(
            purpose.setting, f"The token file {path} belongs to another account. Change its owner: “chown”."
        )
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        raise InvalidInput(
            purpose.setting,
            f"Others can reach the token file {path} (mode {mode:04o}). "
            f"{shell_command('chmod', '600', str(path))} fixes that; replace the token "
            "too, because it may have been read.",
        )
