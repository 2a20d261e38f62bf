"""A bracketed paste is one text, whatever is in it and in however many pieces it is read."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from textual import events
from textual.drivers import web_driver
from textual.drivers.web_driver import WebDriver
from textual.message import Message

from tui.terminal import pastes
from tui.terminal.pastes import MAX_COUNT, PAUSE, BrowserParser, PasteParser, in_one_line, read_with_our_parser

START, END = "\x1b[200~", "\x1b[201~"
COLOURED = "first \x1b[31msecond\r\x1b[0mthird"


def typed(messages: Iterable[Message]) -> list[str]:
    """Pastes as their text in quotation marks, keys by their name."""
    found = []
    for message in messages:
        assert isinstance(message, events.Key | events.Paste), message
        found.append(message.key if isinstance(message, events.Key) else f"“{message.text}”")
    return found


def read(*pieces: str) -> list[str]:
    parser = PasteParser()
    return [each for piece in pieces for each in typed([*parser.feed(piece), *parser.tick()])]


def test_a_paste_in_colours_is_one_text_between_the_keys_around_it() -> None:
    assert read(f"a{START}{COLOURED}{END}b") == ["a", "“first second\rthird”", "b"]


def test_it_is_the_same_wherever_its_input_is_cut_in_two() -> None:
    whole = f"a{START}{COLOURED}{END}b{START}c{END}\x1b[Bd"
    for at in range(1, len(whole)):
        assert read(whole[:at], whole[at:]) == ["a", "“first second\rthird”", "b", "“c”", "down", "d"], at


def test_it_is_the_same_when_each_character_is_read_alone() -> None:
    assert read(*f"a{START}{COLOURED}{END}b") == ["a", "“first second\rthird”", "b"]


@pytest.mark.parametrize(
    ("sequence", "left"),
    [
        ("\x1b[38;5;196m", ""),
        ("\x1b[?25l", ""),
        ("\x1b[A", ""),
        ("\x1b[200~", ""),
        ("\x1b]0;a title\x07", ""),
        ("\x1b]8;;https://example.com\x1b\\", ""),
        ("\x1bP1$r0m\x1b\\", ""),
        ("\x1b(B", ""),
        ("\x1b7", ""),
        ("\x1b", ""),
        ("\x1b\x1b[31m", ""),
        ("\x1b]no end", "no end"),
        ("\x1b[31", "31"),
        ("\0", ""),
        ("\x07", "\x07"),
    ],
)
def test_escape_sequences_in_a_paste_are_left_out_and_nothing_else(sequence: str, left: str) -> None:
    assert read(f"{START}x{sequence}ädd{END}y") == [f"“x{left}ädd”", "y"]
    assert read(f"{START}x{sequence}{END}y") == [f"“x{left}”", "y"]


def test_a_paste_that_is_too_long_is_cut_and_still_one() -> None:
    pieces = ["d" * 4096] * (MAX_COUNT // 4096 + 3)
    for cut in range(len(END)):
        assert read(START, *pieces, "d" * 7 + END[:cut], END[cut:] + "q") == [f"“{'d' * MAX_COUNT}”", "q"]


def test_a_paste_whose_end_was_lost_is_over_after_some_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(pastes, "monotonic", lambda: now)
    parser = PasteParser()
    assert typed(parser.feed(f"{START}some ")) == []
    now += PAUSE - 1
    assert typed([*parser.tick(), *parser.feed("words\x1b[20")]) == []
    now += PAUSE - 1
    assert typed(parser.tick()) == []
    now += 1
    assert typed(parser.tick()) == ["“some words20”"]
    assert typed([*parser.tick(), *parser.feed("q")]) == ["q"]


def test_the_driver_of_browsers_reads_with_it_and_waits_for_nothing_after_esc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.drivers.web_driver.XTermParser", None)
    read_with_our_parser(WebDriver)
    assert vars(web_driver)["XTermParser"] is BrowserParser
    parser = BrowserParser()
    assert typed([*parser.feed("\x1b"), *parser.tick()]) == ["escape"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one", "one"),
        (" one \r", " one "),
        ("one\rtwo\n", "one two"),
        ("one\r\ntwo\u2028three", "one two three"),
        ("", ""),
    ],
)
def test_line_breaks_become_spaces_in_one_line(text: str, line: str) -> None:
    assert in_one_line(text) == line
