"""The form for new cards, alike on every view of a project and on the page of an activity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from core.domain.canvas import CanvasMember, Card, PhaseColumn
from core.domain.labels import Label
from core.domain.model import GateState, Id, Item, ItemKind, PhaseState, Priority, Status
from core.engine.messages import Command
from core.engine.unit_of_work import new_id
from core.errors import InvalidInput
from tui.screens.framework.controller import OwnerScreen
from tui.screens.framework.dialogs import member_options, show_dialog

if TYPE_CHECKING:
    from core.actions.cards.bulk import BulkResult
    from core.text.typed_titles import TypedTitle

LISTED = 3
"""The most refused lines of a list that are shown."""


async def ask_new_card(
    screen: OwnerScreen,
    phase: PhaseColumn,
    activity: Card | None,
    team: Sequence[CanvasMember],
    labels: Iterable[Label],
    *,
    due: date | None = None,
) -> Id | None:
    """Ask for cards in a phase, or in an activity of it, and add them. Return the id of one of them; None for none.

    ``due`` is the suggested due date.
    """
    from tui.dialogs.fields.form_fields import ChoiceField

    fields: list[Any] = [ChoiceField("kind", "Kind", (("TASK", "Task"), ("ACTIVITY", "Activity")), ItemKind.TASK)]
    if activity:
        places = ((activity.id, activity.title), ("", "the phase"))
        fields.append(ChoiceField("activity_id", "Add to", places, activity.id, only=("kind", ItemKind.TASK)))
    is_complete = phase.state is PhaseState.COMPLETE
    warning = f"This reopens “{phase.name}”, so later phases can lock again." if is_complete else ""
    if phase.gate_state is GateState.PASSED:
        warning = f"“{phase.name}” is approved. A new card ends the approval, which takes a reason."
    return await _ask(screen, f"New card in “{phase.name}”", fields, phase.id, team, labels, warning=warning, due=due)


async def ask_new_task(
    screen: OwnerScreen, activity: Item, team: Sequence[CanvasMember], labels: Iterable[Label]
) -> Id | None:
    """Ask for tasks in an activity, and add them. Return the id of one of them; None for none."""
    return await _ask(
        screen, f"New task in “{activity.title}”", [], activity.phase_id, team, labels, activity_id=activity.id
    )


async def _ask(
    screen: OwnerScreen,
    title: str,
    fields: Sequence[Any],
    phase_id: Id,
    team: Sequence[CanvasMember],
    labels: Iterable[Label],
    *,
    activity_id: Id | None = None,
    warning: str = "",
    due: date | None = None,
) -> Id | None:
    from tui.dialogs.adding import TITLE, AddDialog, Titles
    from tui.dialogs.fields.form_fields import DateField, PeopleField, TitleField

    podium = screen.podium
    active = tuple(member for member in team if member.active)
    names = tuple(label.name for label in labels)
    first = TitleField(TITLE, "Title", "What needs to be done?", active, podium.me.user.id, names)
    rest = (PeopleField("assignee", "Assigned to", member_options(team)), DateField("due", "Due", due))

    def creating(values: dict[str, Any], typed: TypedTitle[CanvasMember], **options: Any) -> Command[Item]:
        return _creating(phase_id, {"activity_id": activity_id, **values}, typed, **options)

    async def add(values: dict[str, Any]) -> Id | None:
        item: Item | None = await podium.send_or_ask(creating(values, values[TITLE]))
        return item.id if item else None

    async def add_list(values: dict[str, Any], *, titles: Titles) -> Id | None:
        from core.actions.cards.bulk import BulkUpdate

        ids = [new_id() for _ in titles]
        commands = [creating(values, typed, id=id, relock=bool(warning)) for id, typed in zip(ids, titles, strict=True)]
        result = await podium.send_or_ask(BulkUpdate(project_id=screen.project_id, commands=tuple(commands)))
        if result is None:
            return None
        if not result.done:
            raise InvalidInput(TITLE, result.refused[0].reason)
        podium.toast(_describe_added(result, _plural(values)))
        refused = {refusal.step for refusal in result.refused}
        return next(id for step, id in enumerate(ids) if step not in refused)

    dialog = AddDialog(
        title,
        [first, *fields, *rest],
        add,
        add_list,
        redraw=screen.refresh_from_core,
        noun=_plural,
        warning=warning,
        about=activity_id or phase_id,
    )
    return await show_dialog(screen, dialog)


def _creating(
    phase_id: Id,
    values: dict[str, Any],
    typed: TypedTitle[CanvasMember],
    *,
    id: Id | None = None,
    relock: bool = False,
) -> Command[Item]:
    """Return the command for a card. What its title says comes before the fields below."""
    from core.actions.cards.activities import CreateActivity
    from core.actions.cards.tasks import CreateTask

    people = (typed.assignee.user_id,) if typed.assignee else tuple(values["assignee"])
    shared: dict[str, Any] = {
        "phase_id": phase_id,
        "title": typed.title,
        "due": typed.due or values["due"],
        "relock": relock,
        "labels": typed.labels,
        "priority": Priority(typed.priority) if typed.priority else Priority.NORMAL,
    }
    if _is_activity(values):
        return CreateActivity(**shared, member_ids=people, activity_id=id)
    inside = values.get("activity_id") or None
    return CreateTask(**shared, activity_id=inside, assignee_id=people[0] if people else None, task_id=id)


def _is_activity(values: dict[str, Any]) -> bool:
    return values.get("kind") == ItemKind.ACTIVITY


def _plural(values: dict[str, Any]) -> str:
    return "activities" if _is_activity(values) else "tasks"


def _describe_added(result: BulkResult, nouns: str) -> str:
    """Return the words for an added list: the number, and the first lines that were refused."""
    if not result.refused:
        return f"Added {result.done} {nouns} in one step. u to undo."
    lines = [f"“{refusal.title[:40]}” was not added: {refusal.reason}" for refusal in result.refused[:LISTED]]
    return "\n".join([f"Added {result.done} of {result.done + len(result.refused)} {nouns}. u to undo.", *lines])


def activity_around(card: Card | None, find: Callable[[Id], Card | None]) -> Card | None:
    """The open activity that a card is, or that it is a task of: where a new task may go."""
    if card is not None and card.kind is ItemKind.TASK:
        card = find(card.activity_id) if card.activity_id else None
    return card if card is not None and card.status in (Status.TO_DO, Status.IN_PROGRESS) else None
