"""Errors as the API answers with them, where that is not simply what they hold."""

from __future__ import annotations

import re
from datetime import date

import pytest

from core import errors
from core.actions.cards.tasks import CreateTask
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.reschedule import ReschedulePhase
from core.domain.gates import Decision
from core.errors import LapsesApproval, NotFound, VersionConflict
from core.wire.error_bodies import error_from, every_error, to_error_body
from tests.support.workspace import World


def test_a_conflict_about_what_was_worked_out_travels_without_a_record(world: World) -> None:
    review = world.phase("Review", due=date(2026, 3, 9))
    caught = world.refuses(ReschedulePhase(phase_id=review.id, days=1, seen_seq=0), VersionConflict)
    form = to_error_body(caught, "id")
    assert form["errors"][0]["errorCode"] == "VERSION_CONFLICT"
    assert form["details"]["current"]["seq"] > 0
    assert "entity" not in form["details"]
    read = error_from(caught.http_status, form)
    assert isinstance(read, VersionConflict)
    assert (str(read), read.current) == (str(caught), None)


@pytest.mark.parametrize("by_owner", [True, False])
def test_the_end_of_an_approval_travels_with_its_phases_and_whether_the_sender_can_allow_it(
    world: World, by_owner: bool
) -> None:
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    with pytest.raises(LapsesApproval) as caught:
        world.do(CreateTask(phase_id=world.discover.id, title="Print"), as_=world.maya if by_owner else world.bob)
    form = to_error_body(caught.value, "id")
    assert (form["details"]["phaseIds"], form["details"]["canAllow"]) == ([world.discover.id], by_owner)
    read = error_from(caught.value.http_status, form)
    assert isinstance(read, LapsesApproval)
    assert (str(read), read.phase_ids, read.can_allow, read.who_can) == (
        str(caught.value),
        (world.discover.id,),
        by_owner,
        ("Maya Okafor",),
    )


def test_errors_of_a_front_end_are_none_of_the_core() -> None:
    class Ours(NotFound):
        code = "OURS"

    assert Ours not in set(every_error())
    assert NotFound in set(every_error())


def test_the_tree_in_the_module_shows_every_error_with_its_code_and_its_statuses() -> None:
    drawn = re.findall(r"^ {4}([ │├└─]+)(\w+) +([A-Z_]+) +(\d+) +(\d+)  \w", errors.__doc__ or "", re.MULTILINE)
    of_core = [kind for kind in every_error() if kind.__module__ == errors.__name__]
    assert [(name, code, int(http), int(end)) for _, name, code, http, end in drawn] == [
        (kind.__name__, kind.code, kind.http_status, kind.exit_status) for kind in in_order(errors.PodiumError)
    ]
    assert {name for _, name, *_ in drawn} == {kind.__name__ for kind in of_core} - {"PodiumError"}
    assert [len(branch) // 4 for branch, *_ in drawn] == [
        len(kind.__mro__) - len(errors.PodiumError.__mro__) for kind in in_order(errors.PodiumError)
    ]


def in_order(kind: type[errors.PodiumError]) -> list[type[errors.PodiumError]]:
    """The errors below this one, in the order of the module, each before those below it."""
    below = [each for each in kind.__subclasses__() if each.__module__ == errors.__name__]
    return [each for one in below for each in (one, *in_order(one))]
