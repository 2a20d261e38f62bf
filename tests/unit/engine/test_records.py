"""Records: what all of them can do, and what Podium relies on in msgspec."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from copy import copy
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from pickle import dumps, loads
from typing import Generic, TypeVar

import pytest
from rich.console import Console

import core
import tui
from core.codec.decoding import decode
from core.codec.encoding import text_of, to_json
from core.domain.model import ItemKind
from core.net.database_url import DatabaseUrl
from core.record import COLLECTION, Record, defaults, field, fields, replace

T = TypeVar("T")


class Place(Record, kw_only=False):
    x: int
    y: int = 0


class Named(Place):
    """Its custom fields are keyword-only, although those of its base are not."""

    long_name: str


class Box(Record, Generic[T]):
    held: T
    secret: str = ""


def every_record() -> Iterator[type[Record]]:
    for package in (core, tui):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name != "tui.__main__":
                importlib.import_module(module.name)
    waiting = [Record]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if kind.__module__.startswith(("core.", "tui.")):
                yield kind
                waiting.append(kind)


def test_a_record_cannot_be_changed_but_copied_with_changes() -> None:
    place = Place(1)
    with pytest.raises(AttributeError, match="immutable"):
        place.x = 2  # type: ignore[misc]
    assert (replace(place, y=5), place) == (Place(1, 5), Place(1, 0))


def test_fields_are_keyword_only_unless_their_class_says_otherwise() -> None:
    assert Named(1, 2, long_name="here") == Named(x=1, y=2, long_name="here")
    with pytest.raises(TypeError):
        Named(1, 2, "here")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Box("held")  # type: ignore[call-arg]


def test_fields_and_defaults_are_known_by_name() -> None:
    assert (fields(Named), dict(defaults(Named))) == (("x", "y", "long_name"), {"y": 0})
    assert (fields(Box(held=1)), dict(defaults(Box))) == (("held", "secret"), {"secret": ""})


def test_records_are_equal_by_kind_and_fields_and_can_be_keys_copied_and_pickled() -> None:
    assert len({Place(1), Place(1, 0), Place(2)}) == 2
    assert Place(1) != Named(1, long_name="")
    assert Box[int](held=1) == Box(held=1)
    named = Named(1, long_name="here")
    assert copy(named) == loads(dumps(named)) == named


def test_a_record_has_no_dict_and_takes_no_other_field() -> None:
    assert not hasattr(Place(1), "__dict__")
    with pytest.raises(TypeError):
        Place(1, z=3)  # type: ignore[call-arg]


class Chosen(Record):
    listed: tuple[Place, ...] = field(name=COLLECTION)
    by_day: dict[str, frozenset[str]]
    at: datetime
    day: date | None
    kind: ItemKind
    path: Path


def test_answers_have_camel_case_times_in_utc_and_sorted_keys_and_are_read_back() -> None:
    chosen = Chosen(
        listed=(Place(1, 2),),
        by_day={"b": frozenset("ba"), "a": frozenset()},
        at=datetime(2026, 3, 2, 12, tzinfo=UTC),
        day=date(2026, 3, 9),
        kind=ItemKind.TASK,
        path=Path("/tmp/é"),
    )
    text = (
        '{"data":[{"x":1,"y":2}],"byDay":{"a":[],"b":["a","b"]},"at":"2026-03-02T12:00:00Z","day":"2026-03-09",'
        '"kind":"TASK","path":"/tmp/é"}'
    )
    assert (text_of(chosen), to_json(chosen)) == (text, json.loads(text))
    assert text_of((1, 2)) == '{"data":[1,2]}'
    assert text_of(None) == '{"data":null}'


def test_an_answer_may_have_more_fields_and_no_value_of_another_type() -> None:
    assert decode(b'{"x":1,"y":2,"longName":"here","new":[1]}', Named) == Named(1, 2, long_name="here")
    for wrong in (
        b'{"x":"1","longName":""}',
        b'{"x":1.0,"longName":""}',
        b'{"x":true,"longName":""}',
        b'{"x":1}',
        b"[]",
    ):
        with pytest.raises(ValueError, match=r"Expected|missing"):
            decode(wrong, Named)


def test_what_json_cannot_hold_is_no_text_of_an_object() -> None:
    with pytest.raises(TypeError, match="object has no JSON"):
        text_of((object(),))


def test_no_secret_of_any_record_is_in_its_repr_or_in_a_traceback_of_rich() -> None:
    found = {kind for kind in every_record() if "secret" in fields(kind)}
    assert {kind.__name__ for kind in found} == {
        "BearerToken",
        "DatabaseUrl",
        "NewGatewayToken",
        "NewProductToken",
        "NewToken",
        "OpenedSession",
    }
    for kind in found:
        secret = "postgresql://visible:podium_hidden@host/podium" if kind is DatabaseUrl else "podium_hidden"
        record = kind(**dict.fromkeys(fields(kind), "visible") | {"secret": secret})
        screen = StringIO()
        Console(file=screen).print(record)
        for shown in (repr(record), str(record), f"{[record]}", screen.getvalue()):
            assert "visible" in shown
            assert "hidden" not in shown


def test_no_field_of_a_record_holds_a_secret_under_another_name() -> None:
    """A password, a key or a token in clear belongs in a field named ``secret``, which the repr leaves out."""
    suspicious = {
        f"{kind.__name__}.{name}"
        for kind in every_record()
        for name in fields(kind)
        if name.endswith(("password", "token", "credential", "_secret")) and kind.__annotations__.get(name) == "str"
    }
    assert not suspicious
