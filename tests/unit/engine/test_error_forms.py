"""Errors as the API answers with them, where that is not simply what they hold."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.workflow.reschedule import ReschedulePhase
from core.errors import NotFound, VersionConflict
from core.wire.error_bodies import error_from, every_error, to_error_body
from tests.support.workspace import World


def test_a_conflict_about_what_was_worked_out_travels_without_a_record(world: World) -> None:
    review = world.phase("Review", due=date(2026, 3, 9))
    with pytest.raises(VersionConflict) as caught:
        world.do(ReschedulePhase(phase_id=review.id, days=1, seen_seq=0))
    form = to_error_body(caught.value, "id")
    assert form["errors"][0]["errorCode"] == "VERSION_CONFLICT"
    assert form["details"]["current"]["seq"] > 0
    assert "entity" not in form["details"]
    read = error_from(caught.value.http_status, form)
    assert isinstance(read, VersionConflict)
    assert (str(read), read.current) == (str(caught.value), None)


def test_errors_of_a_front_end_are_none_of_the_core() -> None:
    class Ours(NotFound):
        code = "OURS"

    assert Ours not in set(every_error())
    assert NotFound in set(every_error())
