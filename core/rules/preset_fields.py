"""Checks of the fields of a preset, whether typed or imported."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from core.domain.view_settings import PREDEFINED, WORK, CardField, PhaseSection, ViewSettings
from core.errors import InvalidInput
from core.filters.filter import check
from core.record import asdict, replace
from core.text.sanitize import one_line

MAX_FILTER = 500
"""The most characters of a stored filter."""

MAX_PRESETS = 30
"""The most presets of one user, and of one project: as many as a menu can show."""


def validated_view_settings(
    name: str, viewing: ViewSettings, others: Iterable[str], own: Container[str]
) -> dict[str, Any]:
    """Return the checked fields of a preset; ``others`` are the names of the presets beside it.

    ``own`` are the keys of custom fields that its filter can name.

    Raises InvalidInput, which names the field.
    """
    name = one_line(name, "name", most=40)
    if name.casefold() in map(str.casefold, (*(each.name for each in PREDEFINED), *others)):
        raise InvalidInput("name", f"There is a preset “{name}” already. Choose another name.")
    sections = tuple(part for part in PhaseSection if part in viewing.sections)
    if not set(sections) & set(WORK):
        raise InvalidInput(
            "sections", "No cards would be left. Choose at least one of applications, activities and tasks."
        )
    shown = tuple(field for field in CardField if field in viewing.fields)
    return asdict(replace(viewing, fields=shown, sections=sections, filter=_accepted_filter(viewing.filter, own))) | {
        "name": name
    }


def _accepted_filter(text: str, own: Container[str]) -> str:
    """Return a filter whose syntax is right. Its people and phases are not looked up, as they differ by project."""
    accepted = one_line(text, "filter", most=MAX_FILTER, empty=True)
    check(accepted, own)
    return accepted
