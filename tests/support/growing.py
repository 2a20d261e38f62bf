"""A world with more of everything that lists show, to find the statements that a message sends for each of them."""

from __future__ import annotations

from datetime import date

from core.actions.cards.activities import AssignActivity
from core.actions.cards.applications import AddApplication
from core.actions.cards.comments import AddComment
from core.actions.personal.presets import SavePreset
from core.actions.personal.saved_filters import SaveFilter
from core.actions.products.products import AddApplicationRole
from core.actions.products.tokens import CreateProductToken
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import ArchiveProject, LinkProject, SetFavourite
from core.actions.templates.apply import SaveTemplate
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import DecideGate
from core.actions.workspace.credentials import CreateToken
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.meta_roles import AddMetaRole, SetMetaRoles
from core.actions.workspace.users import AddUser
from core.domain.gate_policy import Deciding, Vote
from core.domain.gates import Decision
from core.domain.model import Gate, Id, NodeKind, ProjectRole
from core.rules.preset_fields import MAX_PRESETS
from tests.support.workspace import World

LATE = date(2026, 2, 20)
WORD = "harbour"
"""A word in each text, so that a search for it finds one of every kind."""


def grow(world: World, times: int) -> None:
    """Add so many projects, people, cards, products and templates, all of which Maya, Bob and the guest Gus can see."""
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.VIEWER))
    for number in range(times):
        _add_to_workspace(world, number)
        _add_to_project(world, number)
        _add_project(world, number)


def _add_to_workspace(world: World, number: int) -> None:
    product = world.product(
        f"Product {number} {WORD}", uses_external_authorization=True, permission_codes=(f"READ_{number}",)
    )
    role = world.do(AddMetaRole(name=f"Reader {number}"))
    world.do(
        AddApplicationRole(
            product_id=product.id,
            name="Reader",
            permission_codes=(f"READ_{number}",),
            meta_role_ids=(role.id,),
        )
    )
    world.do(CreateProductToken(product_id=product.id, label=f"Token {number}"))
    world.do(CreateToken(label=f"Token {number}"))
    world.do(SaveFilter(name=f"Filter {number}", text="due:late"))
    user = world.do(AddUser(first_name=f"Ida {number}", last_name=WORD, email=f"ida{number}@example.com"))
    world.do(InviteMember(project_id=world.project.id, user_id=user.id, role=ProjectRole.CONTRIBUTOR))
    world.do(SetMetaRoles(project_id=world.project.id, user_id=user.id, meta_role_ids=(role.id,)))
    activity = world.activity(f"Launch {number} {WORD}")
    world.add_application(product, activity_id=activity.id, member_ids=(user.id, world.maya.user_id))


def _add_to_project(world: World, number: int) -> None:
    phase = world.phase(f"Phase {number} {WORD}")
    world.do(AddDeliverable(phase_id=phase.id, name=f"Deliverable {number} {WORD}"))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.LIFT, reason="It goes on"))
    if number < MAX_PRESETS:
        world.do(SavePreset(project_id=world.project.id, name=f"Preset {number}"))
    world.do(SaveTemplate(project_id=world.project.id, name=f"Template {number} {WORD}"))
    for actor in (world.maya, world.bob):
        task = world.task(f"Task {number} {WORD}", due=LATE, assignee_id=actor.user_id)
        world.do(AddComment(item_id=task.id, text=f"{WORD} @bob @maya"), as_=world.bob)
        world.do(AddComment(item_id=task.id, text=f"{WORD} @bob @maya"))


def _add_project(world: World, number: int) -> Id:
    parent = None
    for kind in NodeKind:
        parent = world.do(AddNode(kind=kind, name=f"{kind} {number}", parent_id=parent)).id
    project = world.new_project(f"Project {number} {WORD}").id
    world.do(LinkProject(project_id=project, brand_id=parent))
    for actor, role in ((world.bob, ProjectRole.OWNER), (world.gus, ProjectRole.CONTRIBUTOR)):
        world.do(InviteMember(project_id=project, user_id=actor.user_id, role=role))
        world.do(SetFavourite(project_id=project, favourite=True), as_=actor)
    review = world.phase("Review", project, gate=Gate.REVIEW)
    world.complete(world.task(phase=review).id)
    people = tuple(actor.user_id for actor in (world.maya, world.bob))
    world.do(SetGatePolicy(phase_id=review.id, deciders=Deciding.PEOPLE, people=people, reason="Two of them decide"))
    world.do(CastVote(phase_id=review.id, vote=Vote.NO, reason="Not yet"))
    later = world.phase("Later", project)
    activity = world.activity(f"Activity {number} {WORD}", later, due=LATE)
    people = tuple(actor.user_id for actor in (world.maya, world.bob, world.gus))
    world.do(AssignActivity(activity_id=activity.id, member_ids=people))
    for member in people:
        world.task(f"Task {number} {WORD}", later, due=LATE, assignee_id=member)
    product = world.product(f"Product of {number}", required_context=tuple(NodeKind))
    world.do(AddApplication(project_id=project, product_id=product.id, phase_id=later.id))
    archived = world.new_project(f"Archived {number} {WORD}").id
    world.do(ArchiveProject(project_id=archived))
    return project
