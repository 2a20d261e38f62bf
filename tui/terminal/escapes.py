"""Esc as a key, and the sequences that begin with the same character (ECMA-48).

Only what follows tells them apart. Textual's input thread looks for it ten times a second, takes Esc and a letter that
arrive together for alt with that letter, and types a sequence that it does not know as keys.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable
from time import monotonic

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._parser import ParseTimeout
from textual._xterm_parser import _MAX_SEQUENCE_SEARCH_THRESHOLD, XTermParser
from textual.message import Message

ESC = "\x1b"

HERE, OVER_SSH = 0.015, 0.04  # as the setting ``escape_delay`` says
"""Seconds after which Esc is a key, if nothing follows it. A line can separate it from the rest of a sequence."""

REST = 0.5
"""Seconds to wait for the rest of a sequence after its first two characters."""

BEGINNINGS = frozenset("[]OPX_^\\")
"""The second character of sequences: of CSI, OSC, SS3, DCS, SOS, APC, PM and ST."""

STRINGS = frozenset("]PX_^")
"""The beginnings of those that end with BEL or ST. A digit or a sign follows, or one of ``STRING_LETTERS``."""

STRING_LETTERS = frozenset("lLG")
"""Titles and icons (xterm), pictures (kitty)."""

LONGEST = 4096
"""Most characters of a sequence that are kept."""

MOST_TYPED = 5
"""Most characters of a string without an end that count as keys."""

X10_MOUSE = "\x1b[M"
"""The beginning of a report of the mouse, of three more characters."""

LATE = re.compile(r"\A\[[<?]?\d[\d;:]*[@-~]")
"""The rest of a sequence with numbers, such as ``[1;5C``, whose ESC came earlier and was taken for a key."""

SOON = 0.1
"""Seconds after such an ESC. Nobody types two keys so fast that one read brings both in this time."""

LATE_KEY = re.compile(r"\A(?:\[[A-DFHZ]|O[A-DFHP-S])\Z")
"""The rest of an arrow, of home, end or shift+tab, or of F1 to F4, read alone."""


def find_escape_delay() -> float:
    """Return the seconds to wait after Esc: more over SSH, where a line can come between Esc and the rest."""
    return OVER_SSH if os.environ.get("SSH_CONNECTION") else HERE


class EscapeAndKey(Message):
    """Esc with a key right behind it, or alt with that key: a terminal sends the same for both."""

    def __init__(self, keys: list[events.Key], with_alt: list[events.Key]) -> None:
        super().__init__()
        self.keys = [events.Key("escape", ESC), *keys]
        self.with_alt = with_alt

    def choose(self, bound: Container[str]) -> list[events.Key]:
        """Return the keys that are meant: alt with the key only where it is bound."""
        return self.with_alt if any(each.key in bound for each in self.with_alt) else self.keys


class EscapeParser(XTermParser):
    """Textual's parser, which gets whole sequences that it can know, and nothing that crashes it.

    Example: ``feed("\\x1bj")`` gives an ``EscapeAndKey`` of escape and ``j``; ``feed("\\x1b")`` gives nothing, and
    ``tick`` gives escape after ``escape_delay`` seconds.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.escape_delay = HERE
        self._sequence = ""
        """The characters so far of a sequence, from its ESC on."""
        self._deadline: float | None = None
        """The time at which what has come of a sequence is none."""
        self._gave_escape = -REST
        """The time at which an ESC became a key because nothing followed it."""
        self._is_string_cut = False
        """True after a string whose end did not come in time."""

    @property
    def seconds_left(self) -> float:
        """The seconds until ``tick`` has something to decide; infinite if nothing waits."""
        return float("inf") if self._deadline is None else max(0, self._deadline - monotonic())

    def feed(self, data: str) -> Iterable[Message]:
        """Read some input; an empty text means the end of input."""
        if not data:
            yield from super().feed(data)
        since = monotonic() - self._gave_escape
        if not self._sequence and since < REST:
            data = LATE.sub("", data, count=1)
            data = LATE_KEY.sub("", data) if since < SOON else data
        while data:
            if self._sequence:
                character, data = data[0], data[1:]
                yield from self._read_next(character)
            else:
                before, self._sequence, data = data.partition(ESC)
                if before:
                    yield from super().feed(before)
        self._deadline = None
        if self._sequence:
            self._deadline = monotonic() + (self.escape_delay if self._sequence == ESC else REST)

    def tick(self) -> Iterable[Message]:
        """Give up waiting when the time is over. Called after each read, and when ``seconds_left`` have passed."""
        if self._deadline is not None and self.seconds_left == 0:
            self._deadline = None
            if self._sequence == ESC:
                self._gave_escape = monotonic()
            yield from self._give_up()

    def take_escape(self) -> bool:
        """Return True if nothing has followed an ESC yet, which then counts no more."""
        is_alone = self._sequence == ESC
        if is_alone:
            self._sequence, self._deadline = "", None
        return is_alone

    def _read_next(self, character: str) -> Iterable[Message]:
        """Read the next character after an ESC."""
        sequence, kind = self._sequence + character, self._sequence[1:2]
        if kind and kind in STRINGS:
            yield from self._read_string(sequence)
        elif character == ESC:
            yield from self._give_up()
            self._sequence = ESC
        elif not kind:
            self._sequence = sequence
            if character == "\\" and self._is_string_cut:
                self._sequence, self._is_string_cut = "", False
            elif character not in BEGINNINGS or character == "\\":
                yield from self._give_up()
        elif not character.isprintable() and not sequence.startswith(X10_MOUSE):  # no part of a sequence
            yield from self._give_up()
            yield from super().feed(character)
        elif _is_whole(sequence):
            self._sequence = ""
            yield from self._hand_over(sequence)
        else:
            self._sequence = sequence[:LONGEST]

    def _read_string(self, sequence: str) -> Iterable[Message]:
        before, last = sequence[-2], sequence[-1]
        self._sequence = sequence if len(sequence) <= LONGEST else sequence[: LONGEST - 2] + before + last
        if last == "\x07" or (before == ESC and last == "\\"):
            self._sequence = ""
        elif before == ESC and len(sequence) > 2:  # another sequence, in the middle of it
            self._sequence = ESC
            yield from self._read_next(last)
        elif len(sequence) == 3 and last.isalpha() and last not in STRING_LETTERS:
            yield from self._give_up()

    def _hand_over(self, sequence: str) -> Iterable[Message]:
        """Let Textual read a whole sequence. It types the characters of one that is long, and crashes at some."""
        if len(sequence) > _MAX_SEQUENCE_SEARCH_THRESHOLD:
            return
        try:
            messages = [*super().feed(sequence)]
        except (ValueError, ArithmeticError):
            messages, self.mouse_pixels = [], False
            self._gen = self.parse(self._tokens.append)
            self._awaiting = next(self._gen)
        if self._awaiting.timeout is not None:  # it does not know the sequence, and waits for more
            self._awaiting = self._gen.throw(ParseTimeout())
            self._tokens.clear()
            messages = [*self._spell(sequence)]
        yield from messages

    def _give_up(self) -> Iterable[Message]:
        """Take what has come for keys: it is no sequence."""
        sequence, self._sequence = self._sequence, ""
        yield from self._spell(sequence)

    def _spell(self, sequence: str) -> Iterable[Message]:
        """Return Esc and the keys after it; nothing for what only a terminal can have sent."""
        if sequence == ESC:
            yield events.Key("escape", ESC)
            return
        is_string = sequence[1] in STRINGS
        if is_string and len(sequence) > MOST_TYPED:
            self._is_string_cut = True
        elif is_string or len(sequence) <= 3 or all(each.isalpha() or each in BEGINNINGS for each in sequence[2:]):
            key, *others = [list(self._sequence_to_key_events(each)) for each in sequence[1:]]
            alt = list(self._sequence_to_key_events(sequence[:2]))
            yield EscapeAndKey(key, alt or list(self._sequence_to_key_events(sequence[1], alt=True)))
            for keys in others:
                yield from keys


def _is_whole(sequence: str) -> bool:
    """True if no character can follow in a CSI or SS3 sequence, nor in what the Linux console and X10 mice send."""
    if sequence in ANSI_SEQUENCES_KEYS:
        return True
    if sequence[1] == "O":
        return not sequence[-1].isdigit()
    if sequence[2] == "[":
        return len(sequence) == 4
    return len(sequence) == 6 if sequence.startswith(X10_MOUSE) else "@" <= sequence[-1] <= "~"
