"""The fields of a person, for everybody who adds or edits one; named as the core's complaints name them."""

from __future__ import annotations

from typing import Any

from core.domain.model import User
from tui.dialogs.fields.form_fields import Field, TextField

PERSON_FIELDS: tuple[Field, ...] = (
    TextField("first_name", "First name"),
    TextField("last_name", "Last name"),
    TextField("email", "E-mail", "", "ann@example.com"),
    TextField("login", "Login", "", "left empty: the e-mail up to the @"),
    TextField("city", "City"),
)


INVITED_FIELDS = tuple(field for field in PERSON_FIELDS if field.name != "city")
"""The fields for an invitation, which asks only for what is needed."""


def fields_of(user: User) -> tuple[Field, ...]:
    """The same fields, filled in."""
    return (
        TextField("first_name", "First name", user.first_name),
        TextField("last_name", "Last name", user.last_name),
        TextField("email", "E-mail", user.email if user.has_email else "", "ann@example.com"),
        TextField("login", "Login", user.login),
        TextField("city", "City", user.city),
    )


def person(values: dict[str, Any]) -> dict[str, str]:
    """The answers as the fields of AddUser, EditUser and InviteGuest."""
    return {field.name: values[field.name] for field in PERSON_FIELDS if field.name in values}
