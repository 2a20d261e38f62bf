"""The people of the workspace, and what each of them is on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.actions.workspace.users import (
    PLATFORM_ADMINS_ONLY,
    AddUser,
    DeactivateUser,
    EditUser,
    ListUsers,
    ReactivateUser,
    SetPlatformRoles,
    UserSummary,
    platform_admins_before,
)
from core.domain.model import PlatformRole, User
from core.domain.permissions import Permission, workspace_rights
from core.text.phrases import in_words
from tui.dialogs.fields.form_fields import ChoiceField, Field, TextField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.styles import TextRole
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.previews.kinds import preview_of
from tui.widgets.columns import Column, Line, cell
from tui.wording.platform_roles import roles_of

COLUMNS = (
    Column("Name", 18, 32),
    Column("Login", 14, 20, rank=3),
    Column("E-mail", 24, 40, rank=4),
    Column("City", 10, 20, rank=5),
    Column("Platform roles", 15, 32, rank=1),
    Column("Projects", 8, 8, rank=2, right=True),
    Column("", 8, 8, rank=1),
)

ROLE_HINTS = {
    PlatformRole.PLATFORM_ADMIN: "manages people and hierarchy",
    PlatformRole.WORKSPACE_ADMIN: "manages people and hierarchy",
    PlatformRole.INTERNAL: "creates projects",
}

PERSON_FIELDS: tuple[Field, ...] = (
    TextField("first_name", "First name"),
    TextField("last_name", "Last name"),
    TextField("email", "E-mail", "", "ann@example.com"),
    TextField("login", "Login", "", "left empty: the e-mail up to the @"),
    TextField("city", "City"),
)
"""The fields of a person, for everybody who adds or edits one; named as the core's complaints name them."""

INVITED_FIELDS = tuple(field for field in PERSON_FIELDS if field.name != "city")
"""The fields for an invitation, which asks only for what is needed."""


class PeopleScreen(ListScreen[User]):
    """Everybody in the workspace; admins change what is here."""

    name_in_table = "people"
    title_words = "People"
    is_of_workspace = True
    columns = COLUMNS
    opens = "people.edit"

    def __init__(self) -> None:
        super().__init__()
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        user = self.records.current
        return preview_of("PERSON", user.id, user.name) if user else None

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        lines = await self.podium.query(ListUsers())
        people = sorted(lines, key=lambda line: not line.user.active)
        self.records.show((line.user, _line(line, self.podium.me.user.id)) for line in people)

    def menu_title(self) -> str:
        return self.records.current.name if self.records.current else self.place()

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_person", self.do_new_person),
            self.records.action("edit", self.do_edit),
            self.records.action("roles", self.do_roles),
            self.records.action("deactivate", self.do_deactivate, _inactive_already),
            self.records.action("reactivate", self.do_reactivate, _active_already),
        )

    @asking
    async def do_new_person(self) -> None:
        async def save(values: dict[str, Any]) -> User:
            roles = (PlatformRole(values["role"]),) if values["role"] else ()
            return await self.podium.send(AddUser(platform_roles=roles, **person(values)))

        options = (("", "guest"), *((role.value, in_words(role)) for role in reversed(PlatformRole)))
        fields = [*PERSON_FIELDS, ChoiceField("role", "Platform role", options, PlatformRole.INTERNAL.value)]
        user = await show_form(self, "Add a person", fields, save, submit="Add", about="people")
        if user is not None:
            self.records.go_to_new(user.id)

    @asking
    async def do_edit(self, user: User) -> None:
        async def save(values: dict[str, Any]) -> User:
            return await self.podium.send(EditUser(user_id=user.id, seen_version=user.version, **person(values)))

        await show_form(self, f"Edit {user.name}", fields_of(user), save, record=user)

    @asking
    async def do_roles(self, user: User) -> None:
        reserved = platform_admins_before(self.podium.me.user.id, self.records.by_id.values())
        why = {PlatformRole.PLATFORM_ADMIN: PLATFORM_ADMINS_ONLY} if reserved else {}
        options = [
            Option(role.value, in_words(role).capitalize(), ROLE_HINTS[role], why.get(role, ""))
            for role in PlatformRole
        ]
        chosen = [role.value for role in user.platform_roles]
        dialog = PickDialog(f"Platform roles of {user.name}", options, multiple=True, only_marked=True, chosen=chosen)
        picked = await self.podium.ask(dialog)
        if picked is not None and set(picked) != set(chosen):
            roles = tuple(PlatformRole(role) for role in picked)
            await self.podium.perform(
                SetPlatformRoles(user_id=user.id, platform_roles=roles, seen_version=user.version)
            )

    async def do_deactivate(self, user: User) -> None:
        if await self.podium.perform(DeactivateUser(user_id=user.id, seen_version=user.version)) is not None:
            self.podium.toast(f"Deactivated {user.name}: they can no longer sign in. Press r to reactivate them.")

    async def do_reactivate(self, user: User) -> None:
        back = await self.podium.perform(ReactivateUser(user_id=user.id, seen_version=user.version))
        if back is not None and back.ended:
            self.podium.toast(f"Reactivated {user.name}. Ended for good: {back.ended}. Create new ones on Access.")


def _inactive_already(user: User) -> str:
    return "" if user.active else f"{user.name} is already inactive. Press r to reactivate them."


def _active_already(user: User) -> str:
    return f"{user.name} is active." if user.active else ""


def _line(line: UserSummary, me: str) -> Line:
    user = line.user
    you = ((" you", TextRole.ACCENT),) if user.id == me else ()
    manages_people = Permission.USER_MANAGE in workspace_rights(user.platform_roles)
    return Line(
        user.id,
        (
            (*cell(user.name, TextRole.TITLE if user.active else TextRole.QUIET), *you),
            cell(user.login),
            cell(user.shown_email),
            cell(user.city),
            cell(roles_of(user), TextRole.NAME if manages_people else TextRole.QUIET),
            cell(line.projects or "", TextRole.TITLE),
            cell("" if user.active else "inactive", TextRole.SOON),
        ),
    )


def fields_of(user: User) -> tuple[Field, ...]:
    """The fields of a person, filled in."""
    return (
        TextField("first_name", "First name", user.first_name),
        TextField("last_name", "Last name", user.last_name),
        TextField("email", "E-mail", user.email if user.has_email else "", "ann@example.com"),
        TextField("login", "Login", user.login),
        TextField("city", "City", user.city),
    )


def person(values: dict[str, Any]) -> dict[str, str]:
    """The answers as the fields of AddUser, EditUser and InviteGuest."""
    return {field.name: values[field.name] for field in PERSON_FIELDS if field.name in values}
