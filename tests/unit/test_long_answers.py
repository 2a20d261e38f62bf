"""The JSON text of long results: written in pieces, and the same as if it were written at once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core import wire
from core.actions.exports import ExportProject
from core.actions.project_lists import ListProjects
from core.actions.tasks import CreateTask
from core.server import limits, turns
from core.wire import answer_of, text_of
from tests.world import World


def test_a_long_document_becomes_text_a_few_records_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        world.do(CreateTask(phase_id=world.build.id, title=f"Task “{number}”\n"))
    document = world.ask(ExportProject(project_id=world.project.id))
    whole = answer_of(document)
    assert json.loads(text_of(document)) == whole
    longest = 0
    to_json = wire.to_json

    def noted(value: Any) -> Any:
        nonlocal longest
        longest = max(longest, len(value) if isinstance(value, tuple) else 0)
        return to_json(value)

    monkeypatch.setattr(wire, "to_json", noted)
    monkeypatch.setattr(wire, "AT_ONCE", 6)
    assert json.loads(text_of(document)) == whole
    assert 0 < longest <= 6


@pytest.mark.parametrize("number", [0, 1, 5, 6, 7, 12, 13])
def test_lists_of_any_length_are_the_same_in_pieces(world: World, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    document = world.ask(ExportProject(project_id=world.project.id))
    phases = tuple(replace(document.phases[0], name=f"Phase {each}") for each in range(number))
    document, lines = replace(document, phases=phases), world.ask(ListProjects())
    names = tuple(f"Name {each}" for each in range(number))
    whole = [text_of(each) for each in (document, lines, phases, names)]
    monkeypatch.setattr(wire, "AT_ONCE", 6)
    assert [text_of(each) for each in (document, lines, phases, names)] == whole


def test_memory_is_given_back_after_long_work_also_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[float] = []
    moments = iter([0.0, 0.01, 0.0, 0.2, 0.0, 5.0])
    monkeypatch.setattr(turns, "thread_time", lambda: next(moments))
    monkeypatch.setattr(limits, "give_back_the_rest", lambda: given_back.append(1.0))
    assert turns.tidily(lambda: "short") == "short"
    assert given_back == []
    assert turns.tidily(lambda: "long") == "long"
    with pytest.raises(ZeroDivisionError):
        turns.tidily(lambda: 1 // 0)
    assert len(given_back) == 2
