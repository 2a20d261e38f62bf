"""Agreements: the commands of terminal products that the user has agreed to run.

A terminal product runs as the user who launches it, but another user registered its command. So the user sees the
command and must agree, the first time and after every change. Agreements are stored on this machine, in the user's
state folder, as a hash per product and workspace, so that no server can forge them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

from core.config import Config
from core.domain.model import Id
from core.domain.products.products import Product
from core.files.opening import open_now
from core.files.own_files import write_whole

MAX_PLACES = 100
"""Most workspaces in the file; older ones are dropped, because each demo adds one."""

MAX_BYTES = 4_000_000


def place_of(config: Config) -> str:
    """The server or database of a workspace, as agreements name it."""
    db = config.db
    return config.server or (str(db.absolute()) if isinstance(db, Path) else str(db))


class Agreements:
    """The agreements for products of one workspace, identified by its server or database and its id."""

    def __init__(self, place: str, workspace_id: Id) -> None:
        self._place = f"{place} {workspace_id}"

    def covers(self, product: Product) -> bool:
        """True if the user agreed to exactly this command of this product."""
        return self._kept().get(product.id) == self._hash_of(product)

    def has_older(self, product: Product) -> bool:
        """True if the user agreed to another command of this product."""
        return product.id in self._kept() and not self.covers(product)

    def add(self, product: Product) -> None:
        """Store an agreement. If the file cannot be written, the user is asked again next time."""
        places = _read()
        kept = self._kept() | {product.id: self._hash_of(product)}
        places.pop(self._place, None)
        with contextlib.suppress(OSError):
            _write(dict([*places.items(), (self._place, kept)][-MAX_PLACES:]))

    def _kept(self) -> dict[str, Any]:
        found = _read().get(self._place)
        return found if isinstance(found, dict) else {}

    def _hash_of(self, product: Product) -> str:
        return hashlib.sha256(json.dumps([self._place, product.id, product.command]).encode()).hexdigest()


def agreements_file() -> Path:
    """The path of the user's file of agreements."""
    import platformdirs

    return platformdirs.user_state_path("podium", appauthor=False) / "agreed_commands.json"


def _read() -> dict[str, Any]:
    """All agreements; none from a file that other accounts could have written."""
    try:
        with open_now(agreements_file()) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
                return {}
            value = json.loads(file.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _write(places: dict[str, Any]) -> None:
    """Write all agreements. Raises OSError."""
    path = agreements_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, json.dumps(places, indent=1).encode())
