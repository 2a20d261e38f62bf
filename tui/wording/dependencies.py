"""The cards at the other ends of dependencies, in words."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from core.domain.dependencies import LinkedCard
from core.domain.model import ItemKind
from core.text.phrases import count
from tui.drawing.cells import plain
from tui.drawing.styles import Symbols
from tui.drawing.theme import QUIET


def linked_words(cards: Sequence[LinkedCard], unseen: int, signs: Symbols) -> Content:
    """The cards, one on a line, each with the sign of its status, its key, lag and override; empty for none."""
    lines = [_line(card, signs) for card in cards]
    if unseen:
        lines.append(Content.styled(f"{count(unseen, 'card')} that you cannot see", QUIET))
    return Content("\n").join(lines)


def _line(card: LinkedCard, signs: Symbols) -> Content:
    sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
    return Content.assemble(f"{sign} ", plain(f"{card.key} {card.title}"), (linked_facts(card), QUIET))


def linked_facts(card: LinkedCard) -> str:
    """The facts beside the title of a linked card."""
    facts = [
        card.project,
        f"{count(card.lag_days, 'day')} later" if card.lag_days else "",
        "with its activity" if card.through_activity else "",
        f"overridden by {card.overridden_by}: {card.override_reason}" if card.override_reason else "",
    ]
    return "".join(f"  {fact}" for fact in facts if fact)
