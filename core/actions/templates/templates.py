"""Templates: list, show, compare, import, edit and remove them; and the template that a project comes from."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from core.domain.model import Id
from core.domain.permissions import Permission
from core.domain.products.products import Product
from core.domain.templates import Difference, Origin, Template, TemplateBody, TemplateVersion
from core.engine.messages import Command, ProjectQuery, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.record import Record, replace
from core.rules.visibility import check_visible, keep_visible
from core.templates.template_file import TemplateDocument
from core.text.folding import fold
from core.text.phrases import full_name

if TYPE_CHECKING:
    from core.templates.json_format import WorkflowSummary

BUILT_IN = "Podium"
"""The author of the versions that come with a new workspace."""


class TemplateSummary(Record):
    """A template as a line of the list, with counts of what it contains."""

    template: Template
    phases: int
    items: int
    days: int
    """The latest due day, counted from the start; 0 if nothing has a due date."""
    slots: tuple[str, ...]
    """The meta roles for which people can be chosen."""


class TemplateVersionSummary(Record):
    """A line in the list of versions, without the workflow."""

    number: int
    at: datetime
    by: str
    note: str


class TemplateDetail(Record):
    """A template with the workflow of one version, and all its versions, the newest first."""

    line: TemplateSummary
    number: int
    body: TemplateBody
    versions: tuple[TemplateVersionSummary, ...]
    missing_products: tuple[str, ...]
    """Products in the workflow that the registry does not have or has retired. A new project leaves them out."""


class ListTemplates(Query[tuple[TemplateSummary, ...]]):
    """List the workflow templates with all these words (in name, description or tags) and all these tags.

    Guests see those that come with Podium and their own.
    """

    route = "GET /v1/templates"
    permission = Permission.WORKSPACE_VIEW
    text: str = ""
    tags: tuple[str, ...] = ()

    def run(self, view: Snapshot) -> tuple[TemplateSummary, ...]:
        from core.templates.json_format import outline
        from core.templates.library import has_words, newest_bodies

        words = fold(self.text).split()
        tags = {tag.strip().casefold() for tag in self.tags}
        found = []
        for template, body in newest_bodies(view, keep_visible(view, view.all(Template, "1 = 1"))):
            workflow = outline(body)
            if tags <= {tag.casefold() for tag in template.tags} and has_words(template, workflow, words):
                found.append(_line(template, workflow))
        return tuple(sorted(found, key=lambda line: (line.template.name.casefold(), line.template.id)))


def _line(template: Template, workflow: WorkflowSummary) -> TemplateSummary:
    return TemplateSummary(
        template=template,
        phases=len(workflow.phases),
        items=workflow.items,
        days=workflow.days,
        slots=workflow.slots,
    )


class GetTemplate(Query[TemplateDetail]):
    """Show a template with the workflow of one version: the newest, unless ``number`` is given."""

    route = "GET /v1/templates/{template_id}"
    permission = Permission.WORKSPACE_VIEW
    template_id: Id
    number: int | None = None

    def run(self, view: Snapshot) -> TemplateDetail:
        from core.templates.json_format import outline, products_of
        from core.templates.library import body_of_version

        template = check_visible(view, view.get(Template, id=self.template_id))
        number, body = body_of_version(view, template, self.number)
        there = {product.name.casefold() for product in view.all(Product, "1 = 1") if not product.retired}
        return TemplateDetail(
            line=_line(template, outline(body)),
            number=number,
            body=body,
            versions=_versions(view, template),
            missing_products=tuple(name for name in products_of(body) if name.casefold() not in there),
        )


def _versions(view: Snapshot, template: Template) -> tuple[TemplateVersionSummary, ...]:
    rows = view.rows(
        "SELECT number, at, note, by_id, first_name, last_name FROM template_version"
        " LEFT JOIN app_user ON app_user.id = template_version.by_id"
        " WHERE template_id = :template_id ORDER BY number DESC",
        template_id=template.id,
    )
    return tuple(
        TemplateVersionSummary(
            number=row["number"],
            at=datetime.fromisoformat(row["at"]),
            by=full_name(row["first_name"], row["last_name"]) if row["by_id"] else BUILT_IN,
            note=row["note"],
        )
        for row in rows
    )


class CompareTemplateVersions(Query[tuple[Difference, ...]]):
    """Compare two versions of a template."""

    route = "GET /v1/templates/{template_id}/differences"
    permission = Permission.WORKSPACE_VIEW
    template_id: Id
    before: int
    after: int

    def run(self, view: Snapshot) -> tuple[Difference, ...]:
        from core.templates.diff import differences
        from core.templates.library import body_of_version

        template = check_visible(view, view.get(Template, id=self.template_id))
        return differences(
            body_of_version(view, template, self.before)[1], body_of_version(view, template, self.after)[1]
        )


class GetTemplateOrigin(ProjectQuery[Origin | None]):
    """Show the template version that the project was created from or merged last; null if there is none."""

    route = "GET /v1/projects/{project_id}/origin"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> Origin | None:
        return view.find(Origin, project_id=self.project_id)


class ImportTemplate(Command[Template]):
    """Add a template from a file, as its version 1.

    Its roles and products are names. They need not exist in this workspace until a project is created from it.
    """

    route = "POST /v1/templates"
    permission = Permission.TEMPLATE_MANAGE
    bulky = True
    creates = True
    document: TemplateDocument
    name: str = ""
    """A name to use instead of the document's."""

    def run(self, work: UnitOfWork) -> Template:
        from core.templates.library import add_template

        document = replace(self.document, name=self.name or self.document.name)
        template = add_template(work, document, by_id=work.actor.user_id)
        work.say(f"imported the template “{template.name}”")
        return template


class EditTemplate(Command[Template]):
    """Change the name, the description or the tags of a template; fields that are left out stay."""

    route = "PATCH /v1/templates/{template_id}"
    permission = Permission.TEMPLATE_MANAGE
    template_id: Id
    name: str | None = None
    description: str | None = None
    tags: tuple[str, ...] | None = None
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Template:
        from core.templates import library

        template = work.get(Template, id=self.template_id, seen_version=self.seen_version)
        edited = work.update(
            template,
            name=template.name if self.name is None else library.check_name(work, self.name, but=template.id),
            description=template.description
            if self.description is None
            else library.check_description(self.description),
            tags=template.tags if self.tags is None else library.check_tags(self.tags),
        )
        renamed = edited.name != template.name
        work.say(
            f"renamed the template “{template.name}” to “{edited.name}”"
            if renamed
            else f"described the template “{template.name}”"
        )
        return edited


class RemoveTemplate(Command[None]):
    """Remove a template with all its versions. Projects made from it stay as they are."""

    route = "DELETE /v1/templates/{template_id}"
    held_key = True
    unbounded = True
    permission = Permission.TEMPLATE_MANAGE
    template_id: Id
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> None:
        template = work.get(Template, id=self.template_id, seen_version=self.seen_version)
        for version in work.all(TemplateVersion, "template_id = :id ORDER BY number", id=template.id):
            work.delete(version)
        work.delete(template)
        work.say(f"removed the template “{template.name}”")
