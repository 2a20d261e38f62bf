"""Seals: canonical JSON, alike on both engines, of bounded size, and bound to no name of a card or a person."""

from __future__ import annotations

import json
import unicodedata
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from core.actions.cards.tasks import EditTask
from core.actions.projects.members import SetProjectRole
from core.actions.projects.projects import EditProject
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.users import EditUser
from core.domain.gates import Decision, Deliverable, EvidenceKind, GateSeal
from core.domain.model import Gate, Item, ItemKind, Phase, ProjectRole, Status
from core.engine.unit_of_work import Snapshot
from core.rules.gate_seals import CARDS_LISTED, canonical, hash_of, is_as_sealed
from tests.support.deliveries import delivered
from tests.support.prepared import new_world
from tests.support.workspace import World

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1)
KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
"""Keys of seals are ids and our own words: ASCII, of which the order is one in all encodings."""

VALUES = st.recursive(
    NUMBERS | TEXTS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


def composed(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, dict):
        return {key: composed(each) for key, each in value.items()}
    return [composed(each) for each in value] if isinstance(value, list) else value


@given(VALUES)
def test_seals_are_json_of_rfc_8785_with_composed_texts(value: Any) -> None:
    assert canonical(value).encode() == rfc8785.dumps(composed(value))
    assert canonical(composed(value)) == canonical(value)
    assert hash_of(canonical(value)) == sha256(rfc8785.dumps(composed(value))).hexdigest()


def approve(world: World, phase: Phase) -> tuple[str, str]:
    """The body of the seal of a new approval, and its hash in the record."""
    record = world.do(DecideGate(phase_id=phase.id, decision=Decision.PASS))
    return world.row("gate_seal", record_id=record.id)["body"], record.sha256


def filled(world: World, cards: int, deliverables: int) -> None:
    """Give Discover completed cards with titles of 60 letters, and deliverables."""
    items = [
        Item(
            project_id=world.project.id,
            id=f"01KJ{number:022}",
            kind=ItemKind.TASK,
            phase_id=world.discover.id,
            rank=f"a0{number:06}V",
            title=f"Żółć {number:06} ".ljust(60, "x"),
            status=Status.COMPLETED,
            completed_by=world.maya.user_id,
            completed_at=world.engine.clock(),
        )
        for number in range(cards)
    ]
    papers = [
        Deliverable(
            project_id=world.project.id,
            id=f"01KK{number:022}",
            phase_id=world.discover.id,
            rank=f"a0{number:06}V",
            name=f"Deliverable {number}".ljust(60, "x"),
            evidence=f"https://files.example/{number}".ljust(120, "x"),
            evidence_kind=EvidenceKind.LINK,
            done=True,
            delivered_by=world.maya.user_id,
            delivered_at=world.engine.clock(),
        )
        for number in range(deliverables)
    ]
    world.insert(*items, *papers)


def test_a_seal_of_500_cards_and_50_deliverables_is_at_most_200_kb(world: World) -> None:
    filled(world, CARDS_LISTED, 50)
    body, sealed = approve(world, world.discover)
    assert len(body.encode()) <= 200_000
    assert sealed == sha256(body.encode()).hexdigest()
    assert len(json.loads(body)["bound"]["cards"]) == len(json.loads(body)["asItWas"]["cards"]) == CARDS_LISTED


def test_of_more_cards_a_seal_has_the_number_and_the_hash_of_the_same_list(world: World) -> None:
    filled(world, 2000, 0)
    body, _ = approve(world, world.discover)
    listed = [{"id": f"01KJ{number:022}", "state": "closed"} for number in range(2000)]
    found = json.loads(body)
    assert found["bound"]["cards"] == {"count": 2000, "sha256": sha256(rfc8785.dumps(listed)).hexdigest()}
    assert found["asItWas"]["cards"]["count"] == 2000
    assert len(body) < 5_000


SEALED = "cbd6cfbde3f9366c4ee9235cd0086c0bb299df70afbe52330c73d55c5235f1f3"


def sealed_in(world: World) -> tuple[str, str]:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, objectives="Cafe\u0301", name="Zażółć"))
    world.complete(world.task("“Ask” — \\ \t☃ 😀").id, as_=world.bob)
    delivered(world, world.discover, "Contract")
    return approve(world, world.discover)


def test_a_seal_is_canonical_and_says_what_was_decided_by_whom(world: World) -> None:
    body, sealed = sealed_in(world)
    assert sealed == sha256(body.encode()).hexdigest()
    found = json.loads(body)
    assert rfc8785.dumps(found) == body.encode()
    assert found["bound"]["objectives"] == "Café"
    decider = found["asItWas"]["decider"]
    assert (decider["name"], decider["role"], found["asItWas"]["way"]) == ("Maya Okafor", "OWNER", "FILE")
    [card] = found["asItWas"]["cards"]
    assert (card["completedBy"], card["completedAt"]) == ("Bob Lind", "2026-03-02T12:00:00Z")


def test_renames_leave_the_bound_part_as_it_is_and_a_changed_byte_is_noticed(world: World) -> None:
    sealed_in(world)
    bound = json.loads(world.row("gate_seal")["body"])["bound"]
    world.do(EditPhase(phase_id=world.discover.id, name="Found out"))
    world.do(EditTask(task_id=world.row("item")["id"], title="Other words"))
    world.do(EditProject(project_id=world.project.id, name="Autumn"))
    world.do(EditUser(user_id=world.bob.user_id, first_name="Robert"))
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    assert intact(world)
    for text in ("Robert", "Bob", "Other words", f"{world.project.key}-", "Discover"):
        assert text not in json.dumps(bound)
    world.database.write(lambda tx: tx.execute("UPDATE deliverable SET evidence = 'https://files.example/2'"))
    assert not intact(world)


def intact(world: World) -> bool:
    def look(view: Snapshot) -> bool:
        return is_as_sealed(view, view.get(Phase, id=world.discover.id), view.all(GateSeal, "1 = 1")[0])

    return world.engine.read(world.maya, look)


def test_the_engines_seal_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids are the same in each prepared world and its time stands still, so the hash is one for both engines."""
    from core.engine import unit_of_work

    numbers = iter(range(1, 1000))
    monkeypatch.setattr(unit_of_work, "new_ulid", lambda: f"01{next(numbers):024}")
    _, sealed = sealed_in(new_world(tmp_path / "podium.db"))
    assert sealed == SEALED
