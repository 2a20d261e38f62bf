"""The embedded source: rights computed from the database by the tables of ``core.domain.permissions``."""

from __future__ import annotations

from collections.abc import Collection

from core.authorization.held_permissions import origins, permissions_on, permissions_on_each
from core.domain.grants import LOCAL, Grant, MaxAge, PermissionQuery
from core.storage.database import Database, Tx


class LocalPermissions:
    """Answers from the members of the project, their meta roles, and the platform roles of the user.

    Members hold what their project role gives on the project's account, and the codes of the product roles that
    follow; everybody active holds what the platform roles give on the workspace and on all accounts below it. Admins
    get no silent access to a project (spec, section 2). Nothing is held on an account that does not exist.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def grant(self, question: PermissionQuery, _: MaxAge) -> Grant:
        return Grant(self.database.read(lambda tx: _held(tx, question)), LOCAL)

    def grants(self, questions: Collection[PermissionQuery], _: MaxAge) -> dict[PermissionQuery, Grant]:
        return self.database.read(lambda tx: _all_held(tx, questions))

    def forget(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """The database is closed by whoever opened it."""


def _all_held(tx: Tx, questions: Collection[PermissionQuery]) -> dict[PermissionQuery, Grant]:
    """All that is asked of one person is looked up together, however many the accounts are."""
    answers: dict[PermissionQuery, Grant] = {}
    for user_id, codes in {(each.user_id, each.codes) for each in questions}:
        alike = {each.account_id: each for each in questions if (each.user_id, each.codes) == (user_id, codes)}
        found = origins(tx, user_id, codes)
        held = permissions_on_each(tx, found, alike) if found else {}
        answers |= {each: Grant(held.get(account, frozenset()), LOCAL) for account, each in alike.items()}
    return answers


def _held(tx: Tx, question: PermissionQuery) -> frozenset[str]:
    found = origins(tx, question.user_id, question.codes)
    return permissions_on(tx, found, question.account_id) if found else frozenset()
