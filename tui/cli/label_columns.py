"""The columns of priority and labels in lists of cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain.model import Priority


def columns(labels: Iterable[object], priorities: Iterable[Priority]) -> tuple[str, ...]:
    """The heads of the columns of priority and labels, which a list has where a card has one."""
    heads = {"PRIORITY": any(each is not Priority.NORMAL for each in priorities), "LABELS": any(labels)}
    return tuple(head for head, needed in heads.items() if needed)


def cells(heads: Sequence[str], priority: Priority, labels: Iterable[str]) -> tuple[str, ...]:
    """The cells of a card in the columns of ``columns``."""
    texts = {"PRIORITY": priority.shown, "LABELS": ", ".join(labels)}
    return tuple(texts[head] for head in heads if head in texts)
