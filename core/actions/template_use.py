"""Using templates: a project made from one, a project saved as one, a version brought into a project."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from core.messages import Command, ProjectCommand, ProjectQuery
from core.model import Id, Project
from core.rights import Permission
from core.templates.model import Difference, Template


class Slot(NamedTuple):
    """Who fills a role of the template: they become members with that meta role and get its work.

    More than one line for a role is allowed: all of them become members, the first one gets the tasks.
    """

    role: str
    user_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFromTemplate:
    """A new project, and what of the template could not be taken over, each with its reason."""

    project: Project
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateFromTemplate(Command[MadeFromTemplate]):
    """Create a project from a template; whoever creates it becomes its owner, the people of the slots its members.

    Applications whose product is gone, or does not fit the links, are left out and named.
    """

    route = "POST /v1/templates/{template_id}/projects"
    permission = Permission.PROJECT_CREATE
    undoable = False
    template_id: Id
    name: str
    start: date
    number: int | None = None
    description: str = ""
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTemplate(ProjectQuery[tuple[Difference, ...]]):
    """What would differ from the newest version of a template if the project were saved as its next one."""

    route = "GET /v1/projects/{project_id}/as-template/{template_id}"
    permission = Permission.PROJECT_VIEW
    template_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveTemplate(ProjectCommand[Template]):
    """Save the workflow of a project as a new template, or as the next version of one.

    People become the meta roles they have on the project, dates the days after its start. ``seen_number`` is the
    newest version that the sender has reviewed against: a newer one is refused. A name is needed for a new template;
    for a next version what is left out stays.
    """

    route = "POST /v1/projects/{project_id}/as-template"
    permission = Permission.TEMPLATE_SAVE
    template_id: Id | None = None
    seen_number: int | None = None
    name: str = ""
    description: str | None = None
    tags: tuple[str, ...] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bringing:
    """What bringing a version of a template into a project would do, line by line."""

    template: Template
    number: int
    from_number: int | None
    """The version of the same template that the project holds now, if it is known."""
    differences: tuple[Difference, ...]
    seq: int
    """The last change of the project that this was worked out from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanBringing(ProjectQuery[Bringing]):
    """What would change if a version of a template were brought into the project; the newest unless named."""

    route = "GET /v1/projects/{project_id}/templates/{template_id}"
    permission = Permission.PROJECT_VIEW
    template_id: Id
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BringTemplate(ProjectCommand[Bringing]):
    """Bring a version of a template into a project as one step; nothing that is done is touched.

    ``seen_seq`` is the ``seq`` of the plan that the sender has read: refused when the project has changed since.
    ``relock`` accepts that open phases lock again behind a new one.
    """

    route = "POST /v1/projects/{project_id}/templates/{template_id}"
    permission = Permission.WORKFLOW_MANAGE
    template_id: Id
    number: int | None = None
    seen_seq: int | None = None
    relock: bool = False
