"""Uses of templates: create a project from one, save a project as one, merge a version into a project."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from core.actions.projects.projects import insert_project
from core.domain.fields import MAX_FIELDS
from core.domain.model import Comment, Id, Member, Project, ProjectRole, User
from core.domain.permissions import CHANGING_CARDS, Permission
from core.domain.products.products import MemberMetaRole, MetaRole
from core.domain.templates import (
    STAYS,
    Difference,
    Template,
    TemplateCriterion,
    TemplateField,
    TemplateVersion,
    TemplateWait,
)
from core.engine.messages import Command, ProjectCommand, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation, VersionConflict
from core.record import Record
from core.rules.approvals import confirm_reopening
from core.rules.dependency_cycles import check_no_cycle
from core.rules.phases import check_phase_count
from core.rules.visibility import check_visible
from core.text.phrases import names
from core.text.sanitize import one_line, quote_value

if TYPE_CHECKING:
    from core.templates.merge import MergeStep
    from core.templates.project_tree import ProjectTree
    from core.templates.tree import Part


class RoleAssignment(Record, kw_only=False, forbid_unknown_fields=True):
    """A user for a template role. They become a member with that meta role, and get its work.

    A role can have several users: all become members, and the first one gets the tasks.
    """

    role: str
    user_id: Id


class TemplateProjectResult(Record):
    """A new project, and the parts of the template that were left out, each with the reason."""

    project: Project
    left_out: tuple[str, ...]


class CreateProjectFromTemplate(Command[TemplateProjectResult]):
    """Create a project from a template, and become its owner; the users of its template roles become members.

    Applications whose product is missing or does not fit the links are left out and listed. Undo archives the project.
    """

    route = "POST /v1/templates/{template_id}/projects"
    unbounded = True
    permission = Permission.PROJECT_CREATE
    creates = True
    creates_project = True
    template_id: Id
    name: str
    start: date
    number: int | None = None
    description: str = ""
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None
    slots: tuple[RoleAssignment, ...] = ()
    key: str | None = None
    """As in ``CreateProject``."""

    def run(self, work: UnitOfWork) -> TemplateProjectResult:
        from core.templates.instantiate import TemplateBuilder
        from core.templates.json_format import outline
        from core.templates.library import body_of_version, set_origin
        from core.templates.waits import add_waits

        template = check_visible(work, work.get(Template, id=self.template_id))
        number, body = body_of_version(work, template, self.number)
        asked = outline(body).slots
        nodes = (self.client_id, self.market_id, self.brand_id)
        project = insert_project(work, self.name, self.description, nodes, self.start, self.key)
        people = _join(work, template, asked, self.slots)
        builder = TemplateBuilder(
            work, project, lambda slots: tuple(user for slot in slots for user in people.get(slot.casefold(), ()))
        )
        builder.workflow(body)
        add_waits(work, project.id, body.waits)
        builder.notify_assignees()
        set_origin(work, template.id, number)
        work.say(f"created the project “{project.name}” from “{template.name}” version {number}")
        return TemplateProjectResult(project=project, left_out=tuple(builder.left_out))


def _join(
    work: UnitOfWork, template: Template, asked: tuple[str, ...], slots: tuple[RoleAssignment, ...]
) -> dict[str, list[Id]]:
    """Make the users of the template roles contributors with those meta roles. Returns the ids of the users by role.

    The sender owns the project already and only gets the meta role. Raises InvalidInput for a role that the template
    does not have, RuleViolation for a meta role that was removed or a user who is not active.
    """
    meta_roles = {each.name.casefold(): each for each in work.all(MetaRole, "1 = 1")}
    known = {role.casefold() for role in asked}
    found: dict[str, list[Id]] = {}
    for slot in slots:
        role = slot.role.casefold()
        if slot.user_id in found.get(role, ()):
            continue
        if role not in known:
            has = f"It asks for {names(asked)}." if asked else "It asks for none."
            raise InvalidInput("slots", f"“{template.name}” asks for no role “{quote_value(slot.role)}”. {has}")
        if role not in meta_roles:
            raise RuleViolation(f"There is no meta role “{slot.role}” here any more. Leave it empty, or add it again.")
        user = work.get(User, id=slot.user_id)
        if not user.active:
            raise RuleViolation(f"{user.name} is no longer active in this workspace. Choose another person.")
        if work.find(Member, project_id=work.scope, user_id=user.id) is None:
            me = work.actor.user_id
            contributor = ProjectRole.CONTRIBUTOR
            work.insert(Member(project_id=work.scope, user_id=user.id, role=contributor, invited_by=me))
        work.insert(MemberMetaRole(project_id=work.scope, user_id=user.id, meta_role_id=meta_roles[role].id))
        found.setdefault(role, []).append(user.id)
    return found


class DiffAgainstTemplate(ProjectQuery[tuple[Difference, ...]]):
    """Compare the project with the newest version of a template, as if it were saved as the next one."""

    route = "GET /v1/projects/{project_id}/as-template/{template_id}"
    permission = Permission.PROJECT_VIEW
    template_id: Id

    def run(self, view: Snapshot) -> tuple[Difference, ...]:
        from core.templates.capture import project_to_template
        from core.templates.diff import differences
        from core.templates.library import body_of_version

        newest = body_of_version(view, check_visible(view, view.get(Template, id=self.template_id)))[1]
        return differences(newest, project_to_template(view, view.get(Project, id=self.project_id)))


class SaveTemplate(ProjectCommand[Template]):
    """Save the workflow of a project as a new template, or as the next version of one.

    People become the meta roles that they have on the project, and dates become days after its start. Cards that are
    conditions of its gates are left out. ``seen_number``
    is the newest version that the sender has compared with: if there is a newer one, the command is refused. A next
    version keeps the template's name, description and tags, which only TEMPLATE_MANAGE can change. An archived project
    can be saved too, since finished projects are good examples.
    """

    route = "POST /v1/projects/{project_id}/as-template"
    permission = Permission.TEMPLATE_SAVE
    creates = True
    in_archive = True
    template_id: Id | None = None
    seen_number: int | None = None
    name: str = ""
    description: str | None = None
    tags: tuple[str, ...] | None = None
    note: str = ""

    def run(self, work: UnitOfWork) -> Template:
        """Save it, and record that version as the project's origin, so that later versions can be merged."""
        from core.templates.capture import project_to_template
        from core.templates.library import new_template, set_origin
        from core.templates.size import as_kept

        project = work.get(Project, id=self.project_id)
        body = as_kept(project_to_template(work, project))
        if self.template_id is None:
            template = new_template(work, self.name, self.description or "", self.tags or ())
        else:
            template = self._next(work, self.template_id)
        note = one_line(self.note, "note", most=500, empty=True)
        version = TemplateVersion(
            template_id=template.id,
            number=template.number,
            at=work.now,
            by_id=work.actor.user_id,
            note=note,
            body=body,
        )
        work.insert(version)
        set_origin(work, template.id, template.number)
        work.say(f"saved the workflow as version {template.number} of the template “{template.name}”")
        return template

    def _next(self, work: UnitOfWork, template_id: Id) -> Template:
        from core.templates.size import check_version_count

        template = check_visible(work, work.get(Template, id=template_id))
        if self.seen_number is not None and self.seen_number != template.number:
            raise VersionConflict(
                f"“{template.name}” is at version {template.number} by now, and you have seen version"
                f" {self.seen_number}. Review what differs from that one, then save.",
                current=template,
            )
        check_version_count(work, template)
        if self.name or self.description is not None or self.tags is not None:
            raise InvalidInput("name", "A next version changes no name, description or tags. Edit the template itself.")
        return work.update(template, number=template.number + 1)


class TemplateMerge(Record):
    """The changes that merging a version of a template into a project would make, line by line."""

    template: Template
    number: int
    from_number: int | None
    """The version of the same template that the project has now, if it is known."""
    differences: tuple[Difference, ...]
    seq: int
    """The last change of the project when this was computed."""


class PreviewTemplateMerge(ProjectQuery[TemplateMerge]):
    """Preview a merge of a version of a template (the newest, unless ``number`` is given) into the project.

    ``keep`` are ids of lines that would be removed: those records stay.
    """

    route = "GET /v1/projects/{project_id}/templates/{template_id}"
    permission = Permission.PROJECT_VIEW
    template_id: Id
    number: int | None = None
    keep: tuple[Id, ...] = ()

    def run(self, view: Snapshot) -> TemplateMerge:
        return _plan(view, self).preview


class MergeTemplate(ProjectCommand[TemplateMerge]):
    """Merge a version of a template into a project as one step; finished work is not touched.

    ``seen_seq`` is the ``seq`` of the preview that the sender has read: refused if the project has changed since.
    ``keep`` are ids of lines of that preview that would be removed: those records stay.
    ``relock`` accepts that open phases lock again after a new phase.
    """

    route = "POST /v1/projects/{project_id}/templates/{template_id}"
    large = True
    unbounded = True
    permission = Permission.WORKFLOW_MANAGE
    template_id: Id
    number: int | None = None
    seen_seq: int | None = None
    keep: tuple[Id, ...] = ()
    relock: bool = False
    allow_lapse: str = ""

    def prepare(self, read: Callable[[Callable[[Snapshot], Any]], Any]) -> Any:
        """Compute the merge of a large project, which reads all of it, before the transaction."""
        return read(self._make_plan)

    def _make_plan(self, view: Snapshot) -> _Plan | None:
        from core.engine.large_projects import AT_ONCE

        some = "SELECT 1 FROM item WHERE project_id = :id LIMIT :most"
        if len(view.tx.tuples(some, id=self.project_id, most=AT_ONCE + 1)) <= AT_ONCE:
            return None
        return _plan(view, self)

    def run(self, work: UnitOfWork) -> TemplateMerge:
        from core.templates.apply_merge import apply_steps
        from core.templates.library import set_origin
        from core.templates.waits import add_waits

        project = work.get(Project, id=self.project_id)
        check_visible(work, work.get(Template, id=self.template_id))
        plan: _Plan = work.prepared or _plan(work, self)
        seen = plan.preview.seq if self.seen_seq is None else self.seen_seq
        if not seen == plan.preview.seq == work.seq:
            raise VersionConflict(
                "The project has changed since you previewed the merge. Preview it again.",
                current=plan.preview,
            )
        _refuse_rights(work, plan.preview)
        with confirm_reopening(work, project.id, self, only_if_started=True):
            why = f"Version {plan.preview.number} of the template “{plan.preview.template.name}” has it so."
            apply_steps(work, project, plan.tree, plan.steps, plan.fields, why)
            add_waits(work, project.id, plan.waits)
            check_no_cycle(work, project.id)
            check_phase_count(work, project.id)
        set_origin(work, plan.preview.template.id, plan.preview.number)
        work.say(f"brought version {plan.preview.number} of the template “{plan.preview.template.name}” in")
        return plan.preview


class _Plan(Record, kw_only=False):
    """A computed merge: the preview for people, and the steps to carry out."""

    preview: TemplateMerge
    steps: tuple[MergeStep, ...]
    tree: ProjectTree
    fields: tuple[TemplateField, ...]
    waits: tuple[TemplateWait, ...]
    """Those of the new version that the version of the project lacks."""


def _plan(view: Snapshot, asked: PreviewTemplateMerge | MergeTemplate) -> _Plan:
    from core.templates.diff import added_field
    from core.templates.instantiate import ProductLookup, context_with, missing_fields, unfit_criterion
    from core.templates.library import body_of_version, origin_of
    from core.templates.merge import Merge
    from core.templates.project_tree import read_project_tree

    project = view.get(Project, id=asked.project_id)
    template = check_visible(view, view.get(Template, id=asked.template_id))
    number, new = body_of_version(view, template, asked.number)
    from_number, origin = origin_of(view, project.id, template)
    tree, registry = read_project_tree(view, project), ProductLookup(view, project)
    fields = missing_fields(tree.fields, new.fields)[: MAX_FIELDS - len(tree.fields)]
    around = context_with(view, project, new) if any(phase.criteria for phase in new.phases) else None

    def unfit(part: Part) -> str:
        if isinstance(part, TemplateCriterion):
            return unfit_criterion(around, tree.team.filling, part) if around else ""
        return registry.unfit(str(part.fields["product"]))

    commented = {each.item_id for each in view.all(Comment, "project_id = :project_id", project_id=project.id)}
    merge = Merge(
        tree,
        frozenset(commented),
        unfit,
        frozenset(asked.keep),
        {field.key: field for field in tree.fields} | {field.key: field for field in fields},
    )
    steps = merge.steps(origin, new)
    lines = (step.line for step in steps)
    preview = TemplateMerge(
        template=template,
        number=number,
        from_number=from_number,
        differences=(*map(added_field, fields), *lines),
        seq=view.seq,
    )
    known = set(origin.waits) if origin else set()
    return _Plan(preview, steps, tree, tuple(fields), tuple(each for each in new.waits if each not in known))


def _refuse_rights(work: UnitOfWork, preview: TemplateMerge) -> None:
    """Require the permission for each kind of card that changes, as its own commands do. Raises Forbidden."""
    touched = {each.what for each in preview.differences if each.kind not in STAYS}
    for kind, permission in CHANGING_CARDS.items():
        if kind in touched:
            work.require(permission)
