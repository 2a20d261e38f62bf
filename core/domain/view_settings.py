"""View settings: the layout, sections, card fields, filter, order and density of a view; and the predefined presets."""

from __future__ import annotations

from enum import StrEnum

from core.domain.model import Id, ItemKind, ProjectRole
from core.record import Record


class Layout(StrEnum):
    """The view that shows a project."""

    PHASE_COLUMNS = "PHASE_COLUMNS"
    STATUS_BOARD = "STATUS_BOARD"
    TABLE = "TABLE"
    TIMELINE = "TIMELINE"


class CardField(StrEnum):
    """A detail that a card shows beside its title."""

    ASSIGNEES = "ASSIGNEES"
    DUE = "DUE"
    TASKS = "TASKS"
    COMMENTS = "COMMENTS"
    LINK = "LINK"
    PRODUCT = "PRODUCT"
    LABELS = "LABELS"
    PRIORITY = "PRIORITY"


class PhaseSection(StrEnum):
    """A part of a phase that a view shows."""

    OBJECTIVES = "OBJECTIVES"
    DELIVERABLES = "DELIVERABLES"
    OUTCOMES = "OUTCOMES"
    APPLICATIONS = "APPLICATIONS"
    ACTIVITIES = "ACTIVITIES"
    TASKS = "TASKS"
    ARCHIVED = "ARCHIVED"


class Sort(StrEnum):
    """The order of cards: by rank, as users arranged them, or by a field."""

    ORDER = "ORDER"
    DUE = "DUE"
    TITLE = "TITLE"
    ASSIGNEE = "ASSIGNEE"
    PRIORITY = "PRIORITY"
    LABEL = "LABEL"


class Density(StrEnum):
    """The height of a card."""

    ROOMY = "ROOMY"
    COMPACT = "COMPACT"


ALL_FIELDS = tuple(CardField)
WORK = (PhaseSection.APPLICATIONS, PhaseSection.ACTIVITIES, PhaseSection.TASKS)
"""The sections that hold cards."""

PART_OF: dict[ItemKind, PhaseSection] = {
    ItemKind.TASK: PhaseSection.TASKS,
    ItemKind.ACTIVITY: PhaseSection.ACTIVITIES,
    ItemKind.APPLICATION: PhaseSection.APPLICATIONS,
}


class ViewSettings(Record, kw_only=False):
    """The settings in a preset. ``filter`` is in the filter language. Without ``density`` the user's own applies."""

    layout: Layout = Layout.PHASE_COLUMNS
    fields: tuple[CardField, ...] = ALL_FIELDS
    sections: tuple[PhaseSection, ...] = WORK
    filter: str = ""
    sort: Sort = Sort.ORDER
    density: Density | None = None


class ViewPreset(Record, kw_only=False):
    """A preset that a user can choose. ``id`` is the name of a predefined one in capitals, or the id of a saved one."""

    id: Id
    name: str
    viewing: ViewSettings
    shared: bool = False
    """True for a saved preset that all members of the project can use."""
    own: bool = False
    """True for a preset that belongs to the user."""


PREDEFINED: tuple[ViewPreset, ...] = (
    ViewPreset("OVERVIEW", "Overview", ViewSettings()),
    ViewPreset(
        "MY_WORK", "My work", ViewSettings(sections=(PhaseSection.ACTIVITIES, PhaseSection.TASKS), filter="assignee:me")
    ),
    ViewPreset("DEADLINES", "Deadlines", ViewSettings(layout=Layout.TIMELINE, filter="status:open", sort=Sort.DUE)),
    ViewPreset(
        "DELIVERY",
        "Delivery",
        ViewSettings(sections=(PhaseSection.DELIVERABLES, PhaseSection.ACTIVITIES, PhaseSection.TASKS), sort=Sort.DUE),
    ),
    ViewPreset("APPLICATIONS", "Applications", ViewSettings(sections=(PhaseSection.APPLICATIONS,))),
    ViewPreset(
        "REVIEW",
        "Review",
        ViewSettings(
            sections=(
                PhaseSection.OBJECTIVES,
                PhaseSection.DELIVERABLES,
                PhaseSection.OUTCOMES,
                *WORK,
            )
        ),
    ),
)
"""The presets of every workspace."""

DEFAULT_OF_ROLE: dict[ProjectRole | None, Id] = {
    ProjectRole.OWNER: "OVERVIEW",
    ProjectRole.CONTRIBUTOR: "OVERVIEW",
    ProjectRole.VIEWER: "REVIEW",
    None: "OVERVIEW",
}
"""The preset of a user who has chosen none. Owners and contributors see all cards, viewers also the deliverables.

No default hides cards, because users do not look for cards that they do not know of.
"""

PREDEFINED_BY_ID: dict[Id, ViewPreset] = {preset.id: preset for preset in PREDEFINED}
