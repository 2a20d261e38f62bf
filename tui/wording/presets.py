"""Presets in words: labels of layouts, sections and orders, and a preset as one sentence."""

from __future__ import annotations

from core.domain.view_settings import ALL_FIELDS, WORK, CardField, Density, Layout, PhaseSection, Sort, ViewSettings
from core.text.phrases import in_words, names

LAYOUT_WORDS = {
    Layout.PHASE_COLUMNS: "Canvas",
    Layout.STATUS_BOARD: "Status board",
    Layout.TABLE: "Table",
    Layout.TIMELINE: "Timeline",
}

FIELD_WORDS = {
    CardField.ASSIGNEES: "people",
    CardField.DUE: "due date",
    CardField.TASKS: "tasks of an activity",
    CardField.COMMENTS: "comments",
    CardField.LINK: "link",
    CardField.PRODUCT: "product",
    CardField.LABELS: "labels",
    CardField.PRIORITY: "priority",
}

SECTION_WORDS = {part: in_words(part) for part in PhaseSection} | {PhaseSection.ARCHIVED: "archived cards"}

SORT_WORDS = {
    Sort.ORDER: "manual",
    Sort.DUE: "due date",
    Sort.TITLE: "title",
    Sort.ASSIGNEE: "person",
    Sort.PRIORITY: "priority",
    Sort.LABEL: "label",
}

DENSITY_WORDS = {None: "as in Settings", Density.ROOMY: "roomy", Density.COMPACT: "compact"}


def in_short(viewing: ViewSettings) -> str:
    """A preset as one sentence: "Tasks and activities, filtered by assignee:me, sorted by due date."."""
    parts = [SECTION_WORDS[part] for part in PhaseSection if part in viewing.sections]
    said = ["All cards" if viewing.sections == WORK else names(parts).capitalize()]
    if viewing.filter:
        said.append(f"filtered by {viewing.filter}")
    if viewing.sort is not Sort.ORDER:
        said.append(f"sorted by {SORT_WORDS[viewing.sort]}")
    if viewing.fields != ALL_FIELDS:
        said.append(f"with {names([FIELD_WORDS[field] for field in viewing.fields]) or 'titles only'}")
    if viewing.density:
        said.append(DENSITY_WORDS[viewing.density])
    return f"{', '.join(said)}."
