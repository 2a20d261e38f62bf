"""Labels and priorities beside their cards: each has letters or a sign, and a colour that never stands alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from textual.content import Content

from core.domain.labels import Label, LabelColour
from core.domain.model import Id, Priority
from tui.drawing.cells import plain
from tui.drawing.rows import Word, cells, one_line
from tui.drawing.styles import TextRole
from tui.drawing.theme import LABEL, QUIET

MOST = 2
"""The most labels that a card names; the others are counted."""

PRIORITY_SIGNS = {Priority.LOW: "low", Priority.NORMAL: "", Priority.HIGH: "!", Priority.URGENT: "!!"}
PRIORITY_ROLES = {Priority.LOW: TextRole.QUIET, Priority.HIGH: TextRole.SOON, Priority.URGENT: TextRole.LATE}
PRIORITY_COLOURS = {Priority.LOW: QUIET, Priority.HIGH: "$text-warning", Priority.URGENT: "$text-error"}

BETWEEN: Word = (" ", TextRole.QUIET)


def label_role(colour: LabelColour) -> TextRole:
    """The style of a label, for widgets that draw words."""
    return TextRole(f"label_{colour.lower()}")


def label_words(labels: Mapping[Id, Label], ids: Sequence[Id], room: int) -> list[Word]:
    """The labels of a card in at most ``room`` cells: “#print #legal”, “#print +2”, “#P #L +1” or “#P +2”."""
    known = sorted((labels[each] for each in ids if each in labels), key=lambda each: each.name.casefold())
    if not known:
        return []
    forms = [(len(known), False), (MOST, False), (1, False), (MOST, True), (1, True)]
    return next((words for most, short in forms if cells(words := _list_labels(known, most, short=short)) <= room), [])


def _list_labels(known: Sequence[Label], most: int, *, short: bool) -> list[Word]:
    words: list[Word] = []
    for label in known[:most]:
        name = label.sign if short else one_line(label.name)
        words += [*([BETWEEN] if words else []), (f"#{name}", label_role(label.colour))]
    if len(known) > most:
        words.append((f" +{len(known) - most}", TextRole.QUIET))
    return words


def priority_word(priority: Priority) -> Word | None:
    """The sign of a priority; None for the normal one, about which nothing is said."""
    return (PRIORITY_SIGNS[priority], PRIORITY_ROLES[priority]) if priority.shown else None


def priority_in_full(priority: Priority) -> str:
    """The sign and the word of a priority: “!! urgent”; "" for the normal one."""
    sign = PRIORITY_SIGNS[priority]
    return priority.shown if sign == priority.shown else f"{sign} {priority.shown}"


def label_content(labels: Iterable[Label]) -> Content:
    """Labels in full for a page, each in its colour."""
    return Content("  ").join([plain(f"#{each.name}").stylize(f"${LABEL}-{each.colour.lower()}") for each in labels])


def priority_content(priority: Priority) -> Content:
    """A priority for a page; empty for the normal one."""
    if not priority.shown:
        return Content("")
    return Content.styled(priority_in_full(priority), PRIORITY_COLOURS[priority])
