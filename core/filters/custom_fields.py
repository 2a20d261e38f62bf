"""The custom fields of a project as fields of the filter language: ``estimate:>3``, ``owner:bob``, ``stage:draft``."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from datetime import date
from typing import TYPE_CHECKING

from core.domain.canvas import Card
from core.domain.fields import CustomField, FieldKind, read_kept_number
from core.errors import InvalidInput
from core.filters.context import Suggestion, quote_if_needed
from core.filters.due_values import DAY_WORDS, RANGE, SIGNS, day_predicate, sign_of
from core.filters.fields import FIELDS, LISTED, FilterField, Test, people_named
from core.filters.parser import Value
from core.text.folding import fold
from core.text.phrases import names, some
from core.text.sanitize import sanitize

if TYPE_CHECKING:
    from core.filters.context import FilterContext


def fields_in(around: FilterContext) -> dict[str, FilterField]:
    """Return all fields that a filter can name in a project, by name."""
    return FIELDS | {field.key: _filter_field(field) for field in around.fields} if around.fields else FIELDS


def field_named(value: Value, around: FilterContext, others: Container[str] = ()) -> FilterField | None:
    """Return the field with this name, None for one of ``others``. Raises InvalidFilter."""
    known = fields_in(around)
    if value.word not in known:
        if value.word in others:
            return None
        listed = names([f"{name}:" for name in known])
        raise value.make_error(
            f"There is no field {value.quoted}. The fields are {listed}. To search for the word, put it in quotes."
        )
    return known[value.word]


def _filter_field(field: CustomField) -> FilterField:
    tests: dict[FieldKind, Callable[[Value, FilterContext], Test]] = {
        FieldKind.NUMBER: lambda value, _: _number_test(field, value),
        FieldKind.CHOICE: lambda value, _: _choice_test(field, value),
        FieldKind.DATE: lambda value, around: day_predicate(value, around.today, _day_of(field.key)),
        FieldKind.PERSON: lambda value, around: _person_test(field, value, around),
        FieldKind.TEXT: lambda value, _: _text_test(field, value),
        FieldKind.LINK: lambda value, _: _text_test(field, value),
    }
    test = tests[field.kind]

    def with_none(value: Value, around: FilterContext) -> Test:
        if value.word not in ("none", "any"):
            return test(value, around)
        has = _having(field.key, lambda _: True)
        return has if value.word == "any" else lambda card: not has(card)

    return FilterField(
        field.key,
        f"its {sanitize(field.name)}: {_PICKS[field.kind]}",
        with_none,
        lambda around: _values(field, around),
    )


_PICKS = {
    FieldKind.NUMBER: "3, >3, <=2.5, 1..5, none",
    FieldKind.CHOICE: "a choice, none, any",
    FieldKind.DATE: "week, <fri, +2w, 1dec..7dec, none",
    FieldKind.PERSON: "me, none, a name",
    FieldKind.TEXT: "a part of it, none, any",
    FieldKind.LINK: "a part of it, none, any",
}


def _having(key: str, fits: Callable[[str], bool]) -> Test:
    """Return the condition that a card has a value of a field that fits. Each value is tested once."""
    known: dict[str, bool] = {}

    def test(card: Card) -> bool:
        for each in card.values:
            if each.key == key:
                value = each.value
                fit = known.get(value)
                if fit is None:
                    fit = known[value] = fits(value)
                return fit
        return False

    return test


def _day_of(key: str) -> Callable[[Card], date | None]:
    """Return the function that reads a date from a card. Each date is parsed once."""
    known: dict[str, date] = {}

    def day_of(card: Card) -> date | None:
        for each in card.values:
            if each.key == key:
                value = each.value
                return known.get(value) or known.setdefault(value, date.fromisoformat(value))
        return None

    return day_of


def _number_test(field: CustomField, value: Value) -> Test:
    bounds = [(SIGNS[sign], number) for sign, number in number_bounds(value)]
    return _having(field.key, lambda text: all(compare(float(text), number) for compare, number in bounds))


def number_bounds(value: Value) -> list[tuple[str, float]]:
    """Return the numbers that a value compares a number with, each with the sign: one, or two of a range. Raises
    InvalidFilter."""
    if RANGE in value.text:
        at = value.text.index(RANGE)
        first, last = _number(value.part(0, at)), _number(value.part(at + len(RANGE)))
        if first > last:
            raise value.make_error(f"It ends before it begins: {first:g} is more than {last:g}.")
        return [(">=", first), ("<=", last)]
    sign = sign_of(value.text)
    return [(sign or "=", _number(value.part(len(sign))))]


def _number(value: Value) -> float:
    try:
        return float(read_kept_number(value.text))
    except InvalidInput:
        raise value.make_error(f"{value.quoted} is not a number. Write 3, >3, <=2.5, 1..5, none or any.") from None


def _choice_test(field: CustomField, value: Value) -> Test:
    return _having(field.key, choices_named(field, value).__contains__)


def choices_named(field: CustomField, value: Value) -> frozenset[str]:
    """Return the choices with this name, else those whose name begins with it. Raises InvalidFilter."""
    exactly = [each for each in field.choices if fold(each) == value.word]
    found = frozenset(exactly or [each for each in field.choices if fold(each).startswith(value.word)])
    if not found:
        raise value.make_error(f"There is no choice {value.quoted}. The choices are {some(field.choices, LISTED)}.")
    return found


def _person_test(field: CustomField, value: Value, around: FilterContext) -> Test:
    people = frozenset({around.me}) if value.word == "me" else people_named(value, around.members)
    return _having(field.key, people.__contains__)


def _text_test(field: CustomField, value: Value) -> Test:
    word = value.word
    return _having(field.key, lambda text: word in fold(text))


def _values(field: CustomField, around: FilterContext) -> Iterable[Suggestion]:
    """The values that are offered after the field."""
    name = sanitize(field.name)
    if field.kind is FieldKind.CHOICE:
        for choice in field.choices:
            yield Suggestion(quote_if_needed(choice), f"its {name}", choice)
    elif field.kind is FieldKind.DATE:
        yield from (Suggestion(word, meaning) for word, meaning in DAY_WORDS.items())
    elif field.kind is FieldKind.PERSON:
        yield Suggestion("me", "me")
        for member in around.members:
            yield Suggestion(member.login, sanitize(member.name), member.name)
    elif field.kind is FieldKind.NUMBER:
        yield Suggestion(">", "more than a number: >3")
        yield Suggestion("<", "less than a number: <3")
    yield Suggestion("none", f"without {name}")
    yield Suggestion("any", f"with {name}")
