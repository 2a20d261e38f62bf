"""Podium on a terminal as the client of a server on this machine: a cursor move, a move of a card, and its memory."""

from __future__ import annotations

import random
from collections.abc import Mapping

from core.net.server_address import ServerAddress
from tests.benchmarks import process, runs, workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import PODIUM, Place, Run, whole_canvas
from tests.benchmarks.served import served, token_of
from tests.benchmarks.stopwatch import Stopwatch
from tests.support.api.gateway import make_certificate

CARDS = 1_000


def work(place: Place, notes: Notes) -> None:
    """On the Canvas of 1,000 cards, over a Unix socket and over TLS on the loopback, in either order."""
    for measured in random.sample((_over_socket, _over_tls), 2):
        measured(place, notes)


def _over_socket(place: Place, notes: Notes) -> None:
    with served(place.database, place.home) as server:
        _work(place, notes, "behind", server.address, {})


def _over_tls(place: Place, notes: Notes) -> None:
    tls = make_certificate(place.home)
    with served(place.database, place.home, tls=tls) as server:
        _work(place, notes, "behind TLS", server.address, {"SSL_CERT_FILE": str(tls.certificate)})


def _work(place: Place, notes: Notes, name: str, server: ServerAddress, trust: Mapping[str, str]) -> None:
    argv = [PODIUM, "open", workspace.project_name(CARDS), "--server", str(server)]
    with Stopwatch(argv, env={**place.env(), **trust, "PODIUM_TOKEN": token_of(0)}) as app:
        notes.add(f"{name} start", app.start(whole_canvas(CARDS)).ms)
        app.settle(0.5)
        notes.add(f"{name} unique", process.memory(app.pid)[0])
        runs.move_cursor(notes, app, f"{name} cursor")
        runs.move_cards(place, notes, app, f"{name} move")


RUNS = (Run("behind", work, 2),)
