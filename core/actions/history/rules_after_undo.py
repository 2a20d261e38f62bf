"""Rules that must hold after an undo: it is refused if no ordinary command could have led to the result."""

from __future__ import annotations

from core.actions.personal.presets import check_unique_preset_name
from core.actions.workspace.meta_roles import check_unique_name
from core.actions.workspace.users import check_has_admin
from core.domain.gate_policy import GateCriterion
from core.domain.model import GateState, HierarchyNode, Id, Item, ItemKind, Phase, Project, Status
from core.domain.products.products import ApplicationRole, MetaRole, Product
from core.domain.statuses import check_evidence_setting, is_done
from core.domain.templates import Template
from core.engine.change_records import RecordChange
from core.engine.project_guard import check_project
from core.engine.unit_of_work import Snapshot, UnitOfWork, in_workspace
from core.errors import RuleViolation
from core.rules.approvals import leave_undecided
from core.rules.dependencies import NEEDS_NO_BLOCKERS, check_not_blocked
from core.rules.dependency_cycles import check_no_cycle
from core.rules.fields import check_fields
from core.rules.gate_conditions import check_completed
from core.rules.gate_criteria import check_gate_rules
from core.rules.gate_readiness import Gates, check_not_locked
from core.rules.hierarchy import check_node, check_project_links, complete_links
from core.rules.items import check_no_open_tasks, tasks_of
from core.rules.labels import check_labels
from core.rules.member_roles import check_has_owner
from core.rules.phases import check_phase_count, read_workflow
from core.rules.products import check_application_role, check_applications_fit, check_product
from core.rules.undone_decisions import check_met, check_restored, check_votes_decide_nothing, has_changed_since
from core.storage.database import placeholders

OPEN = (Status.TO_DO, Status.IN_PROGRESS)
LINKS = frozenset({"client_id", "market_id", "brand_id"})


def check_invariants(work: UnitOfWork, reverted: int) -> None:
    """Check the rules for everything that was just written to revert a change. Raises RuleViolation or InvalidInput."""
    _check_items(work)
    if any(_moves_in_order(change) for change in work.changes):
        check_no_cycle(work, work.scope)
    _check_blockers_exist(work)
    check_votes_decide_nothing(work)
    for change in work.changes:
        written = change.after or {}
        if change.entity == "phase" and change.before and ("gate" in written or "evidence_required" in written):
            phase = work.get(Phase, **change.key)
            check_evidence_setting(phase.gate, phase.evidence_required, phase.accepts_statements)
            check_gate_rules(work, phase)
        elif change.entity in ("gate_criterion", "gate_policy") and change.before is None:
            phase = work.get(Phase, project_id=work.scope, id=change.row["phase_id"])
            check_gate_rules(work, phase)
        if change.entity == "gate_criterion" and written.get("met_at"):
            check_met(work, work.get(GateCriterion, **change.key))
    touched = {change.entity for change in work.changes}
    if "phase" in touched:
        check_phase_count(work, work.scope)
        _check_gates(work, reverted)
    if in_workspace(work.scope):
        _check_registry(work)
    else:
        _check_project(work, touched)
    if "app_user" in touched:
        check_has_admin(work)
    if "label" in touched:
        check_labels(work, work.scope)
    if "template" in touched:
        _refuse_template_names(work)


def _check_blockers_exist(work: UnitOfWork) -> None:
    """Refuse to bring back a dependency on a card that was deleted meanwhile; no foreign key leads to it."""
    for change in work.changes:
        is_new = change.entity == "dependency" and change.before is None
        if is_new and work.find(Item, id=change.key["blocker_id"]) is None:
            waiting = work.get(Item, project_id=change.key["project_id"], id=change.key["waiting_id"])
            raise RuleViolation(f"“{waiting.title}” would wait for a card that was deleted.")


def _refuse_template_names(work: UnitOfWork) -> None:
    """Template names stay unique. The undo of a save or of a removal can bring a name back."""
    from core.templates import library

    for change in work.changes:
        if change.entity == "template" and change.after is not None:
            library.check_unique_name(work, work.get(Template, **change.key))


def _check_project(work: UnitOfWork, touched: set[str]) -> None:
    """Check the owners, the archive, the links and the applications of the project."""
    if touched & {"member", "app_user"}:
        check_has_owner(work, work.scope)
    columns = {column for change in work.changes if change.entity == "project" for column in change.after or ()}
    if "archived" not in columns:
        check_project(work)
    if touched & {"field", "item_field"}:
        check_fields(work, work.scope)
    if "preset" in touched:
        check_unique_preset_name(work, work.scope)
    if touched & {"item", "application"}:
        _refuse_applications_astray(work, work.scope)
    if columns & LINKS or "application" in touched:
        project = work.get(Project, id=work.scope)
        if complete_links(work, *project.links.values()) != project.links:
            raise RuleViolation(f"The links of “{project.name}” would not agree with the hierarchy as it is now.")
        check_applications_fit(work, project)


def _check_gates(work: UnitOfWork, reverted: int) -> None:
    """Refuse to bring back an approval that could not be decided now, or of what is not as it was approved any more.

    A gate that is automatic again completes nothing that was changed since: such a phase waits for an approval.
    """
    for change in [each for each in work.changes if each.entity == "phase" and each.after]:
        workflow = read_workflow(work, work.scope)
        phase = workflow.phase(change.key["id"])
        if (change.after or {}).get("gate_state") == GateState.PASSED:
            gates = Gates(work, workflow, work.scope)
            if workflow.incomplete_before(phase.id) and not phase.overridden:
                raise gates.make_locked_error(phase, f"“{phase.name}” cannot be approved")
            if refused := gates.check_unfinished(phase):
                raise refused
            check_restored(work, phase, reverted)
        elif change.before and "gate" in change.before and has_changed_since(work, phase, reverted):
            leave_undecided(work, phase)


def _check_registry(work: UnitOfWork) -> None:
    """Check products, their roles, meta roles and the hierarchy."""
    for change in work.changes:
        if change.after is None:
            continue
        if change.entity == "product":
            check_product(work, work.get(Product, **change.key))
        elif change.entity == "application_role":
            check_application_role(work, work.get(ApplicationRole, **change.key))
        elif change.entity == "meta_role":
            check_unique_name(work, work.get(MetaRole, **change.key))
        elif change.entity == "hierarchy_node":
            node = work.get(HierarchyNode, **change.key)
            check_node(work, node)
            check_project_links(work, node)


def _refuse_applications_astray(view: Snapshot, project_id: Id) -> None:
    """Raise RuleViolation if an application is not in the phase of its activity."""
    astray = view.rows(
        "SELECT application.name, item.title FROM application"
        " JOIN item ON item.project_id = application.project_id AND item.id = application.activity_id"
        " WHERE application.project_id = :project_id AND application.phase_id <> item.phase_id LIMIT 1",
        project_id=project_id,
    )
    if astray:
        name, title = astray[0]["name"], astray[0]["title"]
        raise RuleViolation(f"“{title}” and its application “{name}” would be in different phases.")


def _check_items(work: UnitOfWork) -> None:
    """Check each card, and each activity once, regardless of how many of its tasks were written."""
    activities: dict[Id, None] = {}
    entered: set[tuple[Id, Status]] = set()
    written = [change for change in work.changes if change.entity == "item" and change.after is not None]
    chosen, params = placeholders({change.key["id"]: None for change in written})
    found = work.all(Item, f"project_id = :scope AND id IN {chosen}", scope=work.scope, **params) if written else []
    items = {item.id: item for item in found}
    was_open = {each.key["id"] for each in written if each.before and each.before.get("status") in OPEN}
    check_completed(work, [each for each in found if each.id in was_open and is_done(each.status, each.archived_from)])
    for change in written:
        item = items.get(change.key["id"])
        if item is None:
            continue
        if {"status", "phase_id"} & set(change.after or ()) and (item.phase_id, item.status) not in entered:
            check_not_locked(work, item, item.status)
            entered.add((item.phase_id, item.status))
        if change.before and "status" in (change.after or ()) and _would_start(change, item.status):
            check_not_blocked(work, item, item.status)
        if activity_id := item.id if item.kind is ItemKind.ACTIVITY else item.activity_id:
            activities[activity_id] = None
    for activity_id in activities:
        _check_activity(work, work.get(Item, project_id=work.scope, id=activity_id))


def _moves_in_order(change: RecordChange) -> bool:
    """Return whether a change can close a cycle of dependencies: a new one, or a card or a phase at another place."""
    after = change.after or {}
    return (
        (change.entity == "dependency" and change.before is None)
        or (change.entity == "item" and "phase_id" in after and change.before is not None)
        or (change.entity == "phase" and "rank" in after)
    )


def _would_start(change: RecordChange, status: Status) -> bool:
    """Return whether a change starts or completes a card, rather than restoring it from the archive as it was."""
    before = change.before or {}
    return status in NEEDS_NO_BLOCKERS and status not in (before.get("status"), before.get("archived_from"))


def _check_activity(work: UnitOfWork, activity: Item) -> None:
    """Check that tasks are in their activity's phase; of an archived activity archived, of a completed one closed."""
    tasks = tasks_of(work, activity)
    if any(task.phase_id != activity.phase_id for task in tasks):
        raise RuleViolation(f"“{activity.title}” and its tasks would be in different phases.")
    if activity.status is Status.ARCHIVED and any(task.status is not Status.ARCHIVED for task in tasks):
        raise RuleViolation(f"“{activity.title}” would be archived while some of its tasks are not.")
    if activity.status is Status.COMPLETED:
        check_no_open_tasks(work, activity)
