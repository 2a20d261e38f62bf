"""``podium meta-role …``: the meta roles of the workspace, and which project roles bring them."""

from __future__ import annotations

from core.actions.workspace.meta_roles import AddMetaRole, ListMetaRoles, MapProjectRole, RemoveMetaRole, RenameMetaRole
from core.text.phrases import in_words
from tui.cli.message_command import MessageGroup
from tui.cli.records import META_ROLE, META_ROLES
from tui.cli.sentences import Columns, quoted

meta_role_ = MessageGroup(
    "meta-role", "Meta roles of the workspace: list, add, rename, remove, map project roles to them."
)

meta_role_.lists(
    "list",
    ListMetaRoles,
    heads=("NAME", "BROUGHT BY", "GIVEN", "BRINGS"),
    row=Columns("meta_role project_roles given brings"),
    empty="No meta roles yet. “podium meta-role add NAME” makes one.",
)
meta_role_.sends("add", AddMetaRole, ["name"], done="Added the meta role “{name}” ({id}).")
meta_role_.sends("rename", RenameMetaRole, [META_ROLE, "name"], done="“{meta_role}” is “{name}” now.")
meta_role_.sends("remove", RemoveMetaRole, [META_ROLE], done="Removed the meta role “{meta_role}”.")
meta_role_.sends(
    "map",
    MapProjectRole,
    ["project_role", META_ROLES],
    help="Let a project role bring exactly these meta roles, on every project; without any it brings none.",
    done=lambda _, session: (
        f"The project role {in_words(session.parameters['project_role'])} brings"
        f" {quoted(session[META_ROLES], 'no meta role')} now."
    ),
)
