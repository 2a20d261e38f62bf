"""The embedded source: rights computed from the database by the tables of ``core.rights``."""

from __future__ import annotations

import json

from core.authorization.question import LOCAL, Freshness, Grant, Question
from core.model import PlatformRole, ProjectRole
from core.rights import project_rights, workspace_rights
from core.storage.database import Database, Tx


class LocalPermissions:
    """Answers from the members of the project and the platform roles of the user.

    Members hold what their project role gives on the project's account; everybody active holds what the platform
    roles give on the workspace. Admins get no silent access to a project (spec, section 2).
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def grant(self, question: Question, _: Freshness) -> Grant:
        return Grant(question.codes & self.database.read(lambda tx: _rights(tx, question)), LOCAL)

    def forget(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """The database is closed by whoever opened it."""


def _rights(tx: Tx, question: Question) -> frozenset[str]:
    users = tx.query("SELECT platform_roles, active FROM app_user WHERE id = :id", id=question.user_id)
    if not users or not users[0]["active"]:
        return frozenset()
    roles = tx.query(
        "SELECT member.role FROM project JOIN member ON member.project_id = project.id"
        " WHERE project.auth_id = :account AND member.user_id = :user",
        account=question.account_id,
        user=question.user_id,
    )
    held = workspace_rights(PlatformRole(word) for word in json.loads(users[0]["platform_roles"]))
    return held | project_rights(ProjectRole(roles[0]["role"]) if roles else None)
