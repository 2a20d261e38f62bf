"""Checks of what the cards of a document wait for: the cards are there, and none waits for itself."""

from __future__ import annotations

from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter

from core.domain.dependencies import MAX_BLOCKERS, MAX_LAG
from core.domain.max_lengths import REASON
from core.errors import InvalidImport
from core.import_export.document import ItemEntry, ProjectDocument, WaitEntry
from core.record import replace
from core.text.document_fields import checked_moment, checked_text
from core.text.phrases import some
from core.text.sanitize import many_lines, quote_value
from core.text.short_keys import card_key, read_card_key

NAMED = 6
"""The most cards of a cycle that a refusal names."""


def accepted_waits(item: ItemEntry, where: str, place_of: Callable[[str], int | None]) -> tuple[WaitEntry, ...]:
    """Return what an item waits for, with texts as they are stored. Raises InvalidImport."""
    if len(item.waits_for) > MAX_BLOCKERS:
        raise InvalidImport(f"{where}.waitsFor", f"A card can wait for at most {MAX_BLOCKERS} cards.")
    found: list[WaitEntry] = []
    for at, wait in enumerate(item.waits_for):
        place = f"{where}.waitsFor[{at}]"
        if (wait.card is None) == (wait.key is None):
            raise InvalidImport(place, "Name the card either by “card” or by “key”.")
        if wait.card is not None:
            blocker, own = place_of(wait.card), place_of(item.id)
            if blocker is None:
                raise InvalidImport(f"{place}.card", f"There is no card with the id “{wait.card}” in the file.")
            if own is not None and blocker > own:
                raise InvalidImport(f"{place}.card", "A card cannot wait for a card of a later phase.")
        if not 0 <= wait.lag_days <= MAX_LAG:
            raise InvalidImport(f"{place}.lagDays", f"The lag is 0 to {MAX_LAG} days.")
        at_place = f"{place}.overriddenAt"
        overridden_at = checked_moment(wait.overridden_at, at_place) if wait.overridden_at else None
        reason = checked_text(f"{place}.overrideReason", many_lines, wait.override_reason, "reason", most=REASON)
        key = _key(wait.key, f"{place}.key") if wait.key is not None else None
        found.append(replace(wait, key=key, override_reason=reason, overridden_at=overridden_at))
    if len({(wait.card, wait.key) for wait in found}) < len(found):
        raise InvalidImport(f"{where}.waitsFor", "A card is listed twice.")
    return tuple(found)


def _key(text: str, where: str) -> str:
    named = read_card_key(text)
    if named is None:
        raise InvalidImport(where, f"“{quote_value(text)}” is not the key of a card, such as AUT-12.")
    return card_key(*named)


def check_waits(document: ProjectDocument) -> None:
    """Raise InvalidImport for a cycle of cards that wait for each other, also through activities."""
    items = {item.id: item for item in document.items}
    waits = {item.id: {wait.card for wait in item.waits_for if wait.card in items} for item in items.values()}
    if not any(waits.values()):
        return
    graph: dict[str, set[str | None]] = {item_id: set(found) for item_id, found in waits.items()}
    for item in items.values():
        if item.activity in items:
            graph[item.id] |= waits[item.activity] - {item.id}
            graph[item.activity].add(item.id)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        titles = [f"“{items[each].title}”" for each in reversed(error.args[1])]
        closing = set(error.args[1])
        where = next(
            f"phases[{phase_at}].items[{at}].waitsFor"
            for phase_at, phase in enumerate(document.phases)
            for at, item in enumerate(phase.items)
            if item.id in closing
        )
        raise InvalidImport(where, f"These cards wait for each other: {some(titles, NAMED)}.") from None
