"""Many people with one Canvas open through a server, in a few processes, while another person moves cards on it."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from core.actions.cards.cards import MoveCard
from core.actions.workflow.canvas import GetCanvas
from core.backends.remote import RemoteBackend
from core.domain.model import Member, ProjectRole, Status
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks import process, workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.served import Server, admit, served, token_of

NUMBER = workspace.SIZES.index(workspace.ORDINARY)
"""Of the project with 1,000 cards that the person of the benchmark owns, in a workspace of any size."""

PROJECT = workspace.ulid(1, NUMBER)
PEOPLE = 50
PROCESSES = 5
READY = 5
"""Moves that are made before those that are noted."""

PAUSE = (0.1, 0.4)
"""Seconds between two changes, at moments that owe nothing to the ones before."""

AFTERWARDS = 3.0
"""Seconds after the last change: what has not come by then is missed."""


def measure(
    database: Path, home: Path, notes: Notes, changes: int, people: int = PEOPLE, name: str = "live", hostile: str = ""
) -> None:
    """Note NAME for each change on each screen, "NAME missed", "NAME server" with all of them there, "NAME command" for
    each change until it was answered, and "NAME processor" and "NAME screens", the milliseconds of processor time
    that a change costs the server and the programs of all people.

    ``hostile`` is what one more member, or a stranger, floods the server with meanwhile: a key of
    ``hostile.CONNECTIONS``.
    """
    invite(database, people)
    with served(database, home) as server:
        admit(database, *range(workspace.USERS))
        watch([server], notes, changes, people, name, hostile)


def watch(servers: Sequence[Server], notes: Notes, changes: int, people: int, name: str, hostile: str = "") -> None:
    """Note the same for a database whose members are let in; the people are spread over the servers."""
    server = servers[0]
    with ExitStack() as stack:
        each = people // PROCESSES
        first = min(1, workspace.USERS - people)
        groups = [
            stack.enter_context(_listening(servers[number % len(servers)], first + each * number, each))
            for number in range(PROCESSES)
        ]
        for group in groups:
            assert group.stdout is not None
            assert group.stdout.readline() == "ready\n"
        notes.add(f"{name} server", max(process.memory(each.pid)[1] for each in servers))
        asyncio.run(_move_cards(server, 1, Notes(), name))
        if hostile:
            stack.enter_context(_hostile(server, hostile))
        before, theirs = _processor(server.pid for server in servers), _processor(group.pid for group in groups)
        sent = asyncio.run(_move_cards(server, changes, notes, name))
        time.sleep(AFTERWARDS)
        for what, pids, had in (
            ("processor", (each.pid for each in servers), before),
            ("screens", (each.pid for each in groups), theirs),
        ):
            notes.add(f"{name} {what}", (_processor(pids) - had) * 1000 / (changes + READY))
        for group in groups:
            told = [json.loads(line) for line in group.communicate("\n")[0].splitlines()]
            assert (group.returncode, len(told)) == (0, each), "A listener ended."
            _note(notes, name, sent, told)


def _processor(pids: Iterable[int]) -> float:
    """The processor time of processes together, in seconds."""
    return sum(process.processor(pid) for pid in pids)


@contextmanager
def _listening(server: Server, first: int, count: int) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-m", "tests.benchmarks.listeners", str(server.address), PROJECT, str(first), str(count)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as group:
        yield group


@contextmanager
def _hostile(server: Server, kind: str) -> Iterator[None]:
    """A process that floods the server, as the person after those who listen."""
    token = token_of(1 + PEOPLE)
    argv = [sys.executable, "-m", "tests.benchmarks.hostile", str(server.address.socket), token, kind, PROJECT]
    with subprocess.Popen(argv) as flood:
        try:
            yield
            assert flood.poll() is None, "The flood ended."
        finally:
            flood.kill()


async def _move_cards(server: Server, changes: int, notes: Notes, name: str) -> dict[int, float]:
    """Move cards at random intervals. Return the time of each change by its seq."""
    backend, places = RemoteBackend(server.address, token_of(0)), range(1, 1 + READY)
    for place in places:
        await backend.execute(MoveCard(card_id=_card(place), status=Status.TO_DO))
    seq = (await backend.query(GetCanvas(project_id=PROJECT))).head.seq
    sent = {}
    for number in range(changes):
        await asyncio.sleep(random.uniform(*PAUSE))
        status = Status.TO_DO if number // len(places) % 2 else Status.IN_PROGRESS
        sent[seq + number + 1] = time.perf_counter()
        await backend.execute(MoveCard(card_id=_card(places[number % len(places)]), status=status))
        notes.add(f"{name} command", (time.perf_counter() - sent[seq + number + 1]) * 1000)
    await backend.close()
    return sent


def _note(
    notes: Notes, name: str, sent: dict[int, float], told: Sequence[tuple[list[tuple[int, float]], bool]]
) -> None:
    """A picture tells of every change up to its seq."""
    for seen, is_right in told:
        first = {seq: min((at for shown, at in seen if shown >= seq), default=None) for seq in sent}
        notes.add(name, *((at - sent[seq]) * 1000 for seq, at in first.items() if at is not None))
        notes.add(f"{name} missed", sum(at is None for at in first.values()) + (not is_right))


def _card(place: int) -> str:
    return workspace.ulid(3, NUMBER * workspace.ITEMS + place)


def invite(database: Path, people: int) -> None:
    """Make everybody who is to listen a member, beside those who are."""
    listeners = [workspace.ulid(2, number) for number in range(min(2 + people, workspace.USERS))]
    opened = SqliteDatabase(database, synchronous="OFF")
    there = {row[0] for row in opened.connection.execute("SELECT user_id FROM member WHERE project_id = ?", (PROJECT,))}
    workspace.insert(
        opened.connection,
        [
            Member(project_id=PROJECT, user_id=person, role=ProjectRole.CONTRIBUTOR, invited_by=listeners[0])
            for person in listeners
            if person not in there
        ],
    )
    opened.close()
