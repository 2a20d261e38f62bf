"""A card as lines: title over metadata and a blank line, or all on a single line in the compact density."""

from __future__ import annotations

from datetime import date

from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id, ItemKind, Status
from core.domain.statuses import AT_RISK_WITHIN, CLOSED
from core.domain.view_settings import ALL_FIELDS, CardField
from core.record import Record
from core.text.dates import format_due
from core.text.sanitize import initials
from tui.drawing.rows import Word, cells, listed, one_line, others_here, people, row
from tui.drawing.styles import CardState, Row, Styles, TextRole, ground_of


class Setting(Record, kw_only=False):
    """The settings that all pieces of a board are drawn with. When they change, every piece is drawn again."""

    look: Styles
    today: date
    members: dict[Id, CanvasMember]
    compact: bool
    no_cards: str
    """Text of an empty column, given by the screen, which knows the key that adds a card."""
    no_phases: str
    """Text of a project without phases."""
    fields: frozenset[CardField] = frozenset(ALL_FIELDS)
    """The fields that a card shows beside its title."""

    def initials(self, user_ids: tuple[Id, ...]) -> list[str]:
        return [initials(self.members[user_id].name) for user_id in user_ids if user_id in self.members]


def card_rows(setting: Setting, card: Card, width: int, mood: CardState, guests: str = "") -> tuple[Row, ...]:
    """The lines of a task or an activity, each ``width`` cells wide.

    ``guests`` are the initials of other people who are on the card.
    """
    if setting.compact:
        return (_single(setting, card, width, mood, guests),)
    indent, right = "    " if card.activity_id else "  ", _right(setting, card)
    facts = listed(setting.look, _facts(setting, card), width - 3 - len(indent) - cells(right))
    return _lines(setting, card, width, mood, guests, [(indent, TextRole.QUIET), *facts], right)


def application_rows(
    setting: Setting, card: Card, holder: str, width: int, mood: CardState, guests: str = ""
) -> tuple[Row, ...]:
    """The lines of an application: due date, product, and the activity that holds it, if any.

    A name that does not fit is cut, because part of a name is worth reading. A product with the same name as the
    application is left out: an application is named after its product by default.
    """
    if setting.compact:
        return (_single(setting, card, width, mood, guests),)
    names = [card.holds] if card.holds != card.title and CardField.PRODUCT in setting.fields else []
    names += [f"in {holder}"] if holder else []
    due = _due(setting, card)
    named = f" {setting.look.signs.dot} ".join(map(one_line, names))  # one word, so that a cut shows as "…"
    facts = [*([due] if due else []), *([(named, TextRole.QUIET)] if named else [])]
    listed_facts = [("  ", TextRole.QUIET), *listed(setting.look, facts)]
    return _lines(setting, card, width, mood, guests, listed_facts, _right(setting, card))


def _lines(
    setting: Setting, card: Card, width: int, mood: CardState, guests: str, facts: list[Word], right: list[Word]
) -> tuple[Row, ...]:
    ground, look = ground_of(mood), setting.look
    title = row(look, ground, width, [_bar(look, mood), *_title(setting, card, mood)], others_here(look, guests))
    meta = row(look, ground, width, [_bar(look, mood), *facts], right)
    return title, meta, look.blank(width)


def _single(setting: Setting, card: Card, width: int, mood: CardState, guests: str) -> Row:
    right = others_here(setting.look, guests)
    names = people(_assignees(setting, card), 1)
    if due := _due(setting, card):
        right += [("  ", TextRole.QUIET), due] if right else [due]
    if due or names:
        right.append(("  " + (names or "  "), TextRole.QUIET))
    left = [_bar(setting.look, mood), *_title(setting, card, mood)]
    return row(setting.look, ground_of(mood), width, left, right)


def _bar(look: Styles, mood: CardState) -> Word:
    return (look.signs.bar if CardState.FOCUSED in mood else " ", TextRole.ACCENT)


def _title(setting: Setting, card: Card, mood: CardState) -> list[Word]:
    """The sign of the status, or of the mark on a marked card, and the title."""
    signs = setting.look.signs
    sign = (signs.of(card.status, card.kind is ItemKind.ACTIVITY) + " ", _sign_ink(card))
    if CardState.MARKED in mood:
        sign = (signs.mark + " ", TextRole.ACCENT)
    quiet = CardState.DRAGGED in mood or (card.status in CLOSED and CardState.FOCUSED not in mood)
    title = (one_line(card.title), TextRole.QUIET if quiet else TextRole.TITLE)
    is_inside = card.activity_id and card.kind is ItemKind.TASK
    return [(signs.sub + " ", TextRole.FAINT), sign, title] if is_inside else [sign, title]


def _sign_ink(card: Card) -> TextRole:
    inks: dict[Status | None, TextRole] = {Status.IN_PROGRESS: TextRole.SOON, Status.COMPLETED: TextRole.DONE}
    return inks.get(card.status, TextRole.QUIET)


def _facts(setting: Setting, card: Card) -> list[Word]:
    words: list[Word] = []
    if due := _due(setting, card):
        words.append(due)
    if card.kind is ItemKind.ACTIVITY and card.tasks and CardField.TASKS in setting.fields:
        words.append((f"{card.tasks_done}/{card.tasks} tasks", TextRole.QUIET))
    return words


def _due(setting: Setting, card: Card) -> Word | None:
    """The due date of an open card; a closed card needs none."""
    if card.due is None or card.status in CLOSED or CardField.DUE not in setting.fields:
        return None
    return format_due(card.due, setting.today), due_ink(card.due, setting.today)


def due_ink(due: date, today: date) -> TextRole:
    if due < today:
        return TextRole.LATE
    return TextRole.SOON if due <= today + AT_RISK_WITHIN else TextRole.QUIET


def _right(setting: Setting, card: Card) -> list[Word]:
    """Signs at the right: application, link and comments, and the initials of the first two assignees."""
    signs, fields = setting.look.signs, setting.fields
    words: list[str] = []
    if card.holds and card.kind is ItemKind.ACTIVITY and CardField.PRODUCT in fields:
        words.append(signs.application)
    if card.has_link and CardField.LINK in fields:
        words.append(signs.link)
    if card.comments and CardField.COMMENTS in fields:
        words.append(f"{signs.comment}{card.comments}")
    if names := _assignees(setting, card):
        words.append(people(names, 2))
    return [(("  " if at else "") + word, TextRole.QUIET) for at, word in enumerate(words)]


def _assignees(setting: Setting, card: Card) -> list[str]:
    return setting.initials(card.assignee_ids) if CardField.ASSIGNEES in setting.fields else []
