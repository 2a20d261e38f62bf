"""The local source: permissions computed from the database by the tables of ``core.domain.permissions``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from core.authorization.held_permissions import NOTHING, Codes, permissions_on
from core.domain.grants import LOCAL, CacheControl, Grant, PermissionQuery
from core.domain.model import Id
from core.storage.database import Database, Tx


class LocalPermissions:
    """Answers from the members of the project, their meta roles, and the platform roles of the user.

    A member holds the permissions of the project role on the account of the project, and the codes of the product roles
    that follow; a contributor whom a policy of the project names decides at gates, too. An active user holds the
    permissions of the platform roles on the workspace and on all accounts below it; these give an admin who is not a
    member no access to a project. On an unknown account nothing is held.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def grant(self, query: PermissionQuery, _: CacheControl) -> Grant:
        return self.database.read(lambda tx: _all_held(tx, [query]))[query]

    def grants(self, queries: Collection[PermissionQuery], _: CacheControl) -> dict[PermissionQuery, Grant]:
        return self.database.read(lambda tx: _all_held(tx, queries))

    def ask_ahead(self, queries: Collection[PermissionQuery]) -> None:
        """Do nothing: the database answers at once."""

    def invalidate(self) -> None:
        """Do nothing: no grant is cached."""

    def close(self) -> None:
        """Do nothing: the opener of the database closes it."""


def _all_held(tx: Tx, queries: Collection[PermissionQuery]) -> dict[PermissionQuery, Grant]:
    """The grants of several queries. Those of one user for the same codes are answered together, and so are those of
    several users on the same accounts, such as the people who have one project open."""
    asked: defaultdict[tuple[Id, Codes], dict[str, PermissionQuery]] = defaultdict(dict)
    for each in queries:
        asked[each.user_id, each.codes][each.account_id] = each
    alike: defaultdict[tuple[Codes, frozenset[str]], list[Id]] = defaultdict(list)
    for (user_id, codes), of_accounts in asked.items():
        alike[codes, frozenset(of_accounts)].append(user_id)
    grants: dict[PermissionQuery, Grant] = {}
    for (codes, accounts), users in alike.items():
        held = permissions_on(tx, users, codes, accounts)
        for user_id in users:
            for account, each in asked[user_id, codes].items():
                grants[each] = Grant(held.get(user_id, {}).get(account, NOTHING), LOCAL)
    return grants
