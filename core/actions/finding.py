"""Finding one of my projects by what people call it."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import Query
from core.model import Id
from core.rights import Permission
from core.work import View


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectName:
    """What a project is called, and no more of it."""

    id: Id
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindProjects(Query[tuple[ProjectName, ...]]):
    """My projects with this id or name; when there is none, those whose names begin like it.

    The names of the projects that one is a member of are no secret, whoever decides about rights (decided here); all
    else takes PROJECT_VIEW.
    """

    route = "GET /v1/projects/named"
    permission = Permission.WORKSPACE_VIEW
    name: str

    def run(self, view: View) -> tuple[ProjectName, ...]:
        rows = view.rows(
            "SELECT id, name FROM project WHERE id IN (SELECT project_id FROM member WHERE user_id = :me)"
            " ORDER BY name, id",
            me=view.actor.user_id,
        )
        mine = [ProjectName(id=row["id"], name=row["name"]) for row in rows]
        wanted = self.name.strip().casefold()
        exact = [each for each in mine if wanted in (each.id.casefold(), each.name.casefold())]
        return tuple(exact or [each for each in mine if wanted and each.name.casefold().startswith(wanted)])
