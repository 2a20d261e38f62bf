"""The differences of two workflows, to read before they are applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from core.domain.templates import STAYS, Difference, DifferenceKind
from core.text.phrases import in_words, shorten
from tui.dialogs.dialog import Body, PlainText, ScrollingDialog
from tui.drawing.outline_lines import OutlineEntry
from tui.drawing.theme import QUIET
from tui.widgets.outline import Outline
from tui.widgets.styled_widget import is_ascii

SIGNS = {
    DifferenceKind.ADDED: ("+", "added", "$text-success"),
    DifferenceKind.CHANGED: ("~", "changed", "$text-warning"),
    DifferenceKind.REMOVED: ("-", "removed", "$text-error"),
    DifferenceKind.KEPT: ("=", "kept", QUIET),
    DifferenceKind.NOT_ADDED: ("=", "not added", QUIET),
}
"""The sign of a kind of difference, its word, and the colour of both."""

PHASE = "PHASE"
MAX_OF_A_VALUE = 120
"""Most characters of a value, so that a long description does not hide the other differences."""


APPLY, CHOOSE = "apply", "choose"
"""The answers of the dialog, besides none."""


class DifferenceDialog(ScrollingDialog[str]):
    """Shows differences. Dismissed with APPLY if the user applies them; without ``submit`` they can only be read.

    With ``can_choose``, a key asks to choose which removed parts stay: the answer is CHOOSE.
    """

    DEFAULT_CSS = """
    DifferenceDialog {
        #panel { width: 96; }
        #summary { dock: top; margin-bottom: 1; }
        Outline { max-width: 100%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,ctrl+s", "accept", show=False),
        Binding("space", "choose", show=False),
    ]

    def __init__(
        self,
        title: str,
        differences: Sequence[Difference],
        *,
        submit: str = "",
        note: str = "",
        can_choose: bool = False,
    ) -> None:
        first = [f"enter {submit}"] if submit else []
        chooses = ["space choose what stays"] if can_choose else []
        hints = [*first, *chooses, "j/k scroll", "esc cancel" if submit else "esc close"]
        super().__init__(title, " · ".join(hints))
        self._can_choose = can_choose
        self._differences = tuple(differences)
        self._submit = submit
        self._note = note

    def questions(self) -> ComposeResult:
        yield PlainText(
            " ".join(filter(None, [f"{count_differences(self._differences).capitalize()}.", self._note])), id="summary"
        )
        with Body():
            yield Outline(list(entries_of(self._differences, ascii_only=is_ascii(self))))

    def action_accept(self) -> None:
        self.dismiss(APPLY if self._submit else "")

    def action_choose(self) -> None:
        if self._can_choose:
            self.dismiss(CHOOSE)

    def action_leave(self) -> None:
        self.dismiss("")


def count_differences(differences: Sequence[Difference]) -> str:
    """The number of parts by kind of difference: "4 added, 2 changed". A part with several fields counts once."""
    parts = {(each.kind, each.what, each.path) for each in differences}
    numbers = ((word, sum(part[0] is kind for part in parts)) for kind, (_, word, _) in SIGNS.items())
    return ", ".join(f"{number} {word}" for word, number in numbers if number) or "nothing differs"


def entries_of(differences: Sequence[Difference], *, ascii_only: bool) -> Iterator[OutlineEntry]:
    """Each phase with its differences, and a blank line between phases."""
    for number, (phase, found) in enumerate(groupby(differences, key=lambda each: each.path[0])):
        if number:
            yield OutlineEntry()
        of_phase = list(found)
        if not any(each.what == PHASE for each in of_phase):
            yield OutlineEntry(phase, style="bold")
        for (kind, what, path), same in groupby(of_phase, key=lambda each: (each.kind, each.what, each.path)):
            yield from _part(kind, what, path, list(same), ascii_only=ascii_only)


def _part(
    kind: DifferenceKind, what: str, path: tuple[str, ...], differences: Sequence[Difference], *, ascii_only: bool
) -> Iterator[OutlineEntry]:
    """One part: sign, name and kind, then each field that differs, and the reason if it is kept."""
    sign, word, colour = SIGNS[kind]
    of_phase = what == PHASE
    name = path[0] if of_phase else (" > " if ascii_only else " › ").join(path[1:])
    indent = 0 if of_phase else 1
    style = f"bold {colour}" if of_phase else QUIET if kind in STAYS else ""
    yield OutlineEntry(name, f"{in_words(what)} {word}", sign, indent, style, f"bold {colour}")
    for each in differences:
        if each.field:
            yield OutlineEntry(_change(each, ascii_only), indent=indent + 1, lead=f"{in_words(each.field)}:")
    for reason in dict.fromkeys(each.reason for each in differences if each.reason):
        yield OutlineEntry(f"because {reason}", indent=indent + 1, style=QUIET)


def _change(difference: Difference, ascii_only: bool) -> str:
    before, after = (shorten(value, MAX_OF_A_VALUE) or "nothing" for value in (difference.before, difference.after))
    if difference.kind is DifferenceKind.KEPT:
        return f"stays {before.rstrip('.')}, not {after.rstrip('.')}"
    return f"{before} {'->' if ascii_only else '→'} {after}"
