"""The stories of the demo, as their TOML files have them: ``studio.toml`` and one file per project in ``stories``.

All days are counted from today: -7 is a week ago. People are named by their keys in ``studio.toml``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from core.codec.toml_text import loaded_toml
from core.domain.model import Decision, Gate, NodeKind, PlatformRole, ProjectRole, Status

FOLDER = Path(__file__).parent

ME = "robin"
"""The person who looks at the demo: they take the login of the person who starts it."""

STATUSES = {
    "done": Status.COMPLETED,
    "doing": Status.IN_PROGRESS,
    "todo": Status.TO_DO,
    "dropped": Status.ARCHIVED,
}
"""The keys under which the title of a card may stand."""


class Story:
    """A part of a file: it has no other keys than these."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationStory(Story):
    """An application of a product, named after it unless it has a name. ``launched`` has days and people."""

    product: str
    name: str = ""
    due: int | None = None
    people: tuple[str, ...] = ()
    launched: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStory(Story):
    """A task, or with ``people`` an activity. Its title stands under a key that gives its status."""

    done: str = ""
    doing: str = ""
    todo: str = ""
    dropped: str = ""
    who: str = ""
    due: int | None = None
    people: tuple[str, ...] = ()
    added: float | None = None
    """The day on which it was created; with the project, unless there is one."""
    link: str = ""
    description: str = ""
    application: ApplicationStory | None = None
    """The application that an activity holds."""
    tasks: tuple[CardStory, ...] = ()
    comments: tuple[tuple[str, str], ...] = ()
    """Their authors and texts."""

    @property
    def title(self) -> str:
        return self.done or self.doing or self.todo or self.dropped

    @property
    def status(self) -> Status:
        return next(status for key, status in STATUSES.items() if getattr(self, key))

    @property
    def is_activity(self) -> bool:
        return bool(self.people)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverableStory(Story):
    """A deliverable; one with evidence is done, unless ``done`` says otherwise."""

    name: str
    evidence: str = ""
    done: bool | None = None

    @property
    def delivered(self) -> bool:
        return bool(self.evidence) if self.done is None else self.done


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecisionStory(Story):
    """A decision at the gate."""

    day: float
    who: str
    decision: Decision
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStory(Story):
    """A phase; its work is done from the day ``start`` to the day ``until``, or to yesterday."""

    name: str
    start: float
    until: float
    due: int | None = None
    gate: Gate = Gate.AUTOMATIC
    objectives: str = ""
    outcomes: str = ""
    people: tuple[str, ...] = ()
    deliverables: tuple[DeliverableStory, ...] = ()
    applications: tuple[ApplicationStory, ...] = ()
    cards: tuple[CardStory, ...] = ()
    decisions: tuple[GateDecisionStory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectStory(Story):
    """A project. ``owner`` creates it and invites the members; ``brand`` is the lowest node that it is linked to."""

    name: str
    description: str
    brand: str
    created: float
    archived: float | None = None
    owner: str
    owners: tuple[str, ...] = ()
    contributors: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()
    starred_by: tuple[str, ...] = ()
    phases: tuple[PhaseStory, ...]

    @property
    def members(self) -> dict[str, ProjectRole]:
        """The role of each person but the owner."""
        given = {
            ProjectRole.OWNER: self.owners,
            ProjectRole.CONTRIBUTOR: self.contributors,
            ProjectRole.VIEWER: self.viewers,
        }
        return {who: role for role, people in given.items() for who in people}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonStory(Story):
    """A person; their login is the part of their e-mail before the @.

    ``meta_roles`` are those that they are given on each project that they do not own, ``left`` is their last day.
    """

    first_name: str
    last_name: str
    email: str
    city: str
    roles: tuple[PlatformRole, ...] = ()
    meta_roles: tuple[str, ...] = ()
    left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleStory(Story):
    """An application role, and the names of the meta roles that bring it."""

    name: str
    codes: tuple[str, ...]
    meta_roles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductStory(Story):
    """A product: a web product at ``url``, or the Python ``program``, a file beside this one."""

    name: str
    description: str
    url: str = ""
    program: str = ""
    requires: tuple[NodeKind, ...] = ()
    roles: tuple[RoleStory, ...] = ()
    retired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Studio(Story):
    """The workspace: its hierarchy, each node with the name of its parent, its people by key, and its products."""

    name: str
    hierarchy: tuple[tuple[NodeKind, str, str], ...]
    people: dict[str, PersonStory]
    products: tuple[ProductStory, ...]


@cache
def studio() -> Studio:
    return loaded_toml((FOLDER / "studio.toml").read_text(encoding="utf-8"), Studio)


def project_stories() -> list[ProjectStory]:
    """The projects in the order in which they were created."""
    texts = (path.read_text(encoding="utf-8") for path in (FOLDER / "stories").glob("*.toml"))
    return sorted((loaded_toml(text, ProjectStory) for text in texts), key=lambda story: story.created)
