"""The template that a project comes from."""

from __future__ import annotations

from core.domain.permissions import Permission
from core.domain.templates import Origin
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot


class GetTemplateOrigin(ProjectQuery[Origin | None]):
    """Show the template version that the project was created from or merged last; null if there is none."""

    route = "GET /v1/projects/{project_id}/origin"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> Origin | None:
        return view.find(Origin, project_id=self.project_id)
