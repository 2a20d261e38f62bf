"""Permission codes by user and account, and valid answers to a permission query (source document, section 4.1)."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid5

from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.permissions import Permission
from core.storage.database import Database

_OTHERS = UUID("8a0f6d0e-6f5b-4c33-9d53-0f2f4a4b7b11")


class Holdings:
    """The fixtures of the service; they may be changed while it runs."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], frozenset[str]] = {}
        self.others = 0
        """How many entries of other accounts, with every code asked for, stand before the one asked for."""

        self.largest_page = 1000
        """The most entries of a page, however many are asked for."""
        self.in_capitals = False
        """Whether accounts are answered in capital letters."""

    def grant(self, user_id: str, account_id: str, *codes: str) -> None:
        """Give codes to a user on an account."""
        held = self.held.get((user_id, account_id), frozenset())
        self.held[user_id, account_id] = held | {str(code) for code in codes}

    def revoke(self, user_id: str, account_id: str, *codes: str) -> None:
        """Take codes away; all of them when none is named."""
        left = self.held.pop((user_id, account_id), frozenset()) - {str(code) for code in codes}
        if codes and left:
            self.held[user_id, account_id] = left

    def copy(self, database: Database) -> None:
        """Hold what the local source computes from this database, for every user, account and code in it."""
        local = LocalPermissions(database)
        codes = frozenset[str](Permission).union(*map(json.loads, _column(database, "permission_codes", "product")))
        users = _column(database, "id", "app_user")
        accounts = _column(database, "auth_id", "workspace", "hierarchy_node", "project")
        self.held = {
            (user, account): held
            for user in users
            for account in accounts
            if (held := local.grant(PermissionQuery(user, account, codes), CacheControl.NO_CACHE).held)
        }

    def answer(self, filters: dict[str, Any]) -> dict[str, Any]:
        """One page, as documented."""
        asked = list(filters["permission_codes"])
        held = self.held.get((filters["user_id"], filters["account_id"]), frozenset())
        others = range(self.others)
        entries: list[dict[str, Any]] = [{"account_id": other(number), "permissions": asked} for number in others]
        if codes := [code for code in asked if code in held]:
            entries.append({"account_id": filters["account_id"], "permissions": codes})
        limit, offset = min(filters["limit"], self.largest_page), filters["offset"]
        if self.in_capitals:
            entries = [{**entry, "account_id": entry["account_id"].upper()} for entry in entries]
        return {
            "total_count": len(entries),
            "data": entries[offset : offset + limit],
            "limit": limit,
            "offset": offset,
        }


def _column(database: Database, name: str, *tables: str) -> list[str]:
    sql = " UNION ".join(f"SELECT {name} AS found FROM {table}" for table in tables)
    return database.read(lambda tx: [str(row["found"]) for row in tx.query(sql)])


def other(number: int) -> str:
    """An account that nobody asked about."""
    return str(uuid5(_OTHERS, str(number)))
