"""A card as lines: title over metadata and a blank line, or all on a single line in the compact density."""

from __future__ import annotations

from datetime import date

from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id, ItemKind, Status
from core.domain.project_health import AT_RISK_WITHIN
from core.domain.statuses import CLOSED
from core.domain.view_settings import ALL_FIELDS, CardField
from core.record import Record
from core.text.dates import format_due
from core.text.sanitize import initials
from tui.drawing.rows import Word, cells, listed, one_line, others_here, people, row
from tui.drawing.styles import CardState, Row, Styles, TextRole, background_of


class DrawingSettings(Record, kw_only=False):
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


def card_rows(
    setting: DrawingSettings, card: Card, width: int, card_state: CardState, online: str = ""
) -> tuple[Row, ...]:
    """The lines of a task or an activity, each ``width`` cells wide.

    ``online`` are the initials of other people who are on the card.
    """
    if setting.compact:
        return (_single(setting, card, width, card_state, online),)
    indent, right = "    " if card.activity_id else "  ", _right(setting, card)
    facts = listed(setting.look, _facts(setting, card), width - 3 - len(indent) - cells(right))
    return _lines(setting, card, width, card_state, online, [(indent, TextRole.QUIET), *facts], right)


def application_rows(
    setting: DrawingSettings, card: Card, holder: str, width: int, card_state: CardState, online: str = ""
) -> tuple[Row, ...]:
    """The lines of an application: due date, product, and the activity that holds it, if any.

    A name that does not fit is cut, because part of a name is worth reading. A product with the same name as the
    application is left out: an application is named after its product by default.
    """
    if setting.compact:
        return (_single(setting, card, width, card_state, online),)
    names = [card.holds] if card.holds != card.title and CardField.PRODUCT in setting.fields else []
    names += [f"in {holder}"] if holder else []
    due = _due(setting, card)
    named = f" {setting.look.signs.dot} ".join(map(one_line, names))  # one word, so that a cut shows as "…"
    facts = [*([due] if due else []), *([(named, TextRole.QUIET)] if named else [])]
    listed_facts = [("  ", TextRole.QUIET), *listed(setting.look, facts)]
    return _lines(setting, card, width, card_state, online, listed_facts, _right(setting, card))


def _lines(
    setting: DrawingSettings,
    card: Card,
    width: int,
    card_state: CardState,
    online: str,
    facts: list[Word],
    right: list[Word],
) -> tuple[Row, ...]:
    background, look = background_of(card_state), setting.look
    title = row(
        look, background, width, [_bar(look, card_state), *_title(setting, card, card_state)], others_here(look, online)
    )
    meta = row(look, background, width, [_bar(look, card_state), *facts], right)
    return title, meta, look.blank(width)


def _single(setting: DrawingSettings, card: Card, width: int, card_state: CardState, online: str) -> Row:
    right = others_here(setting.look, online)
    names = people(_assignees(setting, card), 1)
    if due := _due(setting, card):
        right += [("  ", TextRole.QUIET), due] if right else [due]
    if due or names:
        right.append(("  " + (names or "  "), TextRole.QUIET))
    left = [_bar(setting.look, card_state), *_title(setting, card, card_state)]
    return row(setting.look, background_of(card_state), width, left, right)


def _bar(look: Styles, card_state: CardState) -> Word:
    return (look.signs.bar if CardState.FOCUSED in card_state else " ", TextRole.ACCENT)


def _title(setting: DrawingSettings, card: Card, card_state: CardState) -> list[Word]:
    """The sign of the status, or of the mark on a marked card, and the title."""
    signs = setting.look.signs
    sign = (signs.of(card.status, card.kind is ItemKind.ACTIVITY) + " ", _sign_role(card))
    if CardState.MARKED in card_state:
        sign = (signs.mark + " ", TextRole.ACCENT)
    quiet = CardState.DRAGGED in card_state or (card.status in CLOSED and CardState.FOCUSED not in card_state)
    title = (one_line(card.title), TextRole.QUIET if quiet else TextRole.TITLE)
    is_inside = card.activity_id and card.kind is ItemKind.TASK
    return [(signs.sub + " ", TextRole.FAINT), sign, title] if is_inside else [sign, title]


def _sign_role(card: Card) -> TextRole:
    text_roles: dict[Status | None, TextRole] = {Status.IN_PROGRESS: TextRole.SOON, Status.COMPLETED: TextRole.DONE}
    return text_roles.get(card.status, TextRole.QUIET)


def _facts(setting: DrawingSettings, card: Card) -> list[Word]:
    words: list[Word] = []
    if due := _due(setting, card):
        words.append(due)
    if card.kind is ItemKind.ACTIVITY and card.tasks and CardField.TASKS in setting.fields:
        words.append((f"{card.tasks_done}/{card.tasks} tasks", TextRole.QUIET))
    return words


def _due(setting: DrawingSettings, card: Card) -> Word | None:
    """The due date of an open card; a closed card needs none."""
    if card.due is None or card.status in CLOSED or CardField.DUE not in setting.fields:
        return None
    return format_due(card.due, setting.today), due_role(card.due, setting.today)


def due_role(due: date, today: date) -> TextRole:
    if due < today:
        return TextRole.LATE
    return TextRole.SOON if due <= today + AT_RISK_WITHIN else TextRole.QUIET


def _right(setting: DrawingSettings, card: Card) -> list[Word]:
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


def _assignees(setting: DrawingSettings, card: Card) -> list[str]:
    return setting.initials(card.assignee_ids) if CardField.ASSIGNEES in setting.fields else []
