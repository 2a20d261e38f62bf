"""The server keeps every promise of the OpenAPI document: schemathesis sends valid and invalid requests.

The document has no links, so sequences of requests are in ``test_stories.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import unquote

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from core.actions.catalog import BY_NAME
from core.server.openapi.document import document
from core.wire.routes import request_of, route_of
from tests.support.api.database_snapshot import Rewind
from tests.support.api.raw import IN_THE_TABLE
from tests.support.api.server import ServerOfTests, token_for
from tests.support.message_examples import messages
from tests.support.sweeps import sweep
from tests.support.workspace import World

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,  # the last
]

ENDLESS = "/v1/changes"
"""Has tests of its own: its answer never ends."""

TRACE = re.compile(r'Traceback|File \\?"|line \d+, in ')


def operations() -> Iterator[Any]:
    """Those of the document, each as schemathesis has it."""
    for found in schemathesis.openapi.from_dict(document()).get_all_operations():
        assert isinstance(found, Ok)
        if found.ok().path != ENDLESS:
            yield found.ok()


def real_path(world: World, operation: Any) -> dict[str, str] | None:
    """Path parameters with existing ids, for an operation that carries a message; else None."""
    kind = BY_NAME.get(operation.definition.raw["operationId"])
    if kind is None:
        return None
    path, _, _ = request_of(messages.ALL[kind](world)).target.partition("?")
    found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route_of(kind).path), path)
    assert found
    return {name: unquote(word) for name, word in found.groupdict().items()} or None


def is_trimmed(body: Any) -> bool:
    """True if no text has blanks around it. They are removed before the length is checked, which no schema can say."""
    if isinstance(body, str):
        return body == body.strip()
    return all(map(is_trimmed, body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()))


def ask(operation: Any, strategy: Any, world: World, url: str, session: requests.Session, examples: int) -> None:
    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def sent(case: Any) -> None:
        response = case.call(base_url=url, session=session, timeout=30)
        assert response.status_code in IN_THE_TABLE, (operation.label, response.status_code)
        assert not TRACE.search(response.text), (operation.label, response.text)
        case.validate_response(response, checks=CHECKS if is_trimmed(case.body) else CHECKS[:-1])

    sent()


def can_be_asked_wrongly(operation: Any) -> bool:
    """True if the operation has more than texts in its path, as every text is valid there."""
    raw = operation.definition.raw
    return "requestBody" in raw or any(each.get("in") == "query" for each in raw.get("parameters", ()))


def ask_all(world: World, server: ServerOfTests, examples: int, *, thorough: bool, third: int = -1) -> None:
    """Ask for things that are there; ``thorough``: each operation in every way, and for things that are not there.

    ``third`` (0, 1 or 2): only of every third operation.
    """
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {token_for(world, world.maya)}"
    rewind = Rewind(world)
    faults = []
    with session:
        for number, operation in enumerate(operations()):
            if third not in (-1, number % 3):
                continue
            rewind()
            known = real_path(world, operation)
            modes = list(GenerationMode) if can_be_asked_wrongly(operation) else [GenerationMode.POSITIVE]
            if not thorough:
                modes = [modes[number % len(modes)]]
            for mode, path in product(modes, [known, None] if known and thorough else [known]):
                strategy = operation.as_strategy(generation_mode=mode, path_parameters=path)
                try:
                    ask(operation, strategy, world, server.url, session, examples)
                except (AssertionError, FailureGroup) as fault:
                    faults.append(f"{operation.label} ({mode.value}): {fault}")
    rewind.close()
    assert not faults, "\n\n".join(faults)


@pytest.mark.parametrize("third", sweep(range(3), lambda third: third == 0))
def test_every_operation_keeps_what_the_document_promises(world: World, server: ServerOfTests, third: int) -> None:
    ask_all(world, server, 1, thorough=False, third=third)


@pytest.mark.slow
def test_every_operation_keeps_what_the_document_promises_at_length(world: World, server: ServerOfTests) -> None:
    ask_all(world, server, 10, thorough=True)
