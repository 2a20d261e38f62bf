"""The form of the own fields of cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from core.domain.fields import FieldKind, FieldValue, OwnField
from core.domain.permissions import Permission
from tui.screens.framework.dialogs import show_form

if TYPE_CHECKING:
    from core.actions.cards.details import CardDetail
    from tui.dialogs.fields.form_fields import Field
    from tui.screens.cards.changes import CardChanges
    from tui.screens.framework.controller import OwnerScreen
    from tui.services.cards import Target

NO_FIELDS = "This project has no own fields yet."
HOW_TO_ADD = "press : and type “own fields”."
PREFIX = "values."
"""The core names the field of a wrong value as ``values.KEY``, and so does the form."""


async def ask_fields(screen: OwnerScreen, changes: CardChanges, cards: Sequence[Target]) -> None:
    """Ask for the values of the own fields of a card and set those that differ; of several cards, those filled in."""
    from core.actions.cards.details import GetCard
    from core.actions.fields.values import SetFields

    detail = await screen.podium.query(GetCard(item_id=cards[0].id))
    if not detail.fields:
        first = "" if "own_fields" in screen.keys.actions else "open the project, "
        can_add = Permission.WORKFLOW_MANAGE in detail.held
        how = f"To add one, {first}{HOW_TO_ADD}" if can_add else "An owner can add them."
        screen.podium.toast(f"{NO_FIELDS} {how}")
        return
    before = {each.field.key: each.value if len(cards) == 1 else "" for each in detail.fields}
    fields = await _form_fields(screen, detail, before)

    async def save(answers: dict[str, Any]) -> list[Any]:
        values = _changed(answers, before)
        if not values:
            return [detail.item]
        return await changes.send(
            cards,
            lambda card, seen: SetFields(item_id=card.id, values=values, seen_version=card.version if seen else None),
        )

    title = f"Fields of “{cards[0].title}”" if len(cards) == 1 else f"Fields of {len(cards)} cards"
    note = "" if len(cards) == 1 else "What you leave empty stays as it is on each card."
    record = cards[0] if len(cards) == 1 else None
    changes.report(await show_form(screen, title, fields, save, note=note, record=record) or [])


def _changed(answers: Mapping[str, Any], before: Mapping[str, str]) -> tuple[FieldValue, ...]:
    """The values that differ from those before."""
    said = {name.removeprefix(PREFIX): _text(answer) for name, answer in answers.items()}
    return tuple(FieldValue(key=key, value=text) for key, text in said.items() if text != before[key])


def _text(answer: Any) -> str:
    match answer:
        case tuple():
            return str(answer[0]) if answer else ""
        case date():
            return answer.isoformat()
        case None:
            return ""
    return str(answer)


async def _form_fields(screen: OwnerScreen, detail: CardDetail, values: Mapping[str, str]) -> list[Field]:
    from core.actions.projects.members import ListMembers

    people: tuple[tuple[str, str], ...] = ()
    if any(each.field.kind is FieldKind.PERSON for each in detail.fields):
        members = await screen.podium.query(ListMembers(project_id=detail.item.project_id))
        people = tuple((line.user.id, line.user.name) for line in members if line.user.active)
    return [_form_field(each.field, values[each.field.key], people) for each in detail.fields]


def _form_field(field: OwnField, value: str, people: tuple[tuple[str, str], ...]) -> Field:
    from tui.dialogs.fields.form_fields import DateField, PeopleField, PickerField, TextField

    name, held = f"{PREFIX}{field.key}", (value,) if value else ()
    match field.kind:
        case FieldKind.DATE:
            return DateField(name, field.name, date.fromisoformat(value) if value else None)
        case FieldKind.PERSON:
            return PeopleField(name, field.name, people, held)
        case FieldKind.CHOICE:
            return PickerField(name, field.name, tuple((choice, choice) for choice in field.choices), held)
        case FieldKind.LINK:
            return TextField(name, field.name, value, "https://…")
    return TextField(name, field.name, value)
