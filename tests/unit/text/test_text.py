"""Valid user input, and the conversion of text from other sources."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.errors import InvalidInput
from core.text.sanitize import (
    MAX_COMBINING,
    UNSAFE,
    email,
    first_unsafe_index,
    initials,
    is_plain,
    link,
    login,
    many_lines,
    one_line,
    sanitize,
)

NASTY = st.sampled_from(
    [
        *map(chr, (0, 7, 9, 10, 13, 27, 0x7F, 0x85, 0x9B, 0xAD, 0x61C, 0x180E, 0x200B, 0x202E, 0x2066)),
        *map(chr, (0xD800, 0xFDD0, 0xFEFF, 0xFFF9, 0xFFFF, 0x1FFFE, 0x10FFFF, 0xE0041, 0xE0100)),
        *map(chr, (0x200C, 0x200D, 0x301, 0x323, 0x344, 0x958, 0x1F82, 0x20E3, 0xFE0F, 0x3164, 0x1F468)),
    ]
)
ANY_TEXT = st.text(st.one_of(st.characters(codec=None), NASTY, st.sampled_from("ab \n王é")), max_size=40)

REFUSED = [
    *(f"{c:04X}" for c in (0x00, 0x07, 0x0B, 0x1B, 0x7F, 0x80, 0x9B, 0x9D, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E)),
    *(f"{c:04X}" for c in (0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x206F, 0xFEFF, 0xFFF9, 0xFFFB)),
    *(f"{c:04X}" for c in (0xD800, 0xDFFF, 0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0xE0000, 0xE0FFF)),
]

GOOD = [
    "Résumé über naïve Œuvre",
    "王小明 山田太郎 김민수",
    "می‌خواهم",  # ZWNJ inside a Persian word
    "10‌ها",
    "ශ්‍රී ලංකා",  # ZWJ inside a Sinhala word
    "👨‍👩‍👧 🏳️‍🌈 🙂‍↔️ 👩🏽‍💻 1️⃣",
    "လျှို့ဝှက်",  # Burmese: five signs on one letter, four of them marks without a cell
    "[red]not markup[/red] [@click=app.quit]",
    "50 % – «ok» & <b>",
]


def refusal(accept: Callable[..., object]) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        accept()
    return caught.value


@pytest.mark.parametrize("code", REFUSED)
def test_a_character_that_cannot_be_shown_is_refused_by_name(code: str) -> None:
    for accept in (one_line, many_lines):
        error = refusal(lambda accept=accept: accept(f"a{chr(int(code, 16))}b", "title"))
        assert str(error) == f"The character U+{code} in the title, after “a”, cannot be shown. Remove it."
        assert error.field == "title"


def test_the_place_of_an_invisible_character_is_named() -> None:
    told = str(refusal(lambda: one_line("Ask the printer for a  new\u200bproof", "title")))
    assert "after “he printer for a new”" in told
    assert "in the title, at the beginning, cannot" in str(refusal(lambda: many_lines("\ufeffA list", "title")))
    assert first_unsafe_index("a\tb\r\nc\u200bd\u200b") == 6
    assert first_unsafe_index("Nothing hides here") is None


@pytest.mark.parametrize("text", GOOD)
def test_the_writing_of_the_world_is_accepted_as_it_is(text: str) -> None:
    normal = unicodedata.normalize("NFC", text)
    assert one_line(text, "title") == many_lines(text, "text") == sanitize(normal) == normal


@given(ANY_TEXT)
def test_what_is_accepted_is_safe_normal_and_accepted_again(text: str) -> None:
    try:
        line = one_line(text, "title", empty=True)
    except InvalidInput:
        return
    assert not re.search(UNSAFE, line)
    assert unicodedata.is_normalized("NFC", line)
    assert line == line.strip()
    assert one_line(line, "title", empty=True) == line == sanitize(line)


@given(ANY_TEXT)
def test_lines_are_kept_and_accepted_again(text: str) -> None:
    try:
        lines = many_lines(text, "text")
    except InvalidInput:
        return
    assert not re.search(UNSAFE, lines.replace("\n", ""))
    assert many_lines(lines, "text") == lines == sanitize(lines)


@given(ANY_TEXT)
@example("\tfour\r\nlines")
@example("́" * 9)
def test_what_is_visible_is_safe_whatever_came(text: str) -> None:
    shown = sanitize(text)
    assert not re.search(UNSAFE, shown.replace("\n", ""))
    assert sanitize(shown) == shown
    assert shown.count("\n") == text.count("\n")
    assert not re.search("[\u0300-\u036f]{5}", shown)


def test_every_unsafe_character_is_covered_and_a_tab_is_a_space() -> None:
    assert sanitize("a\x1b]52;c;eA==\x07b\u202e\ud800\tc\nd") == "a\ufffd]52;c;eA==\ufffdb\ufffd\ufffd c\nd"


def test_space_is_folded_in_a_line_and_kept_in_a_text() -> None:
    assert one_line("  one\t\ttwo\r\nthree  ", "title") == "one two three"
    assert many_lines("a\tb\r\n- c\rd\n", "text") == "a   b\n- c\nd"


@pytest.mark.parametrize("text", ["", "  ", "\n\t", "\u00a0\u3000", "\u3164", "\u2800", "\ufe0f"])
def test_a_title_that_shows_nothing_is_empty(text: str) -> None:
    assert str(refusal(lambda: one_line(text, "name"))).startswith("Enter a name.")
    assert one_line(text, "name", empty=True) == many_lines(text, "text") == ""


IGNORABLE = (
    "00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 FFF0-FFF8"
    " 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)
"""Default_Ignorable_Code_Point of Unicode 15.1 (DerivedCoreProperties.txt): what draws nothing by itself."""

BLANK_TOO = "2800 1107F 16FE4 1D159"
"""Drawn as empty cells although they are letters, marks or signs."""


def code_points(ranges: str) -> list[str]:
    ends = ([int(end, 16) for end in each.split("-")] for each in ranges.split())
    return [chr(code) for each in ends for code in range(each[0], each[-1] + 1)]


def test_no_code_point_that_draws_nothing_makes_two_names_look_alike() -> None:
    """Each is refused inside a name, at its end and beside another mark, or folded to what can be seen."""
    formats = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]
    accepted = []
    for blank in {*code_points(IGNORABLE), *code_points(BLANK_TOO), *formats}:
        for name in (f"Ma{blank}ya", f"Maya{blank}", f"{blank}Maya", f"Ma\u0301{blank}ya", f"Мая {blank} 王{blank}明"):
            try:
                accepted.append(ascii(one_line(name, "name")))
            except InvalidInput:
                continue
    assert accepted == []


def test_every_space_of_unicode_is_folded_in_a_line() -> None:
    spaces = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Zs"]
    assert len(spaces) == 17
    assert {one_line(f"Maya{space}{space} {space}Okafor{space}", "name") for space in spaces} == {"Maya Okafor"}


@pytest.mark.parametrize(
    "name", ["❤\ufe0f", "1\ufe0f\u20e3", "‼\ufe0f", "\u182d\u180b", "👨‍👩‍👧", "می‌خواهم", "PDF\u200cها"]
)
def test_what_chooses_a_picture_or_joins_is_accepted_where_it_is_seen(name: str) -> None:
    assert one_line(name, "name") == name


def test_length_is_counted_after_folding() -> None:
    assert one_line(" " * 8 + "e\u0301" * 5, "name", most=5) == "é" * 5
    error = refusal(lambda: one_line("x" * 6, "name", most=5))
    assert str(error) == "Enter at most 5 characters for the name. This text has 6."


@pytest.mark.parametrize("mark", ["\u0323", "\u0e47", "\u20dd"])
def test_four_marks_on_a_letter_are_accepted_and_five_are_not(mark: str) -> None:
    stack = "x" + mark * MAX_COMBINING
    assert one_line(stack, "name") == sanitize(stack) == sanitize(stack + mark) == stack
    assert "more than 4 marks" in str(refusal(lambda: one_line(stack + mark, "name")))


def test_marks_that_only_appear_by_normalising_count() -> None:
    refusal(lambda: one_line("\u0958" + "\u0323" * 4, "name"))


def test_a_mountain_of_marks_is_refused_at_once() -> None:
    refusal(lambda: one_line("a" + "\u0301\u0323" * 500_000, "name"))  # minutes if it were normalised first


def test_one_more_than_four_of_any_mark_of_unicode_is_refused() -> None:
    marks = (c for c in map(chr, range(0x110000)) if unicodedata.category(c) in ("Mn", "Me"))
    accepted = []
    for mark in marks:
        try:
            accepted.append(ascii(many_lines(f"x{mark * (MAX_COMBINING + 1)}", "text")))
        except InvalidInput:
            continue
    assert accepted == []


def test_no_mark_hides_among_the_letters() -> None:
    """The quick search for stacks passes over word characters."""
    marks = (c for c in map(chr, range(0x110000)) if unicodedata.category(c) in ("Mn", "Me"))
    assert [c for c in marks if re.match(r"[\x00-\u02ff\w]", c)] == []


@pytest.mark.parametrize("text", ["a\u200db", "\u200ca", "王\u200d", "王\u200d\u200d王", "王 \u200d王", "1\u200c2"])
def test_a_joiner_that_joins_nothing_is_refused(text: str) -> None:
    assert "U+200" in str(refusal(lambda: one_line(text, "title")))
    assert "\ufffd" in sanitize(text)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("ann@example.com", "ann@example.com"),
        (" Ann.O'Hara+podium@EXAMPLE.co.uk ", "Ann.O'Hara+podium@example.co.uk"),
        ("jörg@bücher.de", "jörg@bücher.de"),
    ],
)
def test_an_email_is_accepted(typed: str, kept: str) -> None:
    assert email(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ann",
        "ann@",
        "@example.com",
        "ann@example",
        "a b@example.com",
        "a@b@example.com",
        "a..b@example.com",
        "<a@example.com>",
        "a@-example.com",
        "a@example..com",
        "a@example.com\u202e",
        "x" * 250 + "@example.com",
    ],
)
def test_what_is_no_email_is_refused(typed: str) -> None:
    assert refusal(lambda: email(typed)).field == "email"


def test_a_login_is_kept_in_lower_case() -> None:
    assert [login(text) for text in ("Ann", " b.o-b_2 ", "7", "x" * 64)] == ["ann", "b.o-b_2", "7", "x" * 64]


@pytest.mark.parametrize("typed", ["", ".ann", "-ann", "ann berg", "jörg", "\u212aim", "root\n\x00", "x" * 65])
def test_what_is_no_login_is_refused(typed: str) -> None:
    assert refusal(lambda: login(typed)).field == "login"


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "https://example.com",
        "HTTPS://Example.com:8443/a?b=c#d",
        "http://127.0.0.1:80/",
        "http://[::1]:8080/x",
        "https://bücher.de/ü",
    ],
)
def test_a_web_link_is_accepted_as_typed(typed: str) -> None:
    assert link(f" {typed} ") == typed


@pytest.mark.parametrize(
    "typed",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://example.com",
        "//example.com",
        "example.com",
        "--help",
        "https://",
        "https:///path",
        "https://user:pw@example.com",
        "https://good.com@evil.com",
        "https://@evil.com",
        "http://good.com\\@evil.com",
        "http://[::1",
        "http://a:99999/",
        "http://a:b/",
        "http://a b.com",
        "http://./",
        "https://example.com/\x1b[2J",
        "https://ex\u202eample.com",
        "https://a.com/" + "x" * 2000,
    ],
)
def test_any_other_link_is_refused_with_a_sentence(typed: str) -> None:
    error = refusal(lambda: link(typed))
    assert error.field == "link"
    assert str(error).endswith(".")


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Ann Berg", "AB"),
        ("anna maria von berg", "AB"),
        ("Jean-Luc Picard", "JP"),
        ("Madonna", "MA"),
        ("X", "X"),
        ("o'brien", "OB"),
        ("王小明", "王"),
        ("山田 太郎", "山"),
        ("김민수", "김"),
        ("Ann 王", "王"),
        ("e\u0301mile zola", "ÉZ"),
        ("ßen", "ßE"),
        ("3M", "3M"),
        ("", "?"),
        ("👩‍💻 (!)", "?"),
        ("0\N{COUNTING ROD UNIT DIGIT ONE}", "0"),
        ("\N{COUNTING ROD UNIT DIGIT ONE}", "?"),
        ("٣ب", "٣ب"),
    ],
)
def test_initials(name: str, letters: str) -> None:
    assert initials(name) == letters


@given(ANY_TEXT)
def test_initials_are_one_or_two_letters_in_two_cells(name: str) -> None:
    assert 1 <= len(initials(name)) <= 2
    assert cell_len(initials(name)) <= 2


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Größe", "Größe"),
        ("e\u0301t\u00e9", "été"),
        ("\u1112\u1161\u11ab", "한"),
        ("\u212b", "Å"),
        ("a\u00a0 b", "a b"),
    ],
)
def test_letters_are_composed_also_where_no_sign_is_unusual(typed: str, kept: str) -> None:
    assert one_line(typed, "title") == kept
    assert not is_plain(typed) or typed == kept


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\u3164", "\u115f", "\u2028", "\u202e", "a\u0300"])
def test_no_text_with_a_hidden_sign_or_a_mark_is_plain(hidden: str) -> None:
    assert not is_plain(f"Größe {hidden}x")
