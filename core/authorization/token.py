"""The bearer token for the authorization service: from the environment, the keyring, or a file that only we can read.

It is never printed: its repr leaves it out, and no message is made of it.
"""

from __future__ import annotations

import importlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InvalidInput

VARIABLE = "PODIUM_AUTH_TOKEN"
SERVICE = "podium"
"""The name in the keyring; the user there is the address of the authorization service."""

MOST_BYTES = 16 * 1024
REAL = 1
"""The priority from which a keyring keeps secrets as one should, by the words of its documentation."""


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, and where it came from."""

    value: str = field(repr=False)
    source: str


def find_token(url: str, file: Path | None, environ: Mapping[str, str] = os.environ) -> Token:
    """The token for the service at this address (spec, section 7).

    Raises InvalidInput that says how to give one, or why the one there is cannot be used.
    """
    for value, source in ((environ.get(VARIABLE), VARIABLE), (_in_keyring(url), "the keyring")):
        if value and value.strip():
            return _token(value, source)
    if file is not None:
        return _token(_in_file(file), str(file))
    raise InvalidInput(
        "auth_token",
        f"Podium has no token for the permission service. Set {VARIABLE}, put it into the keyring "
        f"(“keyring set {SERVICE} {url}”), or name a file of mode 0600 in “auth_token_file”.",
    )


def _token(value: str, source: str) -> Token:
    value = value.strip()
    if not re.fullmatch(r"[!-~]+", value):
        raise InvalidInput("auth_token", f"What {source} holds is no token: it must be one word of plain letters.")
    return Token(value, source)


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


def _in_file(path: Path) -> str:
    """The text of the file. Raises InvalidInput unless it is a file of ours that nobody else can read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise InvalidInput("auth_token_file", f"The token file {path} cannot be read: {error.strerror}.") from error
    with open(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput("auth_token_file", f"The token file {path} is not a file.")
        if found.st_uid != os.geteuid():
            raise InvalidInput("auth_token_file", f"The token file {path} belongs to somebody else. Own it: “chown”.")
        mode = stat.S_IMODE(found.st_mode)
        if mode & 0o077:
            raise InvalidInput(
                "auth_token_file",
                f"Others can reach the token file {path} (mode {mode:04o}). “chmod 600 {path}” ends that; have the "
                "token replaced too, for it may have been read.",
            )
        text = opened.read(MOST_BYTES).decode("ascii", "replace")
    if not text.strip():
        raise InvalidInput("auth_token_file", f"The token file {path} is empty.")
    return text
