"""The current user, and their own settings."""

from __future__ import annotations

from core.domain.grants import DecisionSource
from core.domain.model import Preference, User, Workspace
from core.domain.permissions import Permission
from core.domain.preferences import PREFERENCES
from core.engine.messages import PersonalCommand, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput
from core.record import Record
from core.text import sanitize
from core.text.phrases import names


class CurrentUser(Record):
    """The user of the request, with their permissions on the workspace and their settings."""

    workspace: Workspace
    user: User
    held: frozenset[Permission]
    authority: DecisionSource
    preferences: dict[str, str]


class GetCurrentUser(Query[CurrentUser]):
    """Show who I am in this workspace, with my permissions and settings."""

    route = "GET /v1/me"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: Snapshot) -> CurrentUser:
        user = view.get(User, id=view.actor.user_id)
        kept = view.all(Preference, "user_id = :user_id", user_id=user.id)
        return CurrentUser(
            workspace=view.read_workspace(),
            user=user,
            held=view.held,
            authority=view.grant.authority,
            preferences={each.name: each.value for each in kept if each.name in PREFERENCES},
        )


class SetPreference(PersonalCommand[None]):
    """Save one of my own settings; an empty value removes it."""

    route = "PUT /v1/me/preferences/{name}"
    name: str
    value: str

    def run(self, work: UnitOfWork) -> None:
        if self.name not in PREFERENCES:
            raise InvalidInput("name", f"There is no setting “{self.name}”. There are: {', '.join(PREFERENCES)}.")
        value = sanitize.many_lines(self.value, "value", most=20_000)
        values = PREFERENCES[self.name]
        if value and values and value not in values:
            known = names([f"“{each}”" for each in values])
            raise InvalidInput("value", f"“{sanitize.sanitize(value)}” is no value of {self.name}. There are {known}.")
        me = work.actor.user_id
        kept = work.find(Preference, user_id=me, name=self.name)
        if kept and value:
            work.update(kept, value=value)
        elif kept:
            work.delete(kept)
        elif value:
            work.insert(Preference(user_id=me, name=self.name, value=value))
