"""Agreements: the commands of terminal products that the user has agreed to run.

A terminal product runs as the user who launches it, but another user registered its command. So the user sees the
command and must agree, the first time and after every change. Agreements are stored on this machine, in the user's
state folder, as a hash per product and workspace, so that no server can forge them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path
from typing import Any

from core.domain.model import Id
from core.domain.products.products import Product
from core.files.state_files import read_state, state_file, write_state

MAX_PLACES = 100
"""Most workspaces in the file; older ones are dropped, because each demo adds one."""


class Agreements:
    """The agreements for products of one workspace, identified by its server or database and its id."""

    def __init__(self, place: str, workspace_id: Id) -> None:
        self._place = f"{place} {workspace_id}"

    def covers(self, product: Product) -> bool:
        """True if the user agreed to exactly this command of this product."""
        return self._read_agreements().get(product.id) == self._hash_of(product)

    def has_older(self, product: Product) -> bool:
        """True if the user agreed to another command of this product."""
        return product.id in self._read_agreements() and not self.covers(product)

    def add(self, product: Product) -> None:
        """Store an agreement. If the file cannot be written, the user is asked again next time."""
        places = read_state(agreements_file())
        kept = self._read_agreements() | {product.id: self._hash_of(product)}
        places.pop(self._place, None)
        with contextlib.suppress(OSError):
            write_state(agreements_file(), dict([*places.items(), (self._place, kept)][-MAX_PLACES:]))

    def _read_agreements(self) -> dict[str, Any]:
        found = read_state(agreements_file()).get(self._place)
        return found if isinstance(found, dict) else {}

    def _hash_of(self, product: Product) -> str:
        return hashlib.sha256(json.dumps([self._place, product.id, product.command]).encode()).hexdigest()


def agreements_file() -> Path:
    """The path of the user's file of agreements."""
    return state_file("agreed_commands.json")
