"""Every message of the catalog by its route, over a real server: refused to others, and answered as is documented."""

from __future__ import annotations

from typing import Any

from core.actions.catalog import MESSAGES
from core.engine.messages import Message
from tests.api.test_denials import refuse_unless_denied
from tests.api.test_openapi import refuse_undocumented
from tests.support.api.server import ServerOfTests
from tests.support.message_examples import messages
from tests.support.sweeps import every_message
from tests.support.workspace import World


@every_message(MESSAGES)
def test_a_message_is_answered_to_those_who_may_send_it_and_denied_to_others(
    world: World, server: ServerOfTests, kind: type[Message[Any]]
) -> None:
    message = messages.ALL[kind](world)
    refuse_unless_denied(world, server, message)
    refuse_undocumented(message, server.client())
