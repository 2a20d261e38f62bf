"""The workspace itself, and how it comes to be."""

from __future__ import annotations

from dataclasses import dataclass

from core import text
from core.actions.meta_roles import seed_meta_roles
from core.errors import RuleRefused
from core.messages import Command
from core.model import PlatformRole, User, Workspace
from core.rights import Permission
from core.work import Actor, Work, new_account, new_id


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
class Founder:
    """The first person of a workspace: its admin."""

    login: str
    first_name: str
    last_name: str
    email: str = ""
    """Without one it becomes an address that leads nowhere (decided here): whoever works alone needs none."""
    city: str = ""


def found_workspace(work: Work, name: str, founder: Founder) -> User:
    """Make the workspace and its first person, who becomes WORKSPACE_ADMIN (spec, section 10).

    It is no message: before it nobody is there to send one. Raises RuleRefused when there is a workspace already.
    """
    from core.templates.built_in import seed_templates

    if work.all(Workspace, "1 = 1"):
        raise RuleRefused("There is a workspace here already. Name another file with --db.")
    user = User(
        id=new_id(),
        login=text.login(founder.login),
        first_name=text.person_name(founder.first_name, "first name"),
        last_name=text.person_name(founder.last_name, "last name"),
        email=text.email(founder.email.strip() or f"{founder.login}@localhost.localdomain"),
        city=text.one_line(founder.city, "city", most=80, empty=True),
        platform_roles=(PlatformRole.WORKSPACE_ADMIN,),
    )
    work.actor = Actor(user.id)
    work.insert(Workspace(id=new_id(), name=text.one_line(name, "name", most=80), auth_id=new_account()))
    seed_meta_roles(work)
    seed_templates(work)
    work.insert(user)
    work.say(f"made the workspace “{name}”")
    return user
