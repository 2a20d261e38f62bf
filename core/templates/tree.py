"""A workflow as a tree of parts of one type, so that comparing and merging are the same for all of them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from core.domain.model import Gate
from core.domain.templates import Difference, DifferenceKind, TemplateApplication, TemplateBody, TemplateItem
from core.domain.templates import TemplatePhase as Phase
from core.record import Record
from core.text.phrases import in_words, names

PHASE, ACTIVITY, TASK, DELIVERABLE, APPLICATION = "PHASE", "ACTIVITY", "TASK", "DELIVERABLE", "APPLICATION"

PLACE = "place"
"""The field of a difference in the position of a part among its siblings."""

FIELD_WORDS = {"title": "name", "due_days": "due", "slots": "roles", "evidence_required": "evidence required"}
"""Names of fields for people, for fields with a technical name."""


class Part(Record, kw_only=False):
    """A phase, an activity, a task, a deliverable or an application, with its children.

    ``fields`` has the fields of its template record except the children; ``source`` is that record.
    """

    what: str
    name: str
    fields: Mapping[str, object]
    children: tuple[Part, ...] = ()
    source: object = None
    """Parts that differ in it alone are equal."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part):
            return NotImplemented
        mine = (self.what, self.name, self.fields, self.children)
        return mine == (other.what, other.name, other.fields, other.children)

    @property
    def group(self) -> str:
        """Siblings of one group share one order."""
        return "ITEM" if self.what in (ACTIVITY, TASK) else self.what

    @property
    def identity(self) -> str:
        """The key that tells siblings apart: an application of another product is another part."""
        return f"{self.name}\n{self.fields.get('product', '')}".casefold()

    def all(self) -> Iterator[tuple[tuple[str, ...], Part]]:
        """The part and all its descendants, each with the names on the way to it."""
        yield (self.name,), self
        for child in self.children:
            yield from (((self.name, *path), part) for path, part in child.all())


def slots_of(part: Part) -> tuple[str, ...]:
    """The meta roles of a part; none for a part without people."""
    slots = part.fields.get("slots")
    return slots if isinstance(slots, tuple) else ()


Some = TypeVar("Some", bound=Part)
Key = tuple[str, str, int]
"""Type and identity of a part, and its number among siblings with the same type and identity."""


def by_identity(parts: Iterable[Some]) -> dict[Key, Some]:
    """Parts by the key that matches them between workflows; equal names are matched in order."""
    seen: Counter[tuple[str, str]] = Counter()
    found: dict[Key, Some] = {}
    for part in parts:
        same = (part.what, part.identity)
        found[(*same, seen[same])] = part
        seen[same] += 1
    return found


def parts_of(body: TemplateBody) -> tuple[Part, ...]:
    """The phases of a workflow, with all their parts."""
    return tuple(map(_phase, body.phases))


def _phase(phase: Phase) -> Part:
    fields = {
        "name": phase.name,
        "objectives": phase.objectives,
        "outcomes": phase.outcomes,
        "gate": phase.gate,
        "evidence_required": phase.evidence_required,
        "due_days": phase.due_days,
        "slots": phase.slots,
    }
    deliverables = (Part(DELIVERABLE, name, {"name": name}, (), name) for name in phase.deliverables)
    children = (*deliverables, *map(_item, phase.items), *map(_application, phase.applications))
    return Part(PHASE, phase.name, fields, children, phase)


def _item(item: TemplateItem) -> Part:
    fields = {
        "title": item.title,
        "description": item.description,
        "link": item.link,
        "due_days": item.due_days,
        "slots": item.slots,
    }
    held = (_application(item.application),) if item.application else ()
    return Part(item.kind.value, item.title, fields, (*map(_item, item.tasks), *held), item)


def _application(each: TemplateApplication) -> Part:
    fields = {"name": each.name, "product": each.product, "due_days": each.due_days, "slots": each.slots}
    return Part(APPLICATION, each.name, fields, (), each)


def lines(kind: DifferenceKind, path: tuple[str, ...], part: Part) -> Iterator[Difference]:
    """The differences of a part that is on one side only: one for itself and one for each descendant."""
    for names_, each in part.all():
        yield Difference(kind=kind, what=each.what, path=(*path, *names_))


def words(name: str, value: object) -> str:
    """The value of a field as text for people."""
    match value:
        case tuple():
            return names(value) or "nobody"
        case bool():
            return "yes" if value else "no"
        case Gate():
            return in_words(value)
        case int() if name == "due_days":
            return f"day {value}"
        case None:
            return "no day"
    return str(value)


def place(key: Key, among: Mapping[Key, Part]) -> str:
    """The position of a part among its siblings: "first" or "after “Brief”"."""
    beside = [each for each in among if among[each].group == among[key].group]
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
