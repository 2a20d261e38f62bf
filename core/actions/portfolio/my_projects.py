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
from core.storage.database import EVERY

LINKS = tuple(f"{kind.lower()}_id" for kind in NodeKind)
"""The fields, and the columns of a project, that link it to a client, a market and a brand."""

_MINE = "member.user_id = :me AND member.project_archived = 0"
_MEMBERSHIPS = f"member WHERE {_MINE}"
"""Without the projects, so that those before the page are passed over in the index alone."""


class PortfolioQuery(Query[R_co]):
    """A query over the user's projects that are not archived.

    With ``client_id``, ``market_id`` or ``brand_id`` only those that are linked to it.
    """

    permission = Permission.WORKSPACE_VIEW
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None

    @property
    def links(self) -> Mapping[str, Id]:
        """The links that are wanted, by their columns."""
        return {link: node_id for link in LINKS if (node_id := getattr(self, link))}

    def where(self) -> tuple[str, dict[str, Any]]:
        """The tables and the condition of these projects, after FROM, and its parameters but ``me``."""
        conditions = [_MINE, *(f"project.{link} = :{link}" for link in self.links)]
        return f"member JOIN project ON project.id = member.project_id WHERE {' AND '.join(conditions)}", {**self.links}

    def questions(self, view: Snapshot, most: int = EVERY, offset: int = 0) -> dict[Id, PermissionQuery]:
        """Return a page of the projects by name, each with the query whether the user can see it."""
        where, given = self.where()
        order = "ORDER BY member.project_sort_name, member.project_id LIMIT :most OFFSET :offset"
        page = f"SELECT member.project_id, member.project_sort_name FROM {where if given else _MEMBERSHIPS} {order}"
        rows = view.tx.tuples(
            f"SELECT id, auth_id FROM ({page}) AS page JOIN project ON id = project_id ORDER BY project_sort_name, id",
            me=view.actor.user_id,
            most=most,
            offset=offset,
            **given,
        )
        return {
            project_id: PermissionQuery(view.actor.user_id, auth_id, VIEWING | {DECIDES})
            for project_id, auth_id in rows
        }
