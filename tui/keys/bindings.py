"""Every key of Podium, in one table, which screens, footer, help, palette and tui/KEYS.md read.

A letter has the same meaning on every screen. Actions are single printable keys, because only those work in tmux, SSH
and browsers alike. A key that is not available answers with the reason. Key maps refer to ``id``; its last part is the
verb of an ``Action`` in a controller of the screen (tui/screens/framework/controller.py).
"""

from __future__ import annotations

from functools import cache

from textual.binding import Binding, BindingType

from core.domain.permissions import Permission
from core.record import Record
from tui.keys.names import written

EVERYWHERE = "everywhere"


class Key(Record, kw_only=False):
    """One action and the keys that start it."""

    id: str
    """The screen (or EVERYWHERE) and the verb: ``canvas.new_card``."""
    keys: str
    """Textual's names of the keys, separated by commas. The first one is shown. If empty: palette and menu only."""
    words: str
    """The text in help and palette."""
    label: str = ""
    """The short text in the footer; without one, the key is not in the footer."""
    needs: Permission | None = None
    """Without this permission the key answers with the reason."""
    menu: bool = False
    """True for keys in the menu (``.``) of the focused record."""

    @property
    def screen(self) -> str:
        return self.id.partition(".")[0]

    @property
    def verb(self) -> str:
        return self.id.partition(".")[2].partition("/")[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments of the method: the parts of the id after each slash."""
        return tuple(self.id.split("/")[1:])

    @property
    def shown(self) -> str:
        """The first key, as users read it."""
        return written(self.keys.partition(",")[0])


_P = Permission

KEYS: tuple[Key, ...] = (
    Key("everywhere.help", "question_mark,f1", "Help for this screen", "help"),
    Key("everywhere.palette", "colon,ctrl+p", "Find any action, project, card or person", "find"),
    Key("everywhere.go", "g", "Go to another screen", "go"),
    Key("everywhere.undo_list", "", "Undo: my last changes"),  # before the next two, so “:undo” and enter list them
    Key("everywhere.undo", "u", "Undo my last change", "undo"),
    Key("everywhere.redo", "U", "Redo the last undo"),
    Key("everywhere.back", "escape", "Back one level; the project is left with q"),
    Key("everywhere.close", "q", "Close this screen; on the first one, quit"),
    Key("everywhere.last_place", "minus", "Back to the previous screen"),
    Key("everywhere.next_place", "equals_sign", "Forward to the next screen"),
    Key("everywhere.my_work", "T", "My work: late, due and next cards"),
    Key("everywhere.search", "backslash", "Search the workspace"),
    Key("everywhere.menu", "full_stop", "Menu of actions for the focused record"),
    Key("everywhere.why", "w", "Why is this blocked or at risk, and who can help?"),
    Key("everywhere.refresh", "R", "Reload"),
    Key("everywhere.mouse", "percent_sign", "Mouse on/off (to select text)"),
    Key("everywhere.suspend", "ctrl+z", "Back to the shell; “fg” there returns"),
    Key("everywhere.tour", "", "Show me around: a tour with a sample project"),
    Key("everywhere.remove_sample", "Q", "Remove the sample project of the tour"),
    Key("projects.open", "enter", "Open the project", "open", menu=True),
    Key("projects.new_project", "n", "New project", "new", _P.PROJECT_CREATE),
    Key("projects.tour", "1", "Show me around: a tour with a sample project", "", _P.PROJECT_CREATE),
    Key("projects.from_template", "2", "New project from a template", "", _P.PROJECT_CREATE),
    Key("projects.empty_project", "3", "New empty project", "", _P.PROJECT_CREATE),
    Key("projects.edit", "e", "Edit name, description and links", "edit", menu=True),
    Key("projects.favourite", "asterisk", "Toggle favourite", "favourite", menu=True),
    Key("projects.sort", "S", "Sort by the next column"),
    Key("projects.toggle_archived", "A", "Show or hide archived projects"),
    Key("projects.archive", "d", "Archive the project", menu=True),
    Key("projects.restore", "r", "Restore the archived project", menu=True),
    Key("projects.copy", "y", "Copy the id", menu=True),
    Key("projects.other_list", "tab", "Switch between projects and my next cards"),
    Key("projects.delete", "", "Delete the archived project for good", menu=True),
    Key("projects.export", "", "Export the project to a file", menu=True),
    Key("projects.import", "", "Import a project from a file", needs=_P.PROJECT_CREATE),
    Key("projects.claim", "", "Take over a project without an active owner", needs=_P.PROJECT_CLAIM),
    Key("canvas.open", "enter", "Open the card", "open", menu=True),
    Key("canvas.new_card", "n", "New task or activity here", "new", _P.TASK_MANAGE),
    Key("canvas.new_phase", "N", "New phase after this one", "", _P.WORKFLOW_MANAGE),
    Key("canvas.next_status", "L", "Move to the next status", "H/L move", _P.TASK_MOVE, menu=True),
    Key("canvas.previous_status", "H", "Move to the previous status", "", _P.TASK_MOVE, menu=True),
    Key("canvas.complete", "c", "Complete, or reopen", "complete", _P.TASK_MOVE, menu=True),
    Key("canvas.status", "s", "Choose a status", "", _P.TASK_MOVE, menu=True),
    Key("canvas.assign", "a", "Assign to a member", "assign", _P.TASK_MANAGE, menu=True),
    Key("canvas.assign_me", "i", "Assign to me", "", _P.TASK_MANAGE, menu=True),
    Key("canvas.due", "D", "Set the due date", "due", _P.TASK_MANAGE, menu=True),
    Key("canvas.edit", "e", "Edit title and description", "edit", _P.TASK_MANAGE, menu=True),
    Key("canvas.edit_text", "E", "Edit the description in your editor", "", _P.TASK_MANAGE, menu=True),
    Key("canvas.move_to", "m", "Move to another phase", "", _P.TASK_MANAGE, menu=True),
    Key("canvas.lower", "J", "Put below the next card", "", _P.TASK_MANAGE),
    Key("canvas.raise", "K", "Put above the previous card", "", _P.TASK_MANAGE),
    Key("canvas.comment", "C", "Comment", "", _P.COMMENT_ADD, menu=True),
    Key("canvas.archive", "d", "Archive", "archive", _P.TASK_MANAGE, menu=True),
    Key("canvas.restore", "r", "Restore from the archive", "", _P.TASK_MANAGE, menu=True),
    Key("canvas.delete", "", "Delete from the archive for good", "", _P.PROJECT_DELETE, menu=True),
    Key("canvas.add_application", "plus", "Add an application here", "", _P.APPLICATION_MANAGE),
    Key("canvas.launch", "o", "Launch the application with its context", "", _P.APPLICATION_LAUNCH, menu=True),
    Key("canvas.inspect", "O", "See the context before a launch", menu=True),
    Key("canvas.copy_context", "Y", "Copy the context", menu=True),
    Key("canvas.copy", "y", "Copy the id of the card", menu=True),
    Key("canvas.mark", "space,x", "Toggle mark", "mark"),
    Key("canvas.mark_range", "v", "Mark from the last mark to here"),
    Key("canvas.mark_all", "V", "Mark all, or none"),
    Key("canvas.filter", "slash", "Filter the cards as you type", "filter"),
    Key("canvas.filters", "f", "Saved filters: choose or save one"),
    Key("canvas.clear_filter", "F", "Clear the filter"),
    Key("canvas.presets", "P", "View presets", "preset"),
    Key("canvas.next_view", "right_square_bracket", "Next view of the project"),
    Key("canvas.previous_view", "left_square_bracket", "Previous view of the project"),
    Key("canvas.export", "", "Export the project to a file"),
    Key("canvas.save_template", "", "Save the workflow as a template", "", _P.TEMPLATE_SAVE),
    Key("canvas.merge_template", "", "Merge a template into the project", "", _P.WORKFLOW_MANAGE),
    Key("canvas.since_last_visit", "W", "Changes since my last visit"),
    Key("canvas.phase", "p", "Open the phase", "phase"),
    Key("canvas.approve_gate", "greater_than_sign", "Gate: approve the phase", "", _P.WORKFLOW_MANAGE),
    Key("canvas.send_back", "less_than_sign", "Gate: send the phase back", "", _P.WORKFLOW_MANAGE),
    Key("canvas.hold", "", "Gate: hold the phase", "", _P.WORKFLOW_MANAGE),
    Key("canvas.override", "exclamation_mark", "Gate: override the lock of a phase", "", _P.WORKFLOW_MANAGE),
    Key("canvas.fold_activity", "tab", "Fold the activity over its tasks, or unfold it"),
    Key("canvas.fold_phase", "Z", "Fold the phase to a narrow column, or unfold it"),
    Key("canvas.density", "z", "Roomy or compact cards"),
    Key("canvas.health", "", "Explain the health of the project"),
    Key("canvas.preview", "vertical_line", "Show or hide the preview"),
    Key("canvas.toggle_archived", "A", "Show or hide archived cards"),
    Key("canvas.down", "j,down", "Next card"),
    Key("canvas.up", "k,up", "Previous card"),
    Key("canvas.left", "h,left", "Previous phase"),
    Key("canvas.right", "l,right", "Next phase"),
    Key("canvas.top", "home", "First card of the phase"),
    Key("canvas.bottom", "G,end", "Last card of the phase"),
    Key("canvas.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("canvas.page_up", "pageup,ctrl+u", "Half a page up"),
    *(Key(f"canvas.go_to_phase/{number}", str(number), f"Go to phase {number}") for number in range(1, 10)),
    Key("card.edit", "e", "Edit title, description and link", "edit", _P.TASK_MANAGE, menu=True),
    Key("card.edit_text", "E", "Edit the description in your editor", "", _P.TASK_MANAGE, menu=True),
    Key("card.tick", "B", "Tick the check boxes of the description", "", _P.TASK_MANAGE, menu=True),
    Key("card.next_status", "L", "Move to the next status", "H/L move", _P.TASK_MOVE, menu=True),
    Key("card.previous_status", "H", "Move to the previous status", "", _P.TASK_MOVE, menu=True),
    Key("card.complete", "c", "Complete, or reopen", "complete", _P.TASK_MOVE, menu=True),
    Key("card.status", "s", "Choose a status", "", _P.TASK_MOVE, menu=True),
    Key("card.assign", "a", "Assign to a member", "assign", _P.TASK_MANAGE, menu=True),
    Key("card.assign_me", "i", "Assign to me", "", _P.TASK_MANAGE, menu=True),
    Key("card.due", "D", "Set the due date", "due", _P.TASK_MANAGE, menu=True),
    Key("card.comment", "C", "Comment", "comment", _P.COMMENT_ADD, menu=True),
    Key("card.new_card", "n", "New task in this activity", "", _P.TASK_MANAGE, menu=True),
    Key("card.archive", "d", "Archive", "archive", _P.TASK_MANAGE, menu=True),
    Key("card.restore", "r", "Restore from the archive", "", _P.TASK_MANAGE, menu=True),
    Key("card.delete", "", "Delete from the archive for good", "", _P.PROJECT_DELETE, menu=True),
    Key("card.add_application", "plus", "Add an application to the activity", "", _P.APPLICATION_MANAGE, menu=True),
    Key("card.launch", "o", "Launch the application, or open a link", "open", menu=True),
    Key("card.inspect", "O", "See the context before a launch", menu=True),
    Key("card.copy_context", "Y", "Copy the context", menu=True),
    Key("card.copy", "y", "Copy the id", menu=True),
    Key("card.open", "enter", "Open the task"),
    Key("card.phase", "p", "Open the phase"),
    Key("card.down", "j,down", "Down, into the tasks"),
    Key("card.up", "k,up", "Up, out of the tasks"),
    Key("card.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("card.page_up", "pageup,ctrl+u", "Half a page up"),
    Key("application.launch", "o", "Launch with its context", "launch", _P.APPLICATION_LAUNCH, menu=True),
    Key("application.inspect", "O", "See the context before a launch", "context", menu=True),
    Key("application.copy_context", "Y", "Copy the context", menu=True),
    Key("application.edit", "e", "Rename", "rename", _P.APPLICATION_MANAGE, menu=True),
    Key("application.assign", "a", "Assign members", "assign", _P.APPLICATION_MANAGE, menu=True),
    Key("application.assign_me", "i", "Assign to me too", "", _P.APPLICATION_MANAGE, menu=True),
    Key("application.due", "D", "Set the due date", "due", _P.APPLICATION_MANAGE, menu=True),
    Key("application.move_to", "m", "Move to another phase", "", _P.APPLICATION_MANAGE, menu=True),
    Key("application.remove", "d", "Remove from the project", "remove", _P.APPLICATION_MANAGE, menu=True),
    Key("application.open", "enter", "Open the activity that holds it"),
    Key("application.phase", "p", "Open the phase"),
    Key("application.copy", "y", "Copy the id", menu=True),
    Key("application.down", "j,down", "Down"),
    Key("application.up", "k,up", "Up"),
    Key("application.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("application.page_up", "pageup,ctrl+u", "Half a page up"),
    Key("phase.edit", "e", "Edit name, objectives, outcomes and gate", "edit", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.edit_text", "E", "Edit objectives or outcomes in your editor", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.tick", "B", "Tick the check boxes of objectives and outcomes", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.due", "D", "Set the due date", "due", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.assign", "a", "Assign members to the phase", "assign", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.new_deliverable", "n", "New deliverable", "new", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.deliver", "space,x", "Toggle done on the deliverable", "done", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.edit_deliverable", "enter", "Edit the deliverable and its evidence", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.remove_deliverable", "d", "Remove the deliverable", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.approve_gate", "greater_than_sign", "Gate: approve", "approve", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.send_back", "less_than_sign", "Gate: send back", "send back", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.hold", "", "Gate: hold", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.override", "exclamation_mark", "Gate: override the lock", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.add_application", "plus", "Add an application", "", _P.APPLICATION_MANAGE, menu=True),
    Key("phase.launch", "o", "Launch an application, or open a link", "", _P.APPLICATION_LAUNCH, menu=True),
    Key("phase.open_card", "", "Open an open card of the phase", menu=True),
    Key("phase.open_application", "", "Open the page of an application", menu=True),
    Key("phase.remove", "", "Remove the phase", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("phase.previous_phase", "h,left", "Previous phase", "h/l phase"),
    Key("phase.next_phase", "l,right", "Next phase"),
    Key("phase.down", "j,down", "Next deliverable, or down"),
    Key("phase.up", "k,up", "Previous deliverable, or up"),
    Key("phase.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("phase.page_up", "pageup,ctrl+u", "Half a page up"),
    Key("members.invite", "n", "Invite a member", "invite", _P.MEMBER_MANAGE),
    Key("members.open", "enter", "Show the roles, and their source", "roles", menu=True),
    Key("members.role", "s", "Change the project role", "role", _P.MEMBER_MANAGE, menu=True),
    Key("members.meta_roles", "M", "Assign meta roles", "meta roles", _P.META_ROLE_ASSIGN, menu=True),
    Key("members.remove", "d", "Remove from the project", "remove", _P.MEMBER_MANAGE, menu=True),
    Key("people.new_person", "n", "Add a person", "new", _P.USER_MANAGE),
    Key("people.edit", "e,enter", "Edit a person", "edit", _P.USER_MANAGE, menu=True),
    Key("people.roles", "s", "Change platform roles", "roles", _P.USER_MANAGE, menu=True),
    Key("people.deactivate", "d", "Deactivate", "deactivate", _P.USER_MANAGE, menu=True),
    Key("people.reactivate", "r", "Reactivate", "", _P.USER_MANAGE, menu=True),
    Key("access.new_token", "n", "Create a token", "new token"),
    Key("access.new_product_token", "N", "Create a token for a product", "product token", _P.PRODUCT_MANAGE),
    Key("access.link_account", "a", "Link an account of the server's machine to a user", "link", _P.USER_MANAGE),
    Key("access.remove", "d", "Revoke the token, or unlink the account", "revoke", menu=True),
    Key("hierarchy.new_node", "n", "Add a client, a market or a brand", "new", _P.HIERARCHY_MANAGE),
    Key("hierarchy.edit", "e,enter", "Rename", "rename", _P.HIERARCHY_MANAGE, menu=True),
    Key("hierarchy.move_to", "m", "Move to another parent", "move", _P.HIERARCHY_MANAGE, menu=True),
    Key("hierarchy.remove", "d", "Remove", "remove", _P.HIERARCHY_MANAGE, menu=True),
    Key("hierarchy.copy", "y", "Copy the id", menu=True),
    Key("products.open", "enter", "Open the product", "open", menu=True),
    Key("products.new_product", "n", "Register a product", "new", _P.PRODUCT_MANAGE),
    Key("products.edit", "e", "Edit the product", "edit", _P.PRODUCT_MANAGE, menu=True),
    Key("products.retire", "s", "Retire, or restore", "", _P.PRODUCT_MANAGE, menu=True),
    Key("products.remove", "d", "Remove from the registry", "remove", _P.PRODUCT_MANAGE, menu=True),
    Key("products.launch", "o", "Launch outside a project", "launch", _P.PRODUCT_LAUNCH, menu=True),
    Key("products.copy", "y", "Copy the id", menu=True),
    Key("product.edit", "e", "Edit the product", "edit", _P.PRODUCT_MANAGE, menu=True),
    Key("product.new_role", "n", "Add an application role", "new role", _P.PRODUCT_MANAGE, menu=True),
    Key("product.edit_role", "enter", "Edit the application role", "", _P.PRODUCT_MANAGE, menu=True),
    Key("product.remove_role", "d", "Remove the application role", "", _P.PRODUCT_MANAGE, menu=True),
    Key("product.launch", "o", "Launch outside a project", "launch", _P.PRODUCT_LAUNCH, menu=True),
    Key("product.copy", "y", "Copy the id", menu=True),
    Key("product.down", "j,down", "Next role, or down"),
    Key("product.up", "k,up", "Previous role, or up"),
    Key("product.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("product.page_up", "pageup,ctrl+u", "Half a page up"),
    Key("meta_roles.new_role", "n", "Add a meta role", "new", _P.META_ROLE_MANAGE),
    Key("meta_roles.edit", "e,enter", "Rename", "rename", _P.META_ROLE_MANAGE, menu=True),
    Key("meta_roles.sources", "s", "Choose the project roles that grant it", "sources", _P.META_ROLE_MANAGE, menu=True),
    Key("meta_roles.remove", "d", "Remove", "remove", _P.META_ROLE_MANAGE, menu=True),
    Key("templates.open", "enter", "Open the template", "open", menu=True),
    Key("templates.new_project", "n", "New project from this template", "new project", _P.PROJECT_CREATE, menu=True),
    Key("templates.edit", "e", "Edit name, description and tags", "edit", _P.TEMPLATE_MANAGE, menu=True),
    Key("templates.remove", "d", "Remove the template", "remove", _P.TEMPLATE_MANAGE, menu=True),
    Key("templates.copy", "y", "Copy the id", menu=True),
    Key("template.new_project", "n", "New project from this template", "new project", _P.PROJECT_CREATE, menu=True),
    Key("template.edit", "e", "Edit name, description and tags", "edit", _P.TEMPLATE_MANAGE, menu=True),
    Key("template.older", "h,left", "Older version", "h/l version"),
    Key("template.newer", "l,right", "Newer version"),
    Key("template.compare", "enter", "Compare with the older version", "compare", menu=True),
    Key("template.copy", "y", "Copy the id", menu=True),
    Key("template.down", "j,down", "Down"),
    Key("template.up", "k,up", "Up"),
    Key("template.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("template.page_up", "pageup,ctrl+u", "Half a page up"),
    Key("view.open", "enter", "Open the card", "open", menu=True),
    Key("view.new_card", "n", "New task or activity in this phase", "new", _P.TASK_MANAGE),
    Key("view.new_phase", "N", "New phase after this one", "", _P.WORKFLOW_MANAGE),
    Key("view.next_status", "L", "Move to the next status", "H/L move", _P.TASK_MOVE, menu=True),
    Key("view.previous_status", "H", "Move to the previous status", "", _P.TASK_MOVE, menu=True),
    Key("view.complete", "c", "Complete, or reopen", "complete", _P.TASK_MOVE, menu=True),
    Key("view.status", "s", "Choose a status", "", _P.TASK_MOVE, menu=True),
    Key("view.assign", "a", "Assign to a member", "assign", _P.TASK_MANAGE, menu=True),
    Key("view.assign_me", "i", "Assign to me", "", _P.TASK_MANAGE, menu=True),
    Key("view.due", "D", "Set the due date", "due", _P.TASK_MANAGE, menu=True),
    Key("view.edit", "e", "Edit title and description", "edit", _P.TASK_MANAGE, menu=True),
    Key("view.edit_text", "E", "Edit the description in your editor", "", _P.TASK_MANAGE, menu=True),
    Key("view.comment", "C", "Comment", "", _P.COMMENT_ADD, menu=True),
    Key("view.archive", "d", "Archive", "archive", _P.TASK_MANAGE, menu=True),
    Key("view.restore", "r", "Restore from the archive", "", _P.TASK_MANAGE, menu=True),
    Key("view.copy", "y", "Copy the id of the card", menu=True),
    Key("view.mark", "space,x", "Toggle mark", "mark"),
    Key("view.mark_range", "v", "Mark from the last mark to here"),
    Key("view.mark_all", "V", "Mark all, or none"),
    Key("view.filter", "slash", "Filter the cards as you type", "filter"),
    Key("view.filters", "f", "Saved filters: choose or save one"),
    Key("view.clear_filter", "F", "Clear the filter"),
    Key("view.presets", "P", "View presets", "preset"),
    Key("view.phase", "p", "Open the phase"),
    Key("view.health", "", "Explain the health of the project"),
    Key("view.toggle_archived", "A", "Show or hide archived cards"),
    Key("view.next_view", "right_square_bracket", "Next view of the project", "[/] views"),
    Key("view.previous_view", "left_square_bracket", "Previous view of the project"),
    Key("view.preview", "vertical_line", "Show or hide the preview"),
    Key("view.down", "j,down", "Down"),
    Key("view.up", "k,up", "Up"),
    Key("view.left", "h,left", "Left"),
    Key("view.right", "l,right", "Right"),
    Key("view.top", "home", "First"),
    Key("view.bottom", "G,end", "Last"),
    Key("view.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("view.page_up", "pageup,ctrl+u", "Half a page up"),
    Key("timeline.later", "right_parenthesis", "Date a day later", "()/{} date", _P.WORKFLOW_MANAGE, menu=True),
    Key("timeline.earlier", "left_parenthesis", "Date a day earlier", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("timeline.week_later", "right_curly_bracket", "Date a week later", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("timeline.week_earlier", "left_curly_bracket", "Date a week earlier", "", _P.WORKFLOW_MANAGE, menu=True),
    Key("timeline.alone", "X", "Move only this date, or the following ones too"),
    Key("timeline.unfold", "tab", "Show or hide the cards of the phase", "cards"),
    Key("timeline.zoom", "z", "Zoom: days, weeks, months, years"),
    Key("timeline.today", "t", "Today"),
    Key("table.sort", "S", "Sort by the next column", "sort"),
    Key("table.reverse", "b", "Reverse the order"),
    Key("calendar.next_card", "tab", "Next due card", "next"),
    Key("calendar.today", "t", "Today", "today"),
    Key("calendar.next_month", "pagedown,ctrl+d", "Next month", "PgUp/PgDn month"),
    Key("calendar.previous_month", "pageup,ctrl+u", "Previous month"),
    Key("charts.other_chart", "tab", "The other chart, if only one fits", "other chart"),
    Key("charts.next_view", "right_square_bracket", "Next view of the project", "[/] views"),
    Key("charts.previous_view", "left_square_bracket", "Previous view of the project"),
    Key("my_work.open", "enter", "Open the card", "open", menu=True),
    Key("my_work.next_status", "L", "Move to the next status", "H/L move", _P.TASK_MOVE, menu=True),
    Key("my_work.previous_status", "H", "Move to the previous status", "", _P.TASK_MOVE, menu=True),
    Key("my_work.complete", "c", "Complete", "complete", _P.TASK_MOVE, menu=True),
    Key("my_work.status", "s", "Choose a status", "", _P.TASK_MOVE, menu=True),
    Key("my_work.assign", "a", "Assign to a member", "assign", _P.TASK_MANAGE, menu=True),
    Key("my_work.due", "D", "Set the due date", "due", _P.TASK_MANAGE, menu=True),
    Key("my_work.edit", "e", "Edit title and description", "edit", _P.TASK_MANAGE, menu=True),
    Key("my_work.edit_text", "E", "Edit the description in your editor", "", _P.TASK_MANAGE, menu=True),
    Key("my_work.comment", "C", "Comment", "", _P.COMMENT_ADD, menu=True),
    Key("my_work.archive", "d", "Archive", "archive", _P.TASK_MANAGE, menu=True),
    Key("my_work.copy", "y", "Copy the id of the card", menu=True),
    Key("my_work.phase", "p", "Open the phase"),
    Key("my_work.mark", "space,x", "Toggle mark", "mark"),
    Key("my_work.mark_range", "v", "Mark from the last mark to here"),
    Key("my_work.mark_all", "V", "Mark all, or none"),
    Key("inbox.open", "enter", "Open, and mark read", "open", menu=True),
    Key("inbox.approve_gate", "greater_than_sign", "Gate: approve the phase", "approve", _P.WORKFLOW_MANAGE, menu=True),
    Key("inbox.complete", "c", "Complete the card, or reopen it", "complete", _P.TASK_MOVE, menu=True),
    Key("inbox.comment", "C", "Answer with a comment", "answer", _P.COMMENT_ADD, menu=True),
    Key("inbox.mark_read", "space,x", "Toggle read", "read", menu=True),
    Key("inbox.mark_all_read", "V", "Mark all read", "mark all read"),
    Key("inbox.toggle_read", "A", "Show or hide read notifications", "show read"),
    Key("history.open", "enter", "Go to the changed record", "open"),
    Key("search.open", "enter", "Open", "open", menu=True),
    Key("search.words", "slash", "Edit the search", "edit search"),
    Key("search.forget", "d", "Remove the recent search"),
    Key("search.copy", "y", "Copy the id", "copy id", menu=True),
    Key("settings.change", "enter,space", "Change the setting", "change"),
    Key("settings.reset", "r", "Reset to the default", "default"),
    Key("doctor.read", "enter", "Show the full result", "read"),
    Key("list.filter", "slash", "Filter as you type", "filter"),
    Key("list.clear_filter", "F", "Clear the filter"),
    Key("list.preview", "vertical_line", "Show or hide the preview"),
    Key("list.down", "j,down", "Next line"),
    Key("list.up", "k,up", "Previous line"),
    Key("list.top", "home", "First line"),
    Key("list.bottom", "G,end", "Last line"),
    Key("list.page_down", "pagedown,ctrl+d", "Half a page down"),
    Key("list.page_up", "pageup,ctrl+u", "Half a page up"),
)

BY_ID = {key.id: key for key in KEYS}

NOT_ON = {
    "access": frozenset({"list.preview"}),
    "calendar": frozenset({"view.page_down", "view.page_up", "view.preview"}),
    "doctor": frozenset({"list.preview"}),
    "hierarchy": frozenset({"list.preview"}),
    "meta_roles": frozenset({"list.preview"}),
    "projects": frozenset({"everywhere.tour"}),
    "search": frozenset({"list.filter", "list.clear_filter"}),
    "settings": frozenset({"list.preview"}),
    "timeline": frozenset({"view.preview"}),
}
"""Keys of views and lists, or of every screen, that one screen does not have: a page of the Calendar is a month, in
Search / edits it, some have no preview, and on Projects the tour has a key of its own."""


@cache
def keys_of(screen: str) -> tuple[Key, ...]:
    """The keys of one screen, in the order of the table. Cached, as it is called after every change."""
    return tuple(key for key in KEYS if key.screen == screen)


def bindings(*screens: str) -> list[BindingType]:
    """Textual bindings for the keys of these screens and for those that work everywhere."""
    return [
        Binding(key.keys, f"do('{key.id}')", key.words, show=False, id=key.id, priority=False)
        for screen in (*screens, EVERYWHERE)
        for key in keys_of(screen)
        if key.keys and key.id not in NOT_ON.get(screens[0], ())
    ]
