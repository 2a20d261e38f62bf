"""The fields of the filter language: their conditions and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id, ItemKind, PhaseState, Priority, Status
from core.domain.statuses import CLOSED, SHORT_STATUSES, STATUS_WORDS
from core.filters.context import Suggestion, quote_if_needed
from core.filters.due_values import DUE_WORDS, SIGNS, due_predicate, sign_of
from core.filters.parser import QUOTE, Value
from core.record import Record
from core.text.folding import fold
from core.text.label_names import fold_name, without_hash
from core.text.phrases import some
from core.text.sanitize import sanitize

if TYPE_CHECKING:
    from core.filters.context import FilterContext

Test = Callable[[Card], bool]
LISTED = 6
"""The most users, phases or labels that a refusal lists."""

STATUSES: dict[str, frozenset[Status]] = {
    **{word: frozenset({status}) for status, word in SHORT_STATUSES.items()},
    "open": frozenset(Status) - CLOSED,
    **{word.replace(" ", "").lower(): frozenset({status}) for status, word in STATUS_WORDS.items()},
}
"""The values of ``status``: short words, and full names without spaces and hyphens."""

HAVING: dict[str, tuple[Test, str]] = {
    "comments": (lambda card: card.comments > 0, "it has comments"),
    "link": (lambda card: card.has_link, "it has a link"),
    "tasks": (lambda card: card.tasks > 0, "an activity with tasks"),
    "labels": (lambda card: bool(card.labels), "it has labels"),
    "due": (lambda card: card.due is not None, "it has a due date"),
    "assignee": (lambda card: bool(card.assignee_ids), "it has an assignee"),
}

IS: dict[str, str] = {
    "ready": "can start now: To Do, in an unlocked phase, waiting for no open card",
    "blocked": "waits for an open card",
}
"""The values of ``is``, with their meaning."""

BLOCKS: dict[str, tuple[Test, str]] = {
    "any": (lambda card: card.blocks > 0, "open cards wait for it"),
    "none": (lambda card: not card.blocks, "no open card waits for it"),
}


class FilterField(Record, kw_only=False):
    """A field. ``test`` turns a value into a condition, or raises InvalidFilter."""

    name: str
    picks: str
    test: Callable[[Value, FilterContext], Test]
    values: Callable[[FilterContext], Iterable[Suggestion]]
    of_project: bool = False
    """True if its values depend on the project."""


def _test_of_assignee(value: Value, around: FilterContext) -> Test:
    if value.word == "none":
        return lambda card: not card.assignee_ids
    if value.word == "any":
        return HAVING["assignee"][0]
    people = frozenset({around.me}) if value.word == "me" else people_named(value, around.members)
    return lambda card: not people.isdisjoint(card.assignee_ids)


def people_named(value: Value, members: tuple[CanvasMember, ...]) -> frozenset[Id]:
    """Return the members with this login or name, else all whose name contains it. Raises InvalidFilter."""
    exactly = [each for each in members if value.word in (fold(each.login), fold(each.name))]
    found = exactly or [each for each in members if value.word in fold(each.name)]
    if not found:
        here = some([each.name for each in members], LISTED) or "none"
        raise value.make_error(
            f"There is no member {value.quoted}. Write me, none, any or a name. The members are {here}."
        )
    return frozenset(each.user_id for each in found)


def _test_of_phase(value: Value, around: FilterContext) -> Test:
    ids = phases_named(value, around)
    return lambda card: card.phase_id in ids


def phases_named(value: Value, around: FilterContext) -> frozenset[Id]:
    """Return the phases with this number, else with this name, else those whose name contains it. Raises
    InvalidFilter."""
    columns, word = around.columns, value.word
    found = [each for each in columns if str(each.number) == word]
    found = found or [each for each in columns if fold(each.name) == word]
    found = found or [each for each in columns if word in fold(each.name)]
    if not found:
        here = some([f"{each.number} {each.name}" for each in columns], LISTED) or "none"
        raise value.make_error(f"There is no phase {value.quoted}. The phases are {here}.")
    return frozenset(each.id for each in found)


def _test_of_status(value: Value, _: FilterContext) -> Test:
    statuses = statuses_meant(value)
    return lambda card: card.status in statuses


def statuses_meant(value: Value) -> frozenset[Status]:
    """Return the statuses that a value of ``status:`` means. Raises InvalidFilter."""
    word = "".join(letter for letter in value.word if letter not in " _-")
    if word not in STATUSES:
        raise value.not_among("status", (*SHORT_STATUSES.values(), "open"))
    return STATUSES[word]


def _test_of_type(value: Value, _: FilterContext) -> Test:
    kinds = {kind.lower(): kind for kind in ItemKind}
    if value.word not in kinds:
        raise value.not_among("type", list(kinds))
    kind = kinds[value.word]
    return lambda card: card.kind is kind


def _test_of_having(value: Value, _: FilterContext) -> Test:
    if value.word not in HAVING:
        raise value.not_among("has", list(HAVING))
    return HAVING[value.word][0]


def _test_of_state(value: Value, around: FilterContext) -> Test:
    if value.word not in IS:
        raise value.not_among("is", list(IS))
    if value.word == "blocked":
        return lambda card: card.waits_for > 0
    unlocked = frozenset(column.id for column in around.columns if column.state is not PhaseState.LOCKED)
    return lambda card: card.can_start(unlocked)


def _test_of_blocking(value: Value, _: FilterContext) -> Test:
    if value.word not in BLOCKS:
        raise value.not_among("blocks", list(BLOCKS))
    return BLOCKS[value.word][0]


def _assignees(around: FilterContext) -> Iterable[Suggestion]:
    yield Suggestion("me", "assigned to me")
    yield Suggestion("none", "without an assignee")
    yield Suggestion("any", "with an assignee")
    for member in around.members:
        yield Suggestion(member.login, sanitize(member.name), member.name)


def _phases(around: FilterContext) -> Iterable[Suggestion]:
    for column in around.columns:
        by_number = QUOTE in column.name or column.name.isdecimal()
        word = str(column.number) if by_number else quote_if_needed(column.name)
        yield Suggestion(word, f"phase {column.number}, {column.state.lower()}", f"{column.number} {column.name}")


def _words(**meanings: str) -> Callable[[FilterContext], Iterable[Suggestion]]:
    suggested = tuple(Suggestion(*each) for each in meanings.items())
    return lambda _: suggested


PRIORITIES = {priority.lower(): priority for priority in reversed(Priority)}


def label_predicate(value: Value, around: FilterContext) -> Test:
    """Return the condition for a value of ``label:``: none, any, a name, or a part of names. Raises InvalidFilter."""
    if value.word in ("none", "any"):
        return lambda card: card.kind is not ItemKind.APPLICATION and bool(card.labels) == (value.word == "any")
    ids = labels_named(value, around)
    return lambda card: not ids.isdisjoint(card.labels)


def labels_named(value: Value, around: FilterContext) -> frozenset[Id]:
    """Return the labels with this name, else those whose name contains it. Raises InvalidFilter."""
    word = fold_name(without_hash(value.text))
    found = [each for each in around.labels if fold_name(each.name) == word]
    found = found or [each for each in around.labels if word in fold_name(each.name)]
    if not found:
        here = some([sanitize(each.name) for each in around.labels], LISTED)
        rest = f"Write none, any or a name. The labels are {here}." if here else "There are none yet."
        raise value.make_error(f"There is no label {value.quoted}. {rest}")
    return frozenset(each.id for each in found)


def priority_predicate(value: Value, _: FilterContext) -> Test:
    """Return the condition for a value of ``priority:``, a step or a comparison with one. Raises InvalidFilter."""
    matching = priorities_meant(value)
    return lambda card: card.priority in matching and card.kind is not ItemKind.APPLICATION


def priorities_meant(value: Value) -> frozenset[Priority]:
    """Return the priorities that a value of ``priority:`` means. Raises InvalidFilter."""
    sign = sign_of(value.text)
    wanted = PRIORITIES.get(value.part(len(sign)).word)
    if wanted is None:
        raise value.not_among("priority", [*PRIORITIES, ">=high"])
    compare = SIGNS[sign or "="]
    return frozenset(each for each in Priority if compare(each.step, wanted.step))


def labels_offered(around: FilterContext) -> Iterable[Suggestion]:
    """Yield the values that are offered after ``label:``."""
    yield Suggestion("none", "without a label")
    yield Suggestion("any", "with a label")
    for name in dict.fromkeys(each.name for each in around.labels):
        yield Suggestion(quote_if_needed(name), "label", name)


def priorities_offered(_: FilterContext) -> Iterable[Suggestion]:
    """Yield the values that are offered after ``priority:``."""
    yield Suggestion(">=high", "high or urgent")
    for word in PRIORITIES:
        yield Suggestion(word, f"{word} priority")


FIELDS = {
    field.name: field
    for field in (
        FilterField(
            "assignee", "its assignee: me, none, a name; or @name", _test_of_assignee, _assignees, of_project=True
        ),
        FilterField(
            "due",
            "its due date: late, week, <fri, +2w, 1dec..7dec",
            due_predicate,
            lambda _: (Suggestion(word, meaning) for word, meaning in DUE_WORDS.items()),
        ),
        FilterField(
            "status",
            "its status: todo, doing, done, open",
            _test_of_status,
            _words(
                **{SHORT_STATUSES[each]: STATUS_WORDS[each] for each in Status if each is not Status.ARCHIVED},
                open=f"{STATUS_WORDS[Status.TO_DO]} or {STATUS_WORDS[Status.IN_PROGRESS]}",
                archived="archived",
            ),
        ),
        FilterField(
            "label", "its labels: none, any, a name; or #name", label_predicate, labels_offered, of_project=True
        ),
        FilterField("priority", "its priority: urgent, >=high; or !high", priority_predicate, priorities_offered),
        FilterField("phase", "its phase: a number or a name", _test_of_phase, _phases, of_project=True),
        FilterField(
            "type",
            "task, activity or application",
            _test_of_type,
            _words(task="tasks", activity="activities", application="applications"),
        ),
        FilterField(
            "has",
            "comments, link, tasks, labels, due or assignee",
            _test_of_having,
            lambda _: (Suggestion(word, meaning) for word, (_, meaning) in HAVING.items()),
        ),
        FilterField("is", "ready or blocked", _test_of_state, _words(**IS)),
        FilterField(
            "blocks",
            "any: open cards wait for it",
            _test_of_blocking,
            lambda _: (Suggestion(word, meaning) for word, (_, meaning) in BLOCKS.items()),
        ),
    )
}
