"""Choosing a filter: the built-in ones and the user's saved ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from core.domain.presets import SavedFilter
from tui.drawing.cells import fit
from tui.screens.framework.dialogs import show_form

if TYPE_CHECKING:
    from tui.screens.views.filtering import CardFilter

COMMON = (
    ("m", "Mine", "assignee:me"),
    ("l", "Late", "due:late"),
    ("w", "Due this week", "due:week"),
    ("u", "Unassigned", "assignee:none"),
    ("o", "Open", "status:open"),
)
"""The built-in filters: key, name and filter."""

KEEP, FORGET = "keep", "forget"
NUMBERED = 9
"""The number of saved filters with a key; the cursor reaches the others."""


async def choose_filter(cards: CardFilter) -> None:
    """Offer the filters, and put the chosen one into the filter line."""
    from core.actions.personal.saved_filters import ListSavedFilters
    from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry

    saved = await cards.podium.query(ListSavedFilters())
    texts = {f"common {key}": text for key, _, text in COMMON}
    wide = max(cell_len(name) for name in (*(words for _, words, _ in COMMON), *(each.name for each in saved)))
    entries = [MenuEntry(f"common {key}", key, f"{fit(words, wide, pad=True)}  {text}") for key, words, text in COMMON]
    for number, each in enumerate(saved, 1):
        texts[f"saved {each.name}"] = each.text
        key = str(number) if number <= NUMBERED else ""
        entries.append(MenuEntry(f"saved {each.name}", key, f"{fit(each.name, wide, pad=True)}  {each.text}"))
    nothing = "" if cards.text.strip() else "No filter to save. Press / to type one."
    entries.append(MenuEntry(KEEP, "k", "Save this filter…", nothing))
    entries.append(MenuEntry(FORGET, "d", "Delete a saved filter…", "" if saved else "No saved filters yet."))
    picked = await cards.podium.ask(KeyMenu("Filter by", entries))
    if picked == KEEP:
        await _keep(cards)
    elif picked == FORGET:
        await _forget(cards, saved)
    elif picked:
        cards.line.put(texts[picked])


async def _keep(cards: CardFilter) -> None:
    from core.actions.personal.saved_filters import SaveFilter
    from tui.dialogs.fields.form_fields import TextField

    text = cards.text

    async def save(values: dict[str, Any]) -> SavedFilter:
        return await cards.podium.send(SaveFilter(name=values["name"], text=text))

    fields = [TextField("name", "Name", "", "Such as: my week")]
    kept = await show_form(cards.screen, "Save this filter", fields, save, submit="Save", note=text)
    if kept is not None:
        cards.podium.toast(f"Saved as “{kept.name}”. Press f in any project to use it.")


async def _forget(cards: CardFilter, saved: tuple[SavedFilter, ...]) -> None:
    from core.actions.personal.saved_filters import DeleteSavedFilter
    from tui.dialogs.menus.picker import Option, PickDialog

    options = [Option(each.name, each.name, each.text) for each in saved]
    for name in await cards.podium.ask(PickDialog("Delete saved filters", options)) or ():
        await cards.podium.send(DeleteSavedFilter(name=name))
        text = next(each.text for each in saved if each.name == name)
        cards.podium.toast(f"Deleted the filter “{name}”, which was {text}")
