"""What is accepted of a preset, typed or imported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from core.domain.view_settings import PREDEFINED, WORK, CardField, Density, Layout, PhaseSection, Sort
from core.errors import InvalidInput
from core.filters.filter import check
from core.text.sanitize import one_line

MAX_FILTER = 500
"""Characters of a filter that is kept."""

MAX_PRESETS = 30
"""Of one person, and of one project: what can still be walked through in a menu."""


class PresetFields(Protocol):
    """A preset as a command or a file gives it."""

    @property
    def name(self) -> str: ...
    @property
    def layout(self) -> Layout: ...
    @property
    def fields(self) -> tuple[CardField, ...]: ...
    @property
    def sections(self) -> tuple[PhaseSection, ...]: ...
    @property
    def filter(self) -> str: ...
    @property
    def sort(self) -> Sort: ...
    @property
    def density(self) -> Density | None: ...


def validated_view_settings(look: PresetFields, others: Iterable[str]) -> dict[str, Any]:
    """The fields of a preset as they are kept, typed or imported; ``others`` are the names of those beside it.

    Raises InvalidInput, which names the field.
    """
    name = one_line(look.name, "name", most=40)
    if name.casefold() in map(str.casefold, (*(each.name for each in PREDEFINED), *others)):
        raise InvalidInput("name", f"There is a preset “{name}” already. Choose another name.")
    sections = tuple(part for part in PhaseSection if part in look.sections)
    if not set(sections) & set(WORK):
        raise InvalidInput(
            "sections", "No cards would be left. Choose at least one of applications, activities and tasks."
        )
    return {
        "name": name,
        "layout": look.layout,
        "fields": tuple(field for field in CardField if field in look.fields),
        "sections": sections,
        "filter": _accepted_filter(look.filter),
        "sort": look.sort,
        "density": look.density,
    }


def _accepted_filter(text: str) -> str:
    """Whom and which phases it names is not asked, as that differs from project to project. Raises InvalidFilter."""
    accepted = one_line(text, "filter", most=MAX_FILTER, empty=True)
    check(accepted)
    return accepted
