"""Labels as they are drawn: their shades in each theme, and their names or signs beside a card and on its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from textual.content import Content

from core.domain.labels import Label, LabelColour
from core.domain.model import Id
from tui.drawing.cells import plain
from tui.drawing.rows import Word, cells, one_line
from tui.drawing.styles import TextRole

_ON_DARK = (
    "#ef9297", "#e3a07a", "#d8c05a", "#8fcf7f", "#5cc5c5", "#84b6f2", "#b3a0f5", "#ee92cf", "#b4bbc8",
)  # fmt: skip
_ON_LIGHT = (
    "#a3242e", "#934312", "#6a5400", "#2f6b28", "#0f6b6b", "#215a9e", "#5a45b5", "#9c2478", "#52586a",
)  # fmt: skip

MOST = 2
"""The most labels that a card names; the others are counted."""


def label_variables(*, dark: bool) -> dict[str, str]:
    """The theme's variables ``label-red`` and so on: readable on every background of a card."""
    shades = _ON_DARK if dark else _ON_LIGHT
    return {f"label-{colour.lower()}": shade for colour, shade in zip(LabelColour, shades, strict=True)}


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
        words += [*([(" ", TextRole.QUIET)] if words else []), (f"#{name}", label_role(label.colour))]
    if len(known) > most:
        words.append((f" +{len(known) - most}", TextRole.QUIET))
    return words


def label_content(labels: Iterable[Label]) -> Content:
    """Labels in full for a page, each in its colour."""
    return Content("  ").join([plain(f"#{each.name}").stylize(f"$label-{each.colour.lower()}") for each in labels])
