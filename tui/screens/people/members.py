"""The members of a project: who is on it, with which roles, and what they have in hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

from textual.content import Content

from core.actions.permissions.permissions import GetMyPermissions
from core.actions.projects.lists import GetProject
from core.actions.projects.members import (
    InviteGuest,
    InviteMember,
    ListCandidates,
    ListMembers,
    MemberSummary,
    RemoveMember,
    SetProjectRole,
)
from core.actions.workspace.meta_roles import ListMetaRoles, SetMetaRoles
from core.domain.model import Id, Member, ProjectRole
from core.domain.permissions import Permission
from core.domain.products.products import Product
from core.domain.products.roles import HeldMetaRole
from core.text.phrases import count, names
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.form_fields import ChoiceField
from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
from tui.dialogs.menus.picker import Option, PickDialog
from tui.dialogs.text import TextDialog, section
from tui.drawing.preview_rows import PreviewLine, PreviewPart
from tui.drawing.styles import TextRole
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.people.people import INVITED_FIELDS, person
from tui.screens.previews.kinds import preview_of
from tui.services.host import Host
from tui.widgets.columns import Column, Line, cell

COLUMNS = (
    Column("Name", 18, 32),
    Column("Role", 11, 11, rank=1),
    Column("Meta roles", 10, 30, rank=3),
    Column("Product roles", 24, 50, rank=4),
    Column("Open", 4, 4, rank=5, right=True),
    Column("Login", 14, 20, rank=7),
    Column("E-mail", 24, 40, rank=6),
    Column("Invited by", 14, 24, rank=8),
    Column("City", 10, 20, rank=9),
    Column("", 8, 8, rank=2),
)

NEW_GUEST = "new"
ROLES = {"v": ProjectRole.VIEWER, "c": ProjectRole.CONTRIBUTOR, "o": ProjectRole.OWNER}
"""The least first: a menu begins there, and enter by mistake gives the least."""

ROLE_WORDS = {
    ProjectRole.OWNER: "Owner: everything, members and gates included",
    ProjectRole.CONTRIBUTOR: "Contributor: works on activities and tasks",
    ProjectRole.VIEWER: "Viewer: looks, and changes nothing",
}

IN_THEIR_LIST = "The project is in their list now."

NO_META_ROLE = "The project role gives none, and none was assigned."
NO_PRODUCT = "No application is in this project."
NOT_EXTERNAL = "This product manages its own permissions."
NOTHING_FOLLOWS = "Their meta roles grant no role of this product."


class MembersScreen(ListScreen[MemberSummary]):
    """The members of one project."""

    name_in_table = "members"
    columns = COLUMNS
    opens = "members.open"

    def __init__(self, project_id: Id) -> None:
        super().__init__()
        self.project_id = project_id
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        """The person of the line, after their work and their roles on this project."""
        member = self.records.current
        if member is None:
            return None
        here = [PreviewLine(member.role.lower(), ((count(member.open_items, "open card"), TextRole.QUIET),))]
        here += [PreviewLine(words) for words in (meta_role_words(member), product_role_words(member)) if words]
        return preview_of("PERSON", member.user.id, member.user.name, PreviewPart("On this project", tuple(here)))

    def again(self) -> MembersScreen:
        return MembersScreen(self.project_id)

    def place(self) -> str:
        return f"Members · {self.project_name}" if self.project_name else "Members"

    async def reload(self) -> None:
        project = await self.podium.query(GetProject(project_id=self.project_id))
        self.project_name = project.project.name
        self.access.take(await self.podium.query(GetMyPermissions(project_id=self.project_id)))
        members = await self.podium.query(ListMembers(project_id=self.project_id))
        self.records.show((member, _line(member, self.podium.me.user.id)) for member in members)

    def menu_title(self) -> str:
        return self.records.current.user.name if self.records.current else self.place()

    def actions(self) -> Sequence[Action]:
        return (
            Action("invite", self.do_invite),
            self.records.action("open", self.do_open),
            self.records.action("meta_roles", self.do_meta_roles),
            self.records.action("role", self.do_role),
            self.records.action("remove", self.do_remove),
        )

    @asking
    async def do_invite(self) -> None:
        people = await self.podium.query(ListCandidates(project_id=self.project_id))
        options = [Option(user.id, user.name, user.shown_email) for user in people]
        options.append(Option(NEW_GUEST, "A new person…", "a guest of this workspace"))
        picked = await self.podium.ask(PickDialog("Invite to the project", options)) if people else (NEW_GUEST,)
        if not picked:
            return
        is_new = picked[0] == NEW_GUEST
        member = await (self._ask_guest() if is_new else self._invite(picked[0]))
        if member is not None:
            self.records.go_to_new(member.user_id)
            self.podium.toast(
                f"Invited. Podium sends no e-mail. {_way_in(self.podium.me.held) if is_new else IN_THEIR_LIST}"
            )

    async def _invite(self, user_id: Id) -> Member | None:
        role = await self._ask_role("Invite as", None)
        if role is None:
            return None
        return await self.podium.perform(InviteMember(project_id=self.project_id, user_id=user_id, role=role))

    async def _ask_guest(self) -> Member | None:
        async def save(values: dict[str, Any]) -> Member:
            role = ProjectRole(values["role"])
            return await self.podium.send(InviteGuest(project_id=self.project_id, role=role, **person(values)))

        options = tuple((role.value, role.capitalize()) for role in ROLES.values())
        fields = [*INVITED_FIELDS, ChoiceField("role", "Role", options, ProjectRole.VIEWER.value)]
        note = "They join the workspace as a guest and see this project only."
        title = "Invite someone new"
        return await show_form(self, title, fields, save, submit="Invite", note=note, about=self.project_id)

    @asking
    async def do_open(self, member: MemberSummary) -> None:
        await self.podium.ask(roles_dialog(member, await products_of(self.podium, self.project_id)))

    @asking
    async def do_meta_roles(self, member: MemberSummary) -> None:
        await ask_meta_roles(self.podium, self.project_id, member)

    @asking
    async def do_role(self, member: MemberSummary) -> None:
        role = await self._ask_role(f"{member.user.name} is {member.role.lower()}", member.role)
        if role and role is not member.role:
            await self.podium.perform(
                SetProjectRole(
                    project_id=self.project_id, user_id=member.user.id, role=role, seen_version=member.version
                )
            )

    async def _ask_role(self, title: str, now: ProjectRole | None) -> ProjectRole | None:
        entries = [
            MenuEntry(letter, letter, ROLE_WORDS[role], f"They are {role.lower()} already." if role is now else "")
            for letter, role in ROLES.items()
        ]
        picked = await self.podium.ask(KeyMenu(title, entries))
        return ROLES[picked] if picked else None

    @asking
    async def do_remove(self, member: MemberSummary) -> None:
        """Remove a member. Undo restores them, so the question is asked only if cards become unassigned."""
        name = member.user.name
        if member.open_items:
            cards = count(member.open_items, "open card")
            words = f"{name} has {cards} here. After the removal these are unassigned. Undo (u) restores everything."
            if not await self.podium.ask(ConfirmDialog("Remove from the project", words, "Remove")):
                return
        command = RemoveMember(project_id=self.project_id, user_id=member.user.id, seen_version=member.version)
        await self.records.remove(command, member.user.id, f"Removed {name}")


def _way_in(held: Set[Permission]) -> str:
    """The ways in which a new person signs in, for a user with these permissions."""
    if Permission.USER_MANAGE in held:
        return "To sign in to a server they need a token (g a, then n) or a linked account (g a, then a)."
    return "To sign in to a server they need a token or a linked account: ask an admin of the workspace."


def _line(member: MemberSummary, me: Id) -> Line:
    user = member.user
    text_role = TextRole.TITLE if user.active else TextRole.QUIET
    you = ((" you", TextRole.ACCENT),) if user.id == me else ()
    return Line(
        user.id,
        (
            (*cell(user.name, text_role), *you),
            cell(member.role.lower(), TextRole.NAME if member.role is ProjectRole.OWNER else TextRole.QUIET),
            cell(meta_role_words(member)),
            cell(product_role_words(member)),
            cell(member.open_items or "", TextRole.TITLE),
            cell(user.login),
            cell(user.shown_email),
            cell(member.invited_by if member.invited_by != user.name else ""),
            cell(user.city),
            cell("" if user.active else "inactive", TextRole.SOON),
        ),
    )


def meta_role_words(member: MemberSummary) -> str:
    """For the column of the list."""
    return ", ".join(held.meta_role.name for held in member.meta_roles)


def product_role_words(member: MemberSummary) -> str:
    """For the column of the list."""
    return ", ".join(f"{held.product.name}: {held.role.name}" for held in member.product_roles)


def roles_dialog(member: MemberSummary, products: Iterable[Product]) -> TextDialog:
    """Everything about the roles of a member; ``products`` are those in the project."""
    brought = [(held.meta_role.name, _source(held, member)) for held in member.meta_roles]
    meta_roles = section("Meta roles", brought or [("None", NO_META_ROLE)])
    following = [line for product in products for line in _lines(product, member)]
    product_roles = section("Product roles", following or [("None", NO_PRODUCT)])
    return TextDialog(f"Roles of {member.user.name}", Content("\n\n").join([meta_roles, product_roles]))


def _source(held: HeldMetaRole, member: MemberSummary) -> str:
    by_role = f"Comes with the project role {member.role.lower()}"
    if held.by_role and held.given:
        return f"{by_role}; also assigned in this project."
    return f"{by_role}." if held.by_role else "Assigned in this project."


def _lines(product: Product, member: MemberSummary) -> list[tuple[str, str]]:
    if not product.uses_external_authorization:
        return [(product.name, NOT_EXTERNAL)]
    held = [each for each in member.product_roles if each.product.id == product.id]
    if not held:
        return [(product.name, NOTHING_FOLLOWS)]
    return [
        (f"{product.name}: {each.role.name}", f"via {names([meta_role.name for meta_role in each.through])}")
        for each in held
    ]


async def products_of(app: Host, project_id: Id) -> list[Product]:
    """The products of which an application is in the project, each once, by name. Raises PodiumError."""
    from core.actions.cards.application_lists import ListApplications

    lines = await app.query(ListApplications(project_id=project_id))
    found = {line.product.id: line.product for line in lines}
    return sorted(found.values(), key=lambda product: (product.name.casefold(), product.id))


async def ask_meta_roles(app: Host, project_id: Id, member: MemberSummary) -> None:
    """Ask which meta roles a member is given, and give them. Raises PodiumError."""
    brought = {held.meta_role.id for held in member.meta_roles if held.by_role}
    given = {held.meta_role.id for held in member.meta_roles if held.given}
    by_role = f"comes with the {member.role.lower()} role"
    options = [
        Option(line.meta_role.id, line.meta_role.name, by_role if line.meta_role.id in brought else "")
        for line in await app.query(ListMetaRoles())
    ]
    empty = "This workspace has no meta roles yet."
    dialog = PickDialog(
        f"Meta roles of {member.user.name}", options, multiple=True, only_marked=True, chosen=given, empty=empty
    )
    picked = await app.ask(dialog)
    if picked is not None and set(picked) != given:
        await app.perform(
            SetMetaRoles(
                project_id=project_id, user_id=member.user.id, meta_role_ids=picked, seen_version=member.version
            )
        )
