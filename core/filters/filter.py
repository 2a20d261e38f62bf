"""A parsed filter, and the context that its words refer to."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from datetime import date

from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id, Status
from core.errors import InvalidFilter
from core.filters.context import FilterContext
from core.filters.custom_fields import field_named
from core.filters.fields import FIELDS, Test
from core.filters.parser import SHORTHANDS, Term, Value, terms
from core.text.folding import fold
from core.text.label_names import fold_name
from core.text.short_keys import card_key, read_card_key


class CardTexts:
    """Caches the text of each card: its title and key, what it holds, and the names of its assignees.

    The cache outlives a filter, because every letter that a user types makes a new one.
    """

    def __init__(self, members: tuple[CanvasMember, ...], key: str = "") -> None:
        self.members, self._key = members, key
        self._names = {member.user_id: member.name for member in members}
        self._kept: dict[Id, tuple[Card, str]] = {}

    def of(self, card: Card) -> str:
        """Return the text of a card, folded."""
        known = self._kept.get(card.id)
        if known is not None and known[0] is card:
            return known[1]
        names = (self._names[each] for each in card.assignee_ids if each in self._names)
        key = card_key(self._key, card.number) if self._key and card.number else ""
        text = fold("\n".join([card.title, card.holds, *names, f"{key}\n"]))
        self._kept[card.id] = (card, text)
        return text


class Filter:
    """A parsed filter. A card matches if it meets every condition."""

    def __init__(self, text: str, around: FilterContext, texts: CardTexts | None = None) -> None:
        """Parse ``text``. Raises InvalidFilter, with the position in the text.

        ``texts`` can be shared by successive filters.
        """
        with pointing_into(text):
            found = read_terms(text, around)
            self._tests = tuple(_test(term, around) for term in found if term.field is not None)
        plain = [term for term in found if term.field is None]
        self.words = tuple(_sought(term, around.key) for term in plain if not term.negated)
        self._unwanted = tuple(_sought(term, around.key) for term in plain if term.negated)
        self._texts = texts or CardTexts(around.members, around.key)
        self.shows_archived = any(_names_archive(term) for term in found)
        """True if the filter asks for archived cards, which are hidden otherwise."""

    def matches(self, card: Card) -> bool:
        for test in self._tests:
            if not test(card):
                return False
        if not self.words and not self._unwanted:
            return True
        text = self._texts.of(card)
        for word in self.words:  # in a plain loop: each letter that is typed asks this of thousands of cards
            if word not in text:
                return False
        return not self._unwanted or not any(word in text for word in self._unwanted)

    def narrows(self, other: Filter) -> bool:
        """Return True if a card that matches this filter surely matches the other one, as when a word was typed on."""
        if other._tests or other._unwanted or other._texts is not self._texts:
            return False
        return all(any(word in longer for longer in self.words) for word in other.words)


def _sought(term: Term, project_key: str) -> str:
    """The word that the text of a card must contain; a key as a whole line of it, so AUT-1 does not find AUT-12."""
    word = fold(term.values[0].text)
    named = read_card_key(word)
    return f"\n{word}\n" if named is not None and named[0] == project_key else word


_NOWHERE = FilterContext(me="", today=date(2028, 1, 1), columns=(), members=())
"""A context for checking filters of no particular project, in a leap year so that ``29feb`` is a day."""


def check(text: str, own: Container[str] = ()) -> None:
    """Raise InvalidFilter for a text that is not valid in any project; names of members and phases are not checked.

    ``own`` are the keys of custom fields that it can name; their values are not checked either.
    """
    with pointing_into(text):
        for term in terms(text):
            field = field_named(term.field, _NOWHERE, own) if term.field is not None else None
            if field is not None and not field.of_project:
                for value in term.values:
                    field.test(value, _NOWHERE)


@contextmanager
def pointing_into(text: str) -> Iterator[None]:
    """Add the whole text to InvalidFilter, which is raised with a position only."""
    try:
        yield
    except InvalidFilter as refused:
        refused.text = text
        raise


def read_terms(text: str, around: FilterContext) -> tuple[Term, ...]:
    """Return the terms of a filter, of which “#12” is a label if there is one of that name. Raises InvalidFilter."""
    return tuple(_or_label(term, around) for term in terms(text))


def _or_label(term: Term, around: FilterContext) -> Term:
    """Return a word such as “#12” as the label of that name, if there is one; any other term as it is."""
    word = term.values[0]
    if term.field is not None or word.text[:1] != "#" or len(word.text) != word.length:
        return term
    name = fold_name(word.text[1:])
    if not any(fold_name(each.name) == name for each in around.labels):
        return term
    return Term(term.negated, Value(SHORTHANDS["#"], word.at, 1), (word.part(1),))


def _test(term: Term, around: FilterContext) -> Test:
    """Return the condition of a term with a field."""
    assert term.field is not None
    field = field_named(term.field, around)
    assert field is not None
    tests = tuple(field.test(value, around) for value in term.values)
    if len(tests) == 1:
        test = tests[0]
        return (lambda card: not test(card)) if term.negated else test
    if term.negated:
        return lambda card: not any(test(card) for test in tests)
    return lambda card: any(test(card) for test in tests)


def _names_archive(term: Term) -> bool:
    if term.field is None or term.negated or term.field.word != FIELDS["status"].name:
        return False
    return any(value.word == Status.ARCHIVED.lower() for value in term.values)
