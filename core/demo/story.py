"""The stories of the demo, read from TOML files: ``studio.toml`` and one file per project in ``stories``.

All days are counted from today: -7 is a week ago. People are named by their keys in ``studio.toml``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from core.codec.decoding import convert_json
from core.codec.toml_text import parse_toml
from core.domain.fields import FieldKind
from core.domain.gate_policy import Vote
from core.domain.gates import Decision
from core.domain.model import Gate, NodeKind, PlatformRole, Priority, ProjectRole, Status
from core.record import Record

FOLDER = Path(__file__).parent

ME = "robin"
"""The person who opens the demo: they get the login of the person who starts it."""

STATUSES = {
    "done": Status.COMPLETED,
    "doing": Status.IN_PROGRESS,
    "todo": Status.TO_DO,
    "dropped": Status.ARCHIVED,
}
"""The status of a card, by the key that its title has in the file."""


class Story(Record, rename=None, forbid_unknown_fields=True):
    """A table in a story file. Unknown keys are errors."""


class ApplicationStory(Story):
    """An application of a product, which has the product's name by default. ``launched`` has days and people."""

    product: str
    name: str = ""
    due: int | None = None
    people: tuple[str, ...] = ()
    launched: tuple[tuple[float, str], ...] = ()


class CardStory(Story):
    """A task, or with ``people`` an activity. Its title stands under the key of its status."""

    done: str = ""
    doing: str = ""
    todo: str = ""
    dropped: str = ""
    who: str = ""
    due: int | None = None
    people: tuple[str, ...] = ()
    added: float | None = None
    """The day on which it was created; by default the day of the project."""
    link: str = ""
    description: str = ""
    labels: tuple[str, ...] = ()
    priority: Priority = Priority.NORMAL
    application: ApplicationStory | None = None
    """The application in this activity."""
    tasks: tuple[CardStory, ...] = ()
    comments: tuple[tuple[str, str], ...] = ()
    """Authors and texts."""
    fields: tuple[tuple[str, str], ...] = ()
    """Keys and values of custom fields."""
    waits_for: tuple[tuple[str, int], ...] = ()
    """The titles of cards of the project that it waits for, each with the lag in days."""

    @property
    def title(self) -> str:
        return self.done or self.doing or self.todo or self.dropped

    @property
    def status(self) -> Status:
        return next(status for key, status in STATUSES.items() if getattr(self, key))

    @property
    def is_activity(self) -> bool:
        return bool(self.people)


class DeliverableStory(Story):
    """A deliverable. One with a link, a file or a card is delivered, and taken back if ``done`` is False.

    ``card`` is the title of a card of the project. The owner delivers it, or ``who``.
    """

    name: str
    who: str = ""
    link: str | None = None
    file: str | None = None
    size: int | None = None
    card: str | None = None
    done: bool = True


class GateDecisionStory(Story):
    """A decision at a gate."""

    day: float
    who: str
    decision: Decision
    reason: str = ""


class PolicyStory(Story):
    """The policy of a gate: these people decide, or without any the owners; ``needed`` of them, or all."""

    people: tuple[str, ...] = ()
    needed: int | None = None
    four_eyes: bool = False
    by: int | None = None
    secretary: str = ""


class CriterionStory(Story):
    """A criterion of a gate: ``who`` says so on the day ``met``, or all cards of a ``filter`` are closed."""

    text: str
    who: str = ""
    met: float | None = None
    filter: str | None = None


class ConditionStory(Story):
    """The condition of a vote “go if”; ``who`` completes its card on the day ``met``, after the decision."""

    text: str
    who: str
    due: int
    met: float


class VoteStory(Story):
    """A vote at a gate with a policy."""

    day: float
    who: str
    vote: Vote
    reason: str = ""
    condition: ConditionStory | None = None


class LapseStory(Story):
    """A change of the outcomes that ended an approval of the phase, with the reason for it."""

    day: float
    who: str
    outcomes: str
    reason: str


class PhaseStory(Story):
    """A phase; people work in it from the day ``start`` to the day ``until``, at most to yesterday."""

    name: str
    start: float
    until: float
    due: int | None = None
    gate: Gate = Gate.AUTOMATIC
    policy: PolicyStory | None = None
    criteria: tuple[CriterionStory, ...] = ()
    objectives: str = ""
    outcomes: str = ""
    people: tuple[str, ...] = ()
    deliverables: tuple[DeliverableStory, ...] = ()
    applications: tuple[ApplicationStory, ...] = ()
    cards: tuple[CardStory, ...] = ()
    votes: tuple[VoteStory, ...] = ()
    decisions: tuple[GateDecisionStory, ...] = ()
    lapses: tuple[LapseStory, ...] = ()


class FieldStory(Story):
    """A custom field of a project."""

    name: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sums: bool = False


class ProjectStory(Story):
    """A project. ``owner`` creates it and invites the members; ``brand`` is its most specific link, of any kind."""

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
    fields: tuple[FieldStory, ...] = ()
    phases: tuple[PhaseStory, ...]

    @property
    def members(self) -> dict[str, ProjectRole]:
        """The role of each person except the owner."""
        given = {
            ProjectRole.OWNER: self.owners,
            ProjectRole.CONTRIBUTOR: self.contributors,
            ProjectRole.VIEWER: self.viewers,
        }
        return {who: role for role, people in given.items() for who in people}


class PersonStory(Story):
    """A person; the login is the part of the e-mail before the @.

    ``meta_roles`` are given on each project where the person is not an owner; ``left`` is the last day.
    """

    first_name: str
    last_name: str
    email: str
    city: str
    roles: tuple[PlatformRole, ...] = ()
    meta_roles: tuple[str, ...] = ()
    left: float | None = None


class RoleStory(Story):
    """An application role, and the names of the meta roles that bring it."""

    name: str
    codes: tuple[str, ...]
    meta_roles: tuple[str, ...]


class ProductStory(Story):
    """A product: a web product at ``url``, or a Python ``program``, a file in the folder of this module."""

    name: str
    description: str
    url: str = ""
    program: str = ""
    requires: tuple[NodeKind, ...] = ()
    roles: tuple[RoleStory, ...] = ()
    retired: bool = False


class Studio(Story):
    """The workspace: its hierarchy (kind, name, parent's name), its labels, its people by key, and its products."""

    name: str
    labels: tuple[str, ...] = ()
    hierarchy: tuple[tuple[NodeKind, str, str], ...]
    people: dict[str, PersonStory]
    products: tuple[ProductStory, ...]


@cache
def studio() -> Studio:
    story: Studio = convert_json(parse_toml((FOLDER / "studio.toml").read_text(encoding="utf-8")), Studio)
    return story


def project_stories() -> list[ProjectStory]:
    """The projects in the order in which they were created."""
    texts = (path.read_text(encoding="utf-8") for path in (FOLDER / "stories").glob("*.toml"))
    return sorted((convert_json(parse_toml(text), ProjectStory) for text in texts), key=lambda story: story.created)
