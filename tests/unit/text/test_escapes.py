"""Esc, and sequences that begin with it, wherever a line cuts them: nothing else tests what Esc waits for."""

from __future__ import annotations

import pytest
from textual import events

from tests.unit.text.conftest import Clock
from tui.terminal.escapes import HERE, OVER_SSH, REST, SOON, EscapeAndKey, find_escape_delay
from tui.terminal.pastes import PasteParser

SEQUENCES = {
    "xterm": ("\x1b[A", "\x1b[1;5C", "\x1b[15;2~", "\x1bOP", "\x1b[H", "\x1b[Z", "\x1b[<0;10;20M", "\x1b[I"),
    "kitty": ("\x1b[27u", "\x1b[106;5u", "\x1b[97;3u", "\x1b[1;2A", "\x1b[57399;129u"),
    "tmux": ("\x1b[1~", "\x1b[4~", "\x1b[5~", "\x1bOH", "\x1bOF", "\x1bOA"),
    "Linux console": ("\x1b[[A", "\x1b[[E", "\x1b[17~", "\x1b[1~", "\x1b[P"),
    "PuTTY": ("\x1b[11~", "\x1b[14~", "\x1bOD", "\x1b[D", "\x1bOC"),
}
"""What they send for keys, for the mouse, and when they get the focus."""


def read(parser: PasteParser, data: str) -> list[str]:
    """The messages of one read, with those that a wait has made due: keys by name, others by their class."""
    found = []
    for message in [*(parser.feed(data) if data else ()), *parser.tick()]:
        if isinstance(message, EscapeAndKey):
            found.append("+".join(key.key for key in message.keys))
        else:
            found.append(message.key if isinstance(message, events.Key) else type(message).__name__)
    return found


def parser_with(delay: float) -> PasteParser:
    parser = PasteParser()
    parser.escape_delay = delay
    return parser


@pytest.mark.parametrize(("delay", "gap"), [(HERE, 0.01), (OVER_SSH, 0.03)], ids=["here", "over SSH"])
@pytest.mark.parametrize("terminal", SEQUENCES)
def test_a_sequence_that_is_cut_at_any_byte_is_the_same_key(
    clock: Clock, terminal: str, delay: float, gap: float
) -> None:
    for sequence in SEQUENCES[terminal]:
        whole = read(parser_with(delay), f"a{sequence}b")
        assert len(whole) == 3, sequence
        assert (whole[0], whole[-1]) == ("a", "b")
        for at in range(1, len(sequence)):
            parser = parser_with(delay)
            found = read(parser, f"a{sequence[:at]}")
            clock.now += gap if at == 1 else REST - 0.01
            assert found + read(parser, "") + read(parser, f"{sequence[at:]}b") == whole, (sequence, at)


@pytest.mark.parametrize(("delay", "most"), [(HERE, 0.02), (OVER_SSH, 0.05)], ids=["here", "over SSH"])
def test_esc_is_a_key_when_nothing_follows_it_in_time(clock: Clock, delay: float, most: float) -> None:
    parser = parser_with(delay)
    assert read(parser, "j\x1b") == ["j"]
    assert 0 < parser.seconds_left <= most
    clock.now += parser.seconds_left
    assert read(parser, "") == ["escape"]
    clock.now += 2 * SOON
    assert read(parser, "[B") == ["left_square_bracket", "B"]
    assert parser.seconds_left == float("inf")


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("\x1bj", ["escape+j"]),
        ("\x1bjk", ["escape+j", "k"]),
        ("\x1b\x1bj", ["escape", "escape+j"]),
        ("\x1bé", ["escape+é"]),
        ("\x1b\r", ["escape+enter"]),
        ("\x1b\\to", ["escape+backslash", "t", "o"]),
        ("\x1b[\r", ["escape+left_square_bracket", "enter"]),
        ("\x1b\x1b[A", ["escape", "up"]),
        ("\x1b]j", ["escape+right_square_bracket", "j"]),
        ("\x1b[j", ["escape+left_square_bracket", "j"]),
        ("\x1bPjj", ["escape+P", "j", "j"]),
    ],
)
def test_esc_and_keys_that_one_read_brings_are_these_keys(clock: Clock, typed: str, keys: list[str]) -> None:
    assert read(PasteParser(), typed) == keys


@pytest.mark.parametrize("second", "[]OPX_^")
def test_what_can_begin_a_sequence_is_a_key_after_a_wait(clock: Clock, second: str) -> None:
    parser = PasteParser()
    assert read(parser, f"\x1b{second}") == []
    found = []
    for _ in range(2):  # an answer of the terminal about its background can begin so too
        clock.now += REST
        found += read(parser, "")
    assert found == [f"escape+{''.join(read(PasteParser(), second))}"]


UNKNOWN = {
    "no key": "\x1b[99;9z",
    "kitty's flags": "\x1b[?1u",
    "the end of a key": "\x1b[106;1:3u",
    "no character": "\x1b[9999999;1u",
    "no text": "\x1b[97;1;99999999u",
    "a long answer": "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c",
    "a very long one": f"\x1b[{'1;' * 2500}m",
    "a name": "\x1bP>|XTerm(390)\x1b\\",
    "a clipboard": "\x1b]52;c;aWQ=\x07",
    "a picture": "\x1b_Gi=1;OK\x1b\\",
    "a long string": f"\x1bP1{'d' * 5000}\x1b\\",
}
"""Sequences that some terminals send, and that nobody asked for."""


@pytest.mark.parametrize("unknown", UNKNOWN.values(), ids=UNKNOWN)
def test_the_keys_in_a_sequence_that_nobody_knows_are_never_typed(clock: Clock, unknown: str) -> None:
    for at in range(2, len(unknown), 1 + len(unknown) // 40):
        parser = PasteParser()
        assert read(parser, unknown[:at]) + read(parser, f"{unknown[at:]}d") == ["d"], at
    parser = PasteParser()
    assert read(parser, "\x1b[<35;1") == []
    clock.now += REST
    assert read(parser, "") + read(parser, "d") == ["d"]


def test_a_sequence_whose_esc_came_too_early_types_nothing(clock: Clock) -> None:
    for rest, found in (("[<35;10;20M", []), ("[1;5C", []), ("[200~d\x1b[201~", ["Paste"])):
        parser = PasteParser()
        assert read(parser, "\x1b") == []
        clock.now += HERE
        assert read(parser, "") == ["escape"]
        assert read(parser, f"{rest}j") == [*found, "j"]
        clock.now += REST


@pytest.mark.parametrize(("pause", "is_typed"), [(0.0, False), (0.09, False), (0.11, True)])
@pytest.mark.parametrize("rest", ["[A", "[D", "[H", "[Z", "OP", "OS"])
def test_the_rest_of_an_arrow_that_is_read_alone_soon_after_its_esc_types_nothing(
    clock: Clock, rest: str, pause: float, is_typed: bool
) -> None:
    parser = PasteParser()
    assert read(parser, "\x1b") == []
    clock.now += HERE
    assert read(parser, "") == ["escape"]
    clock.now += pause
    assert len(read(parser, rest)) == (2 if is_typed else 0)
    assert read(parser, "[") == ["left_square_bracket"], "typed on its own"


def test_a_report_of_the_mouse_after_a_size_without_pixels_does_no_harm(clock: Clock) -> None:
    parser = PasteParser()
    assert read(parser, "\x1b[48;40;120;0;0t\x1b[<0;5;5Mj") == ["Resize", "j"]
    assert read(parser, "\x1b[<0;5;5Mj") == ["MouseDown", "j"]


def test_alt_with_a_key_is_meant_only_where_it_is_bound() -> None:
    (message,) = PasteParser().feed("\x1bx")
    assert isinstance(message, EscapeAndKey)
    assert [key.key for key in message.choose({"alt+x"})] == ["alt+x"]
    assert [key.key for key in message.choose({"x", "escape"})] == ["escape", "x"]
    (message,) = PasteParser().feed("\x1bf")
    assert isinstance(message, EscapeAndKey)
    assert [key.key for key in message.choose({"ctrl+right"})] == ["ctrl+right"]


def test_esc_waits_longer_over_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    assert find_escape_delay() == HERE
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
    assert find_escape_delay() == OVER_SSH
