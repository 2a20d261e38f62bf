"""One letter, one idea: what each key means on every screen that has it, and the group of help that it stands in.

A new key takes the letter of its idea. ``tests/unit/keys`` compares the table of keys with this one.
"""

from __future__ import annotations

from core.record import Record
from tui.keys.table import Key

RECORD = "Here"
"""The group of the keys that act on the record under the cursor. Help gives it the name of the records."""
MARKS, FILTER, VIEWS, PHASE, DATES = "Marks", "Filter", "Views", "Phase", "Dates"
APPLICATIONS, MOVING, ALWAYS = "Applications", "Moving", "Everywhere"


class Idea(Record, kw_only=False):
    """The one meaning of a key on all screens."""

    keys: str
    """Textual's names of the keys, separated by commas; empty for actions of palette and menu only."""
    words: str
    """The idea."""
    group: str
    verbs: str
    """The verbs of the table of keys that are this idea, separated by spaces."""
    first: str = ""
    """The idea in one or two words, if the key is among the six to learn first."""


IDEAS: tuple[Idea, ...] = (
    Idea("enter", "Open it", RECORD, "open edit edit_deliverable edit_role compare read change", first="open"),
    Idea(
        "n",
        "Add one here",
        RECORD,
        "new_card new_project new_deliverable invite new_person new_token new_node new_product new_role",
        first="add",
    ),
    Idea("N", "Add the other kind: a phase, a product token", RECORD, "new_phase new_product_token"),
    Idea("L", "To the next status", RECORD, "next_status", first="next status"),
    Idea("H", "To the previous status", RECORD, "previous_status"),
    Idea("c", "Complete, or reopen", RECORD, "complete deliver"),
    Idea("s", "Choose its status or role", RECORD, "status role roles retire sources"),
    Idea("a", "Assign to people", RECORD, "assign link_account"),
    Idea("i", "Assign to me", RECORD, "assign_me"),
    Idea("ampersand", "Choose what it waits for", RECORD, "waits_for"),
    Idea("D", "Set the due date", RECORD, "due"),
    Idea("number_sign", "Set labels and priority", RECORD, "labels"),
    Idea("e", "Edit", RECORD, "edit"),
    Idea("E", "Edit its long text in your editor", RECORD, "edit_text"),
    Idea("B", "Tick the check boxes of its text", RECORD, "tick"),
    Idea("m", "Move it elsewhere", RECORD, "move_to"),
    Idea("J", "Put below the next one", RECORD, "lower"),
    Idea("K", "Put above the previous one", RECORD, "raise"),
    Idea("C", "Comment", RECORD, "comment"),
    Idea("I", "Set the own fields of the card", RECORD, "fields"),
    Idea("M", "Assign meta roles", RECORD, "meta_roles"),
    Idea("d", "Archive or remove", RECORD, "archive remove remove_deliverable remove_role deactivate forget"),
    Idea("r", "Restore", RECORD, "restore reactivate reset"),
    Idea("asterisk", "Toggle favourite", RECORD, "favourite"),
    Idea("y", "Copy the key or the id", RECORD, "copy"),
    Idea(
        "",
        "Palette and menu only",
        RECORD,
        "delete claim import export save_template merge_template manage_labels own_fields sum rename_deliverable",
    ),
    Idea("plus", "Add an application", APPLICATIONS, "add_application"),
    Idea("o", "Launch the application, or open a link", APPLICATIONS, "launch"),
    Idea("O", "See the context before a launch", APPLICATIONS, "inspect"),
    Idea("Y", "Copy the context", APPLICATIONS, "copy_context"),
    Idea("", "Palette and menu only", APPLICATIONS, "open_application open_card"),
    Idea("space,x", "Mark, tick or switch it", MARKS, "mark deliver mark_read change"),
    Idea("v", "Mark up to here", MARKS, "mark_range"),
    Idea("V", "Mark or tick all", MARKS, "mark_all mark_all_read"),
    Idea("vertical_line", "Show or hide the preview", VIEWS, "preview"),
    Idea("slash", "Type to filter or to search", FILTER, "filter words"),
    Idea("f", "Saved filters", FILTER, "filters"),
    Idea("F", "Clear the filter", FILTER, "clear_filter"),
    Idea("P", "View presets", VIEWS, "presets"),
    Idea("right_square_bracket", "Next view of the project", VIEWS, "next_view"),
    Idea("left_square_bracket", "Previous view of the project", VIEWS, "previous_view"),
    Idea("z", "Size: density of cards, zoom of time", VIEWS, "density zoom"),
    Idea("A", "Show what is put away: archived, read, older", VIEWS, "toggle_archived toggle_read older_comments"),
    Idea(
        "tab",
        "The other part: what is inside it, or beside it",
        VIEWS,
        "unfold fold_activity other_list other_chart next_card",
    ),
    Idea("Z", "Fold it to a narrow column, or unfold it", VIEWS, "fold_phase"),
    Idea("S", "Sort by the next column", VIEWS, "sort"),
    Idea("b", "Reverse the order", VIEWS, "reverse"),
    Idea("t", "Today", VIEWS, "today"),
    Idea("W", "Changes since my last visit, or since a decision", VIEWS, "since_last_visit since_decision"),
    Idea("", "Palette and menu only", VIEWS, "health"),
    Idea("p", "Open the phase", PHASE, "phase"),
    Idea("greater_than_sign", "Approve the phase", PHASE, "approve_gate", first="approve"),
    Idea("less_than_sign", "Send the phase back", PHASE, "send_back"),
    Idea("exclamation_mark", "Override the lock of the phase", PHASE, "override"),
    Idea("", "Palette and menu only", PHASE, "hold remove gate_record"),
    Idea("right_parenthesis", "The date a day later", DATES, "later"),
    Idea("left_parenthesis", "The date a day earlier", DATES, "earlier"),
    Idea("right_curly_bracket", "The date a week later", DATES, "week_later"),
    Idea("left_curly_bracket", "The date a week earlier", DATES, "week_earlier"),
    Idea("X", "This date alone, or those after it too", DATES, "alone"),
    Idea("j,down", "Down", MOVING, "down"),
    Idea("k,up", "Up", MOVING, "up"),
    Idea("h,left", "To the one on the left", MOVING, "left older previous_phase"),
    Idea("l,right", "To the one on the right", MOVING, "right newer next_phase"),
    Idea("home", "To the first", MOVING, "top"),
    Idea("G,end", "To the last", MOVING, "bottom"),
    Idea("pagedown,ctrl+d", "A page on", MOVING, "page_down next_month"),
    Idea("pageup,ctrl+u", "A page back", MOVING, "page_up previous_month"),
    Idea(
        "1,2,3,4,5,6,7,8,9",
        "The one with this number: a phase, a way to begin",
        MOVING,
        "go_to_phase tour from_template empty_project",
    ),
    Idea("question_mark,f1", "Help", ALWAYS, "help", first="help"),
    Idea("colon,ctrl+p", "Find any action, project, card or person", ALWAYS, "palette"),
    Idea("g", "Go to another screen", ALWAYS, "go"),
    Idea("u", "Undo my last change", ALWAYS, "undo", first="undo"),
    Idea("U", "Redo the last undo", ALWAYS, "redo"),
    Idea("", "Palette only", ALWAYS, "undo_list"),
    Idea("escape", "Back one level", ALWAYS, "back"),
    Idea("q", "Close this screen", ALWAYS, "close"),
    Idea("minus", "Back to the previous screen", ALWAYS, "last_place"),
    Idea("equals_sign", "Forward to the next screen", ALWAYS, "next_place"),
    Idea("T", "My work", ALWAYS, "my_work"),
    Idea("backslash", "Search the workspace", ALWAYS, "search"),
    Idea("full_stop", "Menu of actions", ALWAYS, "menu"),
    Idea("w", "Why?", ALWAYS, "why"),
    Idea("R", "Reload", ALWAYS, "refresh"),
    Idea("percent_sign", "Mouse on/off", ALWAYS, "mouse"),
    Idea("ctrl+z", "Back to the shell", ALWAYS, "suspend"),
    Idea("Q", "Remove the sample project of the tour", ALWAYS, "remove_sample"),
)

_BY_VERB = {verb: idea for idea in reversed(IDEAS) for verb in idea.verbs.split()}


def idea_of(key: Key) -> Idea:
    """The idea of an action; of a verb with two keys, that of the first row above."""
    return _BY_VERB[key.verb]


OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "Open the phase": ("rename phase", "edit phase", "remove phase", "delete phase"),
    "Edit name, objectives, outcomes and gate": ("rename phase", "edit phase"),
    "Go to Gate record of this project": ("audit", "minutes", "approvals", "decisions", "seals"),
    "Gate record of the phase": ("audit", "minutes", "approvals", "decisions", "seals"),
    "What changed since the last decision": ("audit", "compare with the seal", "diff"),
    "Remove the phase": ("delete phase",),
    "Edit title and description": ("rename card",),
    "Edit title, description and link": ("rename card",),
    "Archive": ("remove card", "delete card"),
    "Edit name, key, description and links": ("rename project",),
    "Go to Members of this project": ("invite member", "remove member"),
    "Go to People of the workspace": ("invite person", "add person"),
}
"""By the line in the palette."""
