"""A card as lines: its title over metadata and a blank line, or all on a single line in the compact density."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from rich.cells import cell_len

from core.domain.canvas import Card
from core.domain.labels import Label
from core.domain.model import Id, ItemKind, Status
from core.domain.project_health import AT_RISK_WITHIN
from core.domain.readiness import Deciders
from core.domain.statuses import CLOSED
from core.domain.view_settings import ALL_FIELDS, CardField
from core.record import Record
from core.text.dates import format_due, in_five_cells
from core.text.short_keys import card_key
from tui.board.layout import TITLE_AT, is_subtask, title_room
from tui.drawing.card_facts import priority_word, waiting_mark
from tui.drawing.cells import fit
from tui.drawing.labels import label_words
from tui.drawing.people import BLANK, Team
from tui.drawing.rows import Word, cells, one_line, others_here, spread, wrap_text
from tui.drawing.styles import CardState, Row, Styles, TextRole, background_of

TITLE_SHARE = 0.6
"""The share of a compact card that its title gets before date and people."""

ROOM_FOR_WORDS = 34
"""Cells from which a card says in words that it waits."""

MIN_NAME = 6
"""Fewest cells of a name that is cut: of an activity or a product."""

APART: Word = ("  ", TextRole.QUIET)


class DrawingSettings(Record, kw_only=False):
    """The settings that all pieces of a board are drawn with. When they change, every piece is drawn again."""

    look: Styles
    today: date
    team: Team
    compact: bool
    no_cards: str
    """Text of an empty column, given by the screen, which knows the key that adds a card."""
    no_phases: str
    """Text of a project without phases."""
    fields: frozenset[CardField] = frozenset(ALL_FIELDS)
    """The fields that a card shows beside its title."""
    key: str = ""
    """The key of the project."""
    labels: Mapping[Id, Label] = {}
    """The labels of the project by id."""
    deciders: Deciders = Deciders()
    """The people whose approval would be taken at a gate where nothing else is missing."""


class CardFacts(Record, kw_only=False):
    """The facts of a card that are not its own fields."""

    width: int
    least: int
    """Cells of the narrowest column: titles wrap alike in all of them."""
    title_lines: int = 2
    """The most lines of the title."""
    state: CardState = CardState.NONE
    online: str = ""
    """The initials of other people who are on the card."""
    holder: str = ""
    """The title of the activity of a task that stands elsewhere, and of the one that holds an application."""
    marked_inside: int = 0
    """The marked tasks of a folded activity."""


def card_rows(setting: DrawingSettings, card: Card, facts: CardFacts) -> tuple[Row, ...]:
    """The lines of a card, each ``facts.width`` cells wide: those of its title, the metadata, and a blank one."""
    if setting.compact:
        return (_single(setting, card, facts),)
    look, background = setting.look, background_of(facts.state)
    bar, (*signs, (title, text_role)) = _bar(look, facts.state), _title(setting, card, facts)
    first, *others = wrap_text(title, title_room(card, facts.least), facts.title_lines, look.ellipsis)
    indent: Word = (" " * cells(signs), TextRole.QUIET)
    rows = [spread(look, background, facts.width, [bar, *signs, (first, text_role)])]
    rows += [spread(look, background, facts.width, [bar, indent, (line, text_role)]) for line in others]
    left, right = _meta(setting, card, facts, facts.width - 2 - cells([indent]))
    return (*rows, spread(look, background, facts.width, [bar, indent, *left], right), look.blank(facts.width))


def _single(setting: DrawingSettings, card: Card, facts: CardFacts) -> Row:
    words = [_bar(setting.look, facts.state), *_title(setting, card, facts)]
    beside = _beside(setting, card, facts, cells(words))
    beside = _with_labels(setting, card, beside, facts.width - 3 - cells(words))
    if facts.holder and card.kind is ItemKind.TASK:
        holder: list[Word] = [("".join(_name(setting, card, facts)), TextRole.QUIET)]
        longer = _apart(holder, beside)
        if cells(words) + 2 + cells(longer) < facts.width:  # it yields to all else
            beside = longer
    return spread(setting.look, background_of(facts.state), facts.width, words, beside)


def _beside(setting: DrawingSettings, card: Card, facts: CardFacts, title: int) -> list[Word]:
    """People and due date beside a compact title of ``title`` cells, as fully as they fit.

    A long title gets its share first. Then people have initials, the date is short, and at last people yield.
    """
    waiting = [word] if (word := _waiting(setting, card, brief=True)) else []
    online = others_here(setting.look, facts.online)
    here = _apart(_priority(setting, card), [*waiting, *_fold(setting, card, facts), *online])
    due, people = _due(setting, card), _assignees(setting, card)
    dates: list[list[Word]] = [[]]
    if due and card.due:
        dates = [[due], [(in_five_cells(card.due, setting.today), due[1])]]
    free = facts.width - 2 - title
    least = facts.width - 2 - min(title, round(facts.width * TITLE_SHARE) + TITLE_AT)
    for room, named in ((free, setting.team.words), (least, setting.team.list_initials)) if people else ():
        for dated in dates:
            names = named(people, room - cells(_apart(here, dated, [BLANK])) + 1, setting.look.ellipsis)
            if names:
                return _apart(here, names, dated)
    return next((words for dated in dates if cells(words := _apart(here, dated)) <= least), here)


def _apart(*groups: list[Word]) -> list[Word]:
    """Groups of words, with two blanks between them."""
    words: list[Word] = []
    for group in filter(None, groups):
        words += [APART, *group] if words else group
    return words


def _bar(look: Styles, card_state: CardState) -> Word:
    return (look.signs.bar if CardState.FOCUSED in card_state else " ", TextRole.ACCENT)


def _title(setting: DrawingSettings, card: Card, facts: CardFacts) -> list[Word]:
    """The sign of the status, or of the mark on a marked card, and the title."""
    signs = setting.look.signs
    sign = (signs.of(card.status, card.kind is ItemKind.ACTIVITY) + " ", _sign_role(card))
    if CardState.MARKED in facts.state:
        sign = (signs.mark + " ", TextRole.ACCENT)
    quiet = CardState.DRAGGED in facts.state or (card.status in CLOSED and CardState.FOCUSED not in facts.state)
    title = (one_line(card.title), TextRole.QUIET if quiet else TextRole.TITLE)
    return [(signs.sub + " ", TextRole.FAINT), sign, title] if is_subtask(card) and not facts.holder else [sign, title]


def _sign_role(card: Card) -> TextRole:
    text_roles: dict[Status | None, TextRole] = {Status.IN_PROGRESS: TextRole.SOON, Status.COMPLETED: TextRole.DONE}
    return text_roles.get(card.status, TextRole.QUIET)


def _meta(setting: DrawingSettings, card: Card, facts: CardFacts, room: int) -> tuple[list[Word], list[Word]]:
    """The left and the right side of the line under a title.

    Left are the due date, the tasks of an activity, and names, which are cut to what is left, because part of a name is
    worth reading. Right are signs and people.
    """
    due = _due(setting, card)
    said = list(filter(None, (_priority(setting, card), [due] if due else [])))
    if waiting := _waiting(setting, card, brief=room < ROOM_FOR_WORDS):
        said.insert(0, [waiting])
    if fold := _fold(setting, card, facts):
        said.append(fold)
    elif card.kind is ItemKind.ACTIVITY and card.tasks and CardField.TASKS in setting.fields:
        said.append([(f"{card.tasks_done}/{card.tasks} tasks", TextRole.QUIET)])
    dot: Word = (f" {setting.look.signs.dot} ", TextRole.FAINT)
    left = [word for at, words in enumerate(said) for word in ([dot, *words] if at else words)]
    name, end = _name(setting, card, facts)
    between = 3 if left else 0
    room -= cells(left)
    right = _right(setting, card, facts, room - 2 - (between + MIN_NAME if name else 0))
    if name and not cells(right):
        right = _right(setting, card, facts, room - 2)
    whole_name = between + cell_len(name) + cell_len(end) if name else 0
    short_name = between + MIN_NAME + cell_len(end) if name else 0
    right = _with_labels(setting, card, right, room - whole_name - 2, room - min(whole_name, short_name) - 2)
    right = _with_key(setting, card, right, room - whole_name - 2)
    room -= between + cells(right) + bool(right) + cell_len(end)
    if name and room >= min(MIN_NAME, cell_len(name)):
        shown = fit(name, room, mark=setting.look.ellipsis) + end
        left += [*([dot] if left else []), (shown, TextRole.QUIET)]
    return left, right


def _with_labels(
    setting: DrawingSettings, card: Card, right: list[Word], room: int, least: int | None = None
) -> list[Word]:
    """The words at the right with the labels of the card before them, if they fit into ``room`` cells.

    Where they do not, their signs can also take what is left of ``least``.
    """
    if not card.labels or CardField.LABELS not in setting.fields:
        return right
    taken = cells(_apart([BLANK], right)) - 1
    labels = label_words(setting.labels, card.labels, room - taken)
    if not labels and least is not None:
        labels = label_words(setting.labels, card.labels, least - taken)
    return _apart(labels, right)


def _priority(setting: DrawingSettings, card: Card) -> list[Word]:
    """The sign of the priority of an open card; none for a normal one."""
    word = priority_word(card.priority)
    return [word] if word and card.status not in CLOSED and CardField.PRIORITY in setting.fields else []


def _with_key(setting: DrawingSettings, card: Card, right: list[Word], room: int) -> list[Word]:
    """The words at the right with the key of the card before them, if it fits: it yields to all else."""
    if not (card.number and setting.key):
        return right
    with_key = _apart([(card_key(setting.key, card.number), TextRole.QUIET)], right)
    return with_key if cells(with_key) <= room else right


def _name(setting: DrawingSettings, card: Card, facts: CardFacts) -> tuple[str, str]:
    """The activity of a task that stands elsewhere; the product of an application and the activity that holds it.

    With it what follows the name even if that is cut. A product with the same name as the application is left out: an
    application is named after its product by default.
    """
    holder = one_line(facts.holder)
    if card.kind is not ItemKind.APPLICATION:
        return holder, f" {setting.look.signs.right}"
    product = one_line(card.holds) if card.holds != card.title and CardField.PRODUCT in setting.fields else ""
    return f" {setting.look.signs.dot} ".join(filter(None, (product, f"in {holder}" if holder else ""))), ""


def _fold(setting: DrawingSettings, card: Card, facts: CardFacts) -> list[Word]:
    """The tasks of a folded activity: how many are done, and how many are marked."""
    if CardState.FOLDED not in facts.state:
        return []
    signs = setting.look.signs
    marked: list[Word] = [(f" {signs.mark}{facts.marked_inside}", TextRole.ACCENT)] if facts.marked_inside else []
    return [(f"{card.tasks_done}/{card.tasks} {signs.folded}", TextRole.QUIET), *marked]


def _waiting(setting: DrawingSettings, card: Card, *, brief: bool) -> Word | None:
    mark = waiting_mark(card, setting.look.signs)
    return mark.word(brief=brief) if mark else None


def _due(setting: DrawingSettings, card: Card) -> Word | None:
    """The due date of an open card; a closed card needs none."""
    if card.due is None or card.status in CLOSED or CardField.DUE not in setting.fields:
        return None
    return format_due(card.due, setting.today), due_role(card.due, setting.today)


def due_role(due: date, today: date) -> TextRole:
    if due < today:
        return TextRole.LATE
    return TextRole.SOON if due <= today + AT_RISK_WITHIN else TextRole.QUIET


def _right(setting: DrawingSettings, card: Card, facts: CardFacts, room: int) -> list[Word]:
    """Signs at the right: application, link and comments, the people of the card, and who else is on it."""
    signs, fields = setting.look.signs, setting.fields
    shown: list[list[Word]] = []
    if card.holds and card.kind is ItemKind.ACTIVITY and CardField.PRODUCT in fields:
        shown.append([(signs.application, TextRole.QUIET)])
    if card.has_link and CardField.LINK in fields:
        shown.append([(signs.link, TextRole.QUIET)])
    if card.comments and CardField.COMMENTS in fields:
        shown.append([(f"{signs.comment}{card.comments}", TextRole.QUIET)])
    here, people = others_here(setting.look, facts.online), _assignees(setting, card)
    while shown and cells(_apart(*shown, *([[BLANK, BLANK]] if people else []), here)) > room:
        del shown[0]  # people matter more
    taken = cells(_apart(*shown, here))
    names = setting.team.words(people, room - taken - 2 * bool(taken), setting.look.ellipsis)
    return _apart(*shown, names, here)


def _assignees(setting: DrawingSettings, card: Card) -> tuple[str, ...]:
    return card.assignee_ids if CardField.ASSIGNEES in setting.fields else ()
