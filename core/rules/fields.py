"""The custom fields of projects and their values: what a field and a value can be, and what cards hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

from core.domain.fields import (
    MAX_CHOICE,
    MAX_CHOICES,
    MAX_FIELDS,
    MAX_NAME,
    MAX_TEXT,
    CustomField,
    FieldKind,
    ItemField,
    read_kept_number,
    read_number,
)
from core.domain.model import Id, Item, User
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, NotFound, RuleViolation
from core.rules.card_fields import FIELDS_IN_ORDER
from core.rules.items import check_assignable, values_of
from core.text.dates import parse_due
from core.text.naming import did_you_mean, the_one
from core.text.phrases import count, names
from core.text.sanitize import link, one_line, quote_value


def fields_of(view: Snapshot, project_id: Id) -> list[CustomField]:
    """Return the custom fields of a project, in order."""
    return view.all(CustomField, FIELDS_IN_ORDER, project_id=project_id)


# -- fields ------------------------------------------------------------------------------------------------------------


def folded_word(text: str) -> str:
    """Return the form in which names of fields and choices are compared. Signs count: “-1” is not “1”."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def checked_name(text: str) -> str:
    """Return the name of a field as it is stored. Raises InvalidInput."""
    return one_line(text, "name", most=MAX_NAME)


def checked_choices(kind: FieldKind, choices: Sequence[str]) -> tuple[str, ...]:
    """Return the choices of a field; those of another kind than CHOICE are none. Raises InvalidInput."""
    if kind is not FieldKind.CHOICE:
        if choices:
            raise InvalidInput("choices", "Only a field of the kind choice has choices.")
        return ()
    made = tuple(one_line(choice, "choice", most=MAX_CHOICE) for choice in choices)
    if not 1 <= len(made) <= MAX_CHOICES:
        raise InvalidInput("choices", f"A field has 1 to {MAX_CHOICES} choices, not {len(made)}.")
    words = list(map(folded_word, made))
    if twice := next((choice for choice, word in zip(made, words, strict=True) if words.count(word) > 1), ""):
        raise InvalidInput("choices", f"The choice “{twice}” is there twice. Name each once.")
    return made


def check_sums(kind: FieldKind, sums: bool) -> None:
    """Raise InvalidInput if a field of another kind than NUMBER would be summed."""
    if sums and kind is not FieldKind.NUMBER:
        raise InvalidInput("sums", "Only numbers can be summed.")


def check_room(fields: Collection[CustomField]) -> None:
    """Raise RuleViolation if a project has as many fields as it can have."""
    if len(fields) >= MAX_FIELDS:
        raise RuleViolation(f"A project can have at most {MAX_FIELDS} custom fields. Remove one first.")


def check_other_name(fields: Iterable[CustomField], name: str, but: Id = "") -> None:
    """Raise InvalidInput if a field other than ``but`` has this name; upper and lower case are equal."""
    if any(folded_word(field.name) == folded_word(name) and field.id != but for field in fields):
        raise InvalidInput("name", f"There is a field “{name}” already. Choose another name.")


def check_fields(work: UnitOfWork, project_id: Id) -> None:
    """Check the fields of a project and the choices of its cards after an undo. Raises RuleViolation."""
    fields = fields_of(work, project_id)
    if len(fields) > MAX_FIELDS:
        raise RuleViolation(f"The project would have more than {MAX_FIELDS} custom fields.")
    called = [folded_word(field.name) for field in fields]
    if len(set(called)) < len(called):
        raise RuleViolation("Two fields would have the same name.")
    for field in fields:
        if field.kind is FieldKind.CHOICE:
            check_choices_used(work, field, field.choices)


def check_choices_used(view: Snapshot, field: CustomField, choices: Sequence[str]) -> None:
    """Raise RuleViolation if a card has a choice that is not among these."""
    used = view.tx.tuples(
        "SELECT value, count(*) FROM item_field WHERE project_id = :project_id AND field_id = :field_id"
        " GROUP BY value ORDER BY value",
        project_id=field.project_id,
        field_id=field.id,
    )
    for value, cards in used:
        if value not in choices:
            raise RuleViolation(
                f"“{value}” is the {field.name} of {count(cards, 'card')}. Rename the choice, or change the cards."
            )


# -- values ------------------------------------------------------------------------------------------------------------


def the_field(fields: Sequence[CustomField], wanted: str) -> CustomField:
    """Return the field with this key, or this name. Raises InvalidInput, which lists the fields."""
    word = folded_word(wanted)
    found = next((field for field in fields if field.key == word), None)
    found = found or next((field for field in fields if folded_word(field.name) == word), None)
    if found is None:
        known = f"The fields are {names([field.key for field in fields])}." if fields else "It has none yet."
        hint = did_you_mean(word, [field.key for field in fields])
        raise InvalidInput("values", f"This project has no field “{quote_value(wanted)[:MAX_NAME]}”. {known}{hint}")
    return found


def value_of(view: Snapshot, item: Item, field: CustomField, text: str) -> ItemField | None:
    """Return the value that a text gives to a card, None for an empty one.

    A date is written as in due dates, a person as “me”, a login or a name, a choice in any case. Raises InvalidInput
    or RuleViolation, which name the field.
    """
    try:
        value, user_id = _read(view, field, text)
    except (InvalidInput, NotFound) as refused:
        raise InvalidInput(f"values.{field.key}", f"{field.name}: {refused}") from None
    if not value and user_id is None:
        return None
    return ItemField(project_id=item.project_id, item_id=item.id, field_id=field.id, value=value, user_id=user_id)


def _read(view: Snapshot, field: CustomField, text: str) -> tuple[str, Id | None]:
    if not text.strip():
        return "", None
    if field.kind is FieldKind.PERSON:
        return "", _person(view, field.project_id, text)
    if field.kind is FieldKind.DATE:
        day = parse_due(text, view.today)
        return day.isoformat() if day else "", None
    if field.kind is FieldKind.NUMBER:
        return read_number(text), None
    return plain_value(field.kind, field.choices, text), None


def plain_value(kind: FieldKind, choices: Sequence[str], text: str) -> str:
    """Return the checked value of a number, choice, text or link of a file. Raises InvalidInput."""
    if kind is FieldKind.NUMBER:
        return read_kept_number(text)
    if kind is FieldKind.CHOICE:
        return _choice(choices, text)
    if kind is FieldKind.LINK:
        return link(text)
    return one_line(text, "text", most=MAX_TEXT)


def _choice(choices: Sequence[str], text: str) -> str:
    word = folded_word(text)
    found = next((choice for choice in choices if folded_word(choice) == word), None)
    if found is None:
        raise InvalidInput(
            "value", f"“{quote_value(text)[:MAX_CHOICE]}” is not a choice. Choose {names(choices, 'or')}."
        )
    return found


def _person(view: Snapshot, project_id: Id, text: str) -> Id:
    """Return the id of the active member that a text names."""
    if text.strip().casefold() == "me":
        check_assignable(view, project_id, view.actor.user_id)
        return view.actor.user_id
    members = view.all(User, "id IN (SELECT user_id FROM member WHERE project_id = :project_id)", project_id=project_id)
    chosen = the_one("member", text, members, lambda user: (user.id, user.name, user.login))
    check_assignable(view, project_id, chosen.id)
    return chosen.id


def set_values(work: UnitOfWork, item: Item, values: Mapping[Id, ItemField | None]) -> bool:
    """Give a card these values by field, None for no value. Returns True if one of them is another than before."""
    before = {each.field_id: each for each in values_of(work, item)}
    changed = False
    for field_id, wanted in values.items():
        held = before.get(field_id)
        if held is None and wanted is not None:
            work.insert(wanted)
        elif held is not None and wanted is None:
            work.delete(held)
        elif held is not None and wanted is not None and held.held != wanted.held:
            work.update(held, value=wanted.value, user_id=wanted.user_id)
        else:
            continue
        changed = True
    return changed
