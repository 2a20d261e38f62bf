"""My work: the user's open items in all projects, late ones first."""

from __future__ import annotations

from datetime import date

from core.domain.grants import PermissionQuery
from core.domain.model import Id, ProjectRole
from core.domain.permissions import ALL_CODES, Permission
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot
from core.reads.open_items import MY_PROJECTS, OpenItem, count_my_open_items, my_open_items
from core.reads.workflows import GATED, WaitingGate
from core.record import COLLECTION, Record, field
from core.rules.visibility import held_on, hidden_among, my_grants, my_projects_with_questions, my_roles

MAX_LINES = 500
"""The most lines. Longer lists are not read; the filter of a project finds the rest."""

MAX_READ = 10_000
"""The most open items of which the ready ones are looked for."""


class MyWork(Record):
    """My open items by due date, those without one last. ``more`` is the number of those not listed."""

    lines: tuple[OpenItem, ...] = field(name=COLLECTION)
    held: dict[Id, frozenset[Permission]]
    """My permissions on the project of each line."""
    roles: dict[Id, ProjectRole]
    """My role on each of these projects."""
    today: date
    more: int = 0
    gates: tuple[WaitingGate, ...] = ()
    """The gates that wait for my decision."""


_CONCERNING = f"{MY_PROJECTS} UNION {GATED}"


class GetMyWork(Query[MyWork]):
    """List my open tasks and activities in all my projects, the most urgent first.

    Archived projects are left out, and projects that I cannot see. The result has my permissions on each project, so
    that each line can show which of its keys work. With ``ready`` only those that can start now are listed.
    """

    route = "GET /v1/me/work"
    permission = Permission.WORKSPACE_VIEW
    ready: bool = False

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, codes=ALL_CODES, among=_CONCERNING).values())

    def run(self, view: Snapshot) -> MyWork:
        answers = my_grants(view, _CONCERNING)
        found = my_open_items(view, answers, MAX_READ if self.ready else MAX_LINES)
        lines, more = found.items, 0
        if self.ready:
            ready = [line for line in lines if line.is_ready]
            lines, more = tuple(ready[:MAX_LINES]), max(0, len(ready) - MAX_LINES)
        elif len(lines) == MAX_LINES:
            more = count_my_open_items(view, hidden_among(answers)) - MAX_LINES
        here = {line.project_id for line in lines}
        return MyWork(
            lines=lines,
            held=held_on(answers, here),
            roles=my_roles(view, here),
            today=view.today,
            more=more,
            gates=found.gates,
        )
