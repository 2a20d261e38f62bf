"""Two workspaces: in the small one are a project of 100 cards and a person who is a member of ten projects; in the
large one are larger projects too, and many that this person is a member of.

What a person sees at first is the same in both. Everything else in which a large size differs from the first one is
named by the size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fractional_indexing import generate_n_keys_between

from core.domain.model import (
    Id,
    Item,
    ItemKind,
    Member,
    Phase,
    PlatformRole,
    Project,
    ProjectRole,
    User,
    Workspace,
)
from core.domain.notifications import Notification, NotificationKind
from core.storage.row_mapper import table_of
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.workspace import CREATED, LOGIN, PHASES, count_items, insert, title, ulid

EACH = 100_000_000
"""Ids of items are counted from the number of their project times this."""

IN_PHASE = 100_000
BUSY = "busy"
"""The login of the person with many projects."""

FEW = 10
"""The projects of this person in the small workspace. Cards and notifications for them are only in the first."""

OWN_CARDS, IN_INBOX = 100, 40


class Size(NamedTuple):
    """A project of known size. All of its phases after the sixth have one card."""

    name: str
    cards: int = 100
    phases: int = len(PHASES)
    members: int = 8

    @property
    def number(self) -> int:
        """Of the project."""
        return SIZES.index(self)

    @property
    def project_id(self) -> Id:
        return ulid(1, self.number)

    @property
    def project(self) -> str:
        """The name of the project."""
        return f"Growth {self.number}"

    def card_id(self, place: int) -> Id:
        """A card of the first phase, by its place from 1."""
        return ulid(3, self.number * EACH + place)


FIRST = Size("100 cards")
SIZES = (
    FIRST,
    Size("1,000 cards", cards=1_000),
    Size("10,000 cards", cards=10_000),
    Size("100,000 cards", cards=100_000),
    Size("200 phases", phases=200),
    Size("2,000 members", members=2_000),
)
PROJECTS = 10_000
"""Of the person with many projects, in the large workspace, with as many cards as make 1,000,000 with the others."""

ITEMS = 1_000_000
USERS = max(size.members for size in SIZES)
PERSON = ulid(2, 0)
BUSY_PERSON = ulid(2, USERS)


class Scale(NamedTuple):
    """The contents of a workspace: projects of known size, other projects, and items in all."""

    sizes: tuple[Size, ...]
    projects: int
    items: int


SMALL = Scale((FIRST,), FEW, 1_000)
LARGE = Scale(SIZES, PROJECTS, ITEMS)
LARGE_QUICK = Scale(tuple(size for size in SIZES if size.cards <= 10_000), 1_000, 100_000)


def generate(path: Path, scale: Scale) -> None:
    """Write a workspace into a new database."""
    database = SqliteDatabase(path, create=True, synchronous="OFF")
    connection = database.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    insert(connection, _workspace())
    add = f"INSERT INTO item ({', '.join(_columns())}) VALUES ({', '.join(f':{name}' for name in _columns())})"
    for size in scale.sizes:
        insert(connection, _project(size))
        connection.executemany(add, _cards(size))
    known = sum(size.cards + size.phases - len(PHASES) for size in scale.sizes)
    each = max(1, (scale.items - known) // scale.projects)
    for number in range(scale.projects):
        insert(connection, _other(number))
        connection.executemany(add, _other_cards(number, each if number else max(each, OWN_CARDS)))
    insert(connection, _notifications())
    count_items(connection)
    connection.execute("COMMIT")
    connection.execute("ANALYZE")
    database.close()


def _workspace() -> Iterator[Workspace | User]:
    yield Workspace(id=ulid(0, 0), name="Growth", auth_id="workspace")
    for number in range(USERS + 1):
        login = {0: LOGIN, USERS: BUSY}.get(number, f"user{number}")
        role = PlatformRole.INTERNAL if number else PlatformRole.WORKSPACE_ADMIN
        yield User(
            id=ulid(2, number),
            login=login,
            first_name=f"Person {number}",
            last_name="Growth",
            email=f"{login}@example.com",
            platform_roles=(role,),
        )


def _project(size: Size) -> Iterator[Project | Member | Phase]:
    project = size.project_id
    yield Project(id=project, name=size.project, auth_id=f"account {size.number}", created_at=CREATED)
    for number in range(size.members):
        role = ProjectRole.CONTRIBUTOR if number else ProjectRole.OWNER
        yield Member(project_id=project, user_id=ulid(2, number), role=role, invited_by=PERSON)
    for place in range(size.phases):
        name = PHASES[place] if place < len(PHASES) else f"Step {place + 1}"
        yield Phase(project_id=project, id=_phase(size.number, place), rank=_ranks()[place], name=name)


def _phase(project: int, place: int) -> Id:
    return ulid(4, project * 1_000 + place)


def _cards(size: Size) -> Iterator[dict[str, Any]]:
    """The rows of the cards, dealt to the first six phases in turn."""
    each = [size.cards // len(PHASES) + (place < size.cards % len(PHASES)) for place in range(len(PHASES))]
    for phase, count in enumerate([*each, *[1] * (size.phases - len(PHASES))]):
        for place in range(1, count + 1):
            yield _row(
                size.number,
                phase,
                place,
                title(phase, place) if phase < len(PHASES) else "Do it",
                number=1 + phase + size.phases * (place - 1),
                assignee_id=ulid(2, place % size.members) if place % 3 else None,
                due=f"2026-{1 + place % 12:02}-15" if place % 2 else None,
            )


def _other(number: int) -> Iterator[Project | Member | Phase]:
    project = ulid(1, EACH + number)
    yield Project(id=project, name=f"Other {number:05d}", auth_id=f"other account {number}", created_at=CREATED)
    yield Member(project_id=project, user_id=BUSY_PERSON, role=ProjectRole.OWNER, invited_by=BUSY_PERSON)
    yield Phase(project_id=project, id=_phase(EACH + number, 0), rank="a0", name="Discover")


def _other_cards(number: int, cards: int) -> Iterator[dict[str, Any]]:
    for place in range(1, cards + 1):
        own = number == 0 and place <= OWN_CARDS
        yield _row(
            EACH + number,
            0,
            place,
            f"Find the needle {place}" if own else f"Write the report {place}",
            number=place,
            assignee_id=BUSY_PERSON if own else None,
            due="2026-03-02" if own else None,
        )


def _notifications() -> Iterable[Notification]:
    for place in range(1, IN_INBOX + 1):
        yield Notification(
            project_id=ulid(1, EACH),
            id=ulid(7, place),
            user_id=BUSY_PERSON,
            kind=NotificationKind.ASSIGNED,
            target_id=ulid(3, EACH * EACH + place),
            by_id=PERSON,
            at=CREATED,
        )


def _row(project: int, phase: int, place: int, name: str, **more: object) -> dict[str, Any]:
    return {
        **_blank(),
        "project_id": ulid(1, project),
        "id": ulid(3, project * EACH + phase * IN_PHASE + place),
        "phase_id": _phase(project, phase),
        "rank": _ranks()[place],
        "title": name,
        **more,
    }


@cache
def _blank() -> dict[str, Any]:
    blank = Item(project_id="", id="", kind=ItemKind.TASK, phase_id="", rank="", title="")
    return dict(table_of(Item).dump(blank))


def _columns() -> tuple[str, ...]:
    return table_of(Item).columns


@cache
def _ranks() -> list[str]:
    """Keys in order, as many as the longest phase has cards."""
    longest = max(size.cards for size in SIZES) // len(PHASES)
    return [str(key) for key in generate_n_keys_between(None, None, n=longest + 2)]
