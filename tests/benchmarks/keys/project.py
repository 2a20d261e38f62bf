"""The workspace of the keys: the demo, with its campaign once more at each size, so that every screen has something."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import count, cycle
from pathlib import Path

from core.actions import load_catalog
from core.actions.projects.exports import ExportProject
from core.actions.projects.find import FindProjects
from core.actions.projects.imports import ImportProject
from core.demo import make_demo
from core.domain.model import ItemKind, Status
from core.engine.engine import Engine
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.record import replace
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase

CAMPAIGN = "Slow Mornings campaign"
LOGIN = "robin"


def name_project(cards: int) -> str:
    return f"Bench of {cards}"


def make_workspace(path: Path, sizes: tuple[int, ...]) -> None:
    """Write the demo into a new database, and a project of each size, by imports."""
    make_demo(path, login=LOGIN)
    with closing(Engine(SqliteDatabase(path), load_catalog)) as engine:
        actor = sign_on(engine, LOGIN)
        campaign = engine.query(FindProjects(name=CAMPAIGN), actor)[0]
        document = engine.query(ExportProject(project_id=campaign.id), actor)
        for cards in sizes:
            engine.execute(ImportProject(document=_with_cards(document, cards)), actor)


def _with_cards(document: ProjectDocument, cards: int) -> ProjectDocument:
    """The document with another name, and so many cards: those to do are there again in the phases that are open."""
    more: dict[str, list[ItemEntry]] = {
        phase.name: [] for phase in document.phases if any(_is_to_do(item) for item in phase.items)
    }
    copies = _copies(document)
    for name, _ in zip(cycle(more), range(cards - len(document.items)), strict=False):
        more[name].append(next(copies))
    phases = tuple(_with_items(phase, more.get(phase.name, [])) for phase in document.phases)
    return replace(document, name=name_project(cards), key="", phases=phases)


def _with_items(phase: PhaseEntry, items: list[ItemEntry]) -> PhaseEntry:
    return replace(phase, items=(*phase.items, *items))


def _copies(document: ProjectDocument) -> Iterator[ItemEntry]:
    """The tasks to do, over and over, each with an id of its own and without what only one card can have."""
    numbers = count(1)
    for item in cycle([item for item in document.items if _is_to_do(item)]):
        number = next(numbers)
        yield replace(item, id=f"more {number}", number=0, title=f"{item.title} {number}", activity=None, waits_for=())


def _is_to_do(item: ItemEntry) -> bool:
    return item.status is Status.TO_DO and item.kind is ItemKind.TASK
