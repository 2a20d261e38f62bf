"""``podium workspace …``: its name, and the limit of a week."""

from __future__ import annotations

from core.actions.workspace.profile import CurrentUser, GetCurrentUser
from core.actions.workspace.workspace import RenameWorkspace, SetWeekLimit
from tui.cli.message_command import MessageGroup

workspace_ = MessageGroup("workspace", "The workspace: its name, who I am in it, and the limit of a week.")


def _lines(me: CurrentUser) -> list[str]:
    roles = ", ".join(each.value.lower().replace("_", " ") for each in me.user.platform_roles)
    return [f"Workspace: {me.workspace.name}", f"I am: {me.user.name} ({me.user.login}){f', {roles}' if roles else ''}"]


workspace_.shows("show", GetCurrentUser, lines=_lines, help="Show the name of the workspace, and who I am in it.")
workspace_.sends("rename", RenameWorkspace, ["name"], done="The workspace is called “{name}” now.")
workspace_.sends(
    "week-limit", SetWeekLimit, ["limit"], done="Open cards of one person in a week, before it is marked: {week_limit}."
)
