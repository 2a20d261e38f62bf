"""Presence: tell where I am, and see where others are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from core.domain.grants import Grant, PermissionQuery
from core.domain.model import WORKSPACE, Id, User
from core.domain.permissions import ALL_CODES, Permission
from core.engine.messages import ProjectQuery, Query
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.presence.presence import PresenceEntry, PresenceLocation
from core.record import Record, made_from
from core.rules.visibility import my_projects_with_questions, visible_projects
from core.storage.database import Row, placeholders
from core.text.sanitize import one_line

MAX_LENGTH = 64
"""The most characters of an id or of a terminal's name. Podium itself never sends longer ones."""


class OnlineUser(Record):
    """Another user who has the project open."""

    user_id: Id
    name: str
    card_id: Id | None
    phase_id: Id | None
    via: str
    """The kind of connection that the user's terminal reports: "local", "ssh" or "browser"."""
    since: datetime


class ReportPresence(ProjectQuery[tuple[OnlineUser, ...]]):
    """Report where I am on a project, or that I leave it, and list who else is there and on which card.

    It lists only users who can see the project themselves: one who is removed from it disappears at once. ``terminal``
    distinguishes the terminals of one user. Nothing is stored.
    """

    route = "POST /v1/projects/{project_id}/presence"
    permission = Permission.PROJECT_VIEW
    card_id: Id | None = None
    phase_id: Id | None = None
    terminal: str = ""
    via: str = ""
    leaving: bool = False

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(_questions(view, view.presence.others(view.actor.user_id, self.project_id, view.now)))

    def run(self, view: Snapshot) -> tuple[OnlineUser, ...]:
        for name in ("card_id", "phase_id", "terminal"):
            if len(getattr(self, name) or "") > MAX_LENGTH:
                raise InvalidInput(name, f"Enter at most {MAX_LENGTH} characters.")
        me = view.actor.user_id
        if self.leaving:
            view.presence.leave(me, self.terminal)
            return ()
        place = PresenceLocation(project_id=self.project_id, card_id=self.card_id, phase_id=self.phase_id)
        via = one_line(self.via, "The way", most=MAX_LENGTH, empty=True) or view.actor.via
        view.presence.report(me, self.terminal, place, via, view.now)
        return tuple(
            made_from(OnlineUser, entry, name=name, card_id=entry.place.card_id, phase_id=entry.place.phase_id)
            for name, entry in _name_visible(view, view.presence.others(me, self.project_id, view.now))
        )


def _questions(view: Snapshot, entries: Iterable[PresenceEntry]) -> dict[PermissionQuery, PresenceEntry]:
    """The query for each entry whether its user can see the project: the same as for the user's own requests, whose
    grant is cached."""
    listed = list(entries)
    projects = _projects(view, listed)
    found = ((each, projects[each.place.project_id]) for each in listed if each.place.project_id in projects)
    return {PermissionQuery(each.user_id, project["auth_id"], ALL_CODES): each for each, project in found}


def _projects(view: Snapshot, entries: Iterable[PresenceEntry]) -> dict[Id, Row]:
    """The account and the name of the projects that users are on, by id."""
    chosen, params = placeholders({entry.place.project_id for entry in entries})
    rows = view.rows(f"SELECT id, auth_id, name FROM project WHERE id IN {chosen}", **params)
    return {row["id"]: row for row in rows}


def _name_visible(view: Snapshot, entries: tuple[PresenceEntry, ...]) -> list[tuple[str, PresenceEntry]]:
    """Return those who can see the project that they are on, with their names, by name."""
    visible = [entry for question, entry in _questions(view, entries).items() if _can_view(view.answers.get(question))]
    chosen, params = placeholders({entry.user_id for entry in visible})
    names = {user.id: user.name for user in view.all(User, f"id IN {chosen}", **params)} if visible else {}
    found = [(names[entry.user_id], entry) for entry in visible if entry.user_id in names]
    return sorted(found, key=lambda each: (each[0].casefold(), each[1].user_id))


def _can_view(grant: Grant | None) -> bool:
    return grant is not None and Permission.PROJECT_VIEW in grant.held


class OnlineUserSummary(Record):
    """A user on one of my projects, in words."""

    user_id: Id
    name: str
    project_id: Id
    project: str
    place: str
    """The title of the card, or else the name of the phase; empty without either."""
    via: str
    since: datetime
    """The time at which the user opened the project."""


class ListOnlineUsers(Query[tuple[OnlineUserSummary, ...]]):
    """List who has my projects open, or one of them, and on which card each is; me included.

    Unlike ReportPresence it does not report where the sender is. It lists only users who can see the project
    themselves.
    """

    route = "GET /v1/presence"
    permission = Permission.WORKSPACE_VIEW
    project_id: Id | None = None

    def scope(self, view: Snapshot) -> Id:
        return self.project_id or WORKSPACE

    def needs(self, view: Snapshot) -> Permission:
        return Permission.PROJECT_VIEW if self.project_id else Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        mine = my_projects_with_questions(view, archived=True)
        entries = view.presence.on({self.project_id} if self.project_id else mine, view.now)
        return (*_questions(view, entries), *(() if self.project_id else mine.values()))

    def run(self, view: Snapshot) -> tuple[OnlineUserSummary, ...]:
        projects = [self.project_id] if self.project_id else visible_projects(view, archived=True)
        found = _name_visible(view, view.presence.on(projects, view.now))
        places = _places(view, [entry.place for _, entry in found])
        names = _projects(view, (entry for _, entry in found))
        lines = (_line(name, entry, names[entry.place.project_id]["name"], places) for name, entry in found)
        return tuple(sorted(lines, key=lambda line: (line.project.casefold(), line.project_id)))


Places = Mapping[tuple[str, Id, Id], str]
"""The titles of cards, applications and phases, by table, project and id."""


def _line(name: str, entry: PresenceEntry, project: str, places: Places) -> OnlineUserSummary:
    return made_from(
        OnlineUserSummary,
        entry,
        name=name,
        project_id=entry.place.project_id,
        project=project,
        place=_title(entry.place, places),
    )


def _title(place: PresenceLocation, places: Places) -> str:
    """Return the title of a place; "" for a place that was removed or never existed."""
    tried = (("item", place.card_id), ("application", place.card_id), ("phase", place.phase_id))
    return next((title for table, key in tried if (title := places.get((table, place.project_id, key or "")))), "")


def _places(view: Snapshot, locations: Sequence[PresenceLocation]) -> Places:
    """Read the titles of all places in one statement."""
    cards, card_params = placeholders({place.card_id for place in locations if place.card_id}, "card")
    phases, phase_params = placeholders({place.phase_id for place in locations if place.phase_id}, "phase")
    rows = view.tx.tuples(
        f"SELECT 'item', project_id, id, title FROM item WHERE id IN {cards}"
        f" UNION ALL SELECT 'application', project_id, id, name FROM application WHERE id IN {cards}"
        f" UNION ALL SELECT 'phase', project_id, id, name FROM phase WHERE id IN {phases}",
        **card_params,
        **phase_params,
    )
    return {(table, project_id, key): title for table, project_id, key, title in rows}
