"""Projects that people could have made: random messages, those that are refused passed over.

Maya stays an owner, because the user who imports becomes one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, NamedTuple

from hypothesis import strategies as st

from core.actions.cards import activities, tasks
from core.actions.cards.applications import AddApplication, ReorderApplication, SetApplicationDueDate
from core.actions.cards.cards import ArchiveCard, MoveCard, ReorderCard, RestoreCard, SetCardDueDate, SetPriority
from core.actions.cards.comments import AddComment
from core.actions.cards.labels import AddLabel, SetLabels
from core.actions.fields.custom_fields import AddField, RemoveField, SetFields
from core.actions.history.history import Undo
from core.actions.personal.presets import SharePreset
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.projects.projects import EditProject, LinkProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver, EditDeliverable, TakeBack
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, AssignPhase, EditPhase, RemovePhase, ReorderPhase, SetPhaseDueDate
from core.actions.workspace.meta_roles import SetMetaRoles
from core.domain.fields import FieldKind, FieldValue
from core.domain.gates import Decision
from core.domain.labels import LabelColour
from core.domain.model import Gate, Id, Priority, ProjectRole, Status
from core.domain.view_settings import Density, Layout, Sort
from core.engine.messages import Message
from core.errors import PodiumError
from tests.support.workspace import World

WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=30)


class Dice(NamedTuple):
    """The random numbers and words of one step."""

    step: int
    one: int
    other: int
    words: str


STEPS = st.lists(st.builds(Dice, *[st.integers(0, 60)] * 3, WORDS), max_size=40)


class Table:
    """Chooses existing records by random numbers."""

    def __init__(self, world: World, dice: Dice) -> None:
        self._world = world
        self.dice = dice
        self.project: Id = world.project.id

    def some(self, table: str, where: str = "1 = 1", *, other: bool = False) -> Any:
        """An id; one that does not exist where the table is empty."""
        column = {"member": "user_id", "app_user": "id"}.get(table, "id")
        of_project = (
            ""
            if table in ("product", "meta_role", "hierarchy_node", "app_user")
            else f" AND project_id = '{self.project}'"
        )
        rows = self._world.rows(f"SELECT {column} AS id FROM {table} WHERE {where}{of_project} ORDER BY {column}")
        return rows[(self.dice.other if other else self.dice.one) % len(rows)]["id"] if rows else "nothing"

    def one_of(self, options: Any) -> Any:
        listed = list(options)
        return listed[self.dice.other % len(listed)]

    @property
    def day(self) -> date:
        return date(2026, 1, 1) + timedelta(days=self.dice.other * 11)

    @property
    def task(self) -> Id:
        return str(self.some("item", "kind = 'TASK'"))

    @property
    def activity(self) -> Id:
        return str(self.some("item", "kind = 'ACTIVITY'"))

    @property
    def members(self) -> tuple[Id, ...]:
        return tuple({self.some("member"), self.some("member", other=True)})


MESSAGES: tuple[Callable[[Table], Message[Any]], ...] = (
    lambda t: AddPhase(
        project_id=t.project, name=t.dice.words, objectives=t.dice.words, gate=t.one_of(Gate), before_id=None
    ),
    lambda t: EditPhase(phase_id=t.some("phase"), gate=Gate.REVIEW, evidence_required=True, outcomes=t.dice.words),
    lambda t: ReorderPhase(phase_id=t.some("phase"), before_id=t.some("phase", other=True), relock=True),
    lambda t: RemovePhase(phase_id=t.some("phase")),
    lambda t: SetPhaseDueDate(phase_id=t.some("phase"), due=t.day),
    lambda t: AssignPhase(phase_id=t.some("phase"), member_ids=t.members),
    lambda t: AddDeliverable(phase_id=t.some("phase"), name=t.dice.words),
    lambda t: EditDeliverable(deliverable_id=t.some("deliverable"), name=t.dice.words),
    lambda t: Deliver(deliverable_id=t.some("deliverable"), statement=t.dice.words),
    lambda t: Deliver(deliverable_id=t.some("deliverable"), card_id=t.some("item")),
    lambda t: TakeBack(deliverable_id=t.some("deliverable")),
    lambda t: DecideGate(phase_id=t.some("phase"), decision=t.one_of(Decision), reason=t.dice.words, relock=True),
    lambda t: activities.CreateActivity(
        phase_id=t.some("phase"), title=t.dice.words, member_ids=t.members, link="https://x.example/é", relock=True
    ),
    lambda t: tasks.CreateTask(phase_id=t.some("phase"), title=t.dice.words, description=t.dice.words, relock=True),
    lambda t: tasks.CreateTask(
        phase_id=t.some("phase"), activity_id=t.activity, title=t.dice.words, assignee_id=t.some("member"), relock=True
    ),
    lambda t: MoveCard(card_id=t.task, status=t.one_of(Status), relock=True),
    lambda t: MoveCard(card_id=t.activity, status=t.one_of(Status), relock=True),
    lambda t: ArchiveCard(card_id=t.task),
    lambda t: ArchiveCard(card_id=t.activity),
    lambda t: RestoreCard(card_id=t.activity, relock=True),
    lambda t: ReorderCard(card_id=t.task, phase_id=t.some("phase", other=True), relock=True),
    lambda t: ReorderCard(card_id=t.activity, phase_id=t.some("phase", other=True), relock=True),
    lambda t: SetCardDueDate(card_id=t.task, due=t.day),
    lambda t: AddComment(item_id=t.some("item"), text=f"{t.dice.words}\n{t.dice.words}"),
    lambda t: AddApplication(project_id=t.project, product_id=t.some("product"), activity_id=t.activity),
    lambda t: AddApplication(
        project_id=t.project, product_id=t.some("product"), phase_id=t.some("phase"), member_ids=t.members
    ),
    lambda t: ReorderApplication(application_id=t.some("application"), phase_id=t.some("phase", other=True)),
    lambda t: SetApplicationDueDate(application_id=t.some("application"), due=t.day),
    lambda t: SetProjectRole(
        project_id=t.project, user_id=t.some("member", "user_id <> invited_by"), role=t.one_of(ProjectRole)
    ),
    lambda t: InviteMember(project_id=t.project, user_id=t.some("app_user"), role=t.one_of(ProjectRole)),
    lambda t: RemoveMember(project_id=t.project, user_id=t.some("member", "user_id <> invited_by")),
    lambda t: SetMetaRoles(
        project_id=t.project, user_id=t.some("member"), meta_role_ids=(t.some("meta_role", other=True),)
    ),
    lambda t: SharePreset(
        project_id=t.project,
        name=t.dice.words,
        layout=t.one_of(Layout),
        sort=t.one_of(Sort),
        density=t.one_of((None, *Density)),
    ),
    lambda t: AddLabel(project_id=t.project, name=t.dice.words, colour=t.one_of((None, *LabelColour))),
    lambda t: SetLabels(card_id=t.some("item"), add=(t.dice.words, t.some("label"))),
    lambda t: SetPriority(card_id=t.some("item"), priority=t.one_of(Priority)),
    lambda t: LinkProject(project_id=t.project, brand_id=t.some("hierarchy_node")),
    lambda t: AddField(project_id=t.project, name=t.dice.words, kind=FieldKind.TEXT),
    lambda t: AddField(
        project_id=t.project, name=f"n {t.dice.words}", kind=FieldKind.NUMBER, sums=True, key=t.one_of(("points", ""))
    ),
    lambda t: SetFields(item_id=t.some("item"), values=(FieldValue(key="points", value=f"{t.dice.one / 4}"),)),
    lambda t: RemoveField(field_id=t.some("field")),
    lambda t: EditProject(project_id=t.project, description=t.dice.words, start=t.day),
    lambda t: Undo(project_id=t.project),
)


def play(world: World, steps: list[Dice]) -> int:
    """Send a message for each step, by turns as Maya and Bob; how many were carried out."""
    done = 0
    for dice in steps:
        message = MESSAGES[dice.step % len(MESSAGES)](Table(world, dice))
        with suppress(PodiumError):
            world.send(message, as_=world.bob if dice.other % 4 == 0 else world.maya)
            done += 1
    return done
