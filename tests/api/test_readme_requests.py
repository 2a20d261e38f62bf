"""The requests that the page of the HTTP API shows, sent with the real curl to a real server."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

from core.domain.model import Status
from tests.docs.readme import API
from tests.support.api.server import ServerOfTests, token_for
from tests.support.system_programs import needs
from tests.support.workspace import World

(BLOCK,) = re.findall(r"```sh\n(.*?)```", API.read_text(), re.DOTALL)
DEFINITIONS, REQUESTS = BLOCK.strip().split("\n\n")


def sent(server: ServerOfTests, token: str, request: str, **ids: str) -> str:
    """The output of a line of the page, in a shell with this server, token and ids."""
    needs("curl")
    values = {"API": server.url, "TOKEN": token} | ids
    kept = "\n".join(line for line in DEFINITIONS.splitlines() if not re.match(r"(API|TOKEN)=", line))
    script = "\n".join([*(f"{name}='{value}'" for name, value in values.items()), kept, request])
    command = [needs("bash"), "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout


def test_every_request_of_the_page_does_what_it_says(world: World, server: ServerOfTests) -> None:
    token = token_for(world, world.maya)
    projects, canvas, create, try_out, move, search, changes = REQUESTS.splitlines()

    def answer(request: str, **ids: str) -> Any:
        return json.loads(sent(server, token, request, **ids))

    project_id = answer(projects)["data"][0]["project"]["id"]
    phase_id = answer(canvas, PROJECT=project_id)["head"]["columns"][0]["id"]
    task = answer(create, PHASE=phase_id)
    assert answer(create, PHASE=phase_id) == task, "the same key makes no second one"
    assert len(world.rows("SELECT * FROM item")) == 1
    (foreseen,) = answer(try_out, TASK=task["id"])["changes"]
    assert (foreseen["before"]["status"], foreseen["after"]["status"]) == ("TO_DO", "IN_PROGRESS")
    assert answer(move, TASK=task["id"])["status"] == Status.IN_PROGRESS
    late = answer(move, TASK=task["id"])
    assert (late["errors"][0]["errorCode"], late["details"]["current"]["version"]) == ("VERSION_CONFLICT", 2)
    assert task["id"] in sent(server, token, search)
    heard = changes.replace("--no-buffer", "--no-buffer --max-time 1") + " || true"
    assert "event: change" in sent(server, token, heard)
