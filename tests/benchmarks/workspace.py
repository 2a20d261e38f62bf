"""The workspace of the benchmark: 1,000,000 items, written straight into the tables, the same each time.

Among a thousand projects are three of exactly 100, 1,000 and 10,000 cards; the others are linked to a client, a market
and a brand. One more has 200 phases, for the Timeline, and one has 10,000 cards with five labels each, which wait for
the two cards before them. Cards are called ``A00001 …``: the phase and the place in it. In
phase A half is To Do, a quarter In Progress, a quarter Completed; the phases after it are locked and To Do. The file is
kept in the cache folder under a name that changes with the schema and this recipe.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from fractional_indexing import generate_n_keys_between
from platformdirs import user_cache_path

from core.actions.workspace.meta_roles import SEEDED
from core.domain.dependencies import Dependency
from core.domain.labels import ItemLabel, Label, LabelColour
from core.domain.model import (
    HierarchyNode,
    Id,
    Item,
    ItemKind,
    Member,
    NodeKind,
    Phase,
    PlatformRole,
    Project,
    ProjectRole,
    User,
    Workspace,
)
from core.domain.products.products import MetaRole, RoleMapping
from core.engine.counters import list_miscounted, recount
from core.storage.deadline import Deadline
from core.storage.progress import NO_PROGRESS
from core.storage.row_mapper import table_of
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.transaction import SqliteTx

ITEMS = 1_000_000
SIZES = (100, 1_000, 10_000)
ORDINARY = 1_000
"""Cards of the projects that fill the rest."""

PHASES = ("Discover", "Define", "Design", "Build", "Launch", "Learn")
USERS = 200
MEMBERS = 8
TIMELINE = "Bench timeline"
TIMELINE_PHASES = 200
LINKED = "Bench linked"
LINKED_NUMBER = 3 * ITEMS
LINKED_CARDS = 10_000
LABELS, LABELS_EACH = 12, 5
WAITS_EACH = 2
LOGIN = "bench"
TODAY = date(2026, 1, 15)
ROOT = "00000000-0000-4000-9000-000000000000"
"""The account of the workspace."""
CREATED = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = ("brief", "concept", "budget", "media plan", "landing page", "film", "survey", "press kit", "report")


def project_name(cards: int) -> str:
    return f"Bench {cards}"


def project_id(cards: int) -> str:
    """The id of the project with that many cards."""
    return ulid(1, SIZES.index(cards))


def account(number: int) -> str:
    """The account of a project, by its number in the workspace."""
    return f"00000000-0000-4000-8000-{number:012d}"


def card_id(cards: int, phase: int, place: int) -> str:
    """The id of a card, by its phase from 0 and its place from 1."""
    return ulid(3, SIZES.index(cards) * ITEMS + phase * ORDINARY * 10 + place)


def title(phase: int, place: int) -> str:
    return f"{'ABCDEF'[phase]}{place:05d} Approve the {WORDS[place % len(WORDS)]}"


def ulid(kind: int, number: int) -> str:
    """An id in the form of a ULID: 26 digits, of which the first tell the kind of record."""
    return f"01{kind}{number:023d}"


USER = ulid(2, 0)
"""Whose login is LOGIN."""


def cached(items: int = ITEMS) -> Path:
    """The path of the database, made now if it is not there yet (about a minute)."""
    with tempfile.TemporaryDirectory() as folder:
        empty = SqliteDatabase(Path(folder, "empty.db"), create=True)
        schema = [row[0] for row in empty.connection.execute("SELECT sql FROM sqlite_master ORDER BY name")]
        empty.close()
    recipe = hashlib.sha256(repr((items, schema, Path(__file__).read_text())).encode()).hexdigest()[:12]
    path = user_cache_path("podium", ensure_exists=True) / "benchmarks" / f"workspace-{recipe}.db"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        for old in path.parent.glob("workspace-*.db*"):
            old.unlink()
        unfinished = path.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        generate(unfinished, items)
        os.replace(unfinished, path)
    return path


def generate(path: Path, items: int) -> None:
    """Write the whole workspace into a new database."""
    database = SqliteDatabase(path, create=True, synchronous="OFF")
    connection = database.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    sizes = [*SIZES, *_rest(items - sum(SIZES) - LINKED_CARDS)]
    insert(connection, [Workspace(id=ulid(0, 0), name="Bench", auth_id=ROOT)])
    insert(connection, _people())
    insert(connection, _nodes())
    insert(connection, _meta_roles())
    for number, cards in enumerate(sizes):
        _project(connection, number, project_name(cards) if number < len(SIZES) else "")
    _items(connection, sizes)
    insert(connection, _timeline())
    _project(connection, LINKED_NUMBER, LINKED)
    _insert_items(connection, cards_of(LINKED_NUMBER, LINKED_CARDS))
    insert(connection, _links_and_labels())
    count_items(connection)
    connection.execute("COMMIT")
    connection.execute("ANALYZE")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA journal_mode = WAL")
    database.close()
    for name in ("-wal", "-shm", ".lock"):
        Path(f"{path}{name}").unlink(missing_ok=True)


def _rest(cards: int) -> Iterator[int]:
    while cards > 0:
        yield min(ORDINARY, cards)
        cards -= ORDINARY


def insert(connection: sqlite3.Connection, records: Iterable[Any]) -> None:
    """Insert records."""
    for record in records:
        table = table_of(type(record))
        connection.execute(table.insertion, table.with_folded(table.dump(record)))


def count_items(connection: sqlite3.Connection) -> None:
    """Give each project its row in ``feed``, with the number of its items."""
    connection.execute("INSERT INTO feed (id, seq) SELECT id, 0 FROM project")
    for project in list_miscounted(_transaction(connection)):
        recount(_transaction(connection), project)


def _transaction(connection: sqlite3.Connection) -> SqliteTx:
    """A transaction with time of its own; 10,000 projects take minutes on a loaded machine."""
    return SqliteTx(connection, Deadline(600, NO_PROGRESS))


@cache
def _statement(table: str, columns: tuple[str, ...]) -> str:
    marks = ", ".join(f":{name}" for name in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"


def _people() -> Iterator[User]:
    for number in range(USERS):
        login = f"user{number}" if number else LOGIN
        yield User(
            id=ulid(2, number),
            login=login,
            first_name=f"Person {number}",
            last_name="Bench",
            email=f"{login}@example.com",
            city="Essen",
            platform_roles=(PlatformRole.INTERNAL if number else PlatformRole.WORKSPACE_ADMIN,),
        )


def _nodes() -> Iterator[HierarchyNode]:
    """A client, a market under it, and a brand under that."""
    for number, kind in enumerate(NodeKind):
        parent = ulid(5, number - 1) if number else None
        yield HierarchyNode(
            id=ulid(5, number), kind=kind, name=f"Bench {kind}", auth_id=account(ITEMS + number), parent_id=parent
        )


def _meta_roles() -> Iterator[MetaRole | RoleMapping]:
    """Those that a new workspace has."""
    for number, name in enumerate(SEEDED):
        yield MetaRole(id=ulid(6, number), name=name)
    yield RoleMapping(project_role=ProjectRole.OWNER, meta_role_id=ulid(6, 0))


def _team(project: int) -> list[Id]:
    """The people of a project; the bench's user owns the three of known size and a few of the others."""
    first = 0 if project < len(SIZES) or project % 50 == 0 else 1 + project % (USERS - MEMBERS)
    return [ulid(2, first + number) for number in range(MEMBERS)]


def _project(connection: sqlite3.Connection, number: int, name: str = "") -> None:
    """A project with its members and phases; one without a name of its own is linked to the nodes."""
    team, project = _team(number), ulid(1, number)
    client, market, brand = (None if name else ulid(5, at) for at in range(len(NodeKind)))
    insert(
        connection,
        [
            Project(
                id=project,
                name=name or f"Project {number}",
                auth_id=account(number),
                created_at=CREATED,
                client_id=client,
                market_id=market,
                brand_id=brand,
            )
        ],
    )
    roles = [ProjectRole.OWNER] + [ProjectRole.CONTRIBUTOR] * (MEMBERS - 1)
    insert(
        connection,
        (
            Member(project_id=project, user_id=user, role=role, invited_by=team[0])
            for user, role in zip(team, roles, strict=True)
        ),
    )
    insert(
        connection,
        (
            Phase(
                project_id=project,
                id=ulid(4, number * 10 + at),
                rank=ranks()[at],
                name=phase,
                due=TODAY + timedelta(days=30 * at + 10),
            )
            for at, phase in enumerate(PHASES)
        ),
    )


def _timeline() -> Iterator[Project | Member | Phase | Item]:
    """A project of 200 phases that are due ten days apart, with a card in each."""
    project = ulid(1, ITEMS)
    yield Project(id=project, name=TIMELINE, auth_id=account(2 * ITEMS), created_at=CREATED)
    yield Member(project_id=project, user_id=USER, role=ProjectRole.OWNER, invited_by=USER)
    for number in range(TIMELINE_PHASES):
        phase, due = ulid(4, 100 * ITEMS + number), TODAY + timedelta(days=10 * number)
        yield Phase(project_id=project, id=phase, rank=ranks()[number], name=f"Step {number + 1}", due=due)
        card = ulid(3, ITEMS * ITEMS * 10 + number)
        yield Item(
            project_id=project,
            id=card,
            kind=ItemKind.TASK,
            phase_id=phase,
            rank=ranks()[0],
            title="Do it",
            due=due,
            number=number + 1,
        )


def _links_and_labels() -> Iterator[Label | ItemLabel | Dependency]:
    """Every card has five of twelve labels and waits for the two cards before it, as far as there are any."""
    project = ulid(1, LINKED_NUMBER)
    for number in range(LABELS):
        colour, name = list(LabelColour)[number % len(LabelColour)], f"label{number}"
        yield Label(id=ulid(8, number), project_id=project, name=name, colour=colour, sign=f"{number:02}")
    cards = [row["id"] for row in cards_of(LINKED_NUMBER, LINKED_CARDS)]
    for number, card in enumerate(cards):
        for label in range(LABELS_EACH):
            yield ItemLabel(project_id=project, item_id=card, label_id=ulid(8, (number + label) % LABELS))
        for before in cards[max(0, number - WAITS_EACH) : number]:
            yield Dependency(project_id=project, waiting_id=card, blocker_id=before, blocker_project_id=project)


def _insert_items(connection: sqlite3.Connection, rows: Iterable[dict[str, Any]]) -> None:
    connection.executemany(_statement("item", table_of(Item).columns), rows)


def _items(connection: sqlite3.Connection, sizes: Sequence[int]) -> None:
    """All cards in the order of the table's key; the indexes are made again afterwards, which is much faster."""
    where = "type = 'index' AND tbl_name = 'item' AND sql IS NOT NULL"
    indexes = connection.execute(f"SELECT name, sql FROM sqlite_master WHERE {where}").fetchall()
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    rows = (row for number, cards in enumerate(sizes) for row in cards_of(number, cards))
    _insert_items(connection, rows)
    for _, sql in indexes:
        connection.execute(sql)


def cards_of(project: int, cards: int) -> Iterator[dict[str, Any]]:
    """The rows of a project's cards. The tenth of each twenty is an activity, the next three are its tasks."""
    team = _team(project)
    blank = Item(project_id=ulid(1, project), id="", kind=ItemKind.TASK, phase_id="", rank="", title="")
    row = table_of(Item).dump(blank)
    for phase in range(len(PHASES)):
        count = cards // len(PHASES) + (phase < cards % len(PHASES))
        for place in range(1, count + 1):
            number = project * ITEMS + phase * ORDINARY * 10 + place
            within = place % 20
            yield {
                **row,
                "id": ulid(3, number),
                "kind": "ACTIVITY" if within == 10 else "TASK",
                "phase_id": ulid(4, project * 10 + phase),
                "rank": ranks()[place],
                "number": 1 + phase + len(PHASES) * (place - 1),
                "title": title(phase, place),
                "status": _status(phase, place, count),
                "activity_id": ulid(3, number - within + 10) if within in (11, 12, 13) else None,
                "assignee_id": team[place % MEMBERS] if place % 3 and within != 10 else None,
                "due": str(TODAY + timedelta(days=place % 120)) if place % 2 else None,
            }


def _status(phase: int, place: int, count: int) -> str:
    if phase or place <= count // 2:
        return "TO_DO"
    return "IN_PROGRESS" if place <= count * 3 // 4 else "COMPLETED"


@cache
def ranks() -> list[str]:
    """Keys for the longest phase there is, in order."""
    return [str(key) for key in generate_n_keys_between(None, None, n=max(SIZES) // len(PHASES) + 2)]
