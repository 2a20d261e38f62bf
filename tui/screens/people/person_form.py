"""The fields of a person, for everybody who adds or edits one; named as the core's complaints name them."""

from __future__ import annotations

from typing import Any

from core.domain.model import User
from tui.dialogs.fields.form_fields import Field, Line

PERSON_FIELDS: tuple[Field, ...] = (
    Line("first_name", "First name"),
    Line("last_name", "Last name"),
    Line("email", "E-mail", "", "ann@example.com"),
    Line("login", "Login", "", "left empty: the e-mail up to the @"),
    Line("city", "City"),
)


def fields_of(user: User) -> tuple[Field, ...]:
    """The same fields, filled in."""
    return (
        Line("first_name", "First name", user.first_name),
        Line("last_name", "Last name", user.last_name),
        Line("email", "E-mail", user.email),
        Line("login", "Login", user.login),
        Line("city", "City", user.city),
    )


def person(values: dict[str, Any]) -> dict[str, str]:
    """The answers as the fields of AddUser, EditUser and InviteGuest."""
    return {field.name: values[field.name] for field in PERSON_FIELDS}
