"""The form in which the demo's projects are written down. All days are counted from today: -7 is a week ago."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.domain.model import Decision, Gate, ProjectRole, Status

Said = tuple[str, str]
"""Who says it, and what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationStory:
    """An application of a product of ``registry.PRODUCTS``, called after it unless told."""

    product: str
    name: str = ""
    due: int | None = None
    people: tuple[str, ...] = ()
    launched: tuple[tuple[float, str], ...] = ()
    """When it was launched, and by whom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStory:
    """A task, or with ``tasks`` or ``people`` an activity. ``who`` and ``people`` are keys of ``people.PEOPLE``."""

    title: str
    status: Status
    who: str = ""
    due: int | None = None
    note: str = ""
    link: str = ""
    people: tuple[str, ...] = ()
    tasks: tuple[CardStory, ...] = ()
    said: tuple[Said, ...] = ()
    application: ApplicationStory | None = None
    """The application that an activity holds."""
    added: float | None = None
    """When it was created; with the project unless told."""

    @property
    def is_activity(self) -> bool:
        return bool(self.people)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverableStory:
    """A deliverable; one with evidence is done unless told."""

    name: str
    evidence: str = ""
    done: bool | None = None

    @property
    def delivered(self) -> bool:
        return bool(self.evidence) if self.done is None else self.done


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecisionStory:
    """A decision at the gate."""

    day: float
    who: str
    decision: Decision
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStory:
    """A phase; its work is done from the day ``start`` to the day ``until``, or to yesterday."""

    name: str
    start: float
    until: float
    due: int | None = None
    gate: Gate = Gate.AUTOMATIC
    objectives: str = ""
    outcomes: str = ""
    people: tuple[str, ...] = ()
    hands: tuple[DeliverableStory, ...] = ()
    applications: tuple[ApplicationStory, ...] = ()
    """The applications of the phase."""
    cards: tuple[CardStory, ...] = ()
    rulings: tuple[GateDecisionStory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectStory:
    """A project. ``owner`` creates it and invites the members."""

    name: str
    description: str
    brand: str
    """The lowest node that it is linked to."""
    created: float
    owner: str
    members: tuple[tuple[str, ProjectRole], ...]
    phases: tuple[PhaseStory, ...]
    starred_by: tuple[str, ...] = ()
    archived: float | None = None


def done(title: str, who: str = "", due: int | None = None, **more: Any) -> CardStory:
    return CardStory(title=title, status=Status.COMPLETED, who=who, due=due, **more)


def doing(title: str, who: str = "", due: int | None = None, **more: Any) -> CardStory:
    return CardStory(title=title, status=Status.IN_PROGRESS, who=who, due=due, **more)


def todo(title: str, who: str = "", due: int | None = None, **more: Any) -> CardStory:
    return CardStory(title=title, status=Status.TO_DO, who=who, due=due, **more)


def dropped(title: str, who: str = "", **more: Any) -> CardStory:
    """A card that was archived."""
    return CardStory(title=title, status=Status.ARCHIVED, who=who, **more)


def roles(owners: str = "", contributors: str = "", viewers: str = "") -> tuple[tuple[str, ProjectRole], ...]:
    """Members by role, each list as words."""
    given = {ProjectRole.OWNER: owners, ProjectRole.CONTRIBUTOR: contributors, ProjectRole.VIEWER: viewers}
    return tuple((who, role) for role, names in given.items() for who in names.split())
