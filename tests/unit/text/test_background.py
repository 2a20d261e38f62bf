"""The terminal's answer about its background is one message, wherever its input is cut, and never a key."""

from __future__ import annotations

import pytest
from textual import events

from tests.unit.text.conftest import Clock
from tui.terminal import background
from tui.terminal.background import PAUSE, TerminalBackground, is_light_by_environment, read_answer
from tui.terminal.escapes import REST, EscapeAndKey
from tui.terminal.pastes import PasteParser

BEL, ST = "\x07", "\x1b\\"
LIGHT = "\x1b]11;rgb:ffff/ffff/ffff"


def read(parser: PasteParser, *pieces: str) -> list[str]:
    """Feed pieces as separate reads: keys by name, pastes in quotation marks, answers as "light" and "dark"."""
    found = []
    for piece in pieces:
        for message in [*(parser.feed(piece) if piece else ()), *parser.tick()]:
            if isinstance(message, TerminalBackground):
                found.append("light" if message.is_light else "dark")
            elif isinstance(message, events.Paste):
                found.append(f"“{message.text}”")
            elif isinstance(message, EscapeAndKey):
                found += [key.key for key in message.keys]
            else:
                assert isinstance(message, events.Key), message
                found.append(message.key)
    return found


@pytest.mark.parametrize("end", [BEL, ST], ids=["BEL", "ST"])
def test_an_answer_between_keys_is_the_same_wherever_it_is_cut(clock: Clock, end: str) -> None:
    whole = f"a{LIGHT}{end}b\x1b[Bc"
    for at in range(1, len(whole)):
        assert read(PasteParser(), whole[:at], whole[at:]) == ["a", "light", "b", "down", "c"], at
    assert read(PasteParser(), *whole) == ["a", "light", "b", "down", "c"]


def test_several_answers_are_several_messages(clock: Clock) -> None:
    assert read(PasteParser(), f"{LIGHT}{ST}x\x1b]11;rgb:00/00/00{BEL}{LIGHT}{BEL}") == ["light", "x", "dark", "light"]


def test_an_answer_after_a_paste_and_one_in_a_paste(clock: Clock) -> None:
    whole = f"\x1b[200~to{LIGHT}{ST}ld\x1b[201~\x1b]11;rgb:0/0/0{BEL}d"
    for at in range(1, len(whole)):
        assert read(PasteParser(), whole[:at], whole[at:]) == ["light", "“told”", "dark", "d"], at


def test_escape_alone_is_a_key_after_its_usual_time(clock: Clock) -> None:
    parser = PasteParser()
    assert read(parser, "\x1b") == []
    clock.now += 0.2
    assert read(parser, "") == ["escape"]
    assert read(parser, "]") == ["right_square_bracket"], "without waiting for more"
    assert read(parser, "d") == ["d"]


def test_the_rest_of_an_answer_that_stalls_is_never_a_key(clock: Clock) -> None:
    parser = PasteParser()
    assert read(parser, "\x1b]11;rgb:dd") == []
    clock.now += 3
    assert read(parser, "", "dd/dddd/cccc\x07", "d") == ["light", "d"]


def test_a_key_after_a_whole_answer_without_an_end_is_a_key(clock: Clock) -> None:
    assert read(PasteParser(), "\x1b]11;rgb:0000/0000/0000", "j", "n", "d") == ["dark", "j", "n", "d"]
    assert read(PasteParser(), "\x1b]11;rgb:0000/0000/0000", "d", "j") == ["dark", "d", "j"]


def test_alt_with_a_bracket_is_a_key_after_a_pause(clock: Clock) -> None:
    parser = PasteParser()
    assert read(parser, "\x1b]") == []
    clock.now += PAUSE
    assert read(parser, "") == []
    clock.now += REST
    assert read(parser, "") == ["escape", "right_square_bracket"]


def test_what_begins_like_an_answer_and_is_another_key_is_that_key(clock: Clock) -> None:
    parser = PasteParser()
    assert read(parser, "\x1b]", "1", "x") == []
    clock.now += REST
    assert read(parser, "")[-2:] == ["1", "x"]


def test_an_answer_after_an_escape_that_counted_already_is_no_keys(clock: Clock) -> None:
    parser = PasteParser()
    read(parser, "\x1b")
    clock.now += 0.2
    assert read(parser, "") == ["escape"]
    assert read(parser, f"{LIGHT[1:]}{BEL}d") == ["light", "d"]


def test_an_answer_without_an_end_is_given_up_after_a_pause_and_before_a_key_that_is_no_text(
    clock: Clock,
) -> None:
    parser = PasteParser()
    assert read(parser, "\x1b]11;dd") == []
    clock.now += PAUSE
    assert read(parser, "", "d") == ["d"]
    assert read(parser, "\x1b]11;dd\r") == ["enter"]
    assert read(parser, "\x1b]11;dd\x1b[B") == ["down"]


def test_an_answer_without_bounds_keeps_little(clock: Clock) -> None:
    parser = PasteParser()
    read(parser, "\x1b]11;", *["d" * 4096] * 100)
    assert len(parser._kept) == background.MAX_COUNT
    assert read(parser, f"{BEL}d") == ["d"]


@pytest.mark.parametrize(
    ("text", "is_light"),
    [
        ("rgb:0000/0000/0000", False),
        ("rgb:FFFF/ffff/FfFf", True),
        ("rgb:f/f/f", True),
        ("rgb:fdfd/f6f6/e3e3", True),
        ("rgb:0000/2b2b/3636", False),
        ("rgb:0000/0000/ffff", False),
        ("rgba:fafa/fafa/fafa/ffff", True),
    ],
)
def test_the_lightness_of_a_colour(text: str, is_light: bool) -> None:
    answer = read_answer(text)
    assert answer is not None
    assert answer.is_light is is_light


@pytest.mark.parametrize("text", ["", "?", "white", "rgb:", "rgb:f/f", "rgb:fffff/f/f", "rgb:g/g/g", "rgb:f/f/f\n"])
def test_other_texts_name_no_colour(text: str) -> None:
    assert read_answer(text) is None


@pytest.mark.parametrize(
    ("value", "is_light"),
    [("0;15", True), ("0;7", True), ("0;default;15", True), ("15;0", False), ("15", True), ("", False), ("x;y", False)],
)
def test_the_environment_can_name_a_light_background(
    monkeypatch: pytest.MonkeyPatch, value: str, is_light: bool
) -> None:
    monkeypatch.setenv("COLORFGBG", value)
    assert is_light_by_environment() is is_light
