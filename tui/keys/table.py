"""Every key of Podium, in one table, which screens, footer, help, palette and tui/KEYS.md read; dialogs
bind their own.

A letter has the same meaning, its idea, on every screen. Actions are single printable keys, because only those work in
tmux, SSH and browsers alike. A key that is not available answers with the reason. Key maps refer to ``id``; its last
part is the verb of an ``Action`` in a controller of the screen (tui/screens/framework/controller.py).

A new key is a verb with the idea of its letter, and that verb in the list of each screen that has it, in the order of
help and footer. Where the words of an idea are too narrow for the new verb, widen them: they are one meaning still.

    verb <keys>: words ~ other words of the palette [label in the footer] {PERMISSION}

Without keys it has those of its idea. A dot before it puts it in the menu of the focused record, a hyphen takes it out.
MANAGE is the permission that the screen names. A screen adds what differs there: ``[]`` is no label, ``{}`` needs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from core.domain.permissions import Permission
from core.record import Record
from tui.keys.names import key_written, spell_key

EVERYWHERE, LIST, VIEW = "everywhere", "list", "view"
"""The keys of every screen, and of the screens that have a list, or a view of a project, as their part."""

RECORD, PHASE = "Here", "Phase"
"""Groups of help: the keys that act on the record under the cursor, to which help gives its name; those of its phase.
"""

_IDEAS = r"""
Here
    enter | Open it (open) |
        .open: Open the card [open]
        .edit_deliverable: Deliver with evidence, or change it ~ attach {DELIVER}
        .edit_role: Edit the application role {PRODUCT_MANAGE}
        .compare: Compare with the older version [compare]
        read: Show the full result [read]
        change <enter,space>: Change the setting [change] ; remap: Change what it becomes [change]
    n | Add one here (add) |
        new_card: New task or activity here ~ subtask, epic, story, issue [new] {TASK_MANAGE}
        .new_project: New project from this template [new project] {PROJECT_CREATE}
        .new_deliverable: New deliverable or criterion ~ attach, checklist [new] {WORKFLOW_MANAGE}
        invite: Invite a member [invite] {MEMBER_MANAGE}
        new_person: Add a person [new] {USER_MANAGE}
        new_token: Create a token [new token]
        new_node: Add a client, a market or a brand [new] {HIERARCHY_MANAGE}
        new_product: Register a product [new] {PRODUCT_MANAGE}
        .new_role: Add an application role [new role] {MANAGE}
    N | Add the other kind: a phase, a product token |
        new_phase: New phase after this one ~ milestone, stage, sprint {WORKFLOW_MANAGE}
        new_product_token: Create a token for a product [product token] {PRODUCT_MANAGE}
    L | To the next status (next status) | .next_status: Move to the next status [H/L move] {TASK_MOVE}
    H | To the previous status | .previous_status: Move to the previous status {TASK_MOVE}
    c | Complete, or reopen |
        .complete: Complete, or reopen [complete] {TASK_MOVE}
        .deliver <c,space,x>: Deliver, meet a criterion, or take it back [deliver] {DELIVER}
    s | Choose its status or role |
        .status: Choose a status {TASK_MOVE}
        .role: Change the project role [role] {MEMBER_MANAGE}
        .roles: Change platform roles [roles] {USER_MANAGE}
        .retire: Retire, or restore {PRODUCT_MANAGE}
        .sources: Choose the project roles that grant it [sources] {META_ROLE_MANAGE}
    a | Assign to people |
        .assign: Assign to a member [assign] {MANAGE}
        link_account: Link an account of the server's machine to a user [link] {USER_MANAGE}
    i | Assign to me | .assign_me: Assign to me {MANAGE}
    & | Choose what it waits for |
        .waits_for: Choose what the card waits for ~ dependency, predecessor, depends on [waits for] {TASK_MANAGE}
    D | Set the due date | .due: Set the due date ~ deadline [due] {MANAGE}
    # | Set labels and priority |
        .labels: Set labels and priority ~ tags, urgent [labels, priority] {TASK_MANAGE}
    e | Edit | .edit: Edit title and description ~ rename card [edit] {MANAGE}
    E | Edit its long text in your editor | .edit_text: Edit the description in your editor {MANAGE}
    B | Tick the check boxes of its text | .tick: Tick the check boxes of the description {MANAGE}
    m | Move it elsewhere | .move_to: Move to another phase {MANAGE}
    J | Put below the next one | lower: Put below the next card {TASK_MANAGE}
    K | Put above the previous one | raise: Put above the previous card {TASK_MANAGE}
    C | Comment | .comment: Comment {COMMENT_ADD}
    I | Set the custom fields of the card | .fields: Set the fields of the card {TASK_MANAGE}
    M | Assign meta roles | .meta_roles: Assign meta roles [meta roles] {META_ROLE_ASSIGN}
    d | Archive or remove; from the archive for good |
        .archive: Archive ~ remove card, delete card [archive] {MANAGE}
        .remove: Remove from the project [remove] {MANAGE}
        .remove_deliverable: Remove the deliverable or criterion; waive {WORKFLOW_MANAGE}
        .remove_role: Remove the application role {PRODUCT_MANAGE}
        .deactivate: Deactivate [deactivate] {USER_MANAGE}
        forget: Remove the recent search
    r | Restore |
        .restore: Restore from the archive {MANAGE}
        .reactivate: Reactivate {USER_MANAGE}
        reset: Reset to the default [default]
    * | Toggle favourite | .favourite: Toggle favourite [favourite]
    y | Copy the key or the id | .copy: Copy the key of the card
    ctrl+s | Accept what is shown | bring_in: Import it as it is shown [import]
    none | Palette and menu only |
        .edit_comment: Edit a comment of mine {COMMENT_ADD}
        .delete_comment: Delete a comment of mine ~ remove comment {COMMENT_ADD}
        .delete: Delete from the archive for good {PROJECT_DELETE}
        claim: Take over a project without an active owner {PROJECT_CLAIM}
        import: Import a project from a file ~ csv, excel, spreadsheet, trello, jira, ms project
        import_here: Import cards from a file: into this project ~ csv, excel, spreadsheet, trello, jira {TASK_MOVE}
        .export: Export the project to a file ~ status report, print, pdf, html, ical, save as
        save_template: Save this project as a template ~ save the workflow {TEMPLATE_SAVE}
        merge_template: Merge a template into the project {WORKFLOW_MANAGE}
        manage_labels: Labels of the project: rename, merge, remove {TASK_MANAGE}
        custom_fields: Custom fields: add, edit, move or remove ~ own fields, budget, columns {WORKFLOW_MANAGE}
        sum: Count cards, or add up a custom field
        .rename_deliverable: Rename the deliverable {WORKFLOW_MANAGE}
Applications
    + | Add an application | .add_application: Add an application here {APPLICATION_MANAGE}
    o | Launch the application, or open a link | .launch: Launch outside a project [launch] {APPLICATION_LAUNCH}
    O | See the context before a launch | .inspect: See the context before a launch
    Y | Copy the context | .copy_context: Copy the context
    none | Palette and menu only |
        .open_application: Open the page of an application
        .open_card: Open an open card of the phase
Marks
    space,x | Mark, tick or switch it | mark: Toggle mark [mark] ; .mark_read: Toggle read [read]
        take_change: Take the change or the person, or leave it out [take or leave]
    v | Mark up to here | mark_range: Mark from the last mark to here
    V | Mark or tick all | mark_all: Mark all, or none ; mark_all_read: Mark all read [mark all read]
Views
    vertical_line | Show or hide the preview | preview: Show or hide the preview
Filter
    / | Type to filter or to search |
        filter: Filter the cards as you type [filter]
        words: Edit the search [edit search]
    f | Saved filters | filters: Saved filters: choose or save one
    F | Clear the filter | clear_filter: Clear the filter
Views
    P | Presets: of a view, or of an import |
        presets: View presets [preset]
        mapping: Keep what you said in a file, or use a kept one [mapping]
    ] | Next view of the project | next_view: Next view of the project [[/] views]
    [ | Previous view of the project | previous_view: Previous view of the project
    z | Size: density of cards, zoom of time | density: Roomy or compact cards ; zoom: Zoom: days, weeks, months, years
    A | Show what is put away: archived, read, older |
        toggle_archived: Show or hide archived cards
        toggle_read: Show or hide read notifications [show read]
        older_comments: Show older comments
    tab | The other part: what is inside it, or beside it |
        unfold: Show or hide the cards of the phase [cards]
        fold_activity: Fold the activity over its tasks, or unfold it
        other_list: Switch between projects and my next cards
        other_chart: The other chart, if only one fits [other chart]
        next_section: The next section [next section]
        next_card: Next due card [next]
    Z | Fold it to a narrow column, or unfold it | fold_phase: Fold the phase to a narrow column, or unfold it
    S | Sort by the next column | sort: Sort by the next column
    b | Reverse the order | reverse: Reverse the order
    t | Today | today: Today [today]
    W | Changes since my last visit, or since a decision |
        since_last_visit: Changes since my last visit
        .since_decision: What changed since the last decision ~ audit, compare with the seal, diff
    none | Palette and menu only | health: Explain the health of the project
Phase
    p | Open the phase | phase: Open the phase ~ rename phase, edit phase, remove phase, delete phase
    > | Approve the phase, or vote (approve) |
        .approve_gate: Gate: approve, vote or stop ~ go, no, quorum, meeting [approve] {GATE_DECIDE}
    < | Send the phase back, or contradict |
        send_back: Gate: send the phase back {GATE_DECIDE}
        .contradict: Contradict what a meeting recorded of me
    ! | Override the lock of the phase | override: Gate: override the lock of a phase {WORKFLOW_MANAGE}
    none | Palette and menu only |
        hold: Gate: hold the phase ~ lift {GATE_DECIDE}
        .policy: Gate: who decides, and how many ~ panel, votes, four eyes, secretary, steering committee {MANAGE}
        .gate_record: Gate record of the phase ~ audit, minutes, approvals, decisions, seals
Dates
    ) | The date a day later | .later: Date a day later [()/{} date] {WORKFLOW_MANAGE}
    ( | The date a day earlier | .earlier: Date a day earlier {WORKFLOW_MANAGE}
    } | The date a week later | .week_later: Date a week later {WORKFLOW_MANAGE}
    { | The date a week earlier | .week_earlier: Date a week earlier {WORKFLOW_MANAGE}
    X | This date alone, or those after it too | alone: Move only this date, or the following ones too
Moving
    j,down | Down | down: Down
    k,up | Up | up: Up
    h,left | To the one on the left |
        left: Previous phase
        older: Older version [h/l version]
        previous_phase: Previous phase [h/l phase]
    l,right | To the one on the right | right: Next phase ; newer: Newer version ; next_phase: Next phase
    Home | To the first | top: First card of the phase
    G,End | To the last | bottom: Last card of the phase
    PgDn,ctrl+d | A page on | page_down: Half a page down ; next_month: Next month [PgUp/PgDn month]
    PgUp,ctrl+u | A page back | page_up: Half a page up ; previous_month: Previous month
    1,2,3,4,5,6,7,8,9 | The one with this number: a phase, a way to begin |
        go_to_phase: Go to phase
        tour <>: Show me around: a tour with a sample project
        from_template <2>: New project from a template {PROJECT_CREATE}
        empty_project <3>: New empty project {PROJECT_CREATE}
        from_file <4>: New project from a file {PROJECT_CREATE}
Everywhere
    ?,f1 | Help (help) | help: Help for this screen [help]
    :,ctrl+p | Find any action, project, card or person | palette: Find any action, project, card or person [find]
    g | Go to another screen | go: Go to another screen [go]
    u | Undo my last change (undo) | undo: Undo my last change [undo]
    U | Redo the last undo | redo: Redo the last undo
    none | Palette only | undo_list: Undo: my last changes
    esc | Back one level | back: Back one level; the project is left with q
    q | Close this screen | close: Close this screen; on the first one, quit
    - | Back to the previous screen | last_place: Back to the previous screen
    = | Forward to the next screen | next_place: Forward to the next screen
    T | My work | my_work: My work: late, due and next cards
    \ | Search the workspace | search: Search the workspace
    . | Menu of actions | menu: Menu of actions for the focused record
    w | Why? | why: Why is this blocked or at risk, and who can help?
    R | Reload | refresh: Reload
    % | Mouse on/off | mouse: Mouse on/off (to select text)
    ctrl+l | Draw the screen again | redraw: Draw the screen again, after another program wrote on it
    ctrl+z | Back to the shell | suspend: Back to the shell; “fg” there returns
    Q | Remove the sample project of the tour | remove_sample: Remove the sample project of the tour
"""
"""The groups of help with their ideas: keys, meaning, for the six to learn first in one or two words too, and verbs. A
verb with keys of two ideas is that of the first of them."""

_SCREENS = """
everywhere
    help ; palette ; go ; undo_list ; undo ; redo ; back ; close ; last_place ; next_place ; my_work ; search ;
    menu ; why ; refresh ; redraw ; mouse ; suspend ; tour ; remove_sample ; import
projects +list -tour
    open: Open the project ; -new_project: New project [new] ; tour <1> {PROJECT_CREATE} ; from_template ;
    empty_project ; from_file ; edit: Edit name, key, description and links ~ rename project ; favourite ; sort ;
    toggle_archived: Show or hide archived projects ; archive: Archive the project [] ;
    restore: Restore the archived project ; copy: Copy the key ; other_list ;
    delete: Delete the archived project for good {} ; export ; claim
canvas {TASK_MANAGE}
    open ; new_card ; new_phase ; next_status ; previous_status ; complete ; status ; assign ; assign_me ; labels ;
    manage_labels ; waits_for ; due ; edit ; edit_text ; move_to ; lower ; raise ; fields ; comment ; archive ;
    restore ; delete ; -add_application ; launch: Launch the application with its context [] ; inspect ;
    copy_context ; copy ; mark ; mark_range ; mark_all ; filter ; filters ; clear_filter ; presets ; next_view [] ;
    previous_view ; custom_fields ; import_here ; -export ; save_template ; merge_template ; since_last_visit ;
    phase [phase] ; -approve_gate [] ; send_back ; hold ; override ; fold_activity ; fold_phase ; density ; health ;
    preview ; toggle_archived ; down: Next card ; up: Previous card ; left ; right ; top ; bottom ; page_down ;
    page_up ; go_to_phase/1 ; go_to_phase/2 ; go_to_phase/3 ; go_to_phase/4 ; go_to_phase/5 ; go_to_phase/6 ;
    go_to_phase/7 ; go_to_phase/8 ; go_to_phase/9
card {TASK_MANAGE}
    edit: Edit title, description and link ~ rename card ; edit_text ; tick ; next_status ; previous_status ;
    complete ; status ; assign ; assign_me ; labels ; manage_labels ; waits_for ; due ; fields ; custom_fields ;
    comment [comment] ; edit_comment ; delete_comment ; older_comments ; .new_card: New task in this activity [] ;
    archive ; restore ; delete ;
    add_application: Add an application to the activity ; launch: Launch the application, or open a link [open] {} ;
    inspect ; copy_context ; copy: Copy the key ; -open: Open the task [] ; phase ; down: Down, into the tasks ;
    up: Up, out of the tasks ; page_down ; page_up
application {APPLICATION_MANAGE}
    launch: Launch with its context ; inspect [context] ; copy_context ; edit: Rename [rename] ;
    assign: Assign members ; assign_me: Assign to me too ; due ; move_to ; remove ;
    -open: Open the activity that holds it [] ; phase ; copy: Copy the id ; down ; up ; page_down ; page_up
phase {WORKFLOW_MANAGE}
    edit: Edit name, objectives, outcomes and gate ~ rename phase, edit phase ;
    edit_text: Edit objectives or outcomes in your editor ; tick: Tick the check boxes of objectives and outcomes ;
    due ; assign: Assign members to the phase ; new_deliverable ; deliver ; edit_deliverable ; rename_deliverable ;
    remove_deliverable ; approve_gate ; .policy ; .send_back: Gate: send back [send back] ; .hold: Gate: hold ;
    .override: Gate: override the lock ; add_application: Add an application ;
    launch: Launch an application, or open a link [] ; since_decision ; gate_record ; open_card ; open_application ;
    remove <>: Remove the phase ~ delete phase [] ; previous_phase ; next_phase ; down: Next deliverable, or down ;
    up: Previous deliverable, or up ; page_down ; page_up
gate_record +list
    open: Show the seal [seal] ; since_decision: What changed since this decision [changes] ; .phase [phase]
members +list {MEMBER_MANAGE}
    invite ; open: Show the roles, and their source [roles] ; role ; meta_roles ; remove
people +list {USER_MANAGE}
    new_person ; edit <e,enter>: Edit a person ; roles ; deactivate ; reactivate
access +list -preview
    new_token ; new_product_token ; link_account ; remove: Revoke the token, or unlink the account [revoke]
hierarchy +list -preview {HIERARCHY_MANAGE}
    new_node ; edit <e,enter>: Rename [rename] ; move_to: Move to another parent [move] ; remove: Remove ;
    copy: Copy the id
products +list {PRODUCT_MANAGE}
    open: Open the product ; new_product ; edit: Edit the product ; retire ; remove: Remove from the registry ;
    launch {PRODUCT_LAUNCH} ; copy: Copy the id
product {PRODUCT_MANAGE}
    edit: Edit the product ; new_role ; edit_role ; remove_role ; launch {PRODUCT_LAUNCH} ; copy: Copy the id ;
    down: Next role, or down ; up: Previous role, or up ; page_down ; page_up
meta_roles +list -preview {META_ROLE_MANAGE}
    -new_role: Add a meta role [new] ; edit <e,enter>: Rename [rename] ; sources ; remove: Remove
templates +list {TEMPLATE_MANAGE}
    open: Open the template ; new_project ; edit: Edit name, description and tags ; remove: Remove the template ;
    copy: Copy the id
template {TEMPLATE_MANAGE}
    new_project ; edit: Edit name, description and tags ; older ; newer ; compare ; copy: Copy the id ; down ; up ;
    page_down ; page_up
view {TASK_MANAGE}
    open ; new_card: New task or activity in this phase ; new_phase ; next_status ; previous_status ; complete ;
    status ; assign ; assign_me ; labels ; manage_labels ; waits_for ; due ; edit ; edit_text ; fields ;
    custom_fields ; comment ; archive ; restore ; copy ; mark ; mark_range ; mark_all ; filter ; filters ;
    clear_filter ; presets ; phase ; health ; toggle_archived ; next_view ; previous_view ; preview ; down ; up ;
    left: Left ; right: Right ; top: First ; bottom: Last ; page_down ; page_up
timeline +view -preview
    later ; earlier ; week_later ; week_earlier ; alone ; unfold ; zoom ; today []
status_board +view
table +view
    sort [sort] ; reverse
calendar +view -page_down -page_up -preview
    next_card ; today ; next_month ; previous_month
charts
    other_chart ; sum ; next_view ; previous_view
my_work +list {TASK_MANAGE}
    open ; next_status ; previous_status ; complete: Complete ; status ; assign ; labels ; waits_for ; due ; edit ;
    edit_text ; fields ; comment ; archive ; copy ; phase ; mark ; mark_range ; mark_all
portfolio +list
    open: Open the project ; left: Earlier [h/l scroll] ; right: Later ; zoom [zoom] ; today
workload +list
    sum ; open: Open the cards of the person ; -edit: Set the limit of a week ~ overload, capacity [limit] {USER_MANAGE}
person_workload +list
    open
inbox +list
    open: Open, and mark read ; approve_gate [] ; contradict ; complete: Complete the card, or reopen it ;
    comment: Answer with a comment [answer] ; copy ; mark_read ; mark_all_read ; toggle_read
history +list
    -open: Go to the changed record
search +list -clear_filter -filter
    open: Open ; words ; forget ; copy: Copy the key or the id [copy key]
settings +list -preview
    change ; reset
doctor +list -preview
    read
import +list -preview -undo -redo -undo_list -import
    remap ; take_change ; bring_in ; next_section ; mapping ;
    undo: Undo the last change of the preview [undo]
list
    filter: Filter as you type ; clear_filter ; preview ; down: Next line ; up: Previous line ; top: First line ;
    bottom: Last line ; page_down ; page_up
"""
"""Each screen with the part that it has too (``+list``), the keys of parts that it has not, and the permission that
manages its records; its verbs in the order of help and footer. A page of the Calendar is a month, in Search / edits it,
on Projects the tour has a key of its own, and some have no preview."""


class Key(Record, kw_only=False):
    """One action on one screen, and the keys that start it."""

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
        return spell_key(self.keys.partition(",")[0])


class Idea(Record, kw_only=False):
    """The one meaning of a key on all screens."""

    keys: str
    """Textual's names of the keys, separated by commas; empty for actions of palette and menu only."""
    words: str
    group: str
    """The group of help that it is in."""
    first: str
    """The idea in one or two words, if the key is among the six to learn first."""


class Screen(Record, kw_only=False):
    """The keys of one screen, or of a part that screens share."""

    keys: tuple[Key, ...]
    part: str
    """LIST or VIEW, if it has those keys too."""
    lacks: frozenset[str]
    """The verbs of its part, and of EVERYWHERE, that it does not have."""


_SIGNS = {"needs": " {", "label": " [", "other_words": " ~ ", "words": ": ", "keys": " <"}
"""The signs before the parts of an entry, from its end."""


def _parts(entry: str) -> tuple[str, dict[str, str]]:
    """The verb of an entry, and the parts that are written."""
    parts = {}
    if " " in entry:  # most entries are but a verb
        for name, sign in _SIGNS.items():
            entry, is_written, part = entry.partition(sign)
            if is_written:
                parts[name] = part.rstrip("}]>")
    verb = entry.lstrip(".-")
    return verb, parts | {"menu": entry[0]} if verb != entry else parts


def _names(keys: str) -> str:
    """Textual's names of keys that are written as users read them."""
    return ",".join(key_written(key) for key in keys.split(","))


def _read_ideas() -> tuple[tuple[Idea, ...], dict[str, tuple[Idea, dict[str, str]]]]:
    """The ideas, and each verb with its idea and its parts."""
    ideas: list[Idea] = []
    verbs = {}
    group = ""
    for line in _IDEAS.strip().splitlines():
        entries = line
        if not line.startswith(" "):
            group, entries = line, ""
        elif " |" in line:
            keys, meaning, entries = line.split(" |")
            words, _, first = meaning.strip().rstrip(")").partition(" (")
            ideas.append(Idea("" if keys.strip() == "none" else _names(keys.strip()), words, group, first))
        for entry in filter(None, entries.strip().split(" ; ")):
            verb, parts = _parts(entry)
            verbs[verb] = ideas[-1], parts
    return tuple(ideas), verbs


def _read_screens() -> Iterator[tuple[str, Screen]]:
    """The name and the keys of each screen."""
    for line in _SCREENS.strip().replace("\n    ", "\t").splitlines():
        heading, *rows = line.split("\t")
        name, *signs = heading.split()
        part, manages, lacks = (
            [each.strip("+-{}") for each in signs if each.startswith(sign)] for sign in ("+", "{", "-")
        )
        entries = " ".join(rows).split(" ; ") if rows else ()
        keys = tuple(_key(name, "".join(manages), entry) for entry in entries)
        yield name, Screen(keys, "".join(part), frozenset(lacks))


def _key(screen: str, manages: str, entry: str) -> Key:
    """The key of a screen. A number after the verb is its argument, its key, and the end of its words."""
    name, own = _parts(entry)
    verb, _, number = name.partition("/")
    idea, declared = VERBS[verb]
    if "words" in own:  # the other words belong to those beside them
        declared = declared | {"other_words": ""}
    parts = declared | own
    words = f"{parts['words']} {number}".rstrip()
    needs = manages if parts.get("needs") == "MANAGE" else parts.get("needs")
    if parts.get("other_words"):
        OTHER_WORDS[words] = tuple(parts["other_words"].split(", "))
    return Key(
        f"{screen}.{name}",
        number or (_names(parts["keys"]) if "keys" in parts else idea.keys),
        words,
        parts.get("label", ""),
        Permission[needs] if needs else None,
        parts.get("menu") == ".",
    )


OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "Go to Gate record of this project": ("audit", "minutes", "approvals", "decisions", "seals"),
    "Go to Members of this project": ("invite member", "remove member", "team"),
    "Go to People of the workspace": ("invite person", "add person"),
    "Go to Timeline: phases and due dates": ("gantt", "milestones", "roadmap", "schedule", "sprint"),
    "Go to Charts: burn-up and cumulative flow": ("burn down", "burndown", "velocity", "progress"),
    "Go to Status board: statuses as columns": ("kanban", "sprint board"),
    "Go to Calendar: a month": ("agenda", "deadlines"),
    "Go to Workload: open cards by person and week": ("capacity", "resources"),
    "Go to Sign-in and tokens, linked accounts": ("access", "api key", "password"),
    "Go to Clients, markets and brands": ("hierarchy",),
    "Go to Check of this installation": ("doctor", "version", "health of the file"),
    "Setting: Theme": ("dark mode", "light mode", "colours", "contrast"),
    "Setting: Keys": ("shortcuts", "key bindings", "remap"),
    "Setting: Notify": ("bell", "desktop notifications"),
    "Setting: Signs": ("ascii", "unicode symbols"),
    "Setting: Density": ("compact", "row height"),
}
"""Other words by which the palette finds its lines, the ordinary ones for what is done there; actions are added."""

IDEAS, VERBS = _read_ideas()
SCREENS = dict(_read_screens())
KEYS = tuple(key for screen in SCREENS.values() for key in screen.keys)
BY_ID = {key.id: key for key in KEYS}


@cache
def keys_on(name: str) -> tuple[Key, ...]:
    """The keys that work on a screen, its own first. Cached, as it is called after every change."""
    screen = SCREENS[name]
    shared = (*(SCREENS[screen.part].keys if screen.part else ()), *SCREENS[EVERYWHERE].keys)
    return (*screen.keys, *(key for key in shared if key.verb not in screen.lacks))


def idea_of(key: Key) -> Idea:
    """The idea of an action."""
    return VERBS[key.verb][0]
