"""The values of ``label:`` and ``priority:`` in a filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from core.domain.canvas import Card
from core.domain.model import ItemKind, Priority
from core.filters.due_values import SIGNS, sign_of
from core.filters.parser import Value
from core.filters.suggestions import Suggestion, quoted
from core.text.label_names import folded, without_hash
from core.text.phrases import some
from core.text.sanitize import sanitized

if TYPE_CHECKING:
    from core.filters.context import FilterContext

Test = Callable[[Card], bool]
LISTED = 6
"""The most labels that a refusal lists."""

PRIORITIES = {priority.lower(): priority for priority in reversed(Priority)}


def label_predicate(value: Value, around: FilterContext) -> Test:
    """Return the condition for a value of ``label:``: none, any, a name, or a part of names. Raises InvalidFilter."""
    if value.word in ("none", "any"):
        return lambda card: card.kind is not ItemKind.APPLICATION and bool(card.labels) == (value.word == "any")
    word = folded(without_hash(value.text))
    found = [each for each in around.labels if folded(each.name) == word]
    found = found or [each for each in around.labels if word in folded(each.name)]
    if not found:
        here = some([sanitized(each.name) for each in around.labels], LISTED)
        rest = f"Write none, any or a name. The labels are {here}." if here else "There are none yet."
        raise value.refused(f"There is no label {value.quoted}. {rest}")
    ids = frozenset(each.id for each in found)
    return lambda card: not ids.isdisjoint(card.labels)


def priority_predicate(value: Value, _: FilterContext) -> Test:
    """Return the condition for a value of ``priority:``, a step or a comparison with one. Raises InvalidFilter."""
    sign = sign_of(value.text)
    wanted = PRIORITIES.get(value.part(len(sign)).word)
    if wanted is None:
        raise value.not_among("priority", [*PRIORITIES, ">=high"])
    compare = SIGNS[sign or "="]
    matching = frozenset(each for each in Priority if compare(each.step, wanted.step))
    return lambda card: card.priority in matching and card.kind is not ItemKind.APPLICATION


def labels_offered(around: FilterContext) -> Iterable[Suggestion]:
    """Yield the values that are offered after ``label:``."""
    yield Suggestion("none", "without a label")
    yield Suggestion("any", "with a label")
    for name in dict.fromkeys(each.name for each in around.labels):
        yield Suggestion(quoted(name), "label", name)


def priorities_offered(_: FilterContext) -> Iterable[Suggestion]:
    """Yield the values that are offered after ``priority:``."""
    yield Suggestion(">=high", "high or urgent")
    for word in PRIORITIES:
        yield Suggestion(word, f"{word} priority")
