"""The JSON text of long results: written in pieces, and the same as if it were written at once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.projects.exports import ExportProject
from core.actions.projects.lists import ListProjects
from core.codec import encoding
from core.codec.encoding import answer_of, text_of
from core.server.requests import fair_queue, limits
from tests.support.workspace import World


def test_a_long_document_becomes_text_a_few_records_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        world.do(CreateTask(phase_id=world.build.id, title=f"Task “{number}”\n"))
    document = world.ask(ExportProject(project_id=world.project.id))
    whole = answer_of(document)
    assert json.loads(text_of(document)) == whole
    longest = 0
    to_json = encoding.to_json

    def noted(value: Any) -> Any:
        nonlocal longest
        longest = max(longest, len(value) if isinstance(value, tuple) else 0)
        return to_json(value)

    monkeypatch.setattr(encoding, "to_json", noted)
    monkeypatch.setattr(encoding, "AT_ONCE", 6)
    assert json.loads(text_of(document)) == whole
    assert 0 < longest <= 6


@pytest.mark.parametrize("number", [0, 1, 5, 6, 7, 12, 13])
def test_lists_of_any_length_are_the_same_in_pieces(world: World, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    document = world.ask(ExportProject(project_id=world.project.id))
    phases = tuple(replace(document.phases[0], name=f"Phase {each}") for each in range(number))
    document, lines = replace(document, phases=phases), world.ask(ListProjects())
    names = tuple(f"Name {each}" for each in range(number))
    whole = [text_of(each) for each in (document, lines, phases, names)]
    monkeypatch.setattr(encoding, "AT_ONCE", 6)
    assert [text_of(each) for each in (document, lines, phases, names)] == whole


def test_memory_is_given_back_after_long_work_also_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[float] = []
    moments = iter([0.0, 0.01, 0.0, 0.2, 0.0, 5.0])
    monkeypatch.setattr(fair_queue, "thread_time", lambda: next(moments))
    monkeypatch.setattr(limits, "give_back_the_rest", lambda: given_back.append(1.0))
    assert fair_queue.run_and_trim(lambda: "short") == "short"
    assert given_back == []
    assert fair_queue.run_and_trim(lambda: "long") == "long"
    with pytest.raises(ZeroDivisionError):
        fair_queue.run_and_trim(lambda: 1 // 0)
    assert len(given_back) == 2
