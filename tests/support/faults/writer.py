"""A program that adds tasks to a project for as long as it lives, and says of each one when it is on disk.

``python -m tests.support.faults.writer DATABASE LOGIN PHASE COUNT NAME`` prints ``NAME-1``, ``NAME-2`` … one a line,
each after its command returned. A refusal ends it with a traceback.
"""

from __future__ import annotations

import sys

from core.actions import load_catalog
from core.actions.cards.tasks import CreateTask
from core.engine.engine import Engine
from core.net.database_url import database_place
from core.sign_in.local import sign_on
from core.storage.opening import open_database


def write(path: str, login: str, phase_id: str, count: str, name: str) -> None:
    engine = Engine(open_database(database_place(path)), load_catalog)
    actor = sign_on(engine, login)
    for number in range(1, int(count) + 1):
        title = f"{name}-{number}"
        engine.execute(CreateTask(phase_id=phase_id, title=title), actor)
        sys.stdout.write(f"{title}\n")
        sys.stdout.flush()
    engine.database.close()


if __name__ == "__main__":
    write(*sys.argv[1:])
