"""The inbox: notifications of what others did, items that are due, and gates that wait for my decision."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date, datetime
from enum import StrEnum

from core.domain.grants import PermissionQuery
from core.domain.model import WORKSPACE, Id, ItemKind, ProjectRole, Status
from core.domain.notifications import ACCESS, Notification, NotificationKind
from core.domain.permissions import ALL_CODES, Permission
from core.domain.readiness import TO_STOP, ReadinessState
from core.engine.messages import PersonalCommand, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.reads.open_items import MY_PROJECTS, OpenItem, my_open_items
from core.reads.workflows import GATED, WaitingGate
from core.record import COLLECTION, Record, field
from core.rules.visibility import (
    by_answers,
    held_on,
    hidden_among,
    my_grants,
    my_projects_with_questions,
    my_roles,
)
from core.storage.database import EVERY, Row, Tx, batches, placeholders
from core.text.dates import format_due
from core.text.phrases import credit_author, full_name
from core.text.short_keys import card_key

MAX_NOTIFICATIONS = 500
"""The most notifications that are listed, the newest first. Users with more have stopped reading them."""

MAX_DUE = 100
"""The most late or due items that are listed. My work shows all of them."""

SAID = 200
"""The most characters shown of a comment that mentions me. The card has all of it."""


class InboxReason(StrEnum):
    """The reason why something is in the inbox."""

    ACCESS = "ACCESS"
    """Another person can act as me."""
    ASSIGNED = "ASSIGNED"
    MENTIONED = "MENTIONED"
    COMMAND = "COMMAND"
    CONSENT = "CONSENT"
    """Someone wants a change that would end an approval."""
    MEETING = "MEETING"
    """A secretary recorded a vote of mine in a meeting."""
    ABSENT = "ABSENT"
    """A secretary recorded me as absent in a meeting."""
    CONTRADICTION = "CONTRADICTION"
    """Someone contradicted the record of a meeting, so that its approval ended."""
    STOP = "STOP"
    """The votes at a gate are to stop the project, which I can carry out."""
    DUE = "DUE"
    GATE = "GATE"


OF_MEETINGS = (InboxReason.MEETING, InboxReason.ABSENT)
"""The reasons of what a secretary recorded of me, which I can contradict."""

_IF_UNTRUE = "contradict it within 14 days if it is not true"


class InboxItem(Record):
    """One line of the inbox. A notification is unread until it is read; other lines go when they are dealt with."""

    concern: InboxReason
    notification_id: Id | None
    project_id: Id
    project: str
    target_kind: str
    """TASK, ACTIVITY, APPLICATION or PHASE; for ACCESS, which has no project, TOKEN, ACCOUNT or USER."""
    target_id: Id
    title: str
    words: str
    """One sentence: who did what, or how long it has been waiting."""
    at: datetime | None
    unread: bool
    status: Status | None = None
    """The status of a task or an activity."""
    version: int = 0
    """The version of a task or an activity, by which a key notices that it was changed meanwhile."""
    key: str = ""
    """The key of a task or an activity: AUT-12."""
    ready: bool = False
    """True for a gate at which nothing but my decision is missing."""
    wanted: str = ""
    """The messages that a request for consent is about, as the JSON of the steps of a bulk change; "" for none."""
    record_id: Id = ""
    """The entry of the decision of a meeting that can be contradicted."""


class Inbox(Record):
    """My inbox, and my permissions and my role on the project of each line."""

    lines: tuple[InboxItem, ...] = field(name=COLLECTION)
    held: dict[Id, frozenset[Permission]]
    roles: dict[Id, ProjectRole]
    older: int
    """The number of older notifications, which are listed once newer ones are read."""


class ListInbox(Query[Inbox]):
    """List my inbox: access that others created for my account, gates, due items, and what others did.

    The result has my permissions on each project, so that each line can show which of its keys work.
    """

    route = "GET /v1/me/inbox"
    permission = Permission.WORKSPACE_VIEW
    read_too: bool = False

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, codes=ALL_CODES, among=_CONCERNING).values())

    def run(self, view: Snapshot) -> Inbox:
        answers = my_grants(view, _CONCERNING)
        hidden = set(hidden_among(answers))
        seen = [project_id for project_id in answers if project_id not in hidden]
        found = my_open_items(view, answers, MAX_DUE, view.today)
        gates = sorted(map(_gate, found.gates), key=lambda line: not line.ready)
        due = [_due(line, view.today) for line in found.items]
        notifications, older = _notifications(view, seen, self.read_too)
        lines = (*_access(view, self.read_too), *gates, *due, *notifications)
        here = {line.project_id for line in lines if line.project_id != WORKSPACE}
        return Inbox(lines=lines, held=held_on(answers, here), roles=my_roles(view, here), older=older)


class CountUnread(Query[int]):
    """Count my unread notifications."""

    route = "GET /v1/me/inbox/count"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, among=_WITH_UNREAD).values())

    def run(self, view: Snapshot) -> int:
        mine = my_projects_with_questions(view, among=_WITH_UNREAD)
        chosen, params = placeholders(by_answers(view, mine).visible)
        sql = _unread(":me", f"project_id IN {chosen}")
        return int(view.tx.tuples(sql, me=view.actor.user_id, workspace=WORKSPACE, most=EVERY, **params)[0][0])


_WITH_UNREAD = "SELECT project_id FROM notification WHERE user_id = :me AND read_at IS NULL"
"""All other projects are not looked at, because the count is asked for after every change."""


class UnreadState(Record, kw_only=False):
    """Everything that a user's unread count depends on. While it is equal, so is the count."""

    unread: int
    """As counted by ``CountUnread``, up to ``MAX_NOTIFICATIONS``."""
    newest: str | None
    projects: int


def unread_of(tx: Tx, people: Iterable[Id]) -> dict[Id, UnreadState]:
    """Return each user's UnreadState, where the database is the permission source."""
    found = dict.fromkeys(people, UnreadState(0, None, 0))
    for part in batches(list(found)):
        chosen, params = placeholders(part)
        rows = tx.tuples(
            f"SELECT id, ({_unread('app_user.id', f'EXISTS ({_OWN_PROJECT} AND project_id = n.project_id)')}),"
            " (SELECT max(at) FROM notification WHERE user_id = app_user.id AND read_at IS NULL),"
            f" (SELECT count(*) FROM ({_OWN_PROJECT}) AS projects) FROM app_user WHERE id IN {chosen}",
            workspace=WORKSPACE,
            most=MAX_NOTIFICATIONS,
            **params,
        )
        found |= {user_id: UnreadState(*state) for user_id, *state in rows}
    return found


class MarkNotificationsRead(PersonalCommand[None]):
    """Mark my notifications as read, or as unread again; without ids all of them."""

    route = "POST /v1/me/inbox/read"
    notification_ids: tuple[Id, ...] = ()
    unread: bool = False

    def run(self, work: UnitOfWork) -> None:
        for notification in self._find_notifications(work):
            if (notification.read_at is None) != self.unread:
                work.update(notification, read_at=None if self.unread else work.now)

    def _find_notifications(self, work: UnitOfWork) -> list[Notification]:
        """Return the sender's notifications with these ids; one that was deleted since counts as read.

        A sender who uses access that another person created cannot mark notifications about access: its owner must see
        them.
        """
        state = "read_at IS NOT NULL" if self.unread else "read_at IS NULL"
        mine = work.all(Notification, f"user_id = :me AND {state}", me=work.actor.user_id)
        return [
            notification
            for notification in mine
            if (not self.notification_ids or notification.id in self.notification_ids)
            and not (work.actor.through and notification.kind in ACCESS)
        ]


# -- gates and due dates -------------------------------------------------------------------------------------------


_CONCERNING = f"{MY_PROJECTS} UNION {GATED} UNION SELECT project_id FROM notification WHERE user_id = :me"
"""The projects from which a line of the inbox can come."""


def _gate(gate: WaitingGate) -> InboxItem:
    return InboxItem(
        concern=InboxReason.GATE,
        notification_id=None,
        project_id=gate.project_id,
        project=gate.project,
        target_kind="PHASE",
        target_id=gate.phase_id,
        title=f"{gate.number} {gate.phase}",
        words=f"{gate.words}{', after it was sent back' if gate.sent_back else ''}",
        at=None,
        unread=False,
        ready=gate.missing.state is ReadinessState.READY and not gate.missing.unchecked,
    )


def _due(line: OpenItem, today: date) -> InboxItem:
    return InboxItem(
        concern=InboxReason.DUE,
        notification_id=None,
        project_id=line.project_id,
        project=line.project,
        target_kind=line.kind.value,
        target_id=line.id,
        title=line.title,
        words=due_words(line.due, today) if line.due else "",
        at=None,
        unread=False,
        status=line.status,
        version=line.version,
        key=line.key,
    )


DUE_TODAY = "due today"


def due_words(due: date, today: date) -> str:
    """Return how long something has been waiting: "due today", "3d late", "due 2 Jan"."""
    words = format_due(due, today)
    return words if words.endswith("late") else f"due {words}"


# -- notifications -----------------------------------------------------------------------------------------------

_IS_THERE = " OR ".join(
    f"EXISTS (SELECT 1 FROM {each} WHERE {each}.project_id = n.project_id AND {each}.id = n.target_id)"
    for each in ("item", "application", "phase")
)
"""The condition that the target exists: notifications of a removed target are hidden until it is restored."""

_OWN_PROJECT = (
    "SELECT project.id FROM member JOIN project ON project.id = member.project_id"
    " WHERE member.user_id = app_user.id AND project.archived = 0"
)

_NOTIFICATIONS = (
    "SELECT n.id, n.project_id, project.name AS project, n.kind, n.target_id, n.at, read_at,"
    " n.through, n.words, n.wanted, first_name, last_name, item.kind AS item_kind, item.status AS item_status,"
    " item.version AS item_version, item.number, project.key AS project_key, application.id AS application_id,"
    " CASE n.kind WHEN 'MENTIONED' THEN (SELECT text FROM comment"
    "  WHERE comment.project_id = n.project_id AND comment.item_id = n.target_id"
    "  AND comment.author_id = n.by_id AND comment.at = n.at ORDER BY comment.id LIMIT 1) END AS said,"
    " coalesce(item.title, application.name, phase.name) AS title"
    " FROM notification AS n JOIN project ON project.id = n.project_id"
    " LEFT JOIN app_user ON app_user.id = n.by_id"
    " LEFT JOIN item ON item.project_id = n.project_id AND item.id = n.target_id"
    " LEFT JOIN application ON application.project_id = n.project_id AND application.id = n.target_id"
    " LEFT JOIN phase ON phase.project_id = n.project_id AND phase.id = n.target_id"
    f" WHERE n.user_id = :me AND ({_IS_THERE})"
)


def _unread(user: str, listed: str) -> str:
    """Return the SELECT of the number of a user's unread notifications, up to ``:most``.

    They are those about access, and those about projects for which the condition ``listed`` holds.
    """
    return (
        f"SELECT count(*) FROM (SELECT 1 FROM notification AS n WHERE user_id = {user} AND read_at IS NULL AND"
        f" (project_id = :workspace OR {listed} AND ({_IS_THERE})) LIMIT :most) AS unread"
    )


_ACCESS = (
    "SELECT n.id, n.kind, n.target_id, n.at, read_at, n.through, first_name, last_name,"
    " token.label"
    " FROM notification AS n LEFT JOIN app_user ON app_user.id = n.by_id LEFT JOIN token ON token.id = n.target_id"
    " WHERE n.user_id = :me AND n.project_id = :workspace"
)


def _access(view: Snapshot, read_too: bool) -> tuple[InboxItem, ...]:
    unread = "" if read_too else " AND read_at IS NULL"
    sql = f"{_ACCESS}{unread} ORDER BY n.at DESC, n.id DESC LIMIT :most"
    rows = view.rows(sql, me=view.actor.user_id, workspace=WORKSPACE, most=MAX_NOTIFICATIONS)
    return tuple(_access_line(row) for row in rows)


def _access_line(row: Row) -> InboxItem:
    who = _who(row)
    kind, title, words = {
        NotificationKind.TOKEN_MADE: (
            "TOKEN",
            f"Token “{row['label'] or ''}”",
            "created it for you: anyone with it can act as you",
        ),
        NotificationKind.ACCOUNT_LINKED: (
            "ACCOUNT",
            f"Account “{row['target_id']}”",
            "linked it to you: its user can act as you",
        ),
        NotificationKind.LOGIN_CHANGED: ("USER", "Your login", "changed your login or e-mail, by which you sign in"),
    }[NotificationKind(row["kind"])]
    return InboxItem(
        concern=InboxReason.ACCESS,
        notification_id=row["id"],
        project_id=WORKSPACE,
        project="",
        target_kind=kind,
        target_id=row["target_id"],
        title=title,
        words=f"{who} {words}",
        at=datetime.fromisoformat(row["at"]),
        unread=row["read_at"] is None,
    )


def _notifications(view: Snapshot, seen: Collection[Id], read_too: bool) -> tuple[list[InboxItem], int]:
    """The newest notifications, and the number of the others."""
    chosen, params = placeholders(seen)
    unread = "" if read_too else " AND read_at IS NULL"
    which = f"{_NOTIFICATIONS}{unread} AND n.project_id IN {chosen}"
    params["me"] = view.actor.user_id
    rows = view.rows(f"{which} ORDER BY n.at DESC, n.id DESC LIMIT :most", most=MAX_NOTIFICATIONS, **params)
    is_full = len(rows) == MAX_NOTIFICATIONS
    in_all = view.tx.tuples(f"SELECT count(*) FROM ({which}) AS listed", **params)[0][0] if is_full else len(rows)
    return [_notification(row) for row in rows], in_all - len(rows)


def _notification(row: Row) -> InboxItem:
    return InboxItem(
        concern=InboxReason(row["kind"]),
        notification_id=row["id"],
        project_id=row["project_id"],
        project=row["project"],
        target_kind=row["item_kind"] or (ItemKind.APPLICATION.value if row["application_id"] else "PHASE"),
        target_id=row["target_id"],
        title=row["title"],
        words=_words(row),
        at=datetime.fromisoformat(row["at"]),
        unread=row["read_at"] is None,
        status=Status(row["item_status"]) if row["item_status"] else None,
        version=row["item_version"] or 0,
        key=card_key(row["project_key"], row["number"]) if row["number"] else "",
        wanted=row["wanted"],
        record_id=row["words"] if row["kind"] in OF_MEETINGS else "",
    )


def _who(row: Row) -> str:
    name = full_name(row["first_name"], row["last_name"]) or "An unknown person"
    return f"{credit_author(name, row['through'])}," if row["through"] else name


def _words(row: Row) -> str:
    who = _who(row)
    if row["kind"] == InboxReason.ASSIGNED:
        return f"{who} assigned it to you"
    if row["kind"] == InboxReason.COMMAND:
        return f"{who} changed the command that it runs: you are shown it and asked at the next launch"
    if row["kind"] == InboxReason.CONSENT:
        return f"{who} asks you to agree: {row['words'].removesuffix('.')}"
    if row["kind"] == InboxReason.MEETING:
        return f"{who} recorded your vote in a meeting: {_IF_UNTRUE}"
    if row["kind"] == InboxReason.ABSENT:
        return f"{who} recorded you as absent in a meeting: {_IF_UNTRUE}"
    if row["kind"] == InboxReason.CONTRADICTION:
        return f"{who} contradicted the record of a meeting, and its decision ended: {row['words'].removesuffix('.')}"
    if row["kind"] == InboxReason.STOP:
        return f"{who} gave the last vote that it takes: {TO_STOP}"
    said = " ".join((row["said"] or "").split())
    return f"{who} mentioned you" + (f": {said[:SAID]}{'…' if len(said) > SAID else ''}" if said else "")
