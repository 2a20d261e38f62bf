"""The workspace itself, the person who is looking, and that person's own settings."""

from __future__ import annotations

from dataclasses import dataclass

from core import text
from core.errors import InvalidInput, RuleRefused
from core.messages import Command, Query
from core.model import PlatformRole, Preference, User, Workspace
from core.rights import Permission
from core.work import Actor, View, Work, new_id

PREFERENCES = ("theme", "density", "signs", "keymap", "footer")
"""The settings that are kept per person; each front end reads the ones it knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """Who is looking, with what rights on the workspace and what settings."""

    workspace: Workspace
    user: User
    held: frozenset[Permission]
    preferences: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowMe(Query[Me]):
    """Who I am in this workspace."""

    route = "GET /v1/me"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: View) -> Me:
        user = view.get(User, id=view.actor.user_id)
        kept = view.all(Preference, "user_id = :user_id", user_id=user.id)
        return Me(
            workspace=view.all(Workspace, "1 = 1")[0],
            user=user,
            held=view.held,
            preferences={preference.name: preference.value for preference in kept},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameWorkspace(Command[Workspace]):
    """Rename the workspace."""

    route = "PATCH /v1/workspace"
    permission = Permission.USER_MANAGE
    name: str
    seen_version: int | None = None

    def run(self, work: Work) -> Workspace:
        workspace = work.get(Workspace, id=work.all(Workspace, "1 = 1")[0].id, seen_version=self.seen_version)
        name = text.one_line(self.name, "name", most=80)
        work.say(f"renamed the workspace to “{name}”")
        return work.update(workspace, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPreference(Command[None]):
    """Keep one of my own settings; an empty value forgets it."""

    route = "PUT /v1/me/preferences/{name}"
    permission = Permission.WORKSPACE_VIEW
    undoable = False
    personal = True
    name: str
    value: str

    def run(self, work: Work) -> None:
        if self.name not in PREFERENCES:
            raise InvalidInput("name", f"There is no setting “{self.name}”. There are: {', '.join(PREFERENCES)}.")
        value = text.many_lines(self.value, "value", most=20_000)
        me = work.actor.user_id
        kept = work.find(Preference, user_id=me, name=self.name)
        if kept and value:
            work.update(kept, value=value)
        elif kept:
            work.delete(kept)
        elif value:
            work.insert(Preference(user_id=me, name=self.name, value=value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Founder:
    """The first person of a workspace: its admin."""

    login: str
    first_name: str
    last_name: str
    email: str
    city: str = ""


def found_workspace(work: Work, name: str, founder: Founder) -> User:
    """Make the workspace and its first person, who becomes WORKSPACE_ADMIN (spec, section 10).

    It is no message: before it nobody is there to send one. Raises RuleRefused when there is a workspace already.
    """
    if work.all(Workspace, "1 = 1"):
        raise RuleRefused("There is a workspace here already. Name another file with --db.")
    user = User(
        id=new_id(),
        login=text.login(founder.login),
        first_name=text.person_name(founder.first_name, "first name"),
        last_name=text.person_name(founder.last_name, "last name"),
        email=text.email(founder.email),
        city=text.one_line(founder.city, "city", most=80, empty=True),
        platform_roles=(PlatformRole.WORKSPACE_ADMIN,),
    )
    work.actor = Actor(user.id)
    work.insert(Workspace(id=new_id(), name=text.one_line(name, "name", most=80)))
    work.insert(user)
    work.say(f"made the workspace “{name}”")
    return user
