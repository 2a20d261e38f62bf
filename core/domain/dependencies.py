"""Dependencies: a card that waits for another card. Blocked and ready are never stored; they follow from these."""

from __future__ import annotations

from datetime import date, datetime

from core.domain.model import Id, ItemKind, Status
from core.record import Record

MAX_BLOCKERS = 100
"""The most cards that one card can wait for."""

MAX_LAG = 365
"""The most days of lag between the due dates of two linked cards."""


class Dependency(Record, table="dependency", key=("project_id", "waiting_id", "blocker_id")):
    """A card (``waiting_id``) that waits for another one (``blocker_id``), which may be in another project.

    It belongs to the project of the waiting card. The waiting card is due at least ``lag_days`` after the other one.
    An override lets the waiting card start although the other one is open; its reason stays.
    """

    project_id: Id
    waiting_id: Id
    blocker_id: Id
    blocker_project_id: Id
    lag_days: int = 0
    override_reason: str = ""
    """Empty without an override."""
    overridden_by: Id | None = None
    overridden_at: datetime | None = None
    through: str = ""
    """As in ``Change``, of the override."""
    version: int = 1


class LinkedCard(Record):
    """A card at the other end of a dependency, as the page of a card lists it."""

    project_id: Id
    project: str
    """The name of its project, where that is another one; else empty."""
    id: Id
    key: str
    kind: ItemKind
    title: str
    phase: str
    status: Status
    open: bool
    """True while it is neither completed nor archived, and its project is not archived either."""
    lag_days: int
    override_reason: str
    overridden_by: str
    """The name of the owner who overrode it; empty without an override."""
    due: date | None = None
    through_activity: bool = False
    """True if the activity of the card waits for it, and so the card does too."""


class LinkedCards(Record):
    """The cards that a card waits for, and those that wait for it. Cards that the user cannot see are only counted."""

    waits_for: tuple[LinkedCard, ...] = ()
    blocks: tuple[LinkedCard, ...] = ()
    waits_for_unseen: int = 0
    """The number of open cards that it waits for and that the user cannot see."""
    removable_unseen: int = 0
    """The number of cards, open or not, that it waits for itself and that the user cannot see."""
    blocks_unseen: int = 0
    """The number of open cards that wait for it and that the user cannot see."""
