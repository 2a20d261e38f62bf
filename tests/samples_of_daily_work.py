"""Samples of the messages of the daily work: templates, presets, filters, views, inbox, import. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.actions.flow import ShowFlow
from core.actions.presets import (
    ChoosePreset,
    ListPresets,
    RemovePreset,
    RemoveSharedPreset,
    SavePreset,
    SharePreset,
)
from core.actions.template_origin import ShowOrigin
from core.messages import Message
from core.presets import Preset
from tests.world import World

Sample = Callable[[World], Message[Any]]


def own_preset(world: World) -> Preset:
    return world.do(SavePreset(project_id=world.project.id, name="Mine"))


def shared_preset(world: World) -> Preset:
    return world.do(SharePreset(project_id=world.project.id, name="Ours"))


QUERIES: dict[type[Message[Any]], Sample] = {
    ListPresets: lambda world: ListPresets(project_id=world.project.id),
    ShowFlow: lambda world: ShowFlow(project_id=world.task().project_id),
    ShowOrigin: lambda world: ShowOrigin(project_id=world.project.id),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Sample] = {}

PROJECT_COMMANDS: dict[type[Message[Any]], Sample] = {
    ChoosePreset: lambda world: ChoosePreset(project_id=world.project.id, preset_id="DELIVERY"),
    SavePreset: lambda world: SavePreset(project_id=world.project.id, name="Other", preset_id=own_preset(world).id),
    SharePreset: lambda world: SharePreset(
        project_id=world.project.id, name="Other", preset_id=shared_preset(world).id
    ),
    RemovePreset: lambda world: RemovePreset(project_id=world.project.id, preset_id=own_preset(world).id),
    RemoveSharedPreset: lambda world: RemoveSharedPreset(
        project_id=world.project.id, preset_id=shared_preset(world).id
    ),
}
