"""Short names of people: first names where they fit, else initials, and one readable colour for each person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from textual.theme import Theme

from tui.drawing.people import PersonColours, Team, first_names
from tui.drawing.rows import cells
from tui.drawing.styles import PERSON_ROLES, TextRole
from tui.drawing.theme import DARK, LIGHT, person_variables

NAMES = {
    "u1": "Hanna Lindqvist",
    "u2": "Bob Lind",
    "u3": "Mei 陳",
    "u4": "王小明",
    "u5": "Hanna Moe",
    "u6": "Wilhelmine-Charlotte Fürstenberg",
}


def said(user_ids: list[str], room: int, me: str = "") -> str:
    return "".join(text for text, _ in Team(NAMES, me).words(user_ids, room))


@pytest.mark.parametrize(
    ("user_ids", "room", "words"),
    [
        (["u2"], 20, "Bob"),
        (["u2"], 3, "Bob"),
        (["u2"], 2, "BL"),
        (["u2"], 1, ""),
        (["u2", "u3"], 20, "Bob, Mei 陳"),
        (["u2", "u3"], 10, "Bob +1"),
        (["u2", "u3"], 5, "BL 陳"),
        (["u2", "u3"], 4, ""),
        (["u1", "u2", "u3", "u4"], 20, "Hanna L +3"),
        (["u1", "u2", "u3", "u4"], 8, "HL BL +2"),
        (["u1", "u2", "u3", "u4"], 7, "HL +3"),
        (["u4"], 6, "王小明"),
        (["u4"], 5, "王"),
        (["u1", "u5"], 20, "Hanna L, Hanna M"),
        (["u6"], 30, "Wilhelmine-Ch…"),
        (["gone", "u2"], 20, "Bob"),
        ([], 20, ""),
    ],
)
def test_people_are_named_as_fully_as_fits(user_ids: list[str], room: int, words: str) -> None:
    assert said(user_ids, room) == words


def test_i_come_first_in_the_accent() -> None:
    assert said(["u2", "u3"], 8, "u3") == "陳 BL"
    assert said(["u1", "u2", "u3", "u4"], 9, "u3") == "Mei 陳 +3"
    words = Team(NAMES, "u3").words(["u2", "u3"], 20)
    assert words[0] == ("Mei 陳", TextRole.ACCENT)
    assert words[-1][1] is Team(NAMES, "u3").colours.role("u2") is not TextRole.ACCENT


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.text(max_size=40), max_size=6), st.integers(0, 60))
def test_no_name_takes_more_than_its_room(names: dict[str, str], room: int) -> None:
    words = Team(names).words(list(names), room)
    assert cells(words) <= room
    assert all("\n" not in text and "\x1b" not in text for text, _ in words)


def test_the_letters_tell_two_people_of_the_same_first_name_apart() -> None:
    short = first_names(NAMES)
    assert (short["u1"], short["u5"], short["u2"]) == ("Hanna L", "Hanna M", "Bob")


def test_a_person_has_the_same_colour_in_words_and_in_content_and_in_every_process() -> None:
    colours = PersonColours()
    assert colours.role("01J0000000000000000000BOB") is TextRole.PERSON_2
    assert colours.style("01J0000000000000000000BOB") == "$person-2"
    found = {colours.role(f"user{number}") for number in range(100)}
    assert found == set(PERSON_ROLES)


@given(st.sets(st.text(min_size=1, max_size=6), max_size=14), st.text(max_size=2))
def test_two_people_share_a_colour_only_when_none_is_left(ids: set[str], me: str) -> None:
    colours = PersonColours(ids, me)
    others = sorted(ids - {me})
    found = [colours.role(each) for each in others]
    assert len({*found}) == min(len(others), len(PERSON_ROLES))
    assert [PersonColours(reversed(others), me).role(each) for each in others] == found, "in any order"
    assert colours.role(me) is TextRole.ACCENT


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_every_colour_is_readable_on_a_card_and_under_the_cursor(theme: Theme) -> None:
    ground, primary = theme.background, theme.primary
    assert ground is not None
    assert primary is not None
    for colour in person_variables(dark=theme.dark).values():
        assert contrast(colour, ground) >= 4.5
        assert contrast(colour, mixed(primary, ground, 0.28)) >= 3


def contrast(one: str, other: str) -> float:
    """The contrast of two colours (WCAG 2.1, 1.4.3)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [part / 255 for part in Color.parse(colour).triplet or ()]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(one: str, other: str, share: float) -> str:
    pairs = zip(Color.parse(one).triplet or (), Color.parse(other).triplet or (), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)
