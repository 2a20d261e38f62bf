"""Lists of projects for their members, as the Projects widget shows them.

A list sends the same number of statements for any number of projects: each reads the rows of all of them. A page reads
those on it alone, since memberships are stored in the order of the list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from core.domain.grants import PermissionQuery
from core.domain.model import Health, Id, PhaseState, Project, ProjectRole
from core.domain.permissions import Permission
from core.domain.project_health import health
from core.domain.readiness import DECIDES, Deciders
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.engine.messages import MoreGrantsNeeded, ProjectQuery, Query
from core.engine.project_guard import VIEWING, hidden_reason
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput, NotFound
from core.reads.open_items import MY_PROJECTS, OpenItem, my_open_rows, with_phases
from core.reads.project_state import EARLIEST_DUES, LINKED, LINKS, project_dates
from core.reads.workflows import (
    PhaseInProject,
    WaitingGate,
    fact_rows,
    in_projects,
    join_counts,
    phase_rows,
    phases_in,
    waiting_gates,
)
from core.record import COLLECTION, Record, field, replace
from core.rules.project_names import OWNERLESS, ProjectRef, names_where
from core.rules.visibility import my_projects_with_questions
from core.storage.database import EVERY, Statement, placeholders
from core.storage.row_mapper import table_of
from core.text.phrases import full_name, no_such

MAX_PAGE = 200
"""The most projects of one page of a list."""

NEXT_ITEMS = 30
"""The most of my next due items that the Projects widget shows."""


class ProjectSummary(Record):
    """A project as a line of the Projects widget."""

    project: Project
    role: ProjectRole | None
    """None for a user whom the authorization service lets see the project without being a member."""
    links: tuple[str, ...]
    """The names of the linked client, market and brand."""
    phase_now: str
    """The first phase that is not complete, with its number; empty if there is none."""
    tally: ItemCounts
    health: Health
    next_due: date | None
    """The earliest due date of an open item or an incomplete phase."""
    members: tuple[str, ...]
    favourite: bool
    ownerless: bool = False
    """True if every owner is deactivated, so that an admin can claim the project."""
    withheld: str = ""
    """The reason why only the name and my role are shown; empty otherwise."""
    member_ids: tuple[Id, ...] = ()
    """The ids of the members, in the order of their names in ``members``."""
    gates: tuple[WaitingGate, ...] = ()
    """The gates that wait for a decision."""

    @property
    def now_in(self) -> str:
        """The phase now, with what is missing at its gate where that waits for a decision."""
        words = [gate.words for gate in self.gates if f"{gate.number} {gate.phase}" == self.phase_now]
        return ": ".join([self.phase_now, *words])


class ProjectOverview(Record):
    """The data of the Projects widget: my projects, favourites first, and my next due items."""

    lines: tuple[ProjectSummary, ...] = field(name=COLLECTION)
    next_items: tuple[OpenItem, ...]
    next_after: str = ""
    """The ``after`` of the next page; empty if there is none."""


class ListProjects(Query[ProjectOverview]):
    """List the projects that I am a member of, favourites first, and my next due items.

    A full line needs PROJECT_VIEW, which is queried for all projects at once. Without it, the line has only the name
    and the reason, since members may always know which projects they are on.

    ``most`` (1 to 200) is the size of a page, and ``next_after`` of a page is the ``after`` of the one behind it. A
    project that is renamed or becomes a favourite meanwhile can be on two pages, or on none. ``project_ids`` lists up
    to 200 of my projects, without pages. Only the first page has the next due items.
    """

    route = "GET /v1/projects"
    permission = Permission.WORKSPACE_VIEW
    archived: bool = False
    most: int | None = None
    after: str = ""
    project_ids: tuple[Id, ...] = ()

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        """Ask about the projects of the lines, and about those of my next items, which can be on a later page."""
        page = self._page(view)
        accounts = {**page.accounts}
        if page.next_after and not self.after:
            sql, params = my_open_rows(view, (), NEXT_ITEMS, date.max)
            accounts |= _accounts_of(view, {row[0] for row in view.tx.tuples(sql, **params)} - accounts.keys())
        return _questions(view, accounts.values())

    def run(self, view: Snapshot) -> ProjectOverview:
        page = self._page(view)
        grants = {question.account_id: grant for question, grant in view.answers.items()}
        others = _with_accounts(view, grants.keys() - page.accounts.values())
        refusals = {each: hidden_reason(grants.get(of_it)) for each, of_it in {**page.accounts, **others}.items()}
        hidden = sorted(project_id for project_id, why in refusals.items() if why)
        if self.project_ids or self.after or page.next_after:
            chosen, params = placeholders(page.accounts)
        else:
            chosen, params = _MINE, {"archived": int(self.archived)}
        is_first = not (self.project_ids or self.after)
        following = (my_open_rows(view, hidden, NEXT_ITEMS, date.max),) if is_first else ()
        found, of_others = read_projects(view, chosen.strip("()"), *following, **params)
        rows = [row for each in of_others for row in each]
        here = {row[0] for row in rows}
        if unanswered := _accounts_of(view, here - refusals.keys()):
            every = my_projects_with_questions(view, among=MY_PROJECTS).values() if hidden else ()
            wanted = {*unanswered.values(), *(each.account_id for each in every)} - grants.keys()
            raise MoreGrantsNeeded(_questions(view, wanted))
        held = {each: grant.held if (grant := grants.get(of_it)) else () for each, of_it in page.accounts.items()}
        lines = {
            each.project.id: _name_only(each, why)
            if (why := refusals[each.project.id])
            else summary_of(view, each, held[each.project.id])
            for each in found
        }
        phases = [
            *(phase for each in found for phase in each.phases),
            *phases_in(view, here - lines.keys(), gates_of=()),
        ]
        return ProjectOverview(
            lines=tuple(lines[project_id] for project_id in page.accounts if project_id in lines),
            next_items=with_phases(rows, phases),
            next_after=page.next_after,
        )

    def _page(self, view: Snapshot) -> _Page:
        """My projects of the page in the order of the list."""
        if not 1 <= (MAX_PAGE if self.most is None else self.most) <= MAX_PAGE:
            raise InvalidInput("most", f"A page has 1 to {MAX_PAGE} projects.")
        if len(self.project_ids) > MAX_PAGE:
            raise InvalidInput("project_ids", f"List at most {MAX_PAGE} projects at a time.")
        if self.project_ids:
            return _Page(_accounts_of(view, self.project_ids, self.archived), "")
        parts, params, most = [_FAVOURITES, _OTHERS], dict[str, object](), self.most or EVERY
        if self.after:
            first, params = _place_in(self.after)
            parts = [f"{parts[first]} AND ({_PLACE}) > (:after_archived, :after_name, :after_id)", *parts[first + 1 :]]
        rows = view.tx.tuples(
            _ORDERED.format(parts=" UNION ALL ".join(_PART.format(part=part) for part in parts)),
            me=view.actor.user_id,
            archived=int(self.archived),
            most=most + 1,
            **params,
        )
        has_more = len(rows) > most
        next_after = "{2} {3} {0} {4}".format(*rows[most - 1]) if has_more else ""
        return _Page({row[0]: row[1] for row in rows[:most]}, next_after)


class _Page(NamedTuple):
    """A page of the list: the accounts of its projects by their ids, in order, and where the next one begins."""

    accounts: dict[Id, str]
    next_after: str


_PLACE = "member.project_archived, member.project_sort_name, member.project_id"
_FAVOURITE = "favourite.user_id = member.user_id AND favourite.project_id = member.project_id"
_FAVOURITES = (
    f"SELECT 0 AS place, {_PLACE} FROM favourite CROSS JOIN member"  # SQLite takes the tables in this order
    f" WHERE favourite.user_id = :me AND {_FAVOURITE} AND member.project_archived <= :archived"
)
_OTHERS = (
    f"SELECT 1 AS place, {_PLACE} FROM member WHERE member.user_id = :me AND member.project_archived <= :archived"
    f" AND NOT EXISTS (SELECT 1 FROM favourite WHERE {_FAVOURITE})"
)
_PART = f"SELECT * FROM ({{part}} ORDER BY {_PLACE} LIMIT :most) AS part"
_ORDERED = (
    "SELECT id, auth_id, place, project_archived, project_sort_name FROM ({parts}) AS mine"
    " JOIN project ON project.id = mine.project_id"
    " ORDER BY place, project_archived, project_sort_name, id LIMIT :most"
)


def _place_in(after: str) -> tuple[int, dict[str, object]]:
    """The part of the list and the place in it at which a page ended. Raises InvalidInput."""
    place, archived, project_id, sort_name = (*after.split(" ", 3), "", "", "", "")[:4]
    if place not in ("0", "1") or archived not in ("0", "1"):
        raise InvalidInput("after", "Give the “next_after” of the page before.")
    return int(place), {"after_archived": int(archived), "after_id": project_id, "after_name": sort_name}


def _accounts_of(view: Snapshot, project_ids: Collection[Id], archived: bool = True) -> dict[Id, str]:
    """The accounts of those of these projects that I am a member of, in the order of the list."""
    if not project_ids:
        return {}
    chosen, params = placeholders(project_ids)
    rows = view.tx.tuples(f"{_MINE_AMONG} IN {chosen}", me=view.actor.user_id, archived=int(archived), **params)
    rows.sort(key=lambda row: (not row[2], *row[3:], row[0]))
    return {row[0]: row[1] for row in rows}


_MINE_AMONG = (
    "SELECT id, auth_id, (SELECT count(*) FROM favourite WHERE user_id = :me AND project_id = project.id), archived,"
    " sort_name FROM project WHERE EXISTS (SELECT 1 FROM member WHERE project_id = project.id AND user_id = :me)"
    " AND archived <= :archived AND id"
)


def _with_accounts(view: Snapshot, accounts: Collection[str]) -> dict[Id, str]:
    """The accounts of the projects with these, by their ids."""
    if not accounts:
        return {}
    chosen, params = placeholders(accounts)
    return dict(view.tx.tuples(f"SELECT id, auth_id FROM project WHERE auth_id IN {chosen}", **params))


def _questions(view: Snapshot, accounts: Iterable[str]) -> tuple[PermissionQuery, ...]:
    """The queries whether I can see the projects with these accounts, and decide at their gates."""
    codes = VIEWING | {DECIDES}
    return tuple(PermissionQuery(view.actor.user_id, account, codes) for account in accounts)


class GetProject(ProjectQuery[ProjectSummary]):
    """Show one project as a line of the Projects widget."""

    route = "GET /v1/projects/{project_id}"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> ProjectSummary:
        found, _ = read_projects(view, "SELECT id FROM project WHERE id = :project_id", project_id=self.project_id)
        if not found:
            raise NotFound(no_such("project", self.project_id))
        return summary_of(view, found[0], view.grant.held)


class ListOrphanedProjects(Query[tuple[ProjectRef, ...]]):
    """List the projects whose owners are all deactivated, archived ones too, which an admin can claim."""

    route = "GET /v1/projects/orphaned"
    permission = Permission.PROJECT_CLAIM

    def run(self, view: Snapshot) -> tuple[ProjectRef, ...]:
        return tuple(names_where(view, OWNERLESS))


class ProjectRows(NamedTuple):
    """A project with the rows that its line shows."""

    project: Project
    role: str | None
    favourite_of: Id | None
    completions: str
    dues: Sequence[str | None]
    """The columns of ``EARLIEST_DUES``."""
    links: tuple[str, ...]
    phases: Sequence[PhaseInProject]
    tally: ItemCounts
    members: Sequence[tuple[Any, ...]]
    """The columns of ``_MEMBERS``."""


_MINE = (
    "SELECT member.project_id FROM member JOIN project ON project.id = member.project_id"
    " WHERE member.user_id = :me AND project.archived <= :archived"
)

_PROJECT = table_of(Project).columns
_MORE = (
    "feed.item_counts",
    "member.role",
    "favourite.user_id",
    "feed.completions",
    *(due.format(project_id="project.id") for due in EARLIEST_DUES),
    *(f"{link}.name" for link in LINKS),
)
_PROJECTS = (
    f"SELECT {', '.join((*(f'project.{column}' for column in _PROJECT), *_MORE))} FROM project"
    " JOIN feed ON feed.id = project.id LEFT JOIN member ON member.project_id = project.id AND member.user_id = :me"
    " LEFT JOIN favourite ON favourite.project_id = project.id AND favourite.user_id = :me"
    f"{LINKED} WHERE project.id IN ({{chosen}}) ORDER BY project.id"
)
_MEMBERS = (
    "SELECT member.project_id, user_id, first_name, last_name, active, role"
    " FROM member JOIN app_user ON app_user.id = member.user_id WHERE member.project_id IN ({chosen})"
    " ORDER BY member.project_id, role, first_name, last_name, user_id"
)


def read_projects(
    view: Snapshot, chosen: str, *others: Statement, **params: object
) -> tuple[list[ProjectRows], list[list[tuple[Any, ...]]]]:
    """Return the projects whose ids the SELECT ``chosen`` returns, by id, and the rows of other statements."""
    statements = [sql.format(chosen=chosen) for sql in (_PROJECTS, _MEMBERS)]
    statements += [make(f"({chosen})") for make in (phase_rows, fact_rows)]
    given = {"me": view.actor.user_id, **params}
    rows, members, phases, facts, *of_others = view.tx.tuples_all([*((sql, given) for sql in statements), *others])
    members_of = {project_id: list(each) for project_id, each in groupby(members, key=itemgetter(0))}
    tallies = join_counts(row[len(_PROJECT)] for row in rows)
    placed = groupby(in_projects(view, phases, tallies, facts), key=attrgetter("project_id"))
    phases_of = {project_id: list(each) for project_id, each in placed}
    found = [
        _make_rows(project, row[len(_PROJECT) :], phases_of.get(project.id, []), members_of.get(project.id, []))
        for row in rows
        for project in view.load_records(Project, [row[: len(_PROJECT)]])
    ]
    return found, of_others


def _make_rows(
    project: Project,
    more: tuple[Any, ...],
    phases: Sequence[PhaseInProject],
    members: Sequence[tuple[Any, ...]],
) -> ProjectRows:
    _, role, favourite_of, completions, to_do_due, in_progress_due, *links = more
    tally = sum((each.tally for each in phases), NO_ITEMS)
    linked = tuple(name for name in links if name)
    return ProjectRows(
        project, role, favourite_of, completions, (to_do_due, in_progress_due), linked, phases, tally, members
    )


def summary_of(view: Snapshot, found: ProjectRows, held: Collection[str]) -> ProjectSummary:
    """Return the line of a project, for a person who holds these permissions on it."""
    project, phases, members = found.project, found.phases, found.members
    incomplete = [each for each in phases if each.state is not PhaseState.COMPLETE]
    states = ((each.phase.due, each.state, each.tally) for each in phases)
    dates = project_dates(view, project, states, found.completions, found.dues)
    owners = [
        full_name(first_name, last_name)
        for _, _, first_name, last_name, active, role in members
        if active and role == ProjectRole.OWNER
    ]
    deciders = Deciders.of(
        held,
        owners,
        project.archived,
        user_id=view.actor.user_id,
        role=_role(found),
        source=view.grant.authority.source,
    )
    return ProjectSummary(
        project=project,
        role=_role(found),
        links=found.links,
        phase_now=f"{incomplete[0].number} {incomplete[0].phase.name}" if incomplete else "",
        tally=found.tally,
        health=health(dates),
        next_due=dates.next_due,
        members=tuple(full_name(first_name, last_name) for _, _, first_name, last_name, _, _ in members),
        favourite=found.favourite_of is not None,
        ownerless=not owners,
        member_ids=tuple(user_id for _, user_id, *_ in members),
        gates=waiting_gates(phases, lambda _: deciders),
    )


def _name_only(found: ProjectRows, why: str) -> ProjectSummary:
    return ProjectSummary(
        project=replace(found.project, description="", client_id=None, market_id=None, brand_id=None),
        role=_role(found),
        links=(),
        phase_now="",
        tally=NO_ITEMS,
        health=Health.NONE,
        next_due=None,
        members=(),
        favourite=found.favourite_of is not None,
        withheld=why,
    )


def _role(found: ProjectRows) -> ProjectRole | None:
    return ProjectRole(found.role) if found.role else None
