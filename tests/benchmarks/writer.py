"""One of several programs that write at once: it moves a card to and fro.

    python -m tests.benchmarks.writer PLACE PROJECT COUNT

Says "ready", begins with a line from stdin, and answers with JSON: the commands, and the transactions that ran again.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.domain.model import Status
from core.engine.engine import Engine
from core.net.database_url import database_place
from core.sign_in.local import sign_on
from core.storage.opening import open_database
from tests.benchmarks import workspace


def main(place: str, project: int, count: int) -> None:
    """The project is named by its number in the workspace."""
    with closing(open_database(database_place(place), synchronous="FULL")) as database:
        engine = Engine(database, load_catalog)
        actor = sign_on(engine, f"user{project + 1}")  # who owns it
        card = workspace.ulid(3, project * workspace.ITEMS + 1)
        engine.execute(MoveCard(card_id=card, status=Status.TO_DO), actor)
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(count):
            status = Status.TO_DO if number % 2 else Status.IN_PROGRESS
            engine.execute(MoveCard(card_id=card, status=status), actor)
        health = database.health()
        print(json.dumps({"commands": count, "retries": health.retries_per_minute if health else 0}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
