"""A project as a template: without people, archived cards and conditions, with days in place of dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain.model import Project
from core.domain.templates import (
    CRITERION,
    TASK,
    TemplateApplication,
    TemplateBody,
    TemplateCriterion,
    TemplateDeliverable,
    TemplateItem,
    TemplatePart,
    TemplatePhase,
)
from core.engine.unit_of_work import Snapshot
from core.record import replace
from core.templates.library import body_of_origin
from core.templates.project_tree import LiveNode, ProjectTeam, ProjectTree, read_project_tree
from core.templates.size import check_size
from core.templates.tree import by_identity
from core.templates.waits import captured_waits


def project_to_template(view: Snapshot, project: Project) -> TemplateBody:
    """The workflow of a project in its order, without statuses, decisions, evidence and comments.

    Each assigned person becomes a meta role that they have on the project, if possible one of the roles in the version
    that the project came from; a person without a meta role is left out. A role that the version asks for and that no
    member was given stays, because the next project may have someone for it. Cards that are conditions of a gate are
    left out: they name who set them, and were asked of this project alone. Raises RuleViolation for a project that is
    empty or too large.
    """
    check_size(view, project)
    origin = body_of_origin(view, project.id)
    body = capture_workflow(read_project_tree(view, project, archived=False), origin)
    return replace(body, waits=captured_waits(view, project.id))


def capture_workflow(tree: ProjectTree, origin: TemplateBody | None = None) -> TemplateBody:
    """The workflow of a project whose parts have been read already; ``origin`` is the version that it came from."""
    phases = _capture_parts(tree.team, tree.parts, origin.phases if origin else ())
    return TemplateBody(
        phases=tuple(each for each in phases if isinstance(each, TemplatePhase)),
        fields=tree.fields_as_template,
    )


def _capture_parts(team: ProjectTeam, parts: Iterable[LiveNode], origin: Iterable[TemplatePart]) -> list[TemplatePart]:
    olds = by_identity(origin)
    found = []
    kept = (each for each in parts if not (each.archived or each.is_condition))
    for key, live in by_identity(kept).items():
        part, old = live.part, olds.get(key)
        if old and not isinstance(part, TemplateDeliverable):
            roles = team.roles_of(live.people, old.slots)
            one_only = live.what in (TASK, CRITERION) and live.people
            part = replace(part, slots=roles if one_only else team.with_open(roles, old.slots))
            if isinstance(part, TemplatePhase) and isinstance(old, TemplatePhase):
                part = replace(part, policy=team.policy_as_asked(live, old.policy))
        found.append(_with(part, _capture_parts(team, live.children, old.children if old else ())))
    return found


def _with(part: TemplatePart, inside: Sequence[TemplatePart]) -> TemplatePart:
    """The part with other parts in it."""
    items = tuple(each for each in inside if isinstance(each, TemplateItem))
    applications = tuple(each for each in inside if isinstance(each, TemplateApplication))
    match part:
        case TemplatePhase():
            deliverables = tuple(each.name for each in inside if isinstance(each, TemplateDeliverable))
            criteria = tuple(each for each in inside if isinstance(each, TemplateCriterion))
            return replace(part, deliverables=deliverables, criteria=criteria, items=items, applications=applications)
        case TemplateItem():
            return replace(part, tasks=items, application=next(iter(applications), None))
    return part
