"""A project as a template: without people and archived cards, with days in place of dates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from core.domain.model import ItemKind, Project
from core.domain.templates import TemplateApplication, TemplateBody, TemplateItem, TemplatePhase
from core.engine.unit_of_work import Snapshot
from core.record import replace
from core.templates.library import body_of_origin
from core.templates.project_tree import LiveNode, ProjectTeam, standing
from core.templates.size import check_size
from core.templates.tree import ACTIVITY, APPLICATION, DELIVERABLE, TASK, Part, by_identity, parts_of, slots_of


def project_to_template(view: Snapshot, project: Project) -> TemplateBody:
    """The workflow of a project in its order, without statuses, decisions, evidence and comments.

    Each assigned person becomes a meta role that they have on the project, if possible one of the roles in the version
    that the project came from; a person without a meta role is left out. A role that the version asks for and that no
    member was given stays, because the next project may have someone for it. Raises RuleViolation for a project that is
    empty or too large.
    """
    check_size(view, project)
    origin = parts_of(body_of_origin(view, project.id) or TemplateBody())
    stands = standing(view, project, archived=False)
    return body_of(_with_open_roles(stands.team, stands.parts, origin))


def _with_open_roles(team: ProjectTeam, parts: Iterable[LiveNode], origin: Iterable[Part]) -> Iterator[LiveNode]:
    """The parts with the roles of their version, including roles that no member was given; a task has at most one."""
    olds = by_identity(origin)
    for key, part in by_identity(parts).items():
        old = olds.get(key)
        fields = dict(part.fields)
        if old and "slots" in fields:
            roles = team.roles_of(part.people, slots_of(old))
            fields["slots"] = roles if part.what == TASK and part.people else team.with_open(roles, slots_of(old))
        children = tuple(_with_open_roles(team, part.children, old.children if old else ()))
        yield replace(part, fields=fields, children=children)


def body_of(phases: Iterable[LiveNode]) -> TemplateBody:
    """The workflow of a project whose parts have been read already."""
    return TemplateBody(phases=tuple(map(_phase, phases)))


def _phase(part: LiveNode) -> TemplatePhase:
    fields: dict[str, Any] = dict(part.fields)
    return TemplatePhase(
        **fields,
        deliverables=tuple(each.name for each in part.children if each.what == DELIVERABLE),
        items=tuple(_item(each) for each in part.children if each.what in (ACTIVITY, TASK) and not each.archived),
        applications=tuple(_application(each) for each in part.children if each.what == APPLICATION),
    )


def _item(part: LiveNode) -> TemplateItem:
    fields: dict[str, Any] = dict(part.fields)
    held = [_application(each) for each in part.children if each.what == APPLICATION]
    return TemplateItem(
        **fields,
        kind=ItemKind(part.what),
        tasks=tuple(_item(each) for each in part.children if each.what == TASK and not each.archived),
        application=held[0] if held else None,
    )


def _application(part: LiveNode) -> TemplateApplication:
    fields: dict[str, Any] = dict(part.fields)
    return TemplateApplication(**fields)
