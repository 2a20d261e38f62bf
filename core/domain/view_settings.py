"""What of the work is shown, and how: the choices, and the six viewing presets that everybody has."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from core.domain.model import Id, ItemKind, ProjectRole


class Layout(StrEnum):
    """Which view of a project shows its work."""

    PHASE_COLUMNS = "PHASE_COLUMNS"
    STATUS_BOARD = "STATUS_BOARD"
    TABLE = "TABLE"
    TIMELINE = "TIMELINE"


class CardField(StrEnum):
    """What a card says beside its title."""

    ASSIGNEES = "ASSIGNEES"
    DUE = "DUE"
    TASKS = "TASKS"
    COMMENTS = "COMMENTS"
    LINK = "LINK"
    PRODUCT = "PRODUCT"


class PhaseSection(StrEnum):
    """What of a phase is shown."""

    OBJECTIVES = "OBJECTIVES"
    DELIVERABLES = "DELIVERABLES"
    OUTCOMES = "OUTCOMES"
    APPLICATIONS = "APPLICATIONS"
    ACTIVITIES = "ACTIVITIES"
    TASKS = "TASKS"
    ARCHIVED = "ARCHIVED"


class Sort(StrEnum):
    """The order of cards: the one people gave them, or by a field."""

    ORDER = "ORDER"
    DUE = "DUE"
    TITLE = "TITLE"
    ASSIGNEE = "ASSIGNEE"


class Density(StrEnum):
    """How much room a card takes."""

    ROOMY = "ROOMY"
    COMPACT = "COMPACT"


ALL_FIELDS = tuple(CardField)
WORK = (PhaseSection.APPLICATIONS, PhaseSection.ACTIVITIES, PhaseSection.TASKS)
"""The kinds of cards."""

PART_OF: dict[ItemKind, PhaseSection] = {
    ItemKind.TASK: PhaseSection.TASKS,
    ItemKind.ACTIVITY: PhaseSection.ACTIVITIES,
    ItemKind.APPLICATION: PhaseSection.APPLICATIONS,
}


class ViewSettings(NamedTuple):
    """What a preset says. Without a density the person's own setting holds; ``filter`` is in the filter language."""

    layout: Layout = Layout.PHASE_COLUMNS
    fields: tuple[CardField, ...] = ALL_FIELDS
    sections: tuple[PhaseSection, ...] = WORK
    filter: str = ""
    sort: Sort = Sort.ORDER
    density: Density | None = None


class ViewPreset(NamedTuple):
    """A preset as one chooses it. ``id`` is the predefined name in capitals, or the id of a saved one."""

    id: Id
    name: str
    viewing: ViewSettings
    shared: bool = False
    """Whether everyone on the project has it; the predefined ones are everybody's anyway."""
    own: bool = False
    """Whether it is one of the person's own."""


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
"""The six of the spec."""

DEFAULT_OF_ROLE: dict[ProjectRole | None, Id] = {
    ProjectRole.OWNER: "OVERVIEW",
    ProjectRole.CONTRIBUTOR: "OVERVIEW",
    ProjectRole.VIEWER: "REVIEW",
    None: "OVERVIEW",
}
"""What somebody sees who has chosen nothing: who plans and works sees all cards, who only looks what is promised too.

No default hides cards: nobody would look for what they do not know is there.
"""

PREDEFINED_BY_ID: dict[Id, ViewPreset] = {preset.id: preset for preset in PREDEFINED}
