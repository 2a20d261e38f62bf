"""Podium on a terminal with a slow authorization service: what that adds to a start, and to opening a project.

The stand-in runs in a thread of the benchmark. Podium is another process, so nothing of it waits for that thread.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.domain.permissions import Permission
from tests.benchmarks import workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import Place, Run, whole_canvas
from tests.benchmarks.stopwatch import shows
from tests.support.authorization_service.server import Received, Service

DELAY = 0.05
"""Seconds that the service takes for an answer."""

CARDS = 100

QUIET = 0.02
"""The pause after which a picture counts as finished; shorter than DELAY, so that the rights come with a later one."""

AFTERWARDS = 0.5
"""Seconds in which whatever else is asked for a picture would have been asked."""


@contextmanager
def slow_service() -> Iterator[Service]:
    """A permission service with a delay, at which the benchmark's user holds every code."""
    with Service() as service:
        service.delay = DELAY
        for account in (workspace.ROOT, workspace.account(workspace.SIZES.index(CARDS))):
            service.grant(workspace.USER, account, *Permission)
        yield service


def start(place: Place, notes: Notes) -> None:
    """``podium open``, decided here and decided there, in either order."""
    for measured in random.sample((_start_local, _paint_remote, _start_remote), 3):
        measured(place, notes)


def _start_local(place: Place, notes: Notes) -> None:
    with place.podium(CARDS) as app:
        app.quiet = QUIET
        notes.add("local start", app.start(whole_canvas(CARDS)).ms)


def _paint_remote(place: Place, notes: Notes) -> None:
    """Up to the first frame, with nothing of the project, unless the answer is there already."""
    with slow_service() as service, place.podium(CARDS, service.environment) as app:
        app.quiet = QUIET
        notes.add("remote start", app.start(shows("permissions")).ms)


def _start_remote(place: Place, notes: Notes) -> None:
    """Up to the whole Canvas, with all permissions."""
    whole, decided = whole_canvas(CARDS), shows("permissions remote")
    with slow_service() as service, place.podium(CARDS, service.environment) as app:
        app.quiet = QUIET
        notes.add("remote rights", app.start(lambda screen: whole(screen) and decided(screen)).ms)
        app.settle(AFTERWARDS)
        notes.add("remote start calls", len(service.requests))
        notes.add("remote start trips", round_trips(service.requests))


def open_project(place: Place, notes: Notes) -> None:
    """From the Projects widget. What is asked of the workspace every few seconds, wherever one is, does not count."""
    with slow_service() as service, place.projects(service.environment) as app:
        app.start(shows("permissions remote", rf"▌ +{workspace.project_name(CARDS)} "))
        app.settle(AFTERWARDS)
        before = len(service.requests)
        notes.add("opened project", app.press("<enter>", whole_canvas(CARDS)).ms)
        app.settle(AFTERWARDS)
        accounts = [each.filters["account_id"] for each in service.requests[before:]]
        notes.add("opened project calls", sum(account != workspace.ROOT for account in accounts))


def round_trips(requests: Sequence[Received]) -> int:
    """The number of round trips: requests that arrive before the first of them is answered count as one."""
    trips, answered = 0, 0.0
    for at in sorted(each.at for each in requests):
        if at >= answered:
            trips, answered = trips + 1, at + DELAY
    return trips


RUNS = (
    Run("remote", start),
    Run("remote-projects", open_project, 4),
)
