"""Phases and their deliverables: added, described, dated, ordered, assigned, removed."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.workflow.deliverables import AddDeliverable, Deliver, EditDeliverable, RemoveDeliverable
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import (
    AddPhase,
    AssignPhase,
    EditPhase,
    ListPhases,
    RemovePhase,
    ReorderPhase,
    SetPhaseDueDate,
)
from core.domain.gates import Decision
from core.domain.model import Gate
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput, NotFound, RuleViolation, VersionConflict, WouldRelockPhases
from core.rules.phases import read_workflow
from tests.support.workspace import World


def shown(world: World) -> list[tuple[int, str, str]]:
    lines = world.ask(ListPhases(project_id=world.project.id))
    return [(line.number, line.phase.name, line.state.value) for line in lines]


def test_phases_are_listed_in_order_with_their_state(world: World) -> None:
    assert shown(world) == [(1, "Discover", "OPEN"), (2, "Build", "LOCKED"), (3, "Launch", "LOCKED")]


def test_a_phase_is_added_with_all_it_holds(world: World) -> None:
    phase = world.do(
        AddPhase(
            project_id=world.project.id,
            name="Review",
            objectives="See\nclearly",
            outcomes="A yes",
            due=date(2026, 6, 1),
            gate=Gate.REVIEW,
            before_id=world.build.id,
        )
    )
    row = world.row("phase", id=phase.id)
    assert (row["name"], row["objectives"], row["outcomes"]) == ("Review", "See\nclearly", "A yes")
    assert (row["due"], row["gate"], row["gate_state"], row["overridden"]) == ("2026-06-01", "REVIEW", "NONE", 0)
    assert [name for _, name, _ in shown(world)] == ["Discover", "Review", "Build", "Launch"]


def test_a_phase_added_before_an_open_one_says_that_it_locks_it(world: World) -> None:
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    with pytest.raises(WouldRelockPhases):
        world.phase("Between", before_id=world.build.id)
    world.phase("Between", before_id=world.build.id, relock=True)
    assert shown(world)[2] == (3, "Build", "LOCKED")


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "a\nb\x07", "\u202eevil"])
def test_a_name_that_cannot_be_shown_is_refused(world: World, name: str) -> None:
    with pytest.raises(InvalidInput):
        world.phase(name)
    world.refuses(EditPhase(phase_id=world.build.id, name=name), InvalidInput)
    assert len(shown(world)) == 3


def test_editing_changes_only_what_is_given(world: World) -> None:
    world.do(EditPhase(phase_id=world.build.id, name="Make", seen_version=1))
    world.do(EditPhase(phase_id=world.build.id, objectives="Make it"))
    world.do(SetPhaseDueDate(phase_id=world.build.id, due=date(2026, 7, 1)))
    row = world.row("phase", id=world.build.id)
    assert (row["name"], row["objectives"], row["due"], row["version"]) == ("Make", "Make it", "2026-07-01", 4)
    world.refuses(SetPhaseDueDate(phase_id=world.build.id, due=date(1812, 1, 1)), InvalidInput)


def test_a_review_gate_reopens_a_phase_that_was_complete_without_one(world: World) -> None:
    task = world.task()
    world.complete(task.id)
    with pytest.raises(WouldRelockPhases, match="Build"):
        world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, reason="It is the client's"))
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, reason="It is the client's", relock=True))
    assert shown(world)[0][2] == "OPEN"


def test_phases_change_places(world: World) -> None:
    world.do(ReorderPhase(phase_id=world.launch.id, before_id=world.discover.id, relock=True))
    assert shown(world) == [(1, "Launch", "OPEN"), (2, "Discover", "LOCKED"), (3, "Build", "LOCKED")]
    world.do(ReorderPhase(phase_id=world.launch.id, relock=True))
    assert [name for _, name, _ in shown(world)] == ["Discover", "Build", "Launch"]
    before = world.last_change()
    world.do(ReorderPhase(phase_id=world.launch.id, before_id=world.launch.id))
    assert world.last_change() == before


def test_members_are_assigned_to_a_phase_and_a_stale_list_is_refused(world: World) -> None:
    phase = world.build
    world.do(AssignPhase(phase_id=phase.id, member_ids=(world.bob.user_id,), seen_version=phase.version))
    world.refuses(AssignPhase(phase_id=phase.id, member_ids=(), seen_version=phase.version), VersionConflict)
    stranger = AssignPhase(phase_id=phase.id, member_ids=(world.gus.user_id,))
    world.refuses(stranger, RuleViolation, "Only members of this project")
    assert world.row("assignment", target_id=phase.id)["user_id"] == world.bob.user_id


def test_a_phase_goes_with_its_deliverables_and_people_but_not_with_cards(world: World) -> None:
    task = world.task(phase=world.build)
    world.do(AddDeliverable(phase_id=world.build.id, name="Report"))
    world.do(AssignPhase(phase_id=world.build.id, member_ids=(world.bob.user_id,)))
    world.archive(task.id)
    refused = world.refuses(RemovePhase(phase_id=world.build.id), RuleViolation, "still holds cards")
    assert [blocker.id for blocker in refused.blockers] == [task.id]
    world.database.write(lambda tx: tx.execute("DELETE FROM item"))
    world.do(RemovePhase(phase_id=world.build.id))
    for table in ("deliverable", "assignment"):
        assert world.rows(f"SELECT 1 FROM {table}") == []
    assert [name for _, name, _ in shown(world)] == ["Discover", "Launch"]


def test_deliverables_keep_their_order_evidence_and_mark(world: World) -> None:
    first = world.do(AddDeliverable(phase_id=world.build.id, name="Report"))
    second = world.do(AddDeliverable(phase_id=world.build.id, name="Film"))
    assert first.rank < second.rank
    world.do(Deliver(deliverable_id=first.id, link="https://example.com", seen_version=1))
    row = world.row("deliverable", id=first.id)
    assert (row["name"], row["evidence"], row["done"]) == ("Report", "https://example.com", 1)
    assert world.last_change()["summary"] == "delivered “Report”"
    world.refuses(EditDeliverable(deliverable_id=first.id, name="\x1b]8;;x"), InvalidInput)
    world.do(RemoveDeliverable(deliverable_id=first.id))
    assert world.rows("SELECT id FROM deliverable") == [{"id": second.id}]
    world.refuses(RemoveDeliverable(deliverable_id=first.id), NotFound)


def test_a_phase_that_goes_while_it_is_asked_for_is_not_found(world: World) -> None:
    """Rights are looked up in a snapshot of their own, so the phase may be there for them and gone for the answer."""
    with pytest.raises(NotFound):
        world.database.read(
            lambda tx: read_workflow(
                Snapshot(tx, world.maya, world.engine.clock(), world.project.id), world.project.id
            ).phase("gone")
        )
