"""Finding one of my projects by what people call it."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.permissions import Permission
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot
from core.rules.project_names import ProjectRef, meant, my_project_names, names_of_project


@dataclass(frozen=True, slots=True, kw_only=True)
class FindProjects(Query[tuple[ProjectRef, ...]]):
    """My projects that are meant by this id, name or beginning of a name, as ``meant`` decides.

    The names of the projects that one is a member of are no secret, whoever decides about rights; all
    else takes PROJECT_VIEW.
    """

    route = "GET /v1/projects/named"
    permission = Permission.WORKSPACE_VIEW
    name: str

    def run(self, view: Snapshot) -> tuple[ProjectRef, ...]:
        return tuple(meant(self.name, my_project_names(view), names_of_project))
