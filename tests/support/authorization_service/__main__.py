"""The stand-in service, to use by hand: ``python -m tests.support.authorization_service --port 8700 --fixtures FILE``.

The file is JSON, ``[{"user_id": …, "account_id": …, "permissions": […]}, …]``; ``--db PATH`` takes who holds what
from a database instead. Names of faults, typed on a line of their own, make it misbehave; an empty line ends that.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from core.storage.sqlite.database import SqliteDatabase
from tests.support.authorization_service.faults import FAULTS
from tests.support.authorization_service.server import TOKEN, Service


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.authorization_service", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--fixtures", type=Path)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    given = parser.parse_args()
    with Service(given.port) as service:
        service.delay = given.delay
        for entry in json.loads(given.fixtures.read_text()) if given.fixtures else ():
            service.grant(entry["user_id"], entry["account_id"], *entry["permissions"])
        if given.db:
            database = SqliteDatabase(given.db)
            service.copy(database)
            database.close()
        print(f"export PODIUM_AUTH_URL={service.url} PODIUM_AUTH_TOKEN={TOKEN}")
        print(f"Faults: {', '.join(FAULTS)}", flush=True)
        for line in sys.stdin:
            _obey(service, line.strip())


def _obey(service: Service, fault: str) -> None:
    try:
        service.misbehave(fault) if fault else service.behave()
    except ValueError as error:
        print(error)
    print(f"{len(service.requests)} questions so far; now: {fault or 'well'}", flush=True)


if __name__ == "__main__":
    main()
