"""The form for a new card, alike on every view of a project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.domain.canvas import CanvasMember, Card, PhaseColumn
from core.domain.model import Id, Item, ItemKind, Status
from core.engine.messages import Command
from tui.screens.framework.dialogs import member_options, show_form
from tui.screens.framework.screen import PodiumScreen


async def ask_new_card(
    screen: PodiumScreen, phase: PhaseColumn, activity: Card | None, team: Sequence[CanvasMember]
) -> Item | None:
    """Ask for a card in a phase, or inside an activity of it, and add it; None when the person gave up."""
    from tui.dialogs.fields.form_fields import ChoiceField, DateField, PeopleField, TextField

    fields: list[Any] = [
        TextField("title", "Title", "", "What needs to be done?"),
        ChoiceField("kind", "Kind", (("TASK", "Task"), ("ACTIVITY", "Activity")), "TASK"),
    ]
    if activity:
        fields.append(ChoiceField("activity_id", "Inside", (("", "the phase"), (activity.id, activity.title)), ""))
    fields += [PeopleField("assignee", "Assigned to", member_options(team)), DateField("due", "Due")]

    async def create(values: dict[str, Any]) -> Item | None:
        item: Item | None = await screen.podium.send_or_ask(_creating(phase.id, values))
        return item

    return await show_form(screen, f"New card in “{phase.name}”", fields, create, submit="Add")


def _creating(phase_id: Id, values: dict[str, Any]) -> Command[Item]:
    from core.actions.cards.activities import CreateActivity
    from core.actions.cards.tasks import CreateTask

    people: tuple[Id, ...] = tuple(values["assignee"])
    shared = {"phase_id": phase_id, "title": values["title"], "due": values["due"]}
    if values["kind"] == ItemKind.ACTIVITY:
        return CreateActivity(**shared, member_ids=people)
    inside = values.get("activity_id") or None
    return CreateTask(**shared, activity_id=inside, assignee_id=people[0] if people else None)


def activity_around(card: Card | None, find: Callable[[Id], Card | None]) -> Card | None:
    """The open activity that a card is, or that it is a task of: where a new task may go."""
    if card is not None and card.kind is ItemKind.TASK:
        card = find(card.activity_id) if card.activity_id else None
    return card if card is not None and card.status in (Status.TO_DO, Status.IN_PROGRESS) else None
