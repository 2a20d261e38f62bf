"""Every message travels whole: as a request and back, and its result as JSON and back."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from core.codec.encoding import text_of
from core.engine.messages import Command, Message
from core.wire.result_decoder import read
from core.wire.routes import message_of, request_of, route_of
from tests.support.message_examples import messages
from tests.support.sweeps import every_message
from tests.support.workspace import World

by_name = every_message(messages.ALL)


@by_name
def test_a_message_arrives_as_it_was_sent(world: World, kind: type[Message[Any]]) -> None:
    message = messages.ALL[kind](world)
    _, target, body = request_of(message)
    url = urlsplit(target)
    found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route_of(kind).path), url.path)
    assert found
    path = {name: unquote(word) for name, word in found.groupdict().items()}
    query = parse_qsl(url.query, keep_blank_values=True)
    assert message_of(kind, path, query, json.loads(body) if body else None) == message


@by_name
def test_a_result_arrives_as_it_was_answered(world: World, kind: type[Message[Any]]) -> None:
    message = messages.ALL[kind](world)
    carry_out: Any = world.engine.execute if isinstance(message, Command) else world.engine.query
    result = carry_out(message, world.maya)
    assert read(message, text_of(result).encode()) == result
