"""The largest requests that a contributor can send, found by walking the catalog, and what they cost everybody else.

While each is under way, another person changes something of theirs again and again: the slowest of these commands is
noted, and the most memory that the server had. The sender is a guest of the workspace in the first project, and an
internal user who imports the second one, which is as large as a document may be.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from core.actions import load_catalog
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard
from core.actions.cards.comments import AddComment
from core.actions.catalog import COMMANDS, MESSAGES, QUERIES
from core.actions.history.history import Redo, Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.projects import ArchiveProject, DeleteProject, RestoreProject
from core.actions.templates.apply import CreateProjectFromTemplate, SaveTemplate
from core.actions.templates.templates import GetTemplate, ListTemplates, RemoveTemplate
from core.actions.workflow.phases import RemovePhase, SetPhaseDueDate
from core.authorization.local_source import LocalPermissions
from core.codec.type_hints import field_types, unwrap_optional
from core.config import QUOTAS
from core.domain.max_lengths import MAX_STEPS
from core.domain.quotas import Quotas
from core.engine.engine import Engine
from core.import_export.validation import MAX_RECORDS
from core.record import fields
from core.server.requests.bounds.limits import MAX_TEXT
from core.wire.routes import BODILESS, route_of
from tests.benchmarks.largest import MIB, Kind, Sent, bulks, documents, given, lists, request, wrong_bodies
from tests.benchmarks.notes import Notes
from tests.support.api.program import ServerProgram
from tests.support.api.server import token_for
from tests.support.waiting import wait_until
from tests.support.workspace import World, gather, new_database

LAST: Sequence[Kind] = (
    *(SaveTemplate, GetTemplate, CreateProjectFromTemplate, RemoveTemplate),
    *(MoveCard, Undo, Redo, ArchiveCard, Undo, Redo, DeleteCard, Undo),
    *(RemovePhase, ArchiveProject, RestoreProject, ArchiveProject, ExportProject, DeleteProject),
)
"""What needs something before it, or leaves less of the project than others need, in this order."""

OF_EACH_SIZE: Sequence[Kind] = (AddComment, BulkUpdate, PreviewImport, ImportProject)
"""Messages whose bodies may be of each size that there is."""

SPELLINGS: Mapping[str, str] = {
    "letters": "x",
    "tabs": "\t",
    "composed accents": "e\u0301",
    "four marks on a letter": "a\u0315\u0316\u0317\u0318",
    "joined signs": "❤\u200d",
}
"""What a long text may consist of; all but the first cost more than their length."""

LENGTHS = (MAX_TEXT, 80_000, 20_000, 5_000, 2_000, 500, 120, 40)
"""Characters. The second is what is looked at of the longest field before it is refused."""

MAX_IN_TARGET = 7_000
"""Bytes of a text in a query: with its escapes as much as a head may have."""

PAUSE = 0.005
"""Seconds between two commands of the other person."""

TIMEOUT = 300.0
"""Seconds for one request: longer than the server takes for any."""


class Other:
    """Another person, who sends small commands one after the other. A context manager."""

    def __init__(self, program: ServerProgram, token: str) -> None:
        transport = httpx.HTTPTransport(uds=str(program.socket))
        self._client = httpx.Client(transport=transport, base_url="http://podium", timeout=TIMEOUT)
        self._client.headers["Authorization"] = f"Bearer {token}"
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="other", daemon=True)
        self.done: list[tuple[float, float, int]] = []
        """When each command was sent and answered, and the status."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()
        self._client.close()

    def between(self, begin: float, end: float) -> list[tuple[float, int]]:
        """The milliseconds and statuses of the commands that waited at some time between two moments."""
        wait_until(lambda: self.done and self.done[-1][1] >= end, "The other person is not answered.", TIMEOUT)
        found = []
        for sent, answered, status in reversed(self.done):
            if answered < begin:
                break
            if sent <= end:
                found.append(((answered - sent) * 1000, status))
        return found

    def _run(self) -> None:
        number = 0
        while not self._is_over.is_set():
            number += 1
            begin = time.perf_counter()
            status = 0
            with suppress(httpx.TransportError):
                status = self._client.put("/v1/me/preferences/theme", json={"value": str(number)}).status_code
            self.done.append((begin, time.perf_counter(), status))
            time.sleep(PAUSE)


HIGH_QUOTAS = "".join(f"max_{name} = {QUOTAS[-1]}\n" for name in fields(Quotas))
"""Nothing is refused because it was done too often that day: each request is measured at work."""


class Walk:
    """Sends requests one after the other, and notes what each costs."""

    def __init__(self, program: ServerProgram, other: Other, token: str, notes: Notes) -> None:
        transport = httpx.HTTPTransport(uds=str(program.socket))
        self._client = httpx.Client(transport=transport, base_url="http://podium", timeout=TIMEOUT)
        self._client.headers.update({"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        self._program, self._other, self._notes = program, other, notes
        self.accepted: dict[tuple[str, str], int] = {}
        """The longest text that each field took."""

    def send(self, sent: Sent) -> httpx.Response:
        """Send one; the slowest command of the other person meanwhile is noted, and the memory of the server."""
        self._program.forget_peak()
        begin, used = time.perf_counter(), self._program.processor_seconds()
        answer = self._client.request(sent.method, sent.target, content=sent.body)
        waited = self._other.between(begin, time.perf_counter())
        used = self._program.processor_seconds() - used
        name = f"{sent.name}: {answer.status_code}, {used:.2f} s of processor"
        self._notes.add("dear messages", 1)
        self._notes.add_named("dear wait", max((ms for ms, _ in waited), default=0.0), name)
        self._notes.add_named("dear memory", self._program.peak() / MIB, name)
        self._notes.add_named("dear unanswered", sum(status != 204 for _, status in waited), name)
        return answer

    def close(self) -> None:
        self._client.close()


def measure(home: Path, notes: Notes, quick: bool) -> None:
    """Note "dear wait" in milliseconds, "dear memory" in MiB, and "dear unanswered", by request."""
    path = home / "dear.db"
    engine = Engine(new_database(path), load_catalog, clock=lambda: datetime.now(UTC))
    engine.permissions = LocalPermissions(engine.database)
    world = World(engine, gather(engine))
    there = named(world)
    guest, other = token_for(world, world.bob), token_for(world, world.maya)
    size = 2_000 if quick else MAX_RECORDS
    with (
        ServerProgram(path, "--log-level", "error", settings=HIGH_QUOTAS) as program,
        Other(program, other) as other_user,
    ):
        walk = Walk(program, other_user, guest, notes)
        for kind in MESSAGES:
            bodies = wrong_bodies(kind, there, quick) if not quick or kind in OF_EACH_SIZE else ()
            for sent in (*bodies, *lists(kind, there)):
                walk.send(sent)
        world.internal(world.bob)
        for kind in (PreviewImport, ImportProject):  # now the bodies are read
            for sent in wrong_bodies(kind, there, quick):
                walk.send(sent)
        for sent in documents(PreviewImport, size, quick):
            walk.send(sent)
        projects = [walk.send(sent) for sent in documents(ImportProject, size, quick)]
        large = next(answer.json()["id"] for answer in projects if answer.status_code == 201)
        there |= of_project(walk, large)
        walk.send(request(SetPhaseDueDate, given(SetPhaseDueDate, there) | {"due": "2026-06-01"}))
        for kind in (*QUERIES, *(each for each in COMMANDS if each not in LAST or each is MoveCard)):
            if kind not in (PreviewImport, ImportProject, BulkUpdate):
                walk.send(request(kind, given(kind, there)))
                texts(walk, kind, there, quick)
        for sent in bulks(there, walk.accepted):
            walk.send(sent)
        for kind in LAST:
            answer = walk.send(request(kind, given(kind, there)))
            if kind is SaveTemplate and answer.is_success:
                there["template_id"] = answer.json()["id"]
        walk.close()
    engine.close()


def ending(home: Path, notes: Notes, quick: bool) -> None:
    """Note "end", the seconds from SIGTERM to the end of the server, by the large request that was under way."""
    for kind in (PreviewImport, ImportProject):
        path = home / f"ending-{kind.__name__}.db"
        engine = Engine(new_database(path), load_catalog, clock=lambda: datetime.now(UTC))
        engine.permissions = LocalPermissions(engine.database)
        world = World(engine, gather(engine))
        world.internal(world.bob)
        token = token_for(world, world.bob)
        engine.close()
        sent = next(documents(kind, 20_000 if quick else MAX_RECORDS, quick))
        with ServerProgram(path, "--log-level", "error", settings=HIGH_QUOTAS) as program:
            sending = threading.Thread(target=sent_in_vain, args=(program, token, sent))
            under_way = partial(is_at_work, program, program.processor_seconds() + 0.2, sending)
            sending.start()
            wait_until(under_way)
            begin = time.perf_counter()
            status = program.stop()
            notes.add_named("end", time.perf_counter() - begin, f"{kind.__name__}: exit status {status}")
            sending.join()


def is_at_work(program: ServerProgram, seconds: float, sending: threading.Thread) -> bool:
    """True if a server has used more than ``seconds`` of processor time, or has answered already."""
    return program.processor_seconds() > seconds or not sending.is_alive()


def sent_in_vain(program: ServerProgram, token: str, sent: Sent) -> None:
    """Send a request whose server may end before it is answered."""
    transport = httpx.HTTPTransport(uds=str(program.socket))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with (
        httpx.Client(transport=transport, base_url="http://podium", timeout=TIMEOUT) as client,
        suppress(httpx.HTTPError),
    ):
        client.request(sent.method, sent.target, content=sent.body, headers=headers)


def named(world: World) -> dict[str, Any]:
    """Records for the fields that name one, by field."""
    activity, task = world.activity(), world.task()
    product = world.product()
    application = world.add_application(product)
    return {
        "project_id": world.project.id,
        "account_id": world.project.auth_id,
        "phase_id": world.discover.id,
        "activity_id": activity.id,
        "task_id": task.id,
        "item_id": task.id,
        "card_id": activity.id,
        "product_id": product.id,
        "application_id": application.id,
        "user_id": world.vera.user_id,
        "assignee_id": world.bob.user_id,
        "template_id": world.ask(ListTemplates())[0].template.id,
        "email": "ida@example.com",
        "fields": ["DUE"],
        "sections": ["TASKS"],
        "member_ids": [world.bob.user_id],
        "permission_codes": ["PROJECT_VIEW"],
        "tasks": [task.id],
        "activities": [activity.id],
    }


def of_project(walk: Walk, project_id: str) -> dict[str, Any]:
    """The same of a project that the sender owns, with as many cards as a bulk change has steps."""
    canvas = walk.send(Sent("GetCanvas of the import", "GET", f"/v1/projects/{project_id}/canvas")).json()
    cards = canvas["cards"]
    tasks = [card["id"] for card in cards if card["kind"] == "TASK"][:MAX_STEPS]
    activities = [card["id"] for card in cards if card["kind"] == "ACTIVITY"][:MAX_STEPS]
    first = next(card for card in cards if card["id"] == tasks[0])
    found = {"project_id": project_id, "phase_id": first["phaseId"], "task_id": tasks[-1], "item_id": tasks[-1]}
    return {**found, "activity_id": activities[0], "card_id": activities[0], "tasks": tasks, "activities": activities}


def texts(walk: Walk, kind: Kind, there: Mapping[str, Any], quick: bool) -> None:
    """Send each text of a message at its longest, and longer; note in ``accepted`` what was."""
    hints = field_types(kind)
    written = [name for name, hint in hints.items() if unwrap_optional(hint)[0] is str and not name.endswith("_id")]
    for name in written:
        for spelling, signs in SPELLINGS.items():
            if quick and spelling not in ("letters", "joined signs"):
                continue
            for length in LENGTHS[1:3] if quick or spelling != "letters" else LENGTHS:
                text = (signs * length)[:length]
                if route_of(kind).method in BODILESS or name in route_of(kind).in_path:
                    text = text[: MAX_IN_TARGET // len(quote(signs)) * len(signs)]
                form = f"{name} of {len(text):,} characters ({spelling})"
                answer = walk.send(request(kind, given(kind, there) | {name: text}, form))
                if answer.is_success:
                    walk.accepted.setdefault((kind.__name__, name), len(text))
                    break
