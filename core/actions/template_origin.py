"""Which template a project comes from."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import ProjectQuery
from core.rights import Permission
from core.templates.model import Origin
from core.work import View


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOrigin(ProjectQuery[Origin | None]):
    """Which version of which template the project was made from, or has taken in last; nothing for none."""

    route = "GET /v1/projects/{project_id}/origin"
    permission = Permission.PROJECT_VIEW

    def run(self, view: View) -> Origin | None:
        return view.find(Origin, project_id=self.project_id)
