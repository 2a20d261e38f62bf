"""``podium member …``."""

from __future__ import annotations

from core.actions.projects.members import InviteGuest, InviteMember, ListMembers, RemoveMember, SetProjectRole
from core.actions.workspace.meta_roles import SetMetaRoles
from core.text.phrases import a, in_words
from tui.cli.message_command import Field, MessageGroup
from tui.cli.records import LISTED_PROJECT, MEMBER, META_ROLES, PROJECT, USER
from tui.cli.sentences import Columns, quote_names

member_ = MessageGroup(
    "member", "Members of a project: list, add, add a guest, change the role, give meta roles, remove."
)

member_.lists(
    "list",
    ListMembers,
    [LISTED_PROJECT],
    heads=("NAME", "LOGIN", "ROLE", "OPEN", "INVITED BY", "ACTIVE", "META ROLES", "PRODUCT ROLES"),
    row=Columns(
        "user.name user.login role open_items invited_by user.active",
        lambda line: tuple(each.meta_role for each in line.meta_roles),
        lambda line: ", ".join(f"{each.product.name}: {each.role.name}" for each in line.product_roles),
    ),
    empty="Nobody is on this project.",
)
member_.sends(
    "add",
    InviteMember,
    [PROJECT, USER, "role"],
    help="Invite a person of the workspace, by name, login or e-mail.",
    done=lambda member, session: f"{session[USER].name} is now {a(in_words(member.role))}.",
)
member_.sends(
    "guest",
    InviteGuest,
    [
        PROJECT,
        "first_name last_name email",
        Field("login", "The login (default: the part of the e-mail before the @)."),
        "city role",
    ],
    done=lambda member, session: (
        f"{session.parameters['first_name']} {session.parameters['last_name']} is now {a(in_words(member.role))}."
    ),
)
member_.sends(
    "role",
    SetProjectRole,
    [PROJECT, MEMBER, "role"],
    done=lambda member, session: f"{session[MEMBER].name} is now {a(in_words(member.role))}.",
)
member_.sends(
    "meta-roles",
    SetMetaRoles,
    [PROJECT, MEMBER, META_ROLES],
    help="Set the meta roles of a member, besides those of the project role; without any, remove them.",
    done=lambda _, session: f"{session[MEMBER].name} was given {quote_names(session[META_ROLES], 'no meta role')}.",
)
member_.sends("remove", RemoveMember, [PROJECT, MEMBER], done="{member} is no longer on the project.")
