"""Texts with Markdown as lines: what each sign becomes, and that no text breaks, hides or slows anything."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.text.sanitize import UNSAFE
from tests.docs.test_conventions import imported_by
from tests.support.sweeps import sweep
from tui.drawing.markdown.blocks import AS_PLAIN_TEXT, MAX_LENGTH, Link, SpanStyle, links_of
from tui.drawing.markdown.boxes import boxes_of, tick_boxes
from tui.drawing.markdown.lines import markdown_lines

HOSTILE = {
    "markup": "[/test] [red]x[/] [@click=app.bell]b[/ **[/]**",
    "escapes": "\x1b]0;title\x07 **\x1b[2J** `\x9b31m` [a](https://example.com/\x1b[31m)",
    "entities": "&#27;[31m &#x1b;]8;; &#x202e;gnp.exe &#0; &#10;two &NewLine; &zwnj; &shy; <\u2028>",
    "direction": "**\u202eabc\u2066** שלום *עולם* مرحبا [\u200fbrief](https://example.com)",
    "nothing to see": "a\u200bb\u2060 *\u00ad* `\ufeff` **\u200d**",
    "accents": "*e" + "\u0301" * 30 + "* **" + "\u0301" * 9 + "**",
    "wide": "漢字の**太字**は" * 40 + " 👩\u200d👩\u200d👧 *☺*\ufe0f" * 30,
    "one long line": "x" * 1_000_000,
    "many words": "**word** " * 120_000,
    "quotes": "> " * 10_000 + "deep",
    "lists": "\n".join("  " * depth + "- a" for depth in range(200)),
    "brackets": "![" * 10_000,
    "asterisks": "*a **b " * 3_000,
    "links": "[a](" * 5_000,
    "backticks": "".join("`" * size + " " for size in range(190)),
    "items": "- a\n" * 5_000,
    "a long number": "9" * 9 + ". one\n" + "9" * 9_000 + ". two",
    "brackets after a link": "http://a.b/" + ")" * 19_000,
    "links in quotes": ">[http://a.b" * 900,
    "few signs": "![" * 490,
    "unclosed": "```\nnever **closed**\n- [ ] not a box",
    "references": "\n".join(f"[a{number}]: /x" for number in range(500)) + "\n[a1] [a2]",
}


def drawn(text: str, width: int = 60, *, ascii_only: bool = False) -> list[str]:
    return ["".join(part for part, _ in line) for line in markdown_lines(text, width, ascii_only)]


def marks(text: str, words: str) -> SpanStyle:
    """The marks of the span with these words."""
    return next(mark for line in markdown_lines(text, 60) for part, mark in line if words in part)


def check(text: str, width: int) -> None:
    """Draw a text, and check that nothing in its lines controls, reverses or hides, and that each fits."""
    for ascii_only in (False, True):
        for line in drawn(text, width, ascii_only=ascii_only):
            assert re.search(UNSAFE, line) is None, repr(line)
            assert cell_len(line) <= max(2, width), repr(line)


def test_signs_become_looks() -> None:
    text = "# Plan\nSome *soft*, **strong**, ~~gone~~ and `code`"
    assert drawn(text) == ["Plan", "Some soft, strong, gone and `code`"]
    assert marks(text, "Plan") == SpanStyle.HEADING
    assert marks(text, "soft") == SpanStyle.EMPHASIS
    assert marks(text, "strong") == SpanStyle.STRONG
    assert marks(text, "gone") == SpanStyle.STRUCK
    assert marks(text, "code") == SpanStyle.CODE


def test_lists_are_wrapped_below_their_own_text() -> None:
    text = "- call the printer in Lagos\n  1. before nine\n- [ ] pay\n- [x] sign"
    assert drawn(text, 16) == ["• call the", "  printer in", "  Lagos", "  1. before nine", "□ pay", "■ sign"]
    assert drawn(text, 40, ascii_only=True)[-2:] == ["[ ] pay", "[x] sign"]
    assert marks(text, "sign") == SpanStyle.QUIET


def test_quotes_code_and_rules_have_lines_of_their_own() -> None:
    text = "> said\n> > before\n\n```\n  two  blanks\n```\n---"
    assert drawn(text, 20) == ["▌ said", "▌ ▌ before", "", "│   two  blanks", "─" * 20]
    assert drawn(text, 20, ascii_only=True) == ["> said", "> > before", "", "|   two  blanks", "-" * 20]


def test_lines_and_empty_lines_stay_where_they_were_typed() -> None:
    assert drawn("one\ntwo *x*\n\n\nthree") == ["one", "two x", "", "three"]
    assert drawn("no signs\n  at all\n\nhere") == ["no signs", "  at all", "", "here"]


def test_a_link_shows_its_host_so_that_no_words_hide_it() -> None:
    text = "[your bank](https://evil.example/x) and https://example.com/a_b_c). <https://example.org>"
    assert drawn(text, 99) == ["your bank (evil.example) and https://example.com/a_b_c). https://example.org"]
    assert links_of(text, "again https://example.org/ and https://example.org") == [
        Link("your bank", "https://evil.example/x"),
        Link("https://example.com/a_b_c", "https://example.com/a_b_c"),
        Link("https://example.org", "https://example.org"),
        Link("https://example.org/", "https://example.org/"),
    ]


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "file:///etc/passwd", "b.md", "https://me:secret@x.de", "//x"]
)
def test_a_link_to_anything_but_the_web_is_only_words(target: str) -> None:
    assert links_of(f"[a]({target}) ![b]({target})") == []
    assert target.rpartition(":")[2] in drawn(f"[a]({target})", 99)[0]


def test_an_image_is_a_link_and_is_not_loaded() -> None:
    assert drawn("![a plan](https://example.com/a.png)") == ["a plan (example.com)"]
    assert links_of("![a plan](https://example.com/a.png)") == [Link("a plan", "https://example.com/a.png")]


def test_html_and_markup_are_only_text() -> None:
    assert drawn("<b>bold</b> [/test] [red]x[/] `[/]`") == ["<b>bold</b> [/test] [red]x[/] `[/]`"]


def test_a_mention_looks_like_a_mention() -> None:
    assert drawn("@bob and @bob_lind_x and @*ann*") == ["@bob and @bob_lind_x and @ann"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", sweep([1, 2, 7, 40, 200], lambda width: width in (2, 40)))
def test_no_text_breaks_or_controls_the_screen(name: str, width: int) -> None:
    check(HOSTILE[name], width)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_is_slow(name: str) -> None:
    """It would take twelve seconds for some; this leaves room for a busy machine."""
    markdown_lines.cache_clear()
    begun = time.process_time()
    markdown_lines(HOSTILE[name], 60)
    assert time.process_time() - begun < 3


def test_what_is_too_much_is_plain_text_that_says_so() -> None:
    for text, why in (
        ("![" * 600, "it has more than 1,000 signs such as * and ["),
        ("- a\n" * 700, "it has 600 lines or more"),
        ("\n".join("  " * depth + "- a" for depth in range(60)), "its lists or quotes are nested too deeply"),
        ("*a* " * 6_000, "it has more than 20,000 characters"),
    ):
        assert AS_PLAIN_TEXT.format(why) in drawn(text, 30_000)[-2:]
    assert drawn("x" * (MAX_LENGTH + 1500), MAX_LENGTH)[-1] == "… 1,500 more characters are not shown."
    assert drawn("> " * 30 + "deep", 200) == ["▌ " * 30 + "deep"]


@given(text=st.text(max_size=400), width=st.integers(1, 90))
def test_any_text_fits_and_is_safe(text: str, width: int) -> None:
    check(text, width)


PIECES = st.sampled_from(
    ["- ", "[ ] ", "[x] ", "> ", "# ", "1. ", "```", "`", "*", "**", "~~", "[a](", "https://x.de/é", ")", "\n", "\n\n",
     "  ", "word", "漢字", "e\u0301", "👩\u200d👧", "☺\ufe0f", "\u202e", "\x1b[2J", "\t", "\r\n", "&#27;", "&lt;", "\\",
     "<b>", "@bob", "---\n"]
)  # fmt: skip


@given(text=st.lists(PIECES, max_size=60).map("".join), width=st.integers(1, 90))
def test_any_markdown_fits_and_is_safe(text: str, width: int) -> None:
    check(text, width)


@given(text=st.lists(PIECES, max_size=60).map("".join))
def test_ticking_changes_the_mark_of_a_box_and_nothing_else(text: str) -> None:
    boxes = boxes_of(text)
    assert tick_boxes(text, [box.line for box in boxes if box.is_ticked]) == text
    for box in boxes:
        done = {each.line for each in boxes if each.is_ticked} ^ {box.line}
        changed = tick_boxes(text, done)
        assert [each.is_ticked for each in boxes_of(changed)] == [each.line in done for each in boxes]
        assert sum(old != new for old, new in zip(text, changed, strict=True)) == 1


def test_only_what_is_drawn_as_a_box_can_be_ticked() -> None:
    text = "- [ ] one\n  - [X] two\n1. [ ] three\n> - [x] four\n```\n- [ ] code\n```\n[ ] no item\n- [ ]\n- [x](https://x.de)"
    assert [(box.line, box.is_ticked, box.words) for box in boxes_of(text)] == [
        (0, False, "one"),
        (1, True, "two"),
        (2, False, "three"),
        (3, True, "four"),
    ]
    assert tick_boxes(text, {0, 3}).split("\n")[:4] == ["- [x] one", "  - [ ] two", "1. [ ] three", "> - [x] four"]


def test_a_text_without_signs_does_not_import_markdown() -> None:
    """Nor does the first paint of the Canvas."""
    lazily = imported_by("tui.start", "tui.screens.canvas.screen", "tui.drawing.markdown.styles")
    assert not any(name.startswith("markdown_it") for name in lazily)
