"""Who is here: where I am, and where the others are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.actions.sight import my_projects, projects_in_sight
from core.authorization.question import Question
from core.errors import InvalidInput
from core.messages import ProjectQuery, Query
from core.model import WORKSPACE, Id, Item, Phase, Project, User
from core.presence import Place, Stay
from core.products import Application
from core.rights import ALL_CODES, Permission
from core.storage.database import placeholders
from core.text import one_line
from core.work import View

LONGEST = 64
"""Characters of an id or of the name of a terminal: longer ones are none of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """Somebody else who has the project open."""

    user_id: Id
    name: str
    card_id: Id | None
    phase_id: Id | None
    via: str
    """Through what: "local", "ssh" or "browser", as their own terminal says."""
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPresence(ProjectQuery[tuple[Present, ...]]):
    """Say where I am on a project, and see who else is there and on which card; or say that I leave.

    Only those are shown who may look at the project themselves: whoever is taken out of it is gone at once.
    ``terminal`` tells the terminals of one person apart. It changes nothing that is stored.
    """

    route = "POST /v1/projects/{project_id}/presence"
    permission = Permission.PROJECT_VIEW
    card_id: Id | None = None
    phase_id: Id | None = None
    terminal: str = ""
    via: str = ""
    leaving: bool = False

    def asks(self, view: View) -> tuple[Question, ...]:
        others = view.presence.others(view.actor.user_id, self.project_id, view.now)
        return tuple(_question(view, self.project_id, stay.user_id) for stay in others)

    def run(self, view: View) -> tuple[Present, ...]:
        self._refuse_nonsense()
        me = view.actor.user_id
        if self.leaving:
            view.presence.leave(me, self.terminal)
            return ()
        place = Place(project_id=self.project_id, card_id=self.card_id, phase_id=self.phase_id)
        via = one_line(self.via, "The way", most=LONGEST, empty=True) or view.actor.via
        view.presence.stay(me, self.terminal, place, via, view.now)
        return _shown(view, view.presence.others(me, self.project_id, view.now))

    def _refuse_nonsense(self) -> None:
        for name in ("card_id", "phase_id", "terminal"):
            if len(getattr(self, name) or "") > LONGEST:
                raise InvalidInput(name, f"It has at most {LONGEST} characters.")


def _question(view: View, project_id: Id, user_id: Id) -> Question:
    """The same that is asked when they look themselves, so that what is known of it already will do."""
    return Question(user_id, view.get(Project, id=project_id).auth_id, ALL_CODES)


def _shown(view: View, stays: tuple[Stay, ...]) -> tuple[Present, ...]:
    """Those of them who may look at the project, by name."""
    return tuple(
        Present(
            user_id=stay.user_id,
            name=name,
            card_id=stay.place.card_id,
            phase_id=stay.place.phase_id,
            via=stay.via,
            since=stay.since,
        )
        for name, stay in _named(view, stays)
    )


def _named(view: View, stays: tuple[Stay, ...]) -> list[tuple[str, Stay]]:
    """Those of them who may look at the project that they are on, each with their name, by name."""
    looking = [stay for stay in stays if _may_look(view, stay)]
    chosen, params = placeholders({stay.user_id for stay in looking})
    names = {user.id: user.name for user in view.all(User, f"id IN {chosen}", **params)} if looking else {}
    found = [(names[stay.user_id], stay) for stay in looking if stay.user_id in names]
    return sorted(found, key=lambda each: (each[0].casefold(), each[1].user_id))


def _may_look(view: View, stay: Stay) -> bool:
    grant = view.answers.get(_question(view, stay.place.project_id, stay.user_id))
    return grant is not None and Permission.PROJECT_VIEW in grant.held


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentLine:
    """Somebody on one of my projects, in words."""

    user_id: Id
    name: str
    project_id: Id
    project: str
    place: str
    """The title of the card, or else the name of the phase; empty when it is neither."""
    via: str
    since: datetime
    """When they came to the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPresent(Query[tuple[PresentLine, ...]]):
    """Who has my projects open, or one of them, and on which card each is; myself included.

    Whoever asks comes nowhere by it, unlike with ShowPresence. Told are those who may look at the project themselves.
    """

    route = "GET /v1/presence"
    permission = Permission.WORKSPACE_VIEW
    project_id: Id | None = None

    def scope(self, view: View) -> Id:
        return self.project_id or WORKSPACE

    def needs(self, view: View) -> Permission:
        return Permission.PROJECT_VIEW if self.project_id else Permission.WORKSPACE_VIEW

    def asks(self, view: View) -> tuple[Question, ...]:
        mine = my_projects(view, archived=True)
        stays = view.presence.on({self.project_id} if self.project_id else mine, view.now)
        theirs = (_question(view, stay.place.project_id, stay.user_id) for stay in stays)
        return (*theirs, *(() if self.project_id else mine.values()))

    def run(self, view: View) -> tuple[PresentLine, ...]:
        projects = [self.project_id] if self.project_id else projects_in_sight(view, archived=True)
        found = _named(view, view.presence.on(projects, view.now))
        lines = (_line(view, name, stay) for name, stay in found)
        return tuple(sorted(lines, key=lambda line: (line.project.casefold(), line.project_id)))


def _line(view: View, name: str, stay: Stay) -> PresentLine:
    return PresentLine(
        user_id=stay.user_id,
        name=name,
        project_id=stay.place.project_id,
        project=view.get(Project, id=stay.place.project_id).name,
        place=_title(view, stay.place),
        via=stay.via,
        since=stay.since,
    )


def _title(view: View, place: Place) -> str:
    """What a place is called. What was removed meanwhile, and what never was anything, has no name."""
    if card := place.card_id and view.find(Item, project_id=place.project_id, id=place.card_id):
        return card.title
    application = place.card_id and view.find(Application, project_id=place.project_id, id=place.card_id)
    phase = place.phase_id and view.find(Phase, project_id=place.project_id, id=place.phase_id)
    return application.name if application else phase.name if phase else ""
