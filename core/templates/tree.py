"""A workflow as a tree: the parts of a template, or of a project, seen alike, so that they are compared and merged."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, Union, cast

from core.domain.gate_policy import CriterionKind, GatePolicy
from core.domain.model import Gate, Priority
from core.domain.templates import (
    ACTIVITY,
    TASK,
    Difference,
    DifferenceKind,
    TemplateApplication,
    TemplateCriterion,
    TemplatePart,
    TemplatePolicy,
    TemplateRecord,
)
from core.record import made_from
from core.rules.gate_panel import describe_policy
from core.text.phrases import in_words, names

if TYPE_CHECKING:
    from core.templates.project_tree import LiveNode

PLACE = "place"
"""The field of a difference in the position of a part among its siblings."""

FIELD_WORDS = {
    "title": "name",
    "due_days": "due",
    "slots": "roles",
    "values": "fields",
    "policy": "who decides",
    "at_least": "at least",
    "amount": "limit",
    "may_be_empty": "may be empty",
    "evidence_required": "evidence required",
    "no_statements": "statements refused",
}
"""Names of fields for people, for fields with a technical name."""


Part = Union[TemplatePart, "LiveNode"]
"""A phase, an activity, a task, a deliverable or an application, of a template or of a project."""

Some = TypeVar("Some", bound=Part)
Key = tuple[str, str, int]
"""Type and identity of a part, and its number among siblings with the same type and identity."""


def group_of(part: Part) -> str:
    """The group of a part among its siblings: those of one group share one order."""
    return "ITEM" if part.what in (ACTIVITY, TASK) else part.what


def with_all_in(part: Some) -> Iterator[tuple[tuple[str, ...], Some]]:
    """The part and all its descendants, each with the names on the way to it."""
    yield (part.name,), part
    for child in cast(Sequence[Some], part.children):
        yield from (((part.name, *path), each) for path, each in with_all_in(child))


def all_parts(parts: Iterable[TemplatePart]) -> Iterator[TemplatePart]:
    """The parts of a template and all parts in them, from the top to the bottom."""
    for part in parts:
        yield part
        yield from all_parts(part.children)


def by_identity(parts: Iterable[Some]) -> dict[Key, Some]:
    """Parts by the key that matches them between workflows; equal names are matched in order.

    An application of another product is another part, whatever its name, as is a criterion of another kind.
    """
    seen: Counter[tuple[str, str]] = Counter()
    found: dict[Key, Some] = {}
    for part in parts:
        held = part if isinstance(part, TemplateRecord) else part.part
        own = held.kind if isinstance(held, TemplateCriterion) else ""
        own = held.product if isinstance(held, TemplateApplication) else own
        same = (part.what, f"{part.name}\n{own}".casefold())
        found[(*same, seen[same])] = part
        seen[same] += 1
    return found


def lines(kind: DifferenceKind, path: tuple[str, ...], part: Part) -> Iterator[Difference]:
    """The differences of a part that is on one side only: one for itself and one for each descendant."""
    for names_, each in with_all_in(part):
        yield Difference(kind=kind, what=each.what, path=(*path, *names_))


def words(name: str, value: object) -> str:
    """The value of a field as text for people."""
    match value:
        case tuple() if name == "values":
            return names([f"{each.key} {each.value}" for each in value]) or "none"
        case tuple():
            return names(value) or ("none" if name == "labels" else "nobody")
        case bool():
            return "yes" if value else "no"
        case Gate() | Priority():
            return in_words(value)
        case int() if name == "due_days":
            return f"day {value}"
        case TemplatePolicy():
            return policy_words(value)
        case None:
            return "one owner" if name == "policy" else "no day"
    return str(value)


def policy_words(policy: TemplatePolicy) -> str:
    """The policy of a gate as text for people, its people as roles: "2 of “Approver”, four eyes, by day 28"."""
    called = {role: role for role in policy.slots}
    said = made_from(
        GatePolicy,
        policy,
        project_id="",
        phase_id="",
        meta_role_id=next(iter(policy.roles), None),
        people=policy.roles,
        secretary_id=policy.secretary or None,
    )
    by = f", by day {policy.due_days}" if policy.due_days is not None else ""
    return describe_policy(said, called, called) + by


def criterion_words(each: TemplateCriterion) -> str:
    """The way in which a criterion is met: "met by hand by Lead", "all cards of “label:legal” are closed"."""
    if each.kind is CriterionKind.HAND:
        return f"met by hand by {names(each.slots) or 'a person to be named'}"
    summed = f"{each.field} of the cards of “{each.filter}” adds up to {'at least' if each.at_least else 'at most'}"
    said = f"{summed} {each.amount}" if each.kind is CriterionKind.SUM else f"all cards of “{each.filter}” are closed"
    return f"{said}, or there are none" if each.may_be_empty else said


def place(key: Key, among: Mapping[Key, Part]) -> str:
    """The position of a part among its siblings: "first" or "after “Brief”"."""
    beside = [each for each in among if group_of(among[each]) == group_of(among[key])]
    at = beside.index(key)
    return f"after “{among[beside[at - 1]].name}”" if at else "first"


def minimal_moves(before: Sequence[Key], after: Sequence[Key]) -> set[Key]:
    """The smallest set of keys that have to move to turn one order into the other."""
    at = {key: place for place, key in enumerate(before)}
    ends: list[int] = []  # for each length, the lowest end of a rising sequence
    length = {}
    for key in after:
        length[key] = bisect_left(ends, at[key])
        ends[length[key] : length[key] + 1] = [at[key]]
    wanted, below, staying = len(ends) - 1, len(before), set()
    for key in reversed(after):
        if length[key] == wanted and at[key] < below:
            staying.add(key)
            wanted, below = wanted - 1, at[key]
    return set(after) - staying
