"""Samples of the messages of the daily work: templates, presets, filters, views, inbox, import. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

from core.actions.cards.ask import AskForConsent
from core.actions.cards.capture import CaptureTasks
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import CreateTask
from core.actions.dependencies.links import LinkCards
from core.actions.history.undo_steps import ListUndoSteps
from core.actions.history.versions import CheckVersion, RecordKind
from core.actions.personal.folds import SetFold
from core.actions.personal.inbox import CountUnread, ListInbox, MarkNotificationsRead
from core.actions.personal.my_work import GetMyWork
from core.actions.personal.presets import (
    ActivatePreset,
    ListPresets,
    RemovePreset,
    RemoveSharedPreset,
    SavePreset,
    SharePreset,
)
from core.actions.personal.saved_filters import DeleteSavedFilter, ListSavedFilters, SaveFilter
from core.actions.portfolio.timeline import GetPortfolio
from core.actions.portfolio.workload import GetWorkload, ListWorkloadCards
from core.actions.projects.digest import GetProjectDigest
from core.actions.projects.last_visit import ListChangesSinceLastVisit, SetLastSeen
from core.actions.projects.members import SetProjectRole
from core.actions.projects.presence import ListOnlineUsers, ReportPresence
from core.actions.templates.apply import (
    CreateProjectFromTemplate,
    DiffAgainstTemplate,
    MergeTemplate,
    PreviewTemplateMerge,
    RoleAssignment,
    SaveTemplate,
)
from core.actions.templates.templates import (
    CompareTemplateVersions,
    EditTemplate,
    GetTemplate,
    GetTemplateOrigin,
    ImportTemplate,
    ListTemplates,
    RemoveTemplate,
)
from core.actions.workflow.burn_up import GetBurnUp
from core.actions.workflow.gate_record import CompareWithSeal, GetSeal, ListGateDecisions, PreviewApproval
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.next_phase import GetNextPhase
from core.actions.workflow.phases import AddPhase
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, Id, ProjectRole
from core.domain.presets import Preset
from core.engine.messages import Command, Message, Query
from core.templates.template_file import template_in
from tests.support.message_examples import labels, own_fields
from tests.support.workspace import World


def own_preset(world: World) -> Preset:
    return world.do(SavePreset(project_id=world.project.id, name="Mine"))


def shared_preset(world: World) -> Preset:
    return world.do(SharePreset(project_id=world.project.id, name="Ours"))


def kept_filter(world: World) -> str:
    return world.do(SaveFilter(name="Late", text="due:late")).name


def hold(world: World) -> GateRecord:
    """A decision on record."""
    return world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD))


def decided(world: World) -> Id:
    """A project with a decision on record."""
    return hold(world).project_id


def ending_an_approval(world: World) -> CreateTask:
    """A card for a phase that is approved, of which another owner can decide too: Bob, if there is none yet."""
    if len(world.rows("SELECT 1 FROM member WHERE project_id = :id AND role = 'OWNER'", id=world.project.id)) == 1:
        world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    phase = AddPhase(project_id=world.project.id, name="Ground", before_id=world.discover.id, relock=True)
    ground = world.do(phase)
    world.do(DecideGate(phase_id=ground.id, decision=Decision.PASS))
    return CreateTask(phase_id=ground.id, title="Call them")


def template(world: World) -> Id:
    """One of the built-in templates."""
    return world.ask(ListTemplates())[0].template.id


def told(world: World) -> Id:
    """Maya, who was named by Bob, has work that is late, and a gate that waits for her."""
    review = world.phase("Review", world.new_project("Autumn").id, gate=Gate.REVIEW)
    world.complete(world.task(phase=review).id)
    task = world.task(due=date(2026, 2, 20), assignee_id=world.maya.user_id)
    world.do(AddComment(item_id=task.id, text="@maya"), as_=world.bob)
    return world.project.id


def furnish(world: World) -> None:
    """Something in each table of the daily work that belongs to a project."""
    world.do(LinkCards(waiting_id=world.task().id, blocker_id=world.task("Proof").id))
    world.do(ActivatePreset(project_id=world.project.id, preset_id=shared_preset(world).id))
    own_fields.furnish(world)
    world.do(SaveTemplate(project_id=world.project.id, name="Spring"))
    labels.labelled(world)


M = TypeVar("M", bound=Message[Any])


def after(_: Id, message: M) -> M:
    """A message without a field that what is prepared for it could stand in."""
    return message


def visited(world: World) -> Id:
    """A card that Bob has open."""
    card = world.task().id
    world.ask(ReportPresence(project_id=world.project.id, card_id=card, terminal="b"), world.bob)
    return card


TEMPLATE_FILE = """
name = "Small campaign"
tags = ["north"]

[[phases]]
name = "Brief"
due = 14
roles = ["Lead"]
gate = "REVIEW"
evidence = true
statements = false
deliverables = ["Creative brief"]
work = [
    { activity = "Understand the market", due = 8, roles = ["Analyst", "Strategist"], tasks = [
        { task = "Interview five customers", due = 7, role = "Strategist" },
    ], application = { product = "Asset library", name = "Findings" } },
    { task = "Approve the brief", due = 14, role = "Approver", description = "One page, signed." },
]
"""


def check_version(world: World) -> CheckVersion:
    task = world.task("Findings")
    return CheckVersion(record_id=task.id, kind=RecordKind.ITEM, seen_version=task.version)


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    CheckVersion: check_version,
    GetMyWork: lambda world: after(told(world), GetMyWork()),
    GetPortfolio: lambda world: after(told(world), GetPortfolio()),
    GetWorkload: lambda world: after(told(world), GetWorkload()),
    ListWorkloadCards: lambda world: after(told(world), ListWorkloadCards(user_id=world.bob.user_id)),
    GetProjectDigest: lambda world: GetProjectDigest(project_id=told(world)),
    GetNextPhase: lambda world: after(told(world), GetNextPhase(phase_id=world.build.id)),
    ListUndoSteps: lambda world: after(told(world), ListUndoSteps()),
    ListInbox: lambda world: ListInbox(read_too=bool(told(world))),
    CountUnread: lambda world: after(told(world), CountUnread()),
    ListChangesSinceLastVisit: lambda world: ListChangesSinceLastVisit(project_id=told(world), after=1),
    ReportPresence: lambda world: ReportPresence(project_id=world.project.id, card_id=visited(world), via="ssh"),
    ListOnlineUsers: lambda world: after(visited(world), ListOnlineUsers()),
    ListPresets: lambda world: ListPresets(project_id=world.project.id),
    ListSavedFilters: lambda world: after(kept_filter(world), ListSavedFilters()),
    ListGateDecisions: lambda world: ListGateDecisions(project_id=decided(world)),
    GetSeal: lambda world: GetSeal(record_id=hold(world).id),
    CompareWithSeal: lambda world: CompareWithSeal(phase_id=hold(world).phase_id),
    PreviewApproval: lambda world: PreviewApproval(phase_id=hold(world).phase_id),
    GetBurnUp: lambda world: GetBurnUp(project_id=world.task().project_id),
    GetTemplateOrigin: lambda world: GetTemplateOrigin(project_id=world.project.id),
    ListTemplates: lambda world: after(told(world), ListTemplates(text="brand", tags=("design",))),
    GetTemplate: lambda world: GetTemplate(template_id=template(world)),
    CompareTemplateVersions: lambda world: CompareTemplateVersions(template_id=template(world), before=1, after=1),
    DiffAgainstTemplate: lambda world: DiffAgainstTemplate(project_id=told(world), template_id=template(world)),
    PreviewTemplateMerge: lambda world: PreviewTemplateMerge(project_id=told(world), template_id=template(world)),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    MarkNotificationsRead: lambda world: after(told(world), MarkNotificationsRead()),
    SaveFilter: lambda world: SaveFilter(name="Mine and late", text="assignee:me due:late"),
    DeleteSavedFilter: lambda world: DeleteSavedFilter(name=kept_filter(world)),
    ImportTemplate: lambda world: after(told(world), ImportTemplate(document=template_in(TEMPLATE_FILE))),
    EditTemplate: lambda world: EditTemplate(template_id=template(world), name="Ours", tags=("north",)),
    RemoveTemplate: lambda world: RemoveTemplate(template_id=template(world)),
    CreateProjectFromTemplate: lambda world: CreateProjectFromTemplate(
        template_id=template(world),
        name="Next one",
        start=date(2026, 4, 1),
        slots=(RoleAssignment("Lead", world.gus.user_id),),
    ),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    SaveTemplate: lambda world: SaveTemplate(project_id=told(world), template_id=template(world), note="Shorter"),
    MergeTemplate: lambda world: MergeTemplate(project_id=told(world), template_id=template(world), relock=True),
    AskForConsent: lambda world: AskForConsent(commands=(ending_an_approval(world),)),
    CaptureTasks: lambda world: CaptureTasks(project_id=world.project.id, texts=("Call @bob fri", "Interview")),
    SetLastSeen: lambda world: SetLastSeen(project_id=world.project.id, seq=1),
    SetFold: lambda world: SetFold(project_id=world.project.id, target_id=world.discover.id, folded=True),
    ActivatePreset: lambda world: ActivatePreset(project_id=world.project.id, preset_id="DELIVERY"),
    SavePreset: lambda world: SavePreset(project_id=world.project.id, name="Other", preset_id=own_preset(world).id),
    SharePreset: lambda world: SharePreset(
        project_id=world.project.id, name="Other", preset_id=shared_preset(world).id
    ),
    RemovePreset: lambda world: RemovePreset(project_id=world.project.id, preset_id=own_preset(world).id),
    RemoveSharedPreset: lambda world: RemoveSharedPreset(
        project_id=world.project.id, preset_id=shared_preset(world).id
    ),
}

QUERIES |= own_fields.QUERIES
PROJECT_COMMANDS |= own_fields.PROJECT_COMMANDS
