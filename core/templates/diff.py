"""The differences between two workflows: parts are matched by their names from the phase down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.domain.templates import FIELD, Difference, DifferenceKind, TemplateBody, TemplateField
from core.templates.tree import FIELD_WORDS, PLACE, Key, Part, by_identity, group_of, lines, minimal_moves, place, words


def differences(before: TemplateBody, after: TemplateBody) -> tuple[Difference, ...]:
    """The changes that lead from one workflow to the other, in the order of the later one.

    A renamed part counts as removed and added, because only its name could show that it is the same.
    """
    return (*field_differences(before, after), *_between((), by_identity(before.phases), by_identity(after.phases)))


def field_differences(before: TemplateBody, after: TemplateBody) -> Iterator[Difference]:
    """Yield the custom fields that the later workflow adds, changes and removes."""
    had, has = ({field.key: field for field in body.fields} for body in (before, after))
    for key, field in has.items():
        if key not in had:
            yield added_field(field)
            continue
        for name in ("name", "kind", "choices", "sums"):
            old, new = getattr(had[key], name), getattr(field, name)
            if old != new:
                yield Difference(
                    kind=DifferenceKind.CHANGED,
                    what=FIELD,
                    path=(field.name,),
                    field=name,
                    before=words(name, old),
                    after=words(name, new),
                )
    for key, field in had.items():
        if key not in has:
            yield Difference(kind=DifferenceKind.REMOVED, what=FIELD, path=(field.name,))


def added_field(field: TemplateField) -> Difference:
    """The difference of a custom field that is new."""
    return Difference(kind=DifferenceKind.ADDED, what=FIELD, path=(field.name,))


def _between(path: tuple[str, ...], before: Mapping[Key, Part], after: Mapping[Key, Part]) -> Iterator[Difference]:
    moved = moves(before, after)
    for key, part in after.items():
        if key not in before:
            yield from lines(DifferenceKind.ADDED, path, part)
            continue
        old, here = before[key], (*path, part.name)
        had = old.fields
        for name, value in part.fields.items():
            if value != had[name]:
                yield make_change(here, old, name, value)
        if key in moved:
            yield Difference(
                kind=DifferenceKind.CHANGED,
                what=part.what,
                path=here,
                field=PLACE,
                before=place(key, before),
                after=place(key, after),
            )
        yield from _between(here, by_identity(old.children), by_identity(part.children))
    for key, old in before.items():
        if key not in after:
            yield from lines(DifferenceKind.REMOVED, path, old)


def make_change(path: tuple[str, ...], part: Part, name: str, value: object, reason: str = "") -> Difference:
    """The difference of a field that changes; with a ``reason``, of a field that keeps its value."""
    return Difference(
        kind=DifferenceKind.KEPT if reason else DifferenceKind.CHANGED,
        what=part.what,
        path=path,
        field=FIELD_WORDS.get(name, name),
        before=words(name, part.fields[name]),
        after=words(name, value),
        reason=reason,
    )


def moves(before: Mapping[Key, Part], after: Mapping[Key, Part]) -> set[Key]:
    """The parts in both that have to move, each within its group."""
    found: set[Key] = set()
    for group in dict.fromkeys(group_of(part) for part in after.values()):
        mine = [key for key, part in after.items() if group_of(part) == group and key in before]
        found |= minimal_moves([key for key in before if key in set(mine)], mine)
    return found
