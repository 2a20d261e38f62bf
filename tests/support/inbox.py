"""The inbox of a user in tests: its lines, the count of unread ones, and the notifications in it."""

from __future__ import annotations

from core.actions.personal.inbox import CountUnread, InboxItem, ListInbox
from core.engine.unit_of_work import Actor
from tests.support.workspace import World


def inbox(world: World, as_: Actor | None = None, *, read_too: bool = False) -> list[InboxItem]:
    return list(world.ask(ListInbox(read_too=read_too), as_=as_ or world.bob).lines)


def unread(world: World, as_: Actor | None = None) -> int:
    count = world.ask(CountUnread(), as_=as_ or world.bob)
    assert count == sum(line.unread for line in inbox(world, as_))
    return count


def told(world: World, as_: Actor | None = None) -> list[tuple[str, str]]:
    return [(line.concern.value, line.title) for line in inbox(world, as_) if line.notification_id]
