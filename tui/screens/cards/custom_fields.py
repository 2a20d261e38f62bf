"""The custom fields of a project, which the palette adds, edits, moves and removes, and the form of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from core.domain.fields import CustomField, FieldKind, FieldValue
from core.domain.permissions import Permission
from core.text.amounts import spell_number
from core.text.phrases import count
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking, show_form
from tui.wording.custom_fields import KINDS

if TYPE_CHECKING:
    from core.actions.cards.details import CardDetail
    from tui.dialogs.fields.form_fields import Field
    from tui.screens.cards.controller import CardChanges
    from tui.screens.framework.controller import OwnerScreen
    from tui.services.cards import Target

NO_FIELDS = "This project has no custom fields yet."
HOW_TO_ADD = "press : and type “custom fields”."
PREFIX = "values."
"""The core names the field of a wrong value as ``values.KEY``, and so does the form."""

NEW = "new"
YES, NO = "yes", "no"
SUMS = ((YES, "added up"), (NO, "not added up"))


class CustomFieldActions(Controller):
    """Choose a custom field of the project, and what to do with it."""

    def actions(self) -> Sequence[Action]:
        return (Action("custom_fields", self.do_custom_fields),)

    @asking
    async def do_custom_fields(self) -> None:
        from core.actions.fields.custom_fields import ListFields
        from tui.dialogs.menus.picker import Option, PickDialog

        lines = await self.podium.query(ListFields(project_id=self.screen.project_id))
        options = [
            Option(line.field.id, line.field.name, f"{KINDS[line.field.kind].lower()} · {count(line.cards, 'card')}")
            for line in lines
        ]
        picked = await self.podium.ask(PickDialog("Custom fields of the project", [*options, Option(NEW, "New field")]))
        if picked == (NEW,):
            await self._add()
        elif picked:
            fields = [line.field for line in lines]
            await self._change(next(field for field in fields if field.id == picked[0]), fields)

    async def _add(self) -> None:
        from core.actions.fields.custom_fields import AddField
        from tui.dialogs.fields.form_fields import ChoiceField, MultilineField, TextField

        async def save(values: dict[str, Any]) -> object:
            kind = FieldKind(values["kind"])
            return await self.podium.send(
                AddField(
                    project_id=self.screen.project_id,
                    name=values["name"],
                    kind=kind,
                    choices=_lines(values.get("choices", "")),
                    sums=values.get("sums") == YES,
                )
            )

        fields: list[Field] = [
            TextField("name", "Name", placeholder="Estimate"),
            ChoiceField("kind", "Kind", tuple(KINDS.items()), FieldKind.NUMBER),
            ChoiceField("sums", "Its numbers", SUMS, YES, only=("kind", FieldKind.NUMBER)),
            MultilineField("choices", "Choices", only=("kind", FieldKind.CHOICE), note="One on each line."),
        ]
        if await show_form(self.screen, "New custom field", fields, save, submit="Add", about=self.screen.project_id):
            self.podium.toast("Added the field. Press I on a card to set it. u to undo.")

    async def _change(self, field: CustomField, fields: Sequence[CustomField]) -> None:
        from core.actions.fields.custom_fields import MoveField, RemoveField
        from tui.dialogs.menus.picker import Option, PickDialog

        place = [each.id for each in fields].index(field.id)
        options = [Option("edit", "Edit")]
        options += [Option("up", "Move up")] if place else []
        options += [Option("down", "Move down")] if place < len(fields) - 1 else []
        options += [Option("remove", "Remove, with its values on all cards")]
        picked = await self.podium.ask(PickDialog(field.name, options))
        if picked is None:
            return
        if picked == ("edit",):
            await self._edit(field)
        elif picked == ("remove",):
            await self.podium.send(RemoveField(field_id=field.id, seen_version=field.version))
            await self.screen.refresh_from_core()
            self.podium.toast(f"Removed the field “{field.name}”. u to undo.")
        else:
            before = place - 1 if picked == ("up",) else place + 2
            following = fields[before].id if before < len(fields) else None
            await self.podium.perform(MoveField(field_id=field.id, before_id=following, seen_version=field.version))

    async def _edit(self, field: CustomField) -> None:
        from core.actions.fields.custom_fields import EditField, RenameChoice
        from tui.dialogs.fields.form_fields import ChoiceField, MultilineField, TextField

        fields: list[Field] = [TextField("name", "Name", field.name)]
        if field.kind is FieldKind.NUMBER:
            fields.append(ChoiceField("sums", "Its numbers", SUMS, YES if field.sums else NO))
        if field.kind is FieldKind.CHOICE:
            note = "One on each line. A changed line renames the choice on the cards."
            fields.append(MultilineField("choices", "Choices", "\n".join(field.choices), note=note))

        async def save(values: dict[str, Any]) -> object:
            now, choices = field, _lines(values.get("choices", ""))
            for old, new in new_names(field.choices, choices):
                rename = RenameChoice(field_id=field.id, choice=old, name=new, seen_version=now.version)
                now = await self.podium.send(rename)
            return await self.podium.send(
                EditField(
                    field_id=field.id,
                    name=values["name"],
                    choices=choices if field.kind is FieldKind.CHOICE else None,
                    sums=values["sums"] == YES if field.kind is FieldKind.NUMBER else None,
                    seen_version=now.version,
                )
            )

        await show_form(self.screen, f"Edit the field “{field.name}”", fields, save, record=field)


def new_names(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """The choices that have another name on the same line, in as many lines, with their new names."""
    if len(before) != len(after):
        return []
    pairs = zip(before, after, strict=True)
    return [(old, new) for old, new in pairs if old != new and old not in after and new not in before]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


async def ask_fields(screen: OwnerScreen, changes: CardChanges, cards: Sequence[Target]) -> None:
    """Ask for the values of a card's custom fields and set those that differ; of several cards, those filled in."""
    from core.actions.cards.details import GetCard
    from core.actions.fields.custom_fields import SetFields

    detail = await screen.podium.query(GetCard(item_id=cards[0].id))
    if not detail.fields:
        first = "" if "custom_fields" in screen.keys.actions else "open the project, "
        can_add = Permission.WORKFLOW_MANAGE in detail.held
        how = f"To add one, {first}{HOW_TO_ADD}" if can_add else "An owner can add them."
        screen.podium.toast(f"{NO_FIELDS} {how}")
        return
    before = {each.field.key: each.value if len(cards) == 1 else "" for each in detail.fields}
    fields = await _form_fields(screen, detail, before)

    async def save(answers: dict[str, Any]) -> list[Any]:
        values = _differing(answers, before)
        if not values:
            return [detail.item]
        return await changes.send(
            cards,
            lambda card, seen: SetFields(item_id=card.id, values=values, seen_version=card.version if seen else None),
        )

    title = f"Fields of “{cards[0].title}”" if len(cards) == 1 else f"Fields of {len(cards)} cards"
    note = "" if len(cards) == 1 else "What you leave empty stays as it is on each card."
    record = cards[0] if len(cards) == 1 else None
    changes.report(await show_form(screen, title, fields, save, note=note, record=record) or [], cards)


def _differing(answers: Mapping[str, Any], before: Mapping[str, str]) -> tuple[FieldValue, ...]:
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


def _form_field(field: CustomField, value: str, people: tuple[tuple[str, str], ...]) -> Field:
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
        case FieldKind.NUMBER:
            return TextField(name, field.name, spell_number(value), is_amount=True)
    return TextField(name, field.name, value)
