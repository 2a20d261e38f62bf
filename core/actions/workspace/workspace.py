"""The workspace itself."""

from __future__ import annotations

from core.domain.model import Workspace
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.unit_of_work import UnitOfWork, check_version
from core.errors import InvalidInput
from core.text import sanitize
from core.text.phrases import count

MAX_WEEK_LIMIT = 1_000


class RenameWorkspace(Command[Workspace]):
    """Rename the workspace."""

    route = "PATCH /v1/workspace"
    permission = Permission.USER_MANAGE
    name: str
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Workspace:
        workspace = check_version(work, work.read_workspace(), self.seen_version)
        name = sanitize.one_line(self.name, "name", most=80)
        work.say(f"renamed the workspace to “{name}”")
        return work.update(workspace, name=name)


class SetWeekLimit(Command[Workspace]):
    """Set how many open cards one person may have in a week before the workload marks it.

    ``limit`` is 1 to 1,000.
    """

    route = "PUT /v1/workspace/week-limit"
    permission = Permission.USER_MANAGE
    limit: int
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Workspace:
        workspace = check_version(work, work.read_workspace(), self.seen_version)
        if not 1 <= self.limit <= MAX_WEEK_LIMIT:
            raise InvalidInput("limit", f"The limit of a week is 1 to {MAX_WEEK_LIMIT:,} open cards of one person.")
        work.say(f"set the limit of a week to {count(self.limit, 'open card')} of one person")
        return work.update(workspace, week_limit=self.limit)
