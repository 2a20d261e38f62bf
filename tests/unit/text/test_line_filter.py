"""The second layer: whatever a widget holds, no unsafe character reaches the terminal, and no cell moves."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color
from textual.filter import LineFilter
from textual.widgets import Input, Static, TextArea

from core.text.sanitize import UNSAFE, sanitize
from tui.drawing.cells import FIRST_TAG, SafeText, fit, plain

BLACK = Color(0, 0, 0)
PAYLOAD = "a\x1b]52;c;eA==\x07\x9b2J\u202eb\u00ad\u200b\ufeff\U000e0041z"
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("ab …王é👨‍👩❤\ufe0f\u0301")), max_size=30)


def test_a_clean_line_is_passed_on_as_the_same_list() -> None:
    line = [Segment("plain"), Segment("│ 王小明 👨‍👩‍👧 é │", Style(bold=True)), Segment("")]
    assert SafeText().apply(line, BLACK) is line


def test_only_the_unsafe_segment_is_rewritten_and_keeps_its_style() -> None:
    clean, style = Segment("clean"), Style(bold=True)
    line = SafeText().apply([clean, Segment(f"{PAYLOAD}\n\t", style)], BLACK)
    assert line[0] is clean
    assert line[1] == Segment("a]52;c;eA==2Jb z", style)


def test_control_codes_of_textual_itself_are_passed_on() -> None:
    line = [Segment("\x1b[H", None, [(ControlType.HOME,)])]
    assert SafeText().apply(line, BLACK) is line


@given(st.text(st.characters(codec=None), max_size=30))
@example(PAYLOAD)
@example("\ud800\ufffe")
def test_nothing_unsafe_survives_and_the_width_stays(text: str) -> None:
    (segment,) = SafeText().apply([Segment(text)], BLACK)
    assert not re.search(UNSAFE, segment.text)
    if "\u200d" not in text:  # after a joiner Rich does not count the next character
        assert cell_len(segment.text) == cell_len(text)


class Hostile(App[None]):
    """Holds the payload in widgets that do not ask ``plain``."""

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), SafeText()]

    def compose(self) -> ComposeResult:
        yield Static(PAYLOAD, markup=False)
        yield Input(PAYLOAD)
        yield TextArea(PAYLOAD)


async def test_no_widget_of_an_app_lets_a_payload_through() -> None:
    app = Hostile()
    async with app.run_test() as pilot:
        await pilot.pause()
        rows = [strip.text for strip in app.screen._compositor.render_strips()]
    assert sum("]52;c;eA==" in row for row in rows) == 3
    assert not [row for row in rows if re.search(UNSAFE, row)]


@pytest.mark.parametrize("text", ["A[red]B[/red]", "[@click=app.quit]x[/]", "[/]", "\\[b]"])
def test_plain_text_is_never_markup(text: str) -> None:
    content = plain(text)
    assert content.plain == text
    assert content.spans == []


def test_plain_text_is_visible() -> None:
    assert plain(PAYLOAD).plain == sanitize(PAYLOAD)


@pytest.mark.parametrize(
    ("text", "cells", "fitted"),
    [
        ("Draft", 5, "Draft"),
        ("Draft the brief", 5, "Draf…"),
        ("Draft the brief", 7, "Draft…"),
        ("Draft", 1, "…"),
        ("Draft", 0, ""),
        ("Draft", -3, ""),
        ("王小明", 6, "王小明"),
        ("王小明", 5, "王小…"),
        ("王小明", 4, "王…"),
        ("王小明", 2, "…"),
        ("👨‍👩‍👧 family", 4, "👨‍👩‍👧…"),
        ("e\u0301te\u0301", 2, "e\u0301…"),
        ("", 3, ""),
    ],
)
def test_text_is_cut_by_cells(text: str, cells: int, fitted: str) -> None:
    assert fit(text, cells) == fitted


def test_text_is_padded_to_the_cell() -> None:
    assert [fit(text, 5, pad=True) for text in ("ab", "王", "王小明", "Draft it")] == [
        "ab   ",
        "王   ",
        "王小…",
        "Draf…",
    ]
    assert fit("王小明", 4, pad=True) == "王… "
    assert fit("Draft", 3, mark="~") == "Dr~"


@given(TEXTS, st.integers(0, 40))
def test_a_fitted_text_never_takes_more_cells_than_it_is_given(text: str, cells: int) -> None:
    shown = sanitize(text).replace("\n", " ")
    assert cell_len(fit(shown, cells)) <= cells
    assert cell_len(fit(shown, cells, pad=True)) == cells
    if cell_len(shown) <= cells:
        assert fit(shown, cells) == shown


def test_an_unsafe_character_before_the_tags_is_one_that_python_cannot_print() -> None:
    printable = "".join(filter(str.isprintable, map(chr, range(ord(FIRST_TAG)))))
    assert re.search(UNSAFE, printable) is None
    assert re.search(UNSAFE, FIRST_TAG)
