"""What must hold after a change was taken back: a result that no ordinary action could have reached is refused."""

from __future__ import annotations

from core.actions.compatibility import refuse_misfits
from core.actions.gates import unfinished
from core.actions.hierarchy_rules import agreed_links, refuse_contradicted, refuse_unfit_node
from core.actions.members import refuse_without_owner
from core.actions.meta_roles import refuse_name_twice
from core.actions.people import refuse_without_admin
from core.actions.phases import refuse_evidence
from core.actions.presets import refuse_preset_twice
from core.actions.product_rules import refuse_unfit_product, refuse_unfit_role
from core.errors import RuleRefused
from core.model import Id, Item, ItemKind, Node, Phase, Project, Status, Verdict
from core.products import ApplicationRole, MetaRole, Product
from core.rules import CLOSED
from core.templates.model import Template
from core.work import View, Work, in_workspace
from core.workflow import Workflow, refuse_archived, refuse_if_locked, refuse_if_tasks_open, tasks_of

LINKS = frozenset({"client_id", "market_id", "brand_id"})


def refuse_unreachable(work: Work) -> None:
    """Ask the rules about everything that was just written. Raises RuleRefused or InvalidInput."""
    _check_items(work)
    for change in work.changes:
        if change.entity == "phase" and change.before and change.after and "gate" in change.after:
            phase = work.get(Phase, **change.key)
            refuse_evidence(phase.gate, phase.evidence_required)
    touched = {change.entity for change in work.changes}
    if "gate_record" in touched:
        _check_passed(work)
    if in_workspace(work.scope):
        _check_registry(work)
    else:
        _check_project(work, touched)
    if "app_user" in touched:
        refuse_without_admin(work)
    if "template" in touched:
        _refuse_template_names(work)


def _refuse_template_names(work: Work) -> None:
    """Templates are saved from projects and removed from the workspace: both may bring a name back."""
    from core.templates import shelf

    for change in work.changes:
        if change.entity == "template" and change.after is not None:
            shelf.refuse_name_twice(work, work.get(Template, **change.key))


def _check_project(work: Work, touched: set[str]) -> None:
    """Its owners, its archive, its links, and its applications."""
    if touched & {"member", "app_user"}:
        refuse_without_owner(work, work.scope)
    columns = {column for change in work.changes if change.entity == "project" for column in change.after or ()}
    if "archived" not in columns:
        refuse_archived(work, work.scope)
    if "preset" in touched:
        refuse_preset_twice(work, work.scope)
    if touched & {"item", "application"}:
        _refuse_applications_astray(work, work.scope)
    if columns & LINKS or "application" in touched:
        project = work.get(Project, id=work.scope)
        _refuse_disagreeing(work, project)
        refuse_misfits(work, project)


def _check_passed(work: Work) -> None:
    """A pass is brought back only if it could be decided now."""
    workflow = Workflow.of(work, work.scope)
    for change in work.changes:
        passed = change.entity == "phase" and (change.after or {}).get("verdict") == Verdict.PASSED
        if passed and (refused := unfinished(work, workflow, workflow.phase(change.key["id"]))):
            raise refused


def _check_registry(work: Work) -> None:
    """Products, their roles and the hierarchy."""
    for change in work.changes:
        if change.after is None:
            continue
        if change.entity == "product":
            refuse_unfit_product(work, work.get(Product, **change.key))
        elif change.entity == "application_role":
            refuse_unfit_role(work, work.get(ApplicationRole, **change.key))
        elif change.entity == "meta_role":
            refuse_name_twice(work, work.get(MetaRole, **change.key))
        elif change.entity == "node":
            node = work.get(Node, **change.key)
            refuse_unfit_node(work, node)
            refuse_contradicted(work, node)


def _refuse_disagreeing(view: View, project: Project) -> None:
    """The links of a project agree with the tree (spec, section 4)."""
    if agreed_links(view, *project.links.values()) != project.links:
        raise RuleRefused(f"The links of “{project.name}” would not agree with the hierarchy as it is now.")


def _refuse_applications_astray(view: View, project_id: Id) -> None:
    """An application is in the phase of the activity that holds it."""
    astray = view.rows(
        "SELECT application.name, item.title FROM application"
        " JOIN item ON item.project_id = application.project_id AND item.id = application.activity_id"
        " WHERE application.project_id = :project_id AND application.phase_id <> item.phase_id LIMIT 1",
        project_id=project_id,
    )
    if astray:
        name, title = astray[0]["name"], astray[0]["title"]
        raise RuleRefused(f"“{title}” and its application “{name}” would be in different phases.")


def _check_items(work: Work) -> None:
    """Each card by itself, and each activity once, however many of its tasks were written."""
    activities: dict[Id, None] = {}
    entered: set[tuple[Id, Status]] = set()
    with_open: set[Id] = set()
    for change in work.changes:
        if change.entity != "item" or change.after is None:
            continue
        item = work.find(Item, project_id=work.scope, id=change.key["id"])
        if item is None:
            continue
        if {"status", "phase_id"} & set(change.after) and (item.phase_id, item.status) not in entered:
            refuse_if_locked(work, item, item.status)
            entered.add((item.phase_id, item.status))
        if activity_id := item.id if item.kind is ItemKind.ACTIVITY else item.activity_id:
            activities[activity_id] = None
        if item.status not in CLOSED and item.phase_id not in with_open:
            with_open.add(item.phase_id)
            if _reopened(work, item.phase_id):
                entered.clear()  # what was unlocked before may be locked now
    for activity_id in activities:
        _check_activity(work, work.get(Item, project_id=work.scope, id=activity_id))


def _reopened(work: Work, phase_id: Id) -> bool:
    """Take back the pass of a phase that has an open card; whether there was one."""
    phase = work.get(Phase, project_id=work.scope, id=phase_id)
    return phase.verdict is Verdict.PASSED and bool(work.update(phase, verdict=Verdict.NONE))


def _check_activity(work: Work, activity: Item) -> None:
    """An activity and its tasks share a phase; in an archived one all are archived, in a completed one closed."""
    tasks = tasks_of(work, activity)
    if any(task.phase_id != activity.phase_id for task in tasks):
        raise RuleRefused(f"“{activity.title}” and its tasks would be in different phases.")
    if activity.status is Status.ARCHIVED and any(task.status is not Status.ARCHIVED for task in tasks):
        raise RuleRefused(f"“{activity.title}” is archived, or would be without all of its tasks.")
    if activity.status is Status.COMPLETED:
        refuse_if_tasks_open(work, activity)
