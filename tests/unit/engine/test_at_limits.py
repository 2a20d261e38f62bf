"""Each message in a project at all its limits: nobody waits longer for it than a transaction may take."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from core.actions import load_catalog
from core.actions.cards.ask import AskForConsent
from core.actions.cards.cards import ReorderCard
from core.actions.cards.details import GetCard
from core.actions.cards.labels import EditLabel, ListLabels, ListWorkspaceLabels, MergeLabels, RemoveLabel, SetLabels
from core.actions.fields.custom_fields import (
    AddField,
    EditField,
    ListFields,
    MoveField,
    RemoveField,
    RenameChoice,
    SetFields,
)
from core.actions.history.history import Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.projects import ArchiveProject, DeleteProject, RestoreProject
from core.domain.fields import FieldKind, FieldValue
from core.engine.engine import Engine
from core.engine.messages import Message, Query
from core.errors import PodiumError, TookTooLong
from core.storage.deadline import WRITE_SECONDS
from core.storage.progress import NO_PROGRESS, Progress
from tests.support.message_examples import messages
from tests.support.postgres_cluster import about_the_file
from tests.support.prepared import content_of, new_world, opened
from tests.support.workspace import World
from tests.support.workspace_at_limits import DEAREST, AtLimits, fill_to_limits

LOST = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""A callback of the garbage collector can lose the exception that ends late work. It comes again."""

pytestmark = [pytest.mark.sweep, about_the_file, LOST]

ROOM = 0.5
"""Seconds beyond the deadline until a transaction has ended: two looks at it, which wait for a processor, and what was
under way in C."""


class Place(NamedTuple):
    world: World
    at: AtLimits
    slices: list[float]
    """The processor time of each transaction that wrote."""

    def document(self) -> Any:
        return self.world.ask(ExportProject(project_id=self.world.project.id))

    def archived(self) -> str:
        self.world.do(ArchiveProject(project_id=self.world.project.id))
        return self.world.project.id


@cache
def _filled(together: bool) -> tuple[bytes, World, AtLimits]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "podium.db")
        world = new_world(path)
        with closing(world.engine):
            at = fill_to_limits(world, together=together)
        content = content_of(path)
        assert isinstance(content, bytes)
        return content, world, at


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    content, prepared, at = _filled(getattr(request, "param", False))
    world = copy.copy(prepared)
    world.database = opened(content, tmp_path / "podium.db")
    world.engine = Engine(world.database, load_catalog, clock=prepared.engine.clock)
    slices: list[float] = []
    write = world.database.write

    def timed(work: Callable[[Any], Any], progress: Progress = NO_PROGRESS, **how: Any) -> Any:
        begin = time.thread_time()
        try:
            return write(work, progress, **how)
        finally:
            slices.append(time.thread_time() - begin)

    monkeypatch.setattr(world.database, "write", timed)
    with closing(world.engine):
        yield Place(world, at, slices)


def sent(place: Place, send: Callable[[Any], object], message: Message[Any]) -> PodiumError | None:
    """Send a message, and return its refusal; nobody may have waited too long for either."""
    place.slices.clear()
    error = None
    try:
        send(message)
    except PodiumError as refused:
        error = refused
    longest = max(place.slices, default=0.0)
    print(f"{longest:.2f} s {type(message).__name__}: {str(error or '')[:100]}")
    assert longest < WRITE_SECONDS + ROOM
    return error


OWN: Mapping[type[Message[Any]], Callable[[Place], Message[Any]]] = {
    ExportProject: lambda place: ExportProject(project_id=place.world.project.id),
    PreviewImport: lambda place: PreviewImport(document=place.document()),
    ImportProject: lambda place: ImportProject(document=place.document()),
    RestoreProject: lambda place: RestoreProject(project_id=place.archived()),
    DeleteProject: lambda place: DeleteProject(project_id=place.archived()),
    ListFields: lambda place: ListFields(project_id=place.world.project.id),
    ListLabels: lambda place: ListLabels(project_id=place.world.project.id),
    ListWorkspaceLabels: lambda place: ListWorkspaceLabels(),
    AskForConsent: lambda place: AskForConsent(
        commands=tuple(ReorderCard(card_id=task, phase_id=place.at.phases[-1]) for task in place.at.tasks)
    ),
    AddField: lambda place: AddField(project_id=place.world.project.id, name="One more", kind=FieldKind.TEXT),
    EditField: lambda place: EditField(field_id=place.at.choice.id, name="Renamed"),
    MoveField: lambda place: MoveField(field_id=place.at.choice.id),
    RemoveField: lambda place: RemoveField(field_id=place.at.choice.id),
    RenameChoice: lambda place: RenameChoice(
        field_id=place.at.choice.id, choice=place.at.choice.choices[0], name="Renamed"
    ),
    SetFields: lambda place: SetFields(
        item_id=place.at.waiting, values=(FieldValue(key=place.at.choice.key, value=place.at.choice.choices[0]),)
    ),
    EditLabel: lambda place: EditLabel(label_id=place.at.label, name="renamed"),
    MergeLabels: lambda place: MergeLabels(label_id=place.at.label, into_id=place.at.other_label),
    RemoveLabel: lambda place: RemoveLabel(label_id=place.at.label),
    SetLabels: lambda place: SetLabels(card_id=place.at.waiting, remove=("label-0",)),
}
"""Messages on the largest things, also where a project at its limits refuses what their example needs first."""

DEAR: Mapping[str, Callable[[Place], Message[Any]]] = {
    "a card": lambda place: GetCard(item_id=place.at.waiting),
    **{
        name: lambda place, example=example: example(place.at)  # type: ignore[misc]
        for name, example in DEAREST.items()
    },
    **{kind.__name__: example for kind, example in OWN.items()},
}


TOO_LARGE = frozenset(["many links", "many moves", "many dates that move others", "AskForConsent", "MergeLabels"])
"""What is stopped at its deadline. All else is done, or refused by a rule."""

TOO_LARGE_TO_REHEARSE = frozenset({*TOO_LARGE, "DeleteProject", "ImportProject"})
"""Those in slices have one transaction in a dry run."""


@pytest.mark.parametrize("kind", [kind for kind in messages.ALL if kind not in OWN], ids=lambda kind: kind.__name__)
def test_each_message_is_done_in_time(place: Place, kind: type[Message[Any]]) -> None:
    message = messages.ALL[kind](place.world)
    send = place.world.ask if isinstance(message, Query) else place.world.do
    assert not isinstance(sent(place, send, message), TookTooLong)


@pytest.mark.parametrize(
    ("place", "name"), [*((False, name) for name in DEAR), *((True, name) for name in DEAREST)], indirect=["place"]
)
def test_the_dearest_are_done_in_time_also_as_a_dry_run_and_undone(place: Place, name: str) -> None:
    message, world = DEAR[name](place), place.world
    if isinstance(message, Query):
        assert not sent(place, world.ask, message)
        return
    rehearsed = sent(place, lambda command: world.engine.dry_run(command, world.maya), message)
    assert not isinstance(rehearsed, TookTooLong) or name in TOO_LARGE_TO_REHEARSE
    refused = sent(place, world.do, message)
    assert not isinstance(refused, TookTooLong) or name in TOO_LARGE
    if not refused:
        assert not isinstance(sent(place, world.do, Undo(project_id=world.project.id)), TookTooLong)
