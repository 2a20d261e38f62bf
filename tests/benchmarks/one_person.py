"""One person never stops others: the dearest commands in a project at all its limits, one after the other.

They are carried out, rehearsed and refused, while another person sends small commands.
"""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx

from core.actions import load_catalog
from core.authorization.local_source import LocalPermissions
from core.engine.engine import Engine
from core.wire.routes import as_dry_run, request_of
from tests.benchmarks.expensive_requests import HIGH_QUOTAS, TIMEOUT, Other, is_at_work, sent_in_vain
from tests.benchmarks.largest import MIB, Sent
from tests.benchmarks.notes import Notes
from tests.support.api.program import ServerProgram
from tests.support.api.server import token_for
from tests.support.waiting import wait_until
from tests.support.workspace import World, gather, new_database
from tests.support.workspace_at_limits import CARDS, DEAREST, fill_to_limits

ROUNDS = 3
"""Times that each command is sent; what it changes stays, so that the next round meets another state."""


def measure(home: Path, notes: Notes, quick: bool) -> None:
    """Note "one person wait", the milliseconds of each command of another person, with what was under way; "one person
    unanswered" of these; "one person memory" in MiB, and "one person end", the seconds from SIGTERM to the end."""
    path = home / "one-person.db"
    engine = Engine(new_database(path), load_catalog, clock=lambda: datetime.now(UTC))
    engine.permissions = LocalPermissions(engine.database)
    world = World(engine, gather(engine))
    at = fill_to_limits(world, CARDS // 10 if quick else CARDS, together=True)
    token, other = token_for(world, world.maya), token_for(world, world.bob)
    engine.close()
    requests = [(name, request_of(example(at))) for name, example in DEAREST.items()]
    with ServerProgram(path, "--log-level", "error", settings=HIGH_QUOTAS) as program:
        transport = httpx.HTTPTransport(uds=str(program.socket))
        with (
            Other(program, other) as other_user,
            httpx.Client(transport=transport, base_url="http://podium", timeout=TIMEOUT) as client,
        ):
            client.headers.update({"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            for _ in range(1 if quick else ROUNDS):
                for name, request in requests:
                    for sent in (as_dry_run(request), request):
                        begin = time.perf_counter()
                        answer = client.request(sent.method, sent.target, content=sent.body)
                        for ms, status in other_user.between(begin, time.perf_counter()):
                            notes.add_named("one person wait", ms, f"{name}: {answer.status_code}")
                            notes.add("one person unanswered", status != 204)
        notes.add("one person memory", program.peak() / MIB)
        name, request = next(each for each in requests if each[0] == "many moves")
        sending = threading.Thread(
            target=sent_in_vain, args=(program, token, Sent(name, request.method, request.target, request.body))
        )
        begun = program.processor_seconds() + 0.1
        sending.start()
        wait_until(lambda: is_at_work(program, begun, sending))
        begin = time.perf_counter()
        status = program.stop()
        notes.add_named("one person end", time.perf_counter() - begin, f"{name}: exit status {status}")
        sending.join()
