"""Who is here: where I am, and where the others are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.authorization.question import Question
from core.errors import InvalidInput
from core.messages import ProjectQuery
from core.model import Id, Project, User
from core.presence import Place, Stay
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
    grants = {question.user_id: grant for question, grant in view.answers.items()}
    allowed = {
        stay.user_id: stay
        for stay in stays
        if stay.user_id in grants and Permission.PROJECT_VIEW in grants[stay.user_id].held
    }
    chosen, params = placeholders(allowed)
    people = view.all(User, f"id IN {chosen}", **params) if allowed else []
    found = ((person.name, allowed[person.id]) for person in people)
    return tuple(
        Present(
            user_id=stay.user_id,
            name=name,
            card_id=stay.place.card_id,
            phase_id=stay.place.phase_id,
            via=stay.via,
            since=stay.since,
        )
        for name, stay in sorted(found, key=lambda each: (each[0].casefold(), each[1].user_id))
    )
