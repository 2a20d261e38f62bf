"""Templates as they are found, read, renamed and removed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.messages import Command, Query
from core.model import Id
from core.rights import Permission
from core.templates.model import Difference, Template, TemplateBody


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateLine:
    """A template as the list shows it: what is in it, counted."""

    template: Template
    phases: int
    items: int
    days: int
    """The latest due day after the start; 0 when nothing has one."""
    slots: tuple[str, ...]
    """The meta roles that people are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateNote:
    """One version in the list of versions, without its workflow."""

    number: int
    at: datetime
    by: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateDetail:
    """A template with the workflow of one version, and all its versions, the newest first."""

    line: TemplateLine
    number: int
    body: TemplateBody
    versions: tuple[TemplateNote, ...]
    missing_products: tuple[str, ...]
    """Products that the workflow names and that the registry has no more: they are left out on use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTemplates(Query[tuple[TemplateLine, ...]]):
    """The workflow templates with all these words (in name, description or tags) and all these tags."""

    route = "GET /v1/templates"
    permission = Permission.WORKSPACE_VIEW
    text: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowTemplate(Query[TemplateDetail]):
    """A template with its workflow; the newest version unless another is named."""

    route = "GET /v1/templates/{template_id}"
    permission = Permission.WORKSPACE_VIEW
    template_id: Id
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareVersions(Query[tuple[Difference, ...]]):
    """What differs between two versions of a template."""

    route = "GET /v1/templates/{template_id}/differences"
    permission = Permission.WORKSPACE_VIEW
    template_id: Id
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EditTemplate(Command[Template]):
    """Change the name, the description or the tags of a template; what is left out stays."""

    route = "PATCH /v1/templates/{template_id}"
    permission = Permission.TEMPLATE_MANAGE
    template_id: Id
    name: str | None = None
    description: str | None = None
    tags: tuple[str, ...] | None = None
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveTemplate(Command[None]):
    """Remove a template with all its versions; the projects made from it stay as they are."""

    route = "DELETE /v1/templates/{template_id}"
    permission = Permission.TEMPLATE_MANAGE
    template_id: Id
    seen_version: int | None = None
