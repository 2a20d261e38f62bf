"""Cards as the keys of a screen know them, whatever their kind and whatever draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.domain.model import Id, ItemKind, Status
from core.text.short_keys import card_key


class Target(Protocol):
    """A card of the Canvas, an item of the core or an open item: something that the keys of cards act on."""

    @property
    def id(self) -> Id: ...
    @property
    def kind(self) -> ItemKind: ...
    @property
    def phase_id(self) -> Id: ...
    @property
    def activity_id(self) -> Id | None: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> Status | None: ...
    @property
    def version(self) -> int: ...


def key_of(card: Target, project_key: str) -> str:
    """The key of a card, such as AUT-12; the id of one that has no number, such as an application."""
    number = getattr(card, "number", 0)
    return getattr(card, "key", "") or (card_key(project_key, number) if project_key and number else card.id)


STATUS_ORDER = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED)
"""The statuses that H and L step through; to archive is an action of its own."""


def next_status(status: Status | None, step: int) -> Status | None:
    """The status a step further (+1) or back (-1), or None at the end, in the archive and without a status."""
    if status not in STATUS_ORDER:
        return None
    place = STATUS_ORDER.index(status) + step
    return STATUS_ORDER[place] if 0 <= place < len(STATUS_ORDER) else None


def without_own_tasks(cards: Sequence[Target]) -> list[Target]:
    """The cards without the tasks whose activity is among them: a change of the activity includes them."""
    activities_here = {card.id for card in cards if card.kind is ItemKind.ACTIVITY}
    return [card for card in cards if card.kind is not ItemKind.TASK or card.activity_id not in activities_here]
