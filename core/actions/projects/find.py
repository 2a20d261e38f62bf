"""Finds one of my projects by its id or name."""

from __future__ import annotations

from core.domain.permissions import Permission
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot
from core.rules.project_names import ProjectRef, my_project_names, names_of_project
from core.text.naming import find_meant


class FindProjects(Query[tuple[ProjectRef, ...]]):
    """Find my projects by an id, a name, or the beginning of a name; without ``name`` all of them.

    It needs no PROJECT_VIEW: members may always know the names and keys of their projects, but nothing else.
    """

    route = "GET /v1/projects/named"
    permission = Permission.WORKSPACE_VIEW
    name: str = ""

    def run(self, view: Snapshot) -> tuple[ProjectRef, ...]:
        if not self.name:
            return tuple(my_project_names(view))
        exact = my_project_names(view, called=self.name.strip()) if self.name.isprintable() else []
        return tuple(find_meant(self.name, exact or my_project_names(view), names_of_project))
