"""One message of each kind, ready to be sent in a world: what it needs is prepared first.

Maya may send all of them and each does something. Tests of what holds for every message (rights, versions, indexes,
all or nothing) go through this list, and a test of the conventions keeps it complete.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from core.actions.cards import activities, application_lists, applications, bulk, cards, comments, details, tasks
from core.actions.history import history
from core.actions.permissions import gate_review, permissions
from core.actions.personal import search
from core.actions.products import launch, products
from core.actions.projects import exports, find, imports, imports_into, lists, members, project_health, projects
from core.actions.workflow import canvas, deliverables, gates, phases, reschedule
from core.actions.workspace import hierarchy, meta_roles, profile, users, workspace
from core.domain.gates import Decision, Deliverable
from core.domain.model import Comment, HierarchyNode, Id, Item, ItemKind, NodeKind, ProjectRole, Status
from core.domain.products.products import Application, ApplicationRole, LaunchKind, MetaRole
from core.engine.messages import Command, Message, Query
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from tests.support.message_examples import daily_work, dependencies, gate_criteria, gate_votes, labels, people
from tests.support.workspace import World

DUE = date(2026, 3, 20)
Sample = Callable[[World], Message[Any]]


def guest(world: World) -> Id:
    """A further person, Nina, who is nowhere a member."""
    return world.do(users.AddUser(first_name="Nina", last_name="Berg", email="nina@example.com")).id


def node(world: World) -> HierarchyNode:
    return world.do(hierarchy.AddNode(kind=NodeKind.CLIENT, name="Halden"))


def market(world: World) -> HierarchyNode:
    """Under a client."""
    return world.do(hierarchy.AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=node(world).id))


def application_role(world: World) -> ApplicationRole:
    product = world.product(permission_codes=("ASSET_VIEW", "ASSET_UPLOAD"))
    return world.do(products.AddApplicationRole(product_id=product.id, name="Reader", permission_codes=("ASSET_VIEW",)))


def dated_phase(world: World) -> Id:
    """With a card that has a date too."""
    world.task(phase=world.build, due=DUE)
    return world.do(phases.SetPhaseDueDate(phase_id=world.build.id, due=DUE)).id


def deliverable(world: World) -> Deliverable:
    return world.do(deliverables.AddDeliverable(phase_id=world.discover.id, name="Report"))


def delivered(world: World) -> Deliverable:
    return world.do(deliverables.Deliver(deliverable_id=deliverable(world).id, statement="Sent to all shops"))


def archived_task(world: World) -> Item:
    """With a comment, so that deleting has something to take along."""
    world.task("Stays open, so that the phases after it do not change")
    task = world.task()
    world.do(comments.AddComment(item_id=task.id, text="Not needed."))
    return world.archive(task.id)


def comment(world: World) -> Comment:
    return world.do(comments.AddComment(item_id=world.task().id, text="Looks good."))


def edit_comment(world: World) -> comments.EditComment:
    said = comment(world)
    return comments.EditComment(item_id=said.item_id, comment_id=said.id, text="Looks better.")


def delete_comment(world: World) -> comments.DeleteComment:
    said = comment(world)
    return comments.DeleteComment(item_id=said.item_id, comment_id=said.id)


def archived_activity(world: World) -> Item:
    """With a task and an assigned member."""
    world.task("Stays open, so that the phases after it do not change")
    activity = world.activity()
    world.task(activity_id=activity.id)
    world.do(activities.AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    return world.archive(activity.id)


def application(world: World) -> Application:
    """On an activity, assigned, and launched once."""
    held = world.add_application(activity_id=world.activity().id, member_ids=(world.bob.user_id,))
    world.do(launch.LaunchApplication(application_id=held.id))
    return held


def meta_role(world: World, name: str = "Proofreader") -> MetaRole:
    """A new one that nothing uses."""
    return world.do(meta_roles.AddMetaRole(name=name))


def gifted(world: World) -> Id:
    """Vera, who was given a meta role."""
    given = (meta_role(world, "Archivist").id,)
    world.do(meta_roles.SetMetaRoles(project_id=world.project.id, user_id=world.vera.user_id, meta_role_ids=given))
    return world.vera.user_id


def product_code(world: World) -> str:
    """A code of a product that is in the project: owners hold it through a meta role, and Vera was given it."""
    product = world.product("Proofs", uses_external_authorization=True, permission_codes=("PROOF_READ",))
    reader = meta_role(world)
    world.do(
        products.AddApplicationRole(
            product_id=product.id, name="Reader", permission_codes=("PROOF_READ",), meta_role_ids=(reader.id,)
        )
    )
    world.do(meta_roles.MapProjectRole(project_role=ProjectRole.OWNER, meta_role_ids=(reader.id,)))
    world.do(
        meta_roles.SetMetaRoles(project_id=world.project.id, user_id=world.vera.user_id, meta_role_ids=(reader.id,))
    )
    world.add_application(product)
    return "PROOF_READ"


def undone(world: World) -> history.Redo:
    world.task()
    world.do(history.Undo(project_id=world.project.id))
    return history.Redo(project_id=world.project.id)


def archived_project(world: World) -> Id:
    """With something in each table of a project."""
    world.do(projects.SetFavourite(project_id=world.project.id, favourite=True))
    deliverable(world)
    world.do(comments.AddComment(item_id=archived_activity(world).id, text="Not needed, @bob."))
    application(world)
    daily_work.furnish(world)
    lead = world.rows("SELECT id FROM meta_role ORDER BY name")[0]["id"]
    world.do(meta_roles.SetMetaRoles(project_id=world.project.id, user_id=world.bob.user_id, meta_role_ids=(lead,)))
    daily_work.send_back(world)
    world.do(projects.ArchiveProject(project_id=world.project.id))
    return world.project.id


def document(world: World) -> ProjectDocument:
    """Of a project with something in each table."""
    return world.ask(exports.ExportProject(project_id=archived_project(world)))


def plan_of_another_program() -> ProjectDocument:
    """One task, for the phase Discover."""
    item = ItemEntry(id="1", kind=ItemKind.TASK, title="From a file")
    return ProjectDocument(name="Plan", phases=(PhaseEntry(name="Discover", items=(item,)),))


def bulk_update(world: World) -> bulk.BulkUpdate:
    first, second = world.task("First"), world.task("Second")
    moves = tuple(cards.MoveCard(card_id=task.id, status=Status.IN_PROGRESS) for task in (first, second))
    return bulk.BulkUpdate(project_id=world.project.id, commands=moves)


def findable(world: World) -> str:
    """A word that stands in one of each kind of text."""
    world.add_application(world.product("Findings"))
    world.do(deliverables.AddDeliverable(phase_id=world.discover.id, name="Findings"))
    world.do(comments.AddComment(item_id=world.task("Findings").id, text="The findings are in."))
    return "findings"


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    profile.GetCurrentUser: lambda world: profile.GetCurrentUser(),
    users.ListUsers: lambda world: users.ListUsers(),
    users.ListInviters: lambda world: users.ListInviters(first_name="ma"),
    hierarchy.ListNodes: lambda world: hierarchy.ListNodes(),
    hierarchy.GetHierarchy: lambda world: hierarchy.GetHierarchy(),
    products.ListProducts: lambda world: products.ListProducts(),
    meta_roles.ListMetaRoles: lambda world: meta_roles.ListMetaRoles(),
    permissions.GetMyPermissions: lambda world: permissions.GetMyPermissions(),
    permissions.QueryPermissions: lambda world: permissions.QueryPermissions(
        permission_codes=("WORKSPACE_VIEW", product_code(world))
    ),
    permissions.ExplainPermission: lambda world: permissions.ExplainPermission(
        project_id=world.project.id, user_id=world.bob.user_id, action=product_code(world)
    ),
    gate_review.ReviewGates: lambda world: gate_review.ReviewGates(project_id=daily_work.with_policy(world)),
    products.GetProduct: lambda world: products.GetProduct(product_id=application_role(world).product_id),
    lists.ListProjects: lambda world: lists.ListProjects(
        archived=bool(world.task(assignee_id=world.maya.user_id, due=DUE))
    ),
    find.FindProjects: lambda world: find.FindProjects(name="spring"),
    search.Search: lambda world: search.Search(text=findable(world)),
    lists.ListOrphanedProjects: lambda world: lists.ListOrphanedProjects(),
    history.ListWorkspaceHistory: lambda world: history.ListWorkspaceHistory(),
    lists.GetProject: lambda world: lists.GetProject(project_id=world.project.id),
    project_health.ExplainHealth: lambda world: project_health.ExplainHealth(project_id=world.project.id),
    members.ListMembers: lambda world: members.ListMembers(project_id=world.project.id),
    members.ListCandidates: lambda world: members.ListCandidates(project_id=world.project.id),
    canvas.GetCanvas: lambda world: canvas.GetCanvas(project_id=archived_activity(world).project_id),
    deliverables.ListDeliverables: lambda world: deliverables.ListDeliverables(phase_id=delivered(world).phase_id),
    phases.ListPhases: lambda world: phases.ListPhases(project_id=world.project.id),
    tasks.ListTasks: lambda world: tasks.ListTasks(project_id=world.project.id),
    history.ListHistory: lambda world: history.ListHistory(project_id=world.project.id),
    history.ListChangesSince: lambda world: history.ListChangesSince(project_id=world.project.id, since=1),
    details.GetPhase: lambda world: details.GetPhase(phase_id=deliverable(world).phase_id),
    details.GetCard: lambda world: details.GetCard(item_id=archived_activity(world).id),
    comments.ListComments: lambda world: comments.ListComments(item_id=archived_activity(world).id),
    gates.CheckGate: lambda world: gates.CheckGate(phase_id=world.build.id),
    reschedule.PreviewReschedule: lambda world: reschedule.PreviewReschedule(phase_id=dated_phase(world), days=3),
    application_lists.ListApplications: lambda world: application_lists.ListApplications(
        project_id=application(world).project_id
    ),
    application_lists.ListProductOptions: lambda world: application_lists.ListProductOptions(
        project_id=application(world).project_id
    ),
    application_lists.GetApplication: lambda world: application_lists.GetApplication(
        application_id=application(world).id
    ),
    launch.GetLaunchContext: lambda world: launch.GetLaunchContext(application_id=application(world).id),
    launch.GetProductContext: lambda world: launch.GetProductContext(product_id=world.product().id),
    exports.ExportProject: lambda world: exports.ExportProject(project_id=archived_project(world)),
    exports.ListDueDates: lambda world: exports.ListDueDates(project_id=world.task(due=DUE).project_id),
    exports.GetStatusReport: lambda world: exports.GetStatusReport(project_id=world.task(due=DUE).project_id),
    imports_into.PreviewImportInto: lambda world: imports_into.PreviewImportInto(
        project_id=world.project.id, document=plan_of_another_program()
    ),
    imports.PreviewImport: lambda world: imports.PreviewImport(document=document(world)),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    workspace.RenameWorkspace: lambda world: workspace.RenameWorkspace(name="Studio South"),
    workspace.SetWeekLimit: lambda world: workspace.SetWeekLimit(limit=7),
    profile.SetPreference: lambda world: profile.SetPreference(name="theme", value="paper"),
    hierarchy.AddNode: lambda world: hierarchy.AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=node(world).id),
    launch.LaunchProduct: lambda world: launch.LaunchProduct(product_id=world.product().id),
    hierarchy.RenameNode: lambda world: hierarchy.RenameNode(node_id=node(world).id, name="Halden Foods"),
    hierarchy.MoveNode: lambda world: hierarchy.MoveNode(node_id=market(world).id, parent_id=None),
    hierarchy.RemoveNode: lambda world: hierarchy.RemoveNode(node_id=node(world).id),
    meta_roles.AddMetaRole: lambda world: meta_roles.AddMetaRole(name="Planner"),
    meta_roles.RenameMetaRole: lambda world: meta_roles.RenameMetaRole(meta_role_id=meta_role(world).id, name="Reader"),
    meta_roles.RemoveMetaRole: lambda world: meta_roles.RemoveMetaRole(meta_role_id=meta_role(world).id),
    meta_roles.MapProjectRole: lambda world: meta_roles.MapProjectRole(
        project_role=ProjectRole.OWNER, meta_role_ids=(meta_role(world).id, meta_role(world, "Reviewer").id)
    ),
    products.AddProduct: lambda world: products.AddProduct(
        name="Editor", kind=LaunchKind.TERMINAL, command=("vim", "-R")
    ),
    products.EditProduct: lambda world: products.EditProduct(
        product_id=world.product().id, required_context=(NodeKind.BRAND,)
    ),
    products.RetireProduct: lambda world: products.RetireProduct(product_id=world.product().id),
    products.RemoveProduct: lambda world: products.RemoveProduct(product_id=application_role(world).product_id),
    products.AddApplicationRole: lambda world: products.AddApplicationRole(
        product_id=world.product().id, name="Reader"
    ),
    products.EditApplicationRole: lambda world: products.EditApplicationRole(
        application_role_id=application_role(world).id, permission_codes=("ASSET_UPLOAD",)
    ),
    products.RemoveApplicationRole: lambda world: products.RemoveApplicationRole(
        application_role_id=application_role(world).id
    ),
    projects.CreateProject: lambda world: projects.CreateProject(name="Autumn", client_id=node(world).id),
    imports.ImportProject: lambda world: imports.ImportProject(document=document(world)),
    projects.ClaimProject: lambda world: projects.ClaimProject(project_id=people.ownerless(world)),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    imports_into.ImportInto: lambda world: imports_into.ImportInto(
        project_id=world.project.id, document=plan_of_another_program()
    ),
    projects.EditProject: lambda world: projects.EditProject(project_id=world.project.id, name="Summer launch"),
    projects.LinkProject: lambda world: projects.LinkProject(project_id=world.project.id, client_id=node(world).id),
    projects.ArchiveProject: lambda world: projects.ArchiveProject(project_id=world.project.id),
    projects.RestoreProject: lambda world: projects.RestoreProject(project_id=archived_project(world)),
    projects.DeleteProject: lambda world: projects.DeleteProject(project_id=archived_project(world)),
    projects.SetFavourite: lambda world: projects.SetFavourite(project_id=world.project.id, favourite=True),
    members.InviteMember: lambda world: members.InviteMember(project_id=world.project.id, user_id=guest(world)),
    members.InviteGuest: lambda world: members.InviteGuest(
        project_id=world.project.id, first_name="Ida", last_name="Ruiz", email="ida@example.com"
    ),
    meta_roles.SetMetaRoles: lambda world: meta_roles.SetMetaRoles(
        project_id=world.project.id, user_id=gifted(world), meta_role_ids=(meta_role(world).id,)
    ),
    members.SetProjectRole: lambda world: members.SetProjectRole(
        project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER
    ),
    members.RemoveMember: lambda world: members.RemoveMember(
        project_id=world.task(assignee_id=world.vera.user_id).project_id, user_id=gifted(world)
    ),
    phases.AddPhase: lambda world: phases.AddPhase(
        project_id=world.project.id, name="Review", before_id=world.launch.id
    ),
    phases.EditPhase: lambda world: phases.EditPhase(phase_id=world.build.id, objectives="Build it."),
    phases.SetPhaseDueDate: lambda world: phases.SetPhaseDueDate(phase_id=world.build.id, due=DUE),
    reschedule.ReschedulePhase: lambda world: reschedule.ReschedulePhase(phase_id=dated_phase(world), days=3),
    phases.ReorderPhase: lambda world: phases.ReorderPhase(phase_id=world.launch.id, before_id=world.build.id),
    phases.AssignPhase: lambda world: phases.AssignPhase(phase_id=world.build.id, member_ids=(world.bob.user_id,)),
    phases.RemovePhase: lambda world: phases.RemovePhase(phase_id=deliverable(world).phase_id),
    deliverables.AddDeliverable: lambda world: deliverables.AddDeliverable(phase_id=world.discover.id, name="Report"),
    deliverables.EditDeliverable: lambda world: deliverables.EditDeliverable(
        deliverable_id=deliverable(world).id, name="Final report"
    ),
    deliverables.Deliver: lambda world: deliverables.Deliver(
        deliverable_id=deliverable(world).id, link="https://example.com/report"
    ),
    deliverables.TakeBack: lambda world: deliverables.TakeBack(deliverable_id=delivered(world).id),
    deliverables.RemoveDeliverable: lambda world: deliverables.RemoveDeliverable(deliverable_id=deliverable(world).id),
    gates.DecideGate: lambda world: gates.DecideGate(phase_id=world.discover.id, decision=Decision.PASS),
    activities.CreateActivity: lambda world: activities.CreateActivity(
        phase_id=world.discover.id, title="Interviews", member_ids=(world.bob.user_id,)
    ),
    activities.EditActivity: lambda world: activities.EditActivity(
        activity_id=world.activity().id, link="https://example.com/plan"
    ),
    activities.AssignActivity: lambda world: activities.AssignActivity(
        activity_id=world.activity().id, member_ids=(world.bob.user_id, world.vera.user_id)
    ),
    tasks.CreateTask: lambda world: tasks.CreateTask(
        phase_id=world.discover.id, title="Brief", before_id=world.task().id
    ),
    tasks.EditTask: lambda world: tasks.EditTask(task_id=world.task().id, title="Write the long brief"),
    cards.MoveCard: lambda world: cards.MoveCard(
        card_id=world.task(activity_id=world.activity().id).id, status=Status.IN_PROGRESS
    ),
    cards.ReorderCard: lambda world: cards.ReorderCard(card_id=world.task().id, phase_id=world.build.id),
    tasks.AssignTask: lambda world: tasks.AssignTask(task_id=world.task().id, assignee_id=world.bob.user_id),
    cards.SetCardDueDate: lambda world: cards.SetCardDueDate(card_id=world.task().id, due=DUE),
    cards.ArchiveCard: lambda world: cards.ArchiveCard(card_id=world.task().id),
    cards.RestoreCard: lambda world: cards.RestoreCard(card_id=archived_task(world).id),
    cards.DeleteCard: lambda world: cards.DeleteCard(card_id=archived_task(world).id),
    applications.AddApplication: lambda world: applications.AddApplication(
        project_id=world.project.id,
        product_id=world.product().id,
        activity_id=world.activity().id,
        due=DUE,
        member_ids=(world.bob.user_id,),
    ),
    applications.EditApplication: lambda world: applications.EditApplication(
        application_id=application(world).id, name="Pictures"
    ),
    applications.SetApplicationDueDate: lambda world: applications.SetApplicationDueDate(
        application_id=application(world).id, due=DUE
    ),
    applications.AssignApplication: lambda world: applications.AssignApplication(
        application_id=application(world).id, member_ids=(world.vera.user_id,)
    ),
    applications.ReorderApplication: lambda world: applications.ReorderApplication(
        application_id=application(world).id, phase_id=world.build.id
    ),
    applications.RemoveApplication: lambda world: applications.RemoveApplication(application_id=application(world).id),
    launch.LaunchApplication: lambda world: launch.LaunchApplication(application_id=application(world).id),
    comments.AddComment: lambda world: comments.AddComment(item_id=world.task().id, text="Looks good."),
    comments.EditComment: edit_comment,
    comments.DeleteComment: delete_comment,
    bulk.BulkUpdate: bulk_update,
    history.Undo: lambda world: history.Undo(project_id=world.task().project_id),
    history.Redo: undone,
}

OF_ACTIVITIES: dict[type[Message[Any]], Sample] = {
    cards.MoveCard: lambda world: cards.MoveCard(card_id=world.activity().id, status=Status.COMPLETED),
    cards.ReorderCard: lambda world: cards.ReorderCard(card_id=world.activity().id, phase_id=world.build.id),
    cards.SetCardDueDate: lambda world: cards.SetCardDueDate(card_id=world.activity().id, due=DUE),
    cards.ArchiveCard: lambda world: cards.ArchiveCard(card_id=world.activity().id),
    cards.RestoreCard: lambda world: cards.RestoreCard(card_id=archived_activity(world).id),
    cards.DeleteCard: lambda world: cards.DeleteCard(card_id=archived_activity(world).id),
}
"""The messages about a card of either kind, whose samples above are about tasks, for an activity."""

QUERIES |= gate_criteria.QUERIES | daily_work.QUERIES | people.QUERIES | labels.QUERIES | dependencies.QUERIES
WORKSPACE_COMMANDS |= daily_work.WORKSPACE_COMMANDS | people.WORKSPACE_COMMANDS | labels.WORKSPACE_COMMANDS
QUERIES |= gate_criteria.QUERIES
PROJECT_COMMANDS |= gate_criteria.PROJECT_COMMANDS | gate_votes.PROJECT_COMMANDS
PROJECT_COMMANDS |= daily_work.PROJECT_COMMANDS | labels.PROJECT_COMMANDS | dependencies.PROJECT_COMMANDS
COMMANDS = {**WORKSPACE_COMMANDS, **PROJECT_COMMANDS}
ALL: dict[type[Message[Any]], Sample] = {**QUERIES, **COMMANDS}
