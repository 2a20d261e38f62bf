"""A filter on a custom field over the cards of the largest project."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

from core.actions import load_catalog
from core.actions.workflow.canvas import GetCanvas
from core.domain.fields import CustomField, FieldKind, FieldValue
from core.engine.engine import Engine
from core.filters.context import FilterContext
from core.filters.filter import Filter
from core.record import replace
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.notes import Notes
from tests.benchmarks.workspace import project_id

CARDS = 10_000
FIELDS = tuple(
    CustomField(project_id="", id=key, rank=key, name=key, key=key, kind=kind, choices=choices)
    for key, kind, choices in (
        ("stage", FieldKind.CHOICE, ("Draft", "Final")),
        ("estimate", FieldKind.NUMBER, ()),
        ("until", FieldKind.DATE, ()),
    )
)
FILTERS = ("estimate:>3", "until:<3dec", "stage:final estimate:1..5", "estimate:none")


def measure(database: Path, notes: Notes, times: int) -> None:
    """Note "filter on a field": the milliseconds from the text of a filter to the cards that it leaves."""
    opened = SqliteDatabase(database)
    engine = Engine(opened, load_catalog)
    canvas = engine.query(GetCanvas(project_id=project_id(CARDS)), sign_on(engine, "user1"))
    cards = [replace(card, values=_values(number)) for number, card in enumerate(canvas.cards)]
    head = canvas.head
    around = FilterContext("", date(2026, 11, 20), head.columns, head.members, fields=FIELDS)
    for _ in range(times):
        for text in FILTERS:
            begin = time.perf_counter()
            only = Filter(text, around)
            left = [card for card in cards if only.matches(card)]
            notes.add("filter on a field", (time.perf_counter() - begin) * 1000)
            assert 0 < len(left) < len(cards)
    opened.close()


def _values(number: int) -> tuple[FieldValue, ...]:
    """Two cards of three have a stage, an estimate and a date."""
    if number % 3 == 0:
        return ()
    return (
        FieldValue("stage", ("Draft", "Final")[number % 2]),
        FieldValue("estimate", str(number % 13)),
        FieldValue("until", f"2026-{1 + number % 12:02}-05"),
    )
