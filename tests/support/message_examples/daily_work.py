"""Samples of the messages of the daily work: templates, presets, filters, views, inbox, import. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

from core.actions.cards import ask, capture, comments, tasks
from core.actions.dependencies import links
from core.actions.history import undo_steps, versions
from core.actions.personal import folds, inbox, my_work, presets, saved_filters
from core.actions.portfolio import timeline, workload
from core.actions.projects import digest, last_visit, members, presence
from core.actions.templates import apply, templates
from core.actions.workflow import burn_up, gate_conditions, gate_record, gates, next_phase, phases
from core.domain.gate_policy import Deciding, GateCondition, GatePolicy
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, Id, ProjectRole
from core.domain.presets import Preset
from core.engine.messages import Command, Message, Query
from core.engine.unit_of_work import new_id
from core.templates.template_file import template_in
from tests.support.message_examples import custom_fields, labels
from tests.support.workspace import World


def own_preset(world: World) -> Preset:
    return world.do(presets.SavePreset(project_id=world.project.id, name="Mine"))


def shared_preset(world: World) -> Preset:
    return world.do(presets.SharePreset(project_id=world.project.id, name="Ours"))


def kept_filter(world: World) -> str:
    return world.do(saved_filters.SaveFilter(name="Late", text="due:late")).name


def send_back(world: World) -> GateRecord:
    """A decision on record."""
    send_back = gates.DecideGate(
        phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Once more", relock=True
    )
    return world.do(send_back)


def decided(world: World) -> Id:
    """A project with a decision on record."""
    return send_back(world).project_id


def with_policy(world: World) -> Id:
    """A project with a gate that Maya and Bob decide on."""
    phase = world.discover
    world.do(phases.EditPhase(phase_id=phase.id, gate=Gate.REVIEW, reason="The board asks", relock=True))
    people = (world.maya.user_id, world.bob.user_id)
    world.insert(
        GatePolicy(project_id=phase.project_id, phase_id=phase.id, deciders=Deciding.PEOPLE, people=people, needed=1)
    )
    return phase.project_id


def waiting_condition(world: World) -> GateCondition:
    """A condition of the gate of Discover, which has no policy any more, with its card in Build."""
    condition = GateCondition(
        project_id=world.project.id,
        id=new_id(),
        phase_id=world.discover.id,
        vote_id=new_id(),
        text="Name cleared",
        person_id=world.bob.user_id,
        due=date(2026, 3, 20),
        item_id=world.task(phase=world.build).id,
        next_phase_id=world.build.id,
    )
    world.insert(condition)
    return condition


def ending_an_approval(world: World) -> tasks.CreateTask:
    """A card for a phase that is approved, of which another owner can decide too: Bob, if there is none yet."""
    if len(world.rows("SELECT 1 FROM member WHERE project_id = :id AND role = 'OWNER'", id=world.project.id)) == 1:
        world.do(members.SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    phase = phases.AddPhase(project_id=world.project.id, name="Ground", before_id=world.discover.id, relock=True)
    ground = world.do(phase)
    world.do(gates.DecideGate(phase_id=ground.id, decision=Decision.PASS))
    return tasks.CreateTask(phase_id=ground.id, title="Call them")


def template(world: World) -> Id:
    """One of the built-in templates."""
    return world.ask(templates.ListTemplates())[0].template.id


def told(world: World) -> Id:
    """Maya, who was named by Bob, has work that is late, and a gate that waits for her."""
    review = world.phase("Review", world.new_project("Autumn").id, gate=Gate.REVIEW)
    world.complete(world.task(phase=review).id)
    task = world.task(due=date(2026, 2, 20), assignee_id=world.maya.user_id)
    world.do(comments.AddComment(item_id=task.id, text="@maya"), as_=world.bob)
    return world.project.id


def furnish(world: World) -> None:
    """Something in each table of the daily work that belongs to a project."""
    world.do(links.LinkCards(waiting_id=world.task().id, blocker_id=world.task("Proof").id))
    world.do(presets.ActivatePreset(project_id=world.project.id, preset_id=shared_preset(world).id))
    custom_fields.furnish(world)
    world.do(apply.SaveTemplate(project_id=world.project.id, name="Spring"))
    labels.labelled(world)


M = TypeVar("M", bound=Message[Any])


def after(_: Id, message: M) -> M:
    """A message without a field that what is prepared for it could stand in."""
    return message


def visited(world: World) -> Id:
    """A card that Bob has open."""
    card = world.task().id
    world.ask(presence.ReportPresence(project_id=world.project.id, card_id=card, terminal="b"), world.bob)
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


def check_version(world: World) -> versions.CheckVersion:
    task = world.task("Findings")
    return versions.CheckVersion(record_id=task.id, kind=versions.RecordKind.ITEM, seen_version=task.version)


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    versions.CheckVersion: check_version,
    my_work.GetMyWork: lambda world: after(told(world), my_work.GetMyWork()),
    timeline.GetPortfolio: lambda world: after(told(world), timeline.GetPortfolio()),
    workload.GetWorkload: lambda world: after(told(world), workload.GetWorkload()),
    workload.ListWorkloadCards: lambda world: after(told(world), workload.ListWorkloadCards(user_id=world.bob.user_id)),
    digest.GetProjectDigest: lambda world: digest.GetProjectDigest(project_id=told(world)),
    next_phase.GetNextPhase: lambda world: after(told(world), next_phase.GetNextPhase(phase_id=world.build.id)),
    undo_steps.ListUndoSteps: lambda world: after(told(world), undo_steps.ListUndoSteps()),
    inbox.ListInbox: lambda world: inbox.ListInbox(read_too=bool(told(world))),
    inbox.CountUnread: lambda world: after(told(world), inbox.CountUnread()),
    last_visit.ListChangesSinceLastVisit: lambda world: last_visit.ListChangesSinceLastVisit(
        project_id=told(world), after=1
    ),
    presence.ReportPresence: lambda world: presence.ReportPresence(
        project_id=world.project.id, card_id=visited(world), via="ssh"
    ),
    presence.ListOnlineUsers: lambda world: after(visited(world), presence.ListOnlineUsers()),
    presets.ListPresets: lambda world: presets.ListPresets(project_id=world.project.id),
    saved_filters.ListSavedFilters: lambda world: after(kept_filter(world), saved_filters.ListSavedFilters()),
    gate_conditions.ListConditions: lambda world: gate_conditions.ListConditions(
        project_id=waiting_condition(world).project_id
    ),
    gate_record.ListGateDecisions: lambda world: gate_record.ListGateDecisions(project_id=decided(world)),
    gate_record.GetSeal: lambda world: gate_record.GetSeal(record_id=send_back(world).id),
    gate_record.CompareWithSeal: lambda world: gate_record.CompareWithSeal(phase_id=send_back(world).phase_id),
    gate_record.PreviewApproval: lambda world: gate_record.PreviewApproval(phase_id=send_back(world).phase_id),
    burn_up.GetBurnUp: lambda world: burn_up.GetBurnUp(project_id=world.task().project_id),
    templates.GetTemplateOrigin: lambda world: templates.GetTemplateOrigin(project_id=world.project.id),
    templates.ListTemplates: lambda world: after(told(world), templates.ListTemplates(text="brand", tags=("design",))),
    templates.GetTemplate: lambda world: templates.GetTemplate(template_id=template(world)),
    templates.CompareTemplateVersions: lambda world: templates.CompareTemplateVersions(
        template_id=template(world), before=1, after=1
    ),
    apply.DiffAgainstTemplate: lambda world: apply.DiffAgainstTemplate(
        project_id=told(world), template_id=template(world)
    ),
    apply.PreviewTemplateMerge: lambda world: apply.PreviewTemplateMerge(
        project_id=told(world), template_id=template(world)
    ),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    inbox.MarkNotificationsRead: lambda world: after(told(world), inbox.MarkNotificationsRead()),
    saved_filters.SaveFilter: lambda world: saved_filters.SaveFilter(name="Mine and late", text="assignee:me due:late"),
    saved_filters.DeleteSavedFilter: lambda world: saved_filters.DeleteSavedFilter(name=kept_filter(world)),
    templates.ImportTemplate: lambda world: after(
        told(world), templates.ImportTemplate(document=template_in(TEMPLATE_FILE))
    ),
    templates.EditTemplate: lambda world: templates.EditTemplate(
        template_id=template(world), name="Ours", tags=("north",)
    ),
    templates.RemoveTemplate: lambda world: templates.RemoveTemplate(template_id=template(world)),
    apply.CreateProjectFromTemplate: lambda world: apply.CreateProjectFromTemplate(
        template_id=template(world),
        name="Next one",
        start=date(2026, 4, 1),
        slots=(apply.RoleAssignment("Lead", world.gus.user_id),),
    ),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    apply.SaveTemplate: lambda world: apply.SaveTemplate(
        project_id=told(world), template_id=template(world), note="Shorter"
    ),
    apply.MergeTemplate: lambda world: apply.MergeTemplate(
        project_id=told(world), template_id=template(world), relock=True
    ),
    gate_conditions.WaiveCondition: lambda world: gate_conditions.WaiveCondition(
        condition_id=waiting_condition(world).id, reason="Not sold there."
    ),
    ask.AskForConsent: lambda world: ask.AskForConsent(commands=(ending_an_approval(world),)),
    capture.CaptureTasks: lambda world: capture.CaptureTasks(
        project_id=world.project.id, texts=("Call @bob fri", "Interview")
    ),
    last_visit.SetLastSeen: lambda world: last_visit.SetLastSeen(project_id=world.project.id, seq=1),
    folds.SetFold: lambda world: folds.SetFold(project_id=world.project.id, target_id=world.discover.id, folded=True),
    presets.ActivatePreset: lambda world: presets.ActivatePreset(project_id=world.project.id, preset_id="DELIVERY"),
    presets.SavePreset: lambda world: presets.SavePreset(
        project_id=world.project.id, name="Other", preset_id=own_preset(world).id
    ),
    presets.SharePreset: lambda world: presets.SharePreset(
        project_id=world.project.id, name="Other", preset_id=shared_preset(world).id
    ),
    presets.RemovePreset: lambda world: presets.RemovePreset(
        project_id=world.project.id, preset_id=own_preset(world).id
    ),
    presets.RemoveSharedPreset: lambda world: presets.RemoveSharedPreset(
        project_id=world.project.id, preset_id=shared_preset(world).id
    ),
}

QUERIES |= custom_fields.QUERIES
PROJECT_COMMANDS |= custom_fields.PROJECT_COMMANDS
