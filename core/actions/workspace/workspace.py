"""The workspace itself."""

from __future__ import annotations

from core.domain.model import Workspace
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.unit_of_work import UnitOfWork
from core.text import sanitize


class RenameWorkspace(Command[Workspace]):
    """Rename the workspace."""

    route = "PATCH /v1/workspace"
    permission = Permission.USER_MANAGE
    name: str
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Workspace:
        workspace = work.get(Workspace, id=work.all(Workspace, "1 = 1")[0].id, seen_version=self.seen_version)
        name = sanitize.one_line(self.name, "name", most=80)
        work.say(f"renamed the workspace to “{name}”")
        return work.update(workspace, name=name)
