"""The meta roles of the workspace: where they are included, and what they grant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.actions.workspace.meta_roles import (
    AddMetaRole,
    ListMetaRoles,
    MapProjectRole,
    MetaRoleSummary,
    RemoveMetaRole,
    RenameMetaRole,
)
from core.domain.model import Id, ProjectRole
from core.domain.permissions import Permission
from core.domain.products.products import MetaRole
from core.text.phrases import names
from tui.dialogs.fields.form_fields import TextField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.styles import TextRole
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.list_screen import ListScreen
from tui.widgets.columns import Column, Line, cell
from tui.wording.platform_roles import roles_of, why_empty

COLUMNS = (
    Column("Name", 14, 40),
    Column("Included in", 10, 28, rank=1),
    Column("Assigned", 8, 8, rank=2, right=True),
    Column("Grants", 16, 100, rank=3),
)

NO_ROLES = (
    "No meta roles yet\n"
    "Press n to add one. Members get it by their project role or from an owner, and it grants roles in products."
)
NOBODY_ADDED = "No meta roles yet\nA workspace admin adds them; they grant roles in products."


class MetaRolesScreen(ListScreen[MetaRoleSummary]):
    """The meta roles; workspace admins change them here."""

    name_in_table = "meta_roles"
    title_words = "Meta roles"
    is_of_workspace = True
    columns = COLUMNS
    opens = "meta_roles.edit"
    nothing_here = "No meta role here. Press n to add one."

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        lines = await self.podium.query(ListMetaRoles())
        adds = Permission.META_ROLE_MANAGE
        self.listing.empty = why_empty(self.podium.me, "meta roles", NOBODY_ADDED, adds, NO_ROLES)
        self.records.show((each, _line(each)) for each in lines)

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_role", self.do_new_role),
            self.records.action("edit", self.do_edit),
            self.records.action("sources", self.do_sources),
            self.records.action("remove", self.do_remove),
        )

    @asking
    async def do_new_role(self) -> None:
        async def save(values: dict[str, Any]) -> MetaRole:
            return await self.podium.send(AddMetaRole(**values))

        fields = [TextField("name", "Name")]
        role = await show_form(self, "Add a meta role", fields, save, submit="Add", about="meta roles")
        if role is not None:
            self.records.go_to_new(role.id)

    @asking
    async def do_edit(self, line: MetaRoleSummary) -> None:
        role = line.meta_role

        async def save(values: dict[str, Any]) -> MetaRole:
            return await self.podium.send(RenameMetaRole(meta_role_id=role.id, seen_version=role.version, **values))

        fields = [TextField("name", "Name", role.name)]
        await show_form(self, "Rename the meta role", fields, save, submit="Rename", record=role)

    @asking
    async def do_sources(self, line: MetaRoleSummary) -> None:
        """Ask which project roles include it, for the members of every project."""
        options = [Option(role.value, role.capitalize(), "on every project") for role in ProjectRole]
        title = f"“{line.meta_role.name}” is included in"
        picked = await self.podium.ask(
            PickDialog(title, options, multiple=True, only_marked=True, chosen=line.project_roles)
        )
        if picked is not None:
            await self._map(line.meta_role.id, {ProjectRole(role) for role in picked})

    async def _map(self, meta_role_id: Id, wanted: set[ProjectRole]) -> None:
        """One command, and one undo, for each project role that changes.

        The other meta roles of the role are read again, so that a colleague's change in the meantime stays.
        """
        for role in ProjectRole:
            lines = await self.podium.query(ListMetaRoles())
            brought = [each.meta_role.id for each in lines if role in each.project_roles]
            if (meta_role_id in brought) == (role in wanted):
                continue
            after = [*brought, meta_role_id] if role in wanted else [each for each in brought if each != meta_role_id]
            if await self.podium.perform(MapProjectRole(project_role=role, meta_role_ids=tuple(after))) is None:
                return

    async def do_remove(self, line: MetaRoleSummary) -> None:
        """Remove it without a question: Podium refuses if it is in use, and undo restores it."""
        role = line.meta_role
        command = RemoveMetaRole(meta_role_id=role.id, seen_version=role.version)
        await self.records.remove(command, role.id, f"Removed “{role.name}”")


def _line(line: MetaRoleSummary) -> Line:
    return Line(
        line.meta_role.id,
        (
            cell(line.meta_role.name, TextRole.TITLE),
            cell(names([role.lower() for role in line.project_roles]), TextRole.NAME),
            cell(line.given or "", TextRole.TITLE),
            cell(", ".join(line.product_roles)),
        ),
    )
