"""The own fields of the project: add, edit, move and remove them, from the palette."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.domain.fields import FieldKind, OwnField
from core.text.phrases import count
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking, show_form
from tui.wording.own_fields import KINDS

NEW = "new"
YES, NO = "yes", "no"
SUMS = ((YES, "added up"), (NO, "not added up"))


class OwnFieldActions(Controller):
    """Choose an own field of the project, and what to do with it."""

    def actions(self) -> Sequence[Action]:
        return (Action("own_fields", self.do_own_fields),)

    @asking
    async def do_own_fields(self) -> None:
        from core.actions.fields.own_fields import ListFields
        from tui.dialogs.menus.picker import Option, PickDialog

        lines = await self.podium.query(ListFields(project_id=self.screen.project_id))
        options = [
            Option(line.field.id, line.field.name, f"{KINDS[line.field.kind].lower()} · {count(line.cards, 'card')}")
            for line in lines
        ]
        picked = await self.podium.ask(PickDialog("Own fields of the project", [*options, Option(NEW, "New field")]))
        if picked == (NEW,):
            await self._add()
        elif picked:
            fields = [line.field for line in lines]
            await self._change(next(field for field in fields if field.id == picked[0]), fields)

    async def _add(self) -> None:
        from core.actions.fields.own_fields import AddField
        from tui.dialogs.fields.form_fields import ChoiceField, Field, MultilineField, TextField

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
        if await show_form(self.screen, "New own field", fields, save, submit="Add", about=self.screen.project_id):
            self.podium.toast("Added the field. Press I on a card to set it. u to undo.")

    async def _change(self, field: OwnField, fields: Sequence[OwnField]) -> None:
        from core.actions.fields.own_fields import MoveField, RemoveField
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

    async def _edit(self, field: OwnField) -> None:
        from core.actions.fields.own_fields import EditField, RenameChoice
        from tui.dialogs.fields.form_fields import ChoiceField, Field, MultilineField, TextField

        fields: list[Field] = [TextField("name", "Name", field.name)]
        if field.kind is FieldKind.NUMBER:
            fields.append(ChoiceField("sums", "Its numbers", SUMS, YES if field.sums else NO))
        if field.kind is FieldKind.CHOICE:
            note = "One on each line. A changed line renames the choice on the cards."
            fields.append(MultilineField("choices", "Choices", "\n".join(field.choices), note=note))

        async def save(values: dict[str, Any]) -> object:
            now, choices = field, _lines(values.get("choices", ""))
            for old, new in renamed(field.choices, choices):
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


def renamed(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """The choices that have another name on the same line, in as many lines, with their new names."""
    if len(before) != len(after):
        return []
    pairs = zip(before, after, strict=True)
    return [(old, new) for old, new in pairs if old != new and old not in after and new not in before]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())
