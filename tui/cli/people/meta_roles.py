"""``podium meta-role …``: the meta roles of the workspace, and the project roles that give them."""

from __future__ import annotations

from core.actions.workspace.meta_roles import AddMetaRole, ListMetaRoles, MapProjectRole, RemoveMetaRole, RenameMetaRole
from core.text.phrases import in_words
from tui.cli.message_command import MessageGroup
from tui.cli.records import META_ROLE, META_ROLES
from tui.cli.sentences import Columns, quote_names

meta_role_ = MessageGroup(
    "meta-role", "Meta roles of the workspace: list, add, rename, remove, map project roles to them."
)

meta_role_.lists(
    "list",
    ListMetaRoles,
    heads=("NAME", "INCLUDED IN", "ASSIGNED", "GRANTS"),
    row=Columns("meta_role project_roles given product_roles"),
    empty="No meta roles yet. Create one with “podium meta-role add NAME”.",
)
meta_role_.sends("add", AddMetaRole, ["name"], done="Added the meta role “{name}” ({id}).")
meta_role_.sends("rename", RenameMetaRole, [META_ROLE, "name"], done="“{meta_role}” is “{name}” now.")
meta_role_.sends("remove", RemoveMetaRole, [META_ROLE], done="Removed the meta role “{meta_role}”.")
meta_role_.sends(
    "map",
    MapProjectRole,
    ["project_role", META_ROLES],
    help="Set the meta roles that a project role gives, on every project; without any, it gives none.",
    done=lambda _, session: (
        f"The project role {in_words(session.parameters['project_role'])} gives"
        f" {quote_names(session[META_ROLES], 'no meta role')} now."
    ),
)
