"""Answers of the API when the permission service fails: each kind of failure has its status.

502, 503 and 504 follow the table of the source document (section 7.1), in the form of errors of the path.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from core.authorization.remote_query import PATHS
from core.server.openapi.document import document
from tests.support.api.server import ServerOfTests
from tests.support.authorization_service.server import Service
from tests.support.waiting import wait_until
from tests.support.workspace import World, content

SHORT, LONG = 0.2, 20.0
"""Seconds for a question that is never answered, and for one that is: the speed of the machine is not asked."""

CODES = {502: "AUTHORIZATION_INVALID", 503: "AUTHORIZATION_UNAVAILABLE", 504: "AUTHORIZATION_TIMED_OUT"}

ANSWERED = {
    **dict.fromkeys(("refused", "429", "500", "503"), 503),
    **dict.fromkeys(("hang", "504"), 504),
    **dict.fromkeys(("403", "302", "html", "no total"), 502),
}
"""Faults of the service, and the status that Podium's clients get."""


def _logged(lines: io.StringIO, error: dict[str, Any]) -> set[tuple[str, Any]]:
    """The events in the log with an error's correlation id: the status of requests, the reason of other events."""
    every = map(json.loads, lines.getvalue().splitlines())
    found = [line for line in every if line.get("correlation_id") == error["correlationId"]]
    return {(line["event"], line.get("said", line.get("status"))) for line in found}


@pytest.mark.parametrize(("fault", "status"), ANSWERED.items(), ids=ANSWERED)
def test_each_way_of_no_answer_has_its_status_and_changes_nothing(
    world: World, server: ServerOfTests, service: Service, fault: str, status: int, lines: io.StringIO
) -> None:
    client, before = server.client(), content(world.database)
    deadline = SHORT if fault == "hang" else LONG
    world.engine.permissions = service.source(url=service.url_of(fault), deadline=deadline)
    looked = client.get(f"/v1/projects/{world.project.id}/canvas")
    changed = client.post("/v1/projects", json={"name": "Autumn"}, headers={"Idempotency-Key": "once"})
    for answer in (looked, changed):
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["errorCode"]) == (status, CODES[status])
        assert error.keys() == {"errorCode", "errorMessage", "correlationId", "link"}
        assert error["errorMessage"].startswith("The permission service at 127.0.0.1:")
        assert answer.headers["X-Correlation-Id"] == error["correlationId"]
        known = {("permission service failed", error["errorMessage"]), ("request", status)}
        wait_until(lambda error=error, known=known: known <= _logged(lines, error))
        page = client.get(error["link"].removeprefix("http://podium")).json()
        assert (page["code"], page["status"]) == (CODES[status], status)
    query = {"filters": {"limit": 1, "offset": 0, "user_id": world.bob.user_id, "permission_codes": ["TASK_MOVE"]}}
    asked = client.post(PATHS["remote"], json=query)
    (error,) = asked.json()["errors"]
    assert (asked.status_code, error["status_code"]) == (status, status)
    assert error.keys() == {"status_code", "detail"}
    assert asked.json().keys() == {"errors"}
    assert (content(world.database), world.rows("SELECT * FROM receipt")) == (before, [])


def test_the_document_names_these_statuses_wherever_rights_are_asked() -> None:
    operations = document()["paths"]
    for path, method in (("/v1/projects", "post"), ("/v1/me", "get"), *((path, "post") for path in PATHS.values())):
        assert {"502", "503", "504"} <= operations[path][method]["responses"].keys(), path
