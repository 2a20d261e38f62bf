"""The sample project of the tour: three phases, of which the second waits for little and the third is locked."""

from __future__ import annotations

from datetime import date, timedelta

from core.domain.model import Gate, ItemKind, ProjectRole, Status, User
from core.import_export.document import DeliverableEntry, ItemEntry, PersonEntry, PhaseEntry, ProjectDocument

NAME = "Sample: a coffee bar"
REVIEWED, LOCKED = "Prepare", "Launch"
"""The phase whose gate is approved in the tour, and the one that this opens."""

_DONE, _DOING, _TO_DO = Status.COMPLETED, Status.IN_PROGRESS, Status.TO_DO

_CARDS: dict[str, tuple[tuple[str, Status, int, bool], ...]] = {
    "Plan": (
        ("Choose the street", _DONE, -12, True),
        ("Agree on the budget", _DONE, -8, True),
    ),
    REVIEWED: (
        ("Order the espresso machine", _DOING, 6, True),
        ("Sign the lease", _DONE, -2, True),
        ("Paint the walls", _DONE, -1, False),
    ),
    LOCKED: (
        ("Train the team", _TO_DO, 14, False),
        ("Invite the neighbours", _TO_DO, 16, False),
        ("Opening day", _TO_DO, 20, True),
    ),
}
"""The cards of each phase: title, status, the day that each is due, from today, and whether it is the owner's."""


def sample_project(owner: User, today: date) -> ProjectDocument:
    """Return the sample project as a document, with this user as its owner. Import it to create it."""

    def day(days: int) -> date:
        return today + timedelta(days=days)

    def cards(phase: str) -> tuple[ItemEntry, ...]:
        return tuple(
            ItemEntry(
                id=f"{phase} {number}",
                kind=ItemKind.TASK,
                title=title,
                status=status,
                due=day(due),
                assigned=(owner.login,) if is_mine else (),
            )
            for number, (title, status, due, is_mine) in enumerate(_CARDS[phase])
        )

    return ProjectDocument(
        name=NAME,
        description="A project to try things out. Remove it at any time.",
        start=day(-20),
        people=(PersonEntry(login=owner.login, role=ProjectRole.OWNER),),
        phases=(
            PhaseEntry(name="Plan", due=day(-7), items=cards("Plan")),
            PhaseEntry(
                name=REVIEWED,
                due=day(7),
                gate=Gate.REVIEW,
                objectives="Have everything ready before the first guest comes.",
                deliverables=(DeliverableEntry(name="Signed lease", evidence="lease.pdf", done=True),),
                items=cards(REVIEWED),
            ),
            PhaseEntry(name=LOCKED, due=day(20), items=cards(LOCKED)),
        ),
    )
