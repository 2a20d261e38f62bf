"""Destinations: the places that a screen can ask the app to open.

``tui/screens/shell/navigation.py`` turns each into its screen, so that screens do not import each other::

    await self.podium.open(ToCard(project_id, card_id))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.domain.model import WORKSPACE, Id


@dataclass(frozen=True, slots=True)
class ToProjects:
    """The Projects widget."""


@dataclass(frozen=True, slots=True)
class ToMyWork:
    """My work."""


@dataclass(frozen=True, slots=True)
class ToInbox:
    """The inbox."""


@dataclass(frozen=True, slots=True)
class ToSearch:
    """The search."""


@dataclass(frozen=True, slots=True)
class ToPeople:
    """The users of the workspace."""


@dataclass(frozen=True, slots=True)
class ToTokens:
    """Tokens and linked accounts."""


@dataclass(frozen=True, slots=True)
class ToProducts:
    """The product registry."""


@dataclass(frozen=True, slots=True)
class ToProduct:
    """One product."""

    product_id: Id


@dataclass(frozen=True, slots=True)
class ToTemplates:
    """The templates."""


@dataclass(frozen=True, slots=True)
class ToTemplate:
    """One template."""

    template_id: Id


@dataclass(frozen=True, slots=True)
class ToHierarchy:
    """Clients, markets and brands."""


@dataclass(frozen=True, slots=True)
class ToMetaRoles:
    """The meta roles."""


@dataclass(frozen=True, slots=True)
class ToSettings:
    """The user's settings."""


@dataclass(frozen=True, slots=True)
class ToDoctor:
    """The Doctor screen."""


@dataclass(frozen=True, slots=True)
class ToMembers:
    """The members of a project."""

    project_id: Id


@dataclass(frozen=True, slots=True)
class ToHistory:
    """The history of a project, or of the workspace."""

    project_id: Id = WORKSPACE


@dataclass(frozen=True, slots=True)
class ToNews:
    """The changes of other users since the last visit to a project."""

    project_id: Id
    after: int | None = None
    """The number of the last change that was seen; None for the one that the project remembers."""


@dataclass(frozen=True, slots=True)
class ToPhase:
    """One phase."""

    project_id: Id
    phase_id: Id


@dataclass(frozen=True, slots=True)
class ToCard:
    """One task or activity."""

    project_id: Id
    card_id: Id


@dataclass(frozen=True, slots=True)
class ToApplication:
    """One application."""

    project_id: Id
    application_id: Id


@dataclass(frozen=True, slots=True)
class ToView:
    """A view of a project."""

    project_id: Id
    focus_id: Id | None = None
    """The card under the cursor; Charts have none."""


@dataclass(frozen=True, slots=True)
class ToCanvas(ToView):
    """The Canvas."""

    in_layout: bool = False
    """Whether the view that the user's preset asks for opens on top."""


@dataclass(frozen=True, slots=True)
class ToStatusBoard(ToView):
    """The Status board."""


@dataclass(frozen=True, slots=True)
class ToTimeline(ToView):
    """The Timeline."""


@dataclass(frozen=True, slots=True)
class ToTable(ToView):
    """The Table."""


@dataclass(frozen=True, slots=True)
class ToCalendar(ToView):
    """The Calendar."""


@dataclass(frozen=True, slots=True)
class ToCharts(ToView):
    """The Charts."""


Destination: TypeAlias = (
    ToProjects
    | ToMyWork
    | ToInbox
    | ToSearch
    | ToPeople
    | ToTokens
    | ToProducts
    | ToProduct
    | ToTemplates
    | ToTemplate
    | ToHierarchy
    | ToMetaRoles
    | ToSettings
    | ToDoctor
    | ToMembers
    | ToHistory
    | ToNews
    | ToPhase
    | ToCard
    | ToApplication
    | ToCanvas
    | ToStatusBoard
    | ToTimeline
    | ToTable
    | ToCalendar
    | ToCharts
)
"""Every destination; mypy checks that the navigation table has each."""
