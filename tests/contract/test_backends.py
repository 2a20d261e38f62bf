"""Behind a server everything is as it is in this process: results, errors, their order, and the news of changes."""

from __future__ import annotations

import asyncio
import gc
import itertools
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core import errors
from core.actions.cards.tasks import CreateTask, EditTask, ListTasks
from core.actions.history.history import Redo
from core.actions.personal.saved_filters import SaveFilter
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.workflow.gate_record import PreviewApproval
from core.actions.workflow.gates import DecideGate
from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import Backend, ChangeEvent
from core.codec.encoding import to_json
from core.domain.gates import Decision
from core.engine.messages import Command, Message
from core.engine.unit_of_work import Snapshot
from core.errors import Blocker, ConcurrentChange, PodiumError
from core.import_export.document import ProjectDocument
from core.record import replace
from core.server.requests.responses import STORAGE_SENTENCES
from core.wire import error_bodies
from tests.support.api.server import ServerOfTests, token_for
from tests.support.backends import KINDS, REMOTE, backend_of, behind, in_process, on_a_copy
from tests.support.message_examples import messages
from tests.support.sweeps import every_message
from tests.support.waiting import PATIENCE, until
from tests.support.workspace import World

MADE = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|[\w-]{43,}")
"""Ids, hashes and secrets differ from one time to the next where a message makes them."""


def shape(result: object, known: str) -> object:
    """A result as JSON in which all that was made, and not known before, has the same name."""
    made = MADE.sub(lambda found: found[0] if found[0] in known else "new", repr(to_json(result)))
    made = re.sub(r"'signIn': '\w*'", "'signIn': 'as each'", made)  # one is signed in by a token, and one is not
    made = re.sub(r'"(activity|waits)":"[0-9a-f]{8}"', "made", made)  # hashes of ids, as an import keeps them
    said = made.replace("'way': 'SERVER'", "'way': 'FILE'")  # the record of a gate says through which it came
    return said.replace('"way":"SERVER"', '"way":"FILE"')


@every_message(messages.ALL)
async def test_a_message_has_the_same_result_on_both(world: World, kind: type[Message[Any]]) -> None:
    message = messages.ALL[kind](world)
    token = token_for(world, world.maya)
    known = repr(world.rows("SELECT * FROM change_record")) + repr(message)
    if isinstance(message, Command):
        local = on_a_copy(world, "copy.db")
        expected = await local.execute(message)
        await local.close()
    else:
        expected = world.send(message)
    with ServerOfTests(world) as server:
        remote = behind(server, token=token)
        result = await _send(remote, message)
        await remote.close()
    assert type(result) is type(expected)
    assert shape(result, known) == shape(expected, known)
    if not isinstance(message, Command | PreviewApproval):  # whose preview says through which the approval would come
        assert result == expected


@every_message(messages.COMMANDS)
async def test_a_dry_run_has_the_same_answer_on_both(world: World, kind: type[Command[Any]]) -> None:
    command: Any = messages.COMMANDS[kind](world)
    known = repr(world.rows("SELECT * FROM change_record")) + repr(command)
    answers = []
    for each in KINDS:
        async with backend_of(world, each) as backend:
            answers.append(await backend.dry_run(command))
    local, remote = answers
    assert type(local) is type(remote)
    assert shape(local, known) == shape(remote, known)


async def _send(backend: Backend, message: Any) -> Any:
    return await (backend.execute if isinstance(message, Command) else backend.query)(message)


# -- errors --------------------------------------------------------------------------------------------------


def told(error: PodiumError) -> dict[str, Any]:
    """All that a front end may want of an error."""
    named = {name: getattr(error, name, None) for name in (*error_bodies.DETAILS, "current", "code", "exit_status")}
    return {"kind": type(error), "sentence": str(error), **named}


def example(kind: type[PodiumError], world: World) -> PodiumError:
    """An error of a kind, with something in each of its attributes."""
    task = world.rows("SELECT id FROM item")[0]["id"]
    blocker = Blocker(task, "TASK", "Write „the“ brief", "Discover")
    attributes: dict[str, Any] = {
        "field": "title", "who_can": ("Maya Okafor",), "blockers": (blocker,), "at": 3, "length": 2, "text": "a:b c",
        "line": 7, "seq": 5, "phase_ids": (world.build.id,),
        "phase_id": world.build.id, "card_id": task, "until": "Locked „until“ then",
        "reason": "It is empty.", "correlation_id": "c-1",
        "current": world.ask(GetCurrentUser()).user,
        "base": world.ask(GetCurrentUser()).user,
        "since": (ConcurrentChange("Bob Lind", world.engine.clock(), "renamed „it“"),),
    }  # fmt: skip
    error = kind.__new__(kind)
    error.args = ("What happened, „and“ what to do.",)
    for name in ATTRIBUTES.get(kind, ()):
        setattr(error, name, attributes[name])
    return error


ATTRIBUTES: dict[type[PodiumError], tuple[str, ...]] = {
    errors.InvalidInput: ("field",),
    errors.InvalidFilter: ("field", "at", "length", "text"),
    errors.InvalidImport: ("field", "line", "reason"),
    errors.Forbidden: ("who_can",),
    errors.RuleViolation: ("blockers", "who_can"),
    errors.WouldRelockPhases: ("blockers", "who_can"),
    errors.LapsesApproval: ("blockers", "who_can", "phase_ids"),
    errors.WouldBlockCards: ("blockers", "who_can"),
    errors.CardBlocked: ("blockers", "who_can", "card_id"),
    errors.UndoTooOld: ("blockers", "who_can", "seq"),
    errors.PhaseLocked: ("blockers", "who_can", "phase_id", "until"),
    errors.QuotaReached: ("blockers", "who_can"),
    errors.CannotUndo: ("blockers", "who_can"),
    errors.VersionConflict: ("current", "base", "since"),
    errors.AuthorizationUnavailable: ("correlation_id",),
    errors.AuthorizationInvalid: ("correlation_id",),
    errors.AuthorizationTimedOut: ("correlation_id",),
}


async def test_every_error_arrives_as_the_one_it_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the kind of a storage error arrives. Its message names files, so it is only in the server's log."""
    world.task()
    async with backend_of(world, REMOTE) as backend:
        for kind in error_bodies.every_error():
            error = example(kind, world)
            with monkeypatch.context() as patch:
                patch.setattr(world.engine, "query", partial(_raise, error))
                with pytest.raises(kind) as caught:
                    await backend.query(GetCurrentUser())
            if isinstance(error, errors.StorageError):
                assert str(caught.value) in STORAGE_SENTENCES.values()
                error.args = caught.value.args
            assert told(caught.value) == told(error)
            assert vars(caught.value) == vars(error)


def _raise(error: PodiumError, *_: object, **__: object) -> None:
    raise error


REFUSED: dict[str, tuple[type[PodiumError], Any]] = {
    "a title that is empty": (errors.InvalidInput, lambda world: CreateTask(phase_id=world.discover.id, title=" ")),
    "a filter that is none": (errors.InvalidFilter, lambda world: SaveFilter(name="Mine", text="due:never")),
    "a file that is none": (errors.InvalidImport, lambda world: ImportProject(document=_unlinked(world))),
    "a card that is not there": (errors.NotFound, lambda world: EditTask(task_id="nowhere", title="A")),
    "a card that another user changed": (errors.VersionConflict, lambda world: _outdated(world)),
    "a phase that is not done": (errors.RuleViolation, lambda world: _unready(world)),
    "a phase that is open again": (errors.WouldRelockPhases, lambda world: _relocking(world)),
    "nothing to undo": (errors.NothingToUndo, lambda world: Redo(project_id=world.new_project("Empty").id)),
}


def _unlinked(world: World) -> ProjectDocument:
    return replace(world.ask(ExportProject(project_id=world.project.id)), client="Nowhere")


def _outdated(world: World) -> EditTask:
    task = world.task()
    world.do(EditTask(task_id=task.id, title="Call the venue"))
    return EditTask(task_id=task.id, title="Call them", seen_version=task.version)


def _unready(world: World) -> DecideGate:
    world.task()
    return DecideGate(phase_id=world.discover.id, decision=Decision.PASS)


def _relocking(world: World) -> CreateTask:
    task = world.task()
    world.complete(task.id)
    return CreateTask(phase_id=world.discover.id, title="One more")


@pytest.mark.parametrize("what", REFUSED)
async def test_a_refusal_says_the_same_on_both(world: World, what: str) -> None:
    kind, make = REFUSED[what]
    message = make(world)
    found = []
    for backend_kind in KINDS:
        async with backend_of(world, backend_kind) as backend:
            with pytest.raises(kind) as caught:
                await _send(backend, message)
            found.append(told(caught.value))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_refusal_names_who_can(world: World, kind: str) -> None:
    async with backend_of(world, kind, world.vera) as backend:
        with pytest.raises(errors.Forbidden) as caught:
            await backend.execute(CreateTask(phase_id=world.discover.id, title="A"))
    local = world.refuses(CreateTask(phase_id=world.discover.id, title="A"), errors.Forbidden, as_=world.vera)
    assert told(caught.value) == told(local)


# -- order, and what waits for what --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_commands_happen_in_the_order_in_which_they_were_given(world: World, kind: str) -> None:
    titles = [f"Card {number}" for number in range(20)]
    async with backend_of(world, kind) as backend:
        made = await asyncio.gather(
            *(backend.execute(CreateTask(phase_id=world.discover.id, title=title)) for title in titles)
        )
    assert [each.title for each in made] == titles
    assert [row["title"] for row in world.rows("SELECT title FROM item ORDER BY rank")] == titles


@pytest.mark.parametrize("kind", KINDS)
async def test_a_question_aside_does_not_wait_behind_others(
    world: World, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, go_on = threading.Event(), threading.Event()
    run = ListTasks.run

    def slowly(self: ListTasks, view: Any) -> Any:
        slow.set()
        assert go_on.wait(PATIENCE)
        return run(self, view)

    monkeypatch.setattr(ListTasks, "run", slowly)
    async with backend_of(world, kind) as backend:
        waiting: list[asyncio.Task[Any]] = [asyncio.create_task(backend.query(ListTasks(project_id=world.project.id)))]
        await until(slow.is_set)
        waiting.append(asyncio.create_task(backend.query(GetCurrentUser())))
        assert (await backend.aside(GetCurrentUser())).user.id == world.maya.user_id
        assert not any(each.done() for each in waiting)
        go_on.set()
        await asyncio.gather(*waiting)


# -- news ----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def listening(backend: Backend) -> AsyncIterator[list[ChangeEvent]]:
    """All news of a backend so far."""
    heard: list[ChangeEvent] = []

    async def listen() -> None:
        async for event in backend.changes():
            heard.append(replace(event, commits=0))

    task = asyncio.create_task(listen())
    try:
        yield heard
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.parametrize("kind", KINDS)
async def test_an_event_comes_at_the_start_and_after_each_change(world: World, kind: str) -> None:
    async def mine() -> None:
        await backend.execute(CreateTask(phase_id=world.discover.id, title="Mine"))

    async def another_ones() -> None:
        await asyncio.to_thread(world.task, "Bob's")

    async with backend_of(world, kind) as backend, listening(backend) as heard:
        await until(lambda: heard)
        for step in (mine, another_ones, mine):
            await asyncio.sleep(0.25)  # nothing of what was before is still under way
            before = heard.count(ChangeEvent())
            await step()
            await until(lambda before=before: heard.count(ChangeEvent()) > before)
        assert set(heard) == {ChangeEvent(), ChangeEvent(inbox=True)}


# -- the end ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_closing_lets_go_of_everything(world: World, kind: str) -> None:
    """Warnings of what stays open are errors in all tests."""
    world.database.close()
    opened = sockets()
    async with backend_of(world, kind) as backend:
        async with listening(backend) as heard:
            await until(lambda: heard)
            await asyncio.gather(*(backend.aside(GetCurrentUser()) for _ in range(6)))
        assert asyncio.all_tasks() == {asyncio.current_task()}
    world.database.close()
    gc.collect()
    assert sockets() <= opened


async def test_closing_ends_a_query_that_is_under_way(world: World) -> None:
    """A user who quits while a large project is read does not wait for it."""
    is_running = threading.Event()

    def read_on(_: GetCurrentUser, view: Snapshot) -> None:
        for number in itertools.count():
            view.tx.tuples("SELECT :number AS number", number=number)
            is_running.set()

    backend = in_process(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GetCurrentUser, "run", read_on)
        query = asyncio.create_task(backend.query(GetCurrentUser()))
        assert await asyncio.to_thread(is_running.wait, PATIENCE)
        await backend.close()
    with pytest.raises(errors.Cancelled):
        await query


def sockets() -> int:
    """The number of open sockets of this process."""
    return sum(
        str(each.readlink()).startswith("socket:") for each in Path("/proc/self/fd").iterdir() if each.is_symlink()
    )
