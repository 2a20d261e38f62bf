"""Samples of the messages about dependencies, and of the changes of a Canvas. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from core.actions.dependencies import links, lists
from core.actions.workflow import canvas_changes
from core.domain.dependencies import Dependency
from core.engine.messages import Command, Message, Query
from tests.support.workspace import World


def linked(world: World) -> Dependency:
    """A task that waits for another one, and for a card of another project."""
    waiting = world.task("Print", due=date(2026, 3, 9))
    elsewhere = world.task("Logo", phase=world.phase("Design", world.new_project("Autumn").id))
    world.do(links.LinkCards(waiting_id=waiting.id, blocker_id=elsewhere.id))
    return world.do(links.LinkCards(waiting_id=waiting.id, blocker_id=world.task("Proof", due=date(2026, 3, 6)).id))


def unlinked(world: World) -> links.LinkCards:
    blocker = world.task("Proof")
    return links.LinkCards(waiting_id=world.task("Print").id, blocker_id=blocker.id, lag_days=2)


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    canvas_changes.GetCanvasChanges: lambda world: canvas_changes.GetCanvasChanges(
        project_id=linked(world).project_id, since=1, elsewhere=0
    ),
    lists.ListDependencies: lambda world: lists.ListDependencies(project_id=linked(world).project_id),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    links.LinkCards: unlinked,
    links.UnlinkCards: lambda world: _without(linked(world)),
    links.OverrideBlockers: lambda world: links.OverrideBlockers(waiting_id=linked(world).waiting_id, reason="Now"),
}


def _without(dependency: Dependency) -> links.UnlinkCards:
    return links.UnlinkCards(waiting_id=dependency.waiting_id, blocker_id=dependency.blocker_id)
