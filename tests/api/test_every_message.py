"""Every message of the catalog by its route, over a real server: refused to others, and answered as is documented."""

from __future__ import annotations

from typing import Any

import pytest

from core.catalog import MESSAGES
from core.messages import Message
from tests import samples
from tests.api.server import ServerOfTests
from tests.api.test_denials import refuse_unless_denied
from tests.api.test_openapi import refuse_undocumented
from tests.world import World


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
def test_a_message_is_denied_to_others_and_answered_to_whoever_may_send_it(
    world: World, server: ServerOfTests, kind: type[Message[Any]]
) -> None:
    message = samples.ALL[kind](world)
    refuse_unless_denied(world, server, message)
    refuse_undocumented(message, server.client())
