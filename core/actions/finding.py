"""Finding one of my projects by what people call it."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import Query
from core.model import Project
from core.rights import Permission
from core.work import View


@dataclass(frozen=True, slots=True, kw_only=True)
class FindProjects(Query[tuple[Project, ...]]):
    """My projects with this id or name; when there is none, those whose names begin like it."""

    route = "GET /v1/projects/named/{name}"
    permission = Permission.WORKSPACE_VIEW
    name: str

    def run(self, view: View) -> tuple[Project, ...]:
        mine = view.all(
            Project,
            "id IN (SELECT project_id FROM member WHERE user_id = :me) ORDER BY name, id",
            me=view.actor.user_id,
        )
        wanted = self.name.strip().casefold()
        exact = [each for each in mine if wanted in (each.id.casefold(), each.name.casefold())]
        return tuple(exact or [each for each in mine if wanted and each.name.casefold().startswith(wanted)])
