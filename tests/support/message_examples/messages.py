"""One message of each kind, ready to be sent in a world: what it needs is prepared first.

Maya may send all of them and each does something. Tests of what holds for every message (rights, versions, indexes,
all or nothing) go through this list, and a test of the conventions keeps it complete.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from core.actions.cards.activities import AssignActivity, CreateActivity, EditActivity
from core.actions.cards.application_lists import GetApplication, ListApplications, ListProductOptions
from core.actions.cards.applications import (
    AddApplication,
    AssignApplication,
    EditApplication,
    RemoveApplication,
    ReorderApplication,
    SetApplicationDueDate,
)
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, ReorderCard, RestoreCard, SetCardDueDate
from core.actions.cards.comments import AddComment, ListComments
from core.actions.cards.details import GetCard, GetPhase
from core.actions.cards.tasks import AssignTask, CreateTask, EditTask, ListTasks
from core.actions.history.history import ListChangesSince, ListHistory, ListWorkspaceHistory, Redo, Undo
from core.actions.permissions.permissions import ExplainPermission, GetMyPermissions, QueryPermissions
from core.actions.personal.search import Search
from core.actions.products.launch import GetLaunchContext, GetProductContext, LaunchApplication, LaunchProduct
from core.actions.products.products import (
    AddApplicationRole,
    AddProduct,
    EditApplicationRole,
    EditProduct,
    GetProduct,
    ListProducts,
    RemoveApplicationRole,
    RemoveProduct,
    RetireProduct,
)
from core.actions.projects.exports import ExportProject, GetStatusReport, ListDueDates
from core.actions.projects.find import FindProjects
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.lists import GetProject, ListOrphanedProjects, ListProjects
from core.actions.projects.members import (
    InviteGuest,
    InviteMember,
    ListCandidates,
    ListMembers,
    RemoveMember,
    SetProjectRole,
)
from core.actions.projects.project_health import ExplainHealth
from core.actions.projects.projects import (
    ArchiveProject,
    ClaimProject,
    CreateProject,
    DeleteProject,
    EditProject,
    LinkProject,
    RestoreProject,
    SetFavourite,
)
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.gates import CheckGate, DecideGate
from core.actions.workflow.phases import (
    AddPhase,
    AssignPhase,
    EditPhase,
    ListPhases,
    RemovePhase,
    ReorderPhase,
    SetPhaseDueDate,
)
from core.actions.workflow.reschedule import PreviewReschedule, ReschedulePhase
from core.actions.workspace.hierarchy import AddNode, GetHierarchy, ListNodes, MoveNode, RemoveNode, RenameNode
from core.actions.workspace.meta_roles import (
    AddMetaRole,
    ListMetaRoles,
    MapProjectRole,
    RemoveMetaRole,
    RenameMetaRole,
    SetMetaRoles,
)
from core.actions.workspace.profile import GetCurrentUser, SetPreference
from core.actions.workspace.users import AddUser, ListInviters, ListUsers
from core.actions.workspace.workspace import RenameWorkspace
from core.domain.gates import Decision
from core.domain.model import HierarchyNode, Id, Item, NodeKind, ProjectRole, Status
from core.domain.products.products import Application, ApplicationRole, LaunchKind, MetaRole
from core.engine.messages import Command, Message, Query
from core.import_export.document import ProjectDocument
from tests.support.message_examples import daily_work, deliverables, dependencies, labels, people
from tests.support.message_examples.deliverables import deliverable
from tests.support.workspace import World

DUE = date(2026, 3, 20)
Sample = Callable[[World], Message[Any]]


def guest(world: World) -> Id:
    """A further person, Nina, who is nowhere a member."""
    return world.do(AddUser(first_name="Nina", last_name="Berg", email="nina@example.com")).id


def node(world: World) -> HierarchyNode:
    return world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"))


def market(world: World) -> HierarchyNode:
    """Under a client."""
    return world.do(AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=node(world).id))


def application_role(world: World) -> ApplicationRole:
    product = world.product(permission_codes=("ASSET_VIEW", "ASSET_UPLOAD"))
    return world.do(AddApplicationRole(product_id=product.id, name="Reader", permission_codes=("ASSET_VIEW",)))


def dated_phase(world: World) -> Id:
    """With a card that has a date too."""
    world.task(phase=world.build, due=DUE)
    return world.do(SetPhaseDueDate(phase_id=world.build.id, due=DUE)).id


def archived_task(world: World) -> Item:
    """With a comment, so that deleting has something to take along."""
    world.task("Stays open, so that the phases after it do not change")
    task = world.task()
    world.do(AddComment(item_id=task.id, text="Not needed."))
    return world.archive(task.id)


def archived_activity(world: World) -> Item:
    """With a task and an assigned member."""
    world.task("Stays open, so that the phases after it do not change")
    activity = world.activity()
    world.task(activity_id=activity.id)
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    return world.archive(activity.id)


def application(world: World) -> Application:
    """On an activity, assigned, and launched once."""
    held = world.add_application(activity_id=world.activity().id, member_ids=(world.bob.user_id,))
    world.do(LaunchApplication(application_id=held.id))
    return held


def meta_role(world: World, name: str = "Proofreader") -> MetaRole:
    """A new one that nothing uses."""
    return world.do(AddMetaRole(name=name))


def gifted(world: World) -> Id:
    """Vera, who was given a meta role."""
    given = (meta_role(world, "Archivist").id,)
    world.do(SetMetaRoles(project_id=world.project.id, user_id=world.vera.user_id, meta_role_ids=given))
    return world.vera.user_id


def product_code(world: World) -> str:
    """A code of a product that is in the project: owners hold it through a meta role, and Vera was given it."""
    product = world.product("Proofs", uses_external_authorization=True, permission_codes=("PROOF_READ",))
    reader = meta_role(world)
    world.do(
        AddApplicationRole(
            product_id=product.id, name="Reader", permission_codes=("PROOF_READ",), meta_role_ids=(reader.id,)
        )
    )
    world.do(MapProjectRole(project_role=ProjectRole.OWNER, meta_role_ids=(reader.id,)))
    world.do(SetMetaRoles(project_id=world.project.id, user_id=world.vera.user_id, meta_role_ids=(reader.id,)))
    world.add_application(product)
    return "PROOF_READ"


def undone(world: World) -> Redo:
    world.task()
    world.do(Undo(project_id=world.project.id))
    return Redo(project_id=world.project.id)


def archived_project(world: World) -> Id:
    """With something in each table of a project."""
    world.do(SetFavourite(project_id=world.project.id, favourite=True))
    deliverable(world)
    world.do(AddComment(item_id=archived_activity(world).id, text="Not needed, @bob."))
    application(world)
    daily_work.furnish(world)
    lead = world.rows("SELECT id FROM meta_role ORDER BY name")[0]["id"]
    world.do(SetMetaRoles(project_id=world.project.id, user_id=world.bob.user_id, meta_role_ids=(lead,)))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD))
    world.do(ArchiveProject(project_id=world.project.id))
    return world.project.id


def document(world: World) -> ProjectDocument:
    """Of a project with something in each table."""
    return world.ask(ExportProject(project_id=archived_project(world)))


def bulk(world: World) -> BulkUpdate:
    first, second = world.task("First"), world.task("Second")
    moves = tuple(MoveCard(card_id=task.id, status=Status.IN_PROGRESS) for task in (first, second))
    return BulkUpdate(project_id=world.project.id, commands=moves)


def findable(world: World) -> str:
    """A word that stands in one of each kind of text."""
    world.add_application(world.product("Findings"))
    world.do(AddDeliverable(phase_id=world.discover.id, name="Findings"))
    world.do(AddComment(item_id=world.task("Findings").id, text="The findings are in."))
    return "findings"


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    GetCurrentUser: lambda world: GetCurrentUser(),
    ListUsers: lambda world: ListUsers(),
    ListInviters: lambda world: ListInviters(first_name="ma"),
    ListNodes: lambda world: ListNodes(),
    GetHierarchy: lambda world: GetHierarchy(),
    ListProducts: lambda world: ListProducts(),
    ListMetaRoles: lambda world: ListMetaRoles(),
    GetMyPermissions: lambda world: GetMyPermissions(),
    QueryPermissions: lambda world: QueryPermissions(permission_codes=("WORKSPACE_VIEW", product_code(world))),
    ExplainPermission: lambda world: ExplainPermission(
        project_id=world.project.id, user_id=world.bob.user_id, action=product_code(world)
    ),
    GetProduct: lambda world: GetProduct(product_id=application_role(world).product_id),
    ListProjects: lambda world: ListProjects(archived=bool(world.task(assignee_id=world.maya.user_id, due=DUE))),
    FindProjects: lambda world: FindProjects(name="spring"),
    Search: lambda world: Search(text=findable(world)),
    ListOrphanedProjects: lambda world: ListOrphanedProjects(),
    ListWorkspaceHistory: lambda world: ListWorkspaceHistory(),
    GetProject: lambda world: GetProject(project_id=world.project.id),
    ExplainHealth: lambda world: ExplainHealth(project_id=world.project.id),
    ListMembers: lambda world: ListMembers(project_id=world.project.id),
    ListCandidates: lambda world: ListCandidates(project_id=world.project.id),
    GetCanvas: lambda world: GetCanvas(project_id=archived_activity(world).project_id),
    ListPhases: lambda world: ListPhases(project_id=world.project.id),
    ListTasks: lambda world: ListTasks(project_id=world.project.id),
    ListHistory: lambda world: ListHistory(project_id=world.project.id),
    ListChangesSince: lambda world: ListChangesSince(project_id=world.project.id, since=1),
    GetPhase: lambda world: GetPhase(phase_id=deliverable(world).phase_id),
    GetCard: lambda world: GetCard(item_id=archived_activity(world).id),
    ListComments: lambda world: ListComments(item_id=archived_activity(world).id),
    CheckGate: lambda world: CheckGate(phase_id=world.build.id),
    PreviewReschedule: lambda world: PreviewReschedule(phase_id=dated_phase(world), days=3),
    ListApplications: lambda world: ListApplications(project_id=application(world).project_id),
    ListProductOptions: lambda world: ListProductOptions(project_id=application(world).project_id),
    GetApplication: lambda world: GetApplication(application_id=application(world).id),
    GetLaunchContext: lambda world: GetLaunchContext(application_id=application(world).id),
    GetProductContext: lambda world: GetProductContext(product_id=world.product().id),
    ExportProject: lambda world: ExportProject(project_id=archived_project(world)),
    ListDueDates: lambda world: ListDueDates(project_id=world.task(due=DUE).project_id),
    GetStatusReport: lambda world: GetStatusReport(project_id=world.task(due=DUE).project_id),
    PreviewImport: lambda world: PreviewImport(document=document(world)),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    RenameWorkspace: lambda world: RenameWorkspace(name="Studio South"),
    SetPreference: lambda world: SetPreference(name="theme", value="paper"),
    AddNode: lambda world: AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=node(world).id),
    LaunchProduct: lambda world: LaunchProduct(product_id=world.product().id),
    RenameNode: lambda world: RenameNode(node_id=node(world).id, name="Halden Foods"),
    MoveNode: lambda world: MoveNode(node_id=market(world).id, parent_id=None),
    RemoveNode: lambda world: RemoveNode(node_id=node(world).id),
    AddMetaRole: lambda world: AddMetaRole(name="Planner"),
    RenameMetaRole: lambda world: RenameMetaRole(meta_role_id=meta_role(world).id, name="Reader"),
    RemoveMetaRole: lambda world: RemoveMetaRole(meta_role_id=meta_role(world).id),
    MapProjectRole: lambda world: MapProjectRole(
        project_role=ProjectRole.OWNER, meta_role_ids=(meta_role(world).id, meta_role(world, "Reviewer").id)
    ),
    AddProduct: lambda world: AddProduct(name="Editor", kind=LaunchKind.TERMINAL, command=("vim", "-R")),
    EditProduct: lambda world: EditProduct(product_id=world.product().id, required_context=(NodeKind.BRAND,)),
    RetireProduct: lambda world: RetireProduct(product_id=world.product().id),
    RemoveProduct: lambda world: RemoveProduct(product_id=application_role(world).product_id),
    AddApplicationRole: lambda world: AddApplicationRole(product_id=world.product().id, name="Reader"),
    EditApplicationRole: lambda world: EditApplicationRole(
        application_role_id=application_role(world).id, permission_codes=("ASSET_UPLOAD",)
    ),
    RemoveApplicationRole: lambda world: RemoveApplicationRole(application_role_id=application_role(world).id),
    CreateProject: lambda world: CreateProject(name="Autumn", client_id=node(world).id),
    ImportProject: lambda world: ImportProject(document=document(world)),
    ClaimProject: lambda world: ClaimProject(project_id=people.ownerless(world)),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    EditProject: lambda world: EditProject(project_id=world.project.id, name="Summer launch"),
    LinkProject: lambda world: LinkProject(project_id=world.project.id, client_id=node(world).id),
    ArchiveProject: lambda world: ArchiveProject(project_id=world.project.id),
    RestoreProject: lambda world: RestoreProject(project_id=archived_project(world)),
    DeleteProject: lambda world: DeleteProject(project_id=archived_project(world)),
    SetFavourite: lambda world: SetFavourite(project_id=world.project.id, favourite=True),
    InviteMember: lambda world: InviteMember(project_id=world.project.id, user_id=guest(world)),
    InviteGuest: lambda world: InviteGuest(
        project_id=world.project.id, first_name="Ida", last_name="Ruiz", email="ida@example.com"
    ),
    SetMetaRoles: lambda world: SetMetaRoles(
        project_id=world.project.id, user_id=gifted(world), meta_role_ids=(meta_role(world).id,)
    ),
    SetProjectRole: lambda world: SetProjectRole(
        project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER
    ),
    RemoveMember: lambda world: RemoveMember(
        project_id=world.task(assignee_id=world.vera.user_id).project_id, user_id=gifted(world)
    ),
    AddPhase: lambda world: AddPhase(project_id=world.project.id, name="Review", before_id=world.launch.id),
    EditPhase: lambda world: EditPhase(phase_id=world.build.id, objectives="Build it."),
    SetPhaseDueDate: lambda world: SetPhaseDueDate(phase_id=world.build.id, due=DUE),
    ReschedulePhase: lambda world: ReschedulePhase(phase_id=dated_phase(world), days=3),
    ReorderPhase: lambda world: ReorderPhase(phase_id=world.launch.id, before_id=world.build.id),
    AssignPhase: lambda world: AssignPhase(phase_id=world.build.id, member_ids=(world.bob.user_id,)),
    RemovePhase: lambda world: RemovePhase(phase_id=deliverable(world).phase_id),
    DecideGate: lambda world: DecideGate(phase_id=world.discover.id, decision=Decision.PASS),
    CreateActivity: lambda world: CreateActivity(
        phase_id=world.discover.id, title="Interviews", member_ids=(world.bob.user_id,)
    ),
    EditActivity: lambda world: EditActivity(activity_id=world.activity().id, link="https://example.com/plan"),
    AssignActivity: lambda world: AssignActivity(
        activity_id=world.activity().id, member_ids=(world.bob.user_id, world.vera.user_id)
    ),
    CreateTask: lambda world: CreateTask(phase_id=world.discover.id, title="Brief", before_id=world.task().id),
    EditTask: lambda world: EditTask(task_id=world.task().id, title="Write the long brief"),
    MoveCard: lambda world: MoveCard(card_id=world.task(activity_id=world.activity().id).id, status=Status.IN_PROGRESS),
    ReorderCard: lambda world: ReorderCard(card_id=world.task().id, phase_id=world.build.id),
    AssignTask: lambda world: AssignTask(task_id=world.task().id, assignee_id=world.bob.user_id),
    SetCardDueDate: lambda world: SetCardDueDate(card_id=world.task().id, due=DUE),
    ArchiveCard: lambda world: ArchiveCard(card_id=world.task().id),
    RestoreCard: lambda world: RestoreCard(card_id=archived_task(world).id),
    DeleteCard: lambda world: DeleteCard(card_id=archived_task(world).id),
    AddApplication: lambda world: AddApplication(
        project_id=world.project.id,
        product_id=world.product().id,
        activity_id=world.activity().id,
        due=DUE,
        member_ids=(world.bob.user_id,),
    ),
    EditApplication: lambda world: EditApplication(application_id=application(world).id, name="Pictures"),
    SetApplicationDueDate: lambda world: SetApplicationDueDate(application_id=application(world).id, due=DUE),
    AssignApplication: lambda world: AssignApplication(
        application_id=application(world).id, member_ids=(world.vera.user_id,)
    ),
    ReorderApplication: lambda world: ReorderApplication(application_id=application(world).id, phase_id=world.build.id),
    RemoveApplication: lambda world: RemoveApplication(application_id=application(world).id),
    LaunchApplication: lambda world: LaunchApplication(application_id=application(world).id),
    AddComment: lambda world: AddComment(item_id=world.task().id, text="Looks good."),
    BulkUpdate: bulk,
    Undo: lambda world: Undo(project_id=world.task().project_id),
    Redo: undone,
}

OF_ACTIVITIES: dict[type[Message[Any]], Sample] = {
    MoveCard: lambda world: MoveCard(card_id=world.activity().id, status=Status.COMPLETED),
    ReorderCard: lambda world: ReorderCard(card_id=world.activity().id, phase_id=world.build.id),
    SetCardDueDate: lambda world: SetCardDueDate(card_id=world.activity().id, due=DUE),
    ArchiveCard: lambda world: ArchiveCard(card_id=world.activity().id),
    RestoreCard: lambda world: RestoreCard(card_id=archived_activity(world).id),
    DeleteCard: lambda world: DeleteCard(card_id=archived_activity(world).id),
}
"""The messages about a card of either kind, whose samples above are about tasks, for an activity."""

QUERIES |= daily_work.QUERIES | people.QUERIES | labels.QUERIES | dependencies.QUERIES | deliverables.QUERIES
WORKSPACE_COMMANDS |= daily_work.WORKSPACE_COMMANDS | people.WORKSPACE_COMMANDS | labels.WORKSPACE_COMMANDS
PROJECT_COMMANDS |= daily_work.PROJECT_COMMANDS | labels.PROJECT_COMMANDS | dependencies.PROJECT_COMMANDS
PROJECT_COMMANDS |= deliverables.PROJECT_COMMANDS
COMMANDS = {**WORKSPACE_COMMANDS, **PROJECT_COMMANDS}
ALL: dict[type[Message[Any]], Sample] = {**QUERIES, **COMMANDS}
