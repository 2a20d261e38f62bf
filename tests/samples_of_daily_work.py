"""Samples of the messages of the daily work: templates, presets, filters, views, inbox, import. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.actions.flow import ShowFlow
from core.messages import Message
from tests.world import World

Sample = Callable[[World], Message[Any]]

QUERIES: dict[type[Message[Any]], Sample] = {
    ShowFlow: lambda world: ShowFlow(project_id=world.task().project_id),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Sample] = {}

PROJECT_COMMANDS: dict[type[Message[Any]], Sample] = {}
