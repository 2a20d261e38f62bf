"""The long texts of a record: edited in the editor or in the whole window, and their check boxes ticked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.engine.messages import Command
from core.record import Record
from tui.screens.framework.controller import OwnerScreen
from tui.screens.framework.dialogs import show_dialog

if TYPE_CHECKING:
    from tui.dialogs.fields.form_fields import MultilineField

NO_BOXES = "There are no check boxes here. A line like “- [ ] Call the printer” is one."


class LongTexts(Record, kw_only=False):
    """The long texts of a record as it was read, and the command that changes some of them."""

    record: Any
    title: str
    """The title of the record."""
    fields: tuple[MultilineField, ...]
    save: Callable[..., Command[Any]]
    """Makes the command from new texts by the names of their fields."""


async def edit_long_text(screen: OwnerScreen, texts: LongTexts) -> None:
    """Edit one of the texts; of several, the user chooses which."""
    from tui.dialogs.form import LongTextDialog

    field = await _find_chosen(screen, texts)
    if field is None:
        return

    async def save(values: dict[str, Any]) -> object:
        return await screen.podium.send_or_ask(texts.save(**values))

    await show_dialog(screen, LongTextDialog(f"{field.label} of “{texts.title}”", field, save, texts.record))


async def tick_boxes(screen: OwnerScreen, texts: LongTexts) -> None:
    """Tick the only check box of the texts, or empty it; of several boxes, the user chooses which are ticked."""
    from tui.dialogs.menus.picker import Option, PickDialog
    from tui.drawing.markdown.blocks import AS_PLAIN_TEXT, read_document
    from tui.drawing.markdown.boxes import boxes_of, tick_boxes

    boxes = {f"{field.name} {box.line}": (field, box) for field in texts.fields for box in boxes_of(field.value)}
    if not boxes:
        why = next(filter(None, (read_document(field.value).why_plain for field in texts.fields)), "")
        screen.podium.toast(f"No check boxes: {AS_PLAIN_TEXT.format(why).removeprefix('… ')}" if why else NO_BOXES)
        return
    if len(boxes) == 1:
        chosen = [name for name, (_, box) in boxes.items() if not box.is_ticked]
    else:
        hints = {field.name: field.label if len(texts.fields) > 1 else "" for field in texts.fields}
        options = [Option(name, box.words, hints[field.name]) for name, (field, box) in boxes.items()]
        now = [name for name, (_, box) in boxes.items() if box.is_ticked]
        dialog = PickDialog(f"Tick in “{texts.title}”", options, multiple=True, only_marked=True, chosen=now)
        picked = await screen.podium.ask(dialog)
        if picked is None:
            return
        chosen = [*picked]
    changed: dict[str, str] = {}
    for field in texts.fields:
        lines = {boxes[name][1].line for name in chosen if boxes[name][0] is field}
        text = tick_boxes(field.value, lines)
        if text != field.value:
            changed[field.name] = text
    if changed:
        await screen.podium.perform(texts.save(**changed))


async def _find_chosen(screen: OwnerScreen, texts: LongTexts) -> MultilineField | None:
    from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry

    if len(texts.fields) == 1:
        return texts.fields[0]
    entries = [MenuEntry(field.name, str(number), field.label) for number, field in enumerate(texts.fields, 1)]
    name = await screen.podium.ask(KeyMenu(f"Texts of “{texts.title}”", entries))
    return next((field for field in texts.fields if field.name == name), None)
