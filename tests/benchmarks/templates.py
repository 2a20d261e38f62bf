"""A project made from a large template, in the large database."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

from core.actions import load_catalog
from core.actions.templates.apply import CreateProjectFromTemplate, RoleAssignment
from core.actions.workspace.meta_roles import SEEDED
from core.domain.model import ItemKind
from core.domain.templates import Template, TemplateBody, TemplateItem, TemplatePhase, TemplateVersion
from core.engine.engine import Engine
from core.engine.unit_of_work import UnitOfWork
from core.sign_in.local import sign_on
from core.storage.database import Tx
from core.storage.sqlite.database import SqliteDatabase
from core.templates.json_format import items_of, to_text
from tests.benchmarks.notes import Notes
from tests.benchmarks.workspace import LOGIN, ulid

PHASES = 12
TASKS = 200
TEMPLATE = ulid(7, 0)


def _body() -> TemplateBody:
    """Phases with two activities each, in which most of the tasks are."""
    return TemplateBody(phases=tuple(map(_phase, range(PHASES))))


def _phase(number: int) -> TemplatePhase:
    here = [place for place in range(TASKS) if place % PHASES == number]
    activities = tuple(
        TemplateItem(
            kind=ItemKind.ACTIVITY, title=f"Activity {at}", slots=("Lead",), tasks=tuple(map(_task, here[at:12:2]))
        )
        for at in range(2)
    )
    return TemplatePhase(
        name=f"Phase {number}",
        objectives="Know what is wanted.",
        deliverables=("Report",),
        due_days=10 * number,
        slots=("Lead",),
        items=(*activities, *map(_task, here[12:])),
    )


def _task(number: int) -> TemplateItem:
    role = SEEDED[number % len(SEEDED)]
    return TemplateItem(kind=ItemKind.TASK, title=f"Task {number}", due_days=number, slots=(role,))


def measure(database: Path, notes: Notes, times: int) -> None:
    """Note "template used"."""
    body = _body()
    assert sum(item.kind is ItemKind.TASK for item in items_of(body)) == TASKS
    opened = SqliteDatabase(database)
    engine = Engine(opened, load_catalog)
    actor = sign_on(engine, LOGIN)

    def write(tx: Tx) -> None:
        work = UnitOfWork(tx, actor, engine.clock(), "workspace")
        work.insert(Template(id=TEMPLATE, name="Large"))
        work.insert(
            TemplateVersion(template_id=TEMPLATE, number=1, at=work.now, by_id=None, note="", body=to_text(body))
        )
        work.flush()

    opened.write(write)
    slots = tuple(RoleAssignment(role, ulid(2, 1 + number)) for number, role in enumerate(SEEDED))
    for number in range(times + 1):
        command = CreateProjectFromTemplate(
            template_id=TEMPLATE, name=f"Made {number}", start=date(2026, 3, 2), slots=slots
        )
        begin = time.perf_counter()
        engine.execute(command, actor)
        if number:  # the first one imports what reads a template
            notes.add("template used", (time.perf_counter() - begin) * 1000)
    opened.close()
