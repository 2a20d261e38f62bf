"""The inbox: what others did that concerns me, what is due, and the gates that wait for my decision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.messages import Command, Query
from core.model import Id
from core.rights import Permission


class Concern(StrEnum):
    """Why something is in the inbox."""

    ASSIGNED = "ASSIGNED"
    MENTIONED = "MENTIONED"
    DUE = "DUE"
    GATE = "GATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxLine:
    """One thing that concerns me. A notice is unread until it is read; the others go when they are dealt with."""

    concern: Concern
    notice_id: Id | None
    project_id: Id
    project: str
    target_kind: str
    """TASK, ACTIVITY, APPLICATION or PHASE."""
    target_id: Id
    title: str
    words: str
    """One sentence: who did what, or since when it waits."""
    at: datetime | None
    unread: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowInbox(Query[tuple[InboxLine, ...]]):
    """What concerns me: gates that wait for me and what is due first, then what others did, the newest first."""

    route = "GET /v1/me/inbox"
    permission = Permission.WORKSPACE_VIEW
    read_too: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CountInbox(Query[int]):
    """How many unread notices I have."""

    route = "GET /v1/me/inbox/count"
    permission = Permission.WORKSPACE_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNotices(Command[None]):
    """Mark notices of mine as read, or as unread again; without ids all of them."""

    route = "POST /v1/me/inbox/read"
    permission = Permission.WORKSPACE_VIEW
    undoable = False
    personal = True
    notice_ids: tuple[Id, ...] = ()
    unread: bool = False
