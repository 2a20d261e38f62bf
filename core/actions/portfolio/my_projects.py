"""The projects that a message of the portfolio is about: those of the user, or of one client, market or brand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.domain.grants import PermissionQuery
from core.domain.model import Id, NodeKind
from core.domain.permissions import Permission
from core.domain.readiness import DECIDES
from core.engine.messages import Query, R_co
from core.engine.project_guard import VIEWING
from core.engine.unit_of_work import Snapshot

LINKS = tuple(f"{kind.lower()}_id" for kind in NodeKind)
"""The fields, and the columns of a project, that link it to a client, a market and a brand."""


class PortfolioQuery(Query[R_co]):
    """A query over the user's projects that are not archived.

    With ``client_id``, ``market_id`` or ``brand_id`` only those that are linked to it.
    """

    permission = Permission.WORKSPACE_VIEW
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None

    def where(self) -> tuple[str, dict[str, Any]]:
        """The tables and the condition of these projects, after FROM, and its parameters but ``me``."""
        chosen: Mapping[str, Id] = {link: node_id for link in LINKS if (node_id := getattr(self, link))}
        conditions = ["member.user_id = :me", "project.archived = 0", *(f"project.{link} = :{link}" for link in chosen)]
        tables = "member JOIN project ON project.id = member.project_id"
        return f"{tables} WHERE {' AND '.join(conditions)}", dict(chosen)

    def questions(self, view: Snapshot, order: str = "", **params: object) -> dict[Id, PermissionQuery]:
        """Return the projects, each with the query whether the user can see it; ``order`` ends the statement."""
        where, given = self.where()
        rows = view.tx.tuples(
            f"SELECT project.id, auth_id FROM {where} {order}", me=view.actor.user_id, **given, **params
        )
        return {
            project_id: PermissionQuery(view.actor.user_id, auth_id, VIEWING | {DECIDES})
            for project_id, auth_id in rows
        }
