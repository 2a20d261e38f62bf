"""Checks of the texts that users enter, and their safe display on every terminal.

On input, characters are refused by name if they could control a colleague's terminal (control codes), reverse a line
(bidi controls), hide (invisible characters) or cover other lines (stacks of accents); nothing is dropped silently. On
output, ``sanitize`` replaces the same characters in texts that were not checked: old rows, direct writes to the
database, answers of other services. ``tui.drawing.cells`` is the second layer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from core.errors import InvalidInput
from core.text.phrases import a

REPLACEMENT = "\ufffd"
"""Replaces a character that is not shown."""

MAX_COMBINING = 4
"""Combining marks on one letter. Written languages need at most four; more of them cover the neighbouring lines."""

LONGER = 4
"""A text longer than this multiple of its limit is refused without a look at its characters; a shorter one can still
fit, because spaces are folded and letters composed."""

MAX_LOGIN = 64

MAX_SHOWN = 80
"""Characters of a refused value that are quoted."""

MAX_QUOTED = 20
"""Characters of a text that are quoted to show a position in it."""

_UNSAFE_OTHERS = (
    r"\x7f-\x9f"  # DEL and C1, in which U+009B and U+009D start terminal sequences
    r"\u00ad\u180e\u200b\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible
    r"\u061c\u200e\u200f\u2028-\u202e"  # reverse or break the line
    r"\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # not characters: surrogates and noncharacters
    r"\U000e0000-\U000e0fff"  # tags and variants, which can carry a hidden text
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
)
UNSAFE = rf"[\x00-\x1f{_UNSAFE_OTHERS}]"
"""Characters that no line on a screen can hold. It is compiled where it is needed, which short commands do not."""

UNSAFE_IN_LINES = rf"[\x00-\x09\x0b-\x1f{_UNSAFE_OTHERS}]"
"""The same for a text of several lines. It is compiled, and cached by ``re``, when a text first needs it."""

_JOINER = r"[\u200c\u200d]"
_NO_LETTERS = rf"[^\x00-\u02ff\w]{{{MAX_COMBINING + 1},}}"
"""Finds runs that can contain a stack. Marks are not word characters, so prose in any script is skipped quickly."""

_SPACES = r"[ \t\r\n\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+"
"""Folded to one space in a line, so that no two names differ only in the width of a space."""

_BLANK_LETTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001107f\U00016fe4\U0001d159"
    + "".join(map(chr, range(0xFFF0, 0xFFF9)))
)
"""Characters that can be part of a name, as letters, marks or signs, and draw nothing."""

_UNUSUAL = r"[^\w\n\x20-\x7e“”„‘’–—…€°§«»]"
"""Finds what is neither a letter nor a digit, blank or usual sign. Marks and invisible signs are no letters."""

_BLANK = f"[{''.join(sorted(_BLANK_LETTERS))}]"
"""Finds the letters among these. One pattern with both takes more than twice as long."""

_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))
"""Variation selectors. They select the appearance of the sign before them, and draw nothing after a letter."""

_OF_MONGOLIAN = frozenset("\u180b\u180c\u180d\u180f")
_OTHER_EMOJI = frozenset("\u203c\u2049ℹ\u3030")
"""Characters with an emoji form that are not in the categories of signs."""

_KEYCAP = "\u20e3"
_JOINED = (
    "[\u0600-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uab2f\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
"""Letters of scripts that join or stack, in which a joiner is visible: Arabic, the Indic scripts and those around
them."""
_SIGNS = frozenset({"So", "Sm", "Sk", "Cn"})
"""Categories of emoji: pictures, arrows, skin tones, and characters that are newer than this Python's tables."""

_LOGIN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_EMAIL = r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[^\W_][\w-]*(\.[^\W_][\w-]*)+"
_HOST = r"[\w.:-]*[^\W_][\w.:-]*"
"""These patterns are compiled, and cached by ``re``, when one is first needed, and not at the start."""

_compiled = cache(re.compile)
"""The same without the checks of ``re``, for each text of a large file."""


def one_line(text: str, what: str, *, most: int = 200, empty: bool = False) -> str:
    """Return a checked name or title: NFC, stripped, each run of spaces folded to one. Raises InvalidInput.

    ``what`` is the name of the field for users, ``most`` the number of characters. A text is refused if it is too long,
    contains unsafe characters or a letter that draws nothing (two names would look alike), or, unless ``empty``, shows
    nothing.
    """
    if is_plain(text) and "\n" not in text and "  " not in text and 0 < len(plain := text.strip()) <= most:
        return plain
    _refuse_length(text, what, most)
    accepted = _check_text(re.sub(_SPACES, " ", text), what, most)
    if not accepted and not empty:
        raise _refusal(what, f"Enter {a(what)}.")
    if (at := _first_blank(accepted)) is not None:
        found = f"The character {_code(accepted[at])} in the {what}, {_place(accepted, at)}"
        raise _refusal(what, f"{found}, is invisible. Remove it.")
    return accepted


def person_name(text: str, what: str) -> str:
    """Return a checked name of a person: one line of at most 60 characters. Raises InvalidInput."""
    return one_line(text, what, most=60)


def last_name(text: str) -> str:
    """Return a checked last name, which some people do not have. Raises InvalidInput."""
    return one_line(text, "last name", most=60, empty=True)


def many_lines(text: str, what: str, *, most: int = 20_000) -> str:
    """Return a checked description or comment: as ``one_line``, but with its lines. Raises InvalidInput.

    It may be empty. Lines end with ``\\n``. Tabs become spaces up to the next fourth column, so that lists keep their
    shape.
    """
    if len(text) <= most and is_plain(text):
        return text.strip()
    _refuse_length(text, what, most)
    return _check_text(text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4), what, most)


def email(text: str) -> str:
    """Return a checked e-mail address, its domain in lower case. Raises InvalidInput."""
    address = one_line(text, "e-mail", most=254)
    if not re.fullmatch(_EMAIL, address):
        raise _refusal("e-mail", "The e-mail is not an address. Write it like ann@example.com.")
    mailbox, _, domain = address.rpartition("@")
    return f"{mailbox}@{domain.lower()}"


def login(text: str) -> str:
    """Return a checked login in lower case: ASCII only, so that no two look alike. Raises InvalidInput."""
    if len(text) > LONGER * MAX_LOGIN or not re.fullmatch(_LOGIN, name := text.strip()):
        raise InvalidInput(
            "login",
            f"Enter a login of 1 to {MAX_LOGIN} characters: a-z, 0-9, “.”, “_” or “-”, with a letter or a digit first.",
        )
    return name.lower()


def link(text: str, what: str = "link") -> str:
    """Return a checked ``http`` or ``https`` URL with a host and without a password, or "". Raises InvalidInput."""
    from urllib.parse import urlsplit  # not needed before the first paint

    url = one_line(text, what, most=2000, empty=True)
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise _refusal(what, f"The {what} is not a URL. Write it like https://example.com/page.") from None
    if parts.scheme not in ("http", "https"):
        raise _refusal(what, f"The {what} must start with https:// or http://.")
    if "@" in parts.netloc:
        raise _refusal(what, f"The {what} holds a user name or a password. Remove all up to the @.")
    # Browsers read a backslash as a slash, so they would connect to another host than the one shown here.
    if not re.fullmatch(_HOST, host) or "\\" in url or len(url.split()) > 1:
        raise _refusal(what, f"The {what} needs a host and no spaces. Write it like https://example.com/page.")
    return url


def sanitize(text: str) -> str:
    """Return a text that is safe to show. Never raises.

    U+FFFD replaces the characters that ``many_lines`` refuses, and marks beyond ``MAX_COMBINING`` are dropped. Line
    ends stay.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = list(text)
    for at in _unsafe(text):
        shown[at] = " " if text[at] in "\t\r" else REPLACEMENT
    for at in _find_stacked(text):
        shown[at] = ""
    return "".join(shown)


def is_plain(text: str) -> bool:
    """Return True for a text of letters, digits, blanks, line ends and usual signs, which no check refuses or changes.

    It is quick, and False for some other texts too.
    """
    if text.isascii():
        return text.isprintable() or text.replace("\n", "").isprintable()
    found = _compiled(_UNUSUAL).search(text) or _compiled(_BLANK).search(text)
    return found is None and unicodedata.is_normalized("NFC", text)


def drop_unshown(text: str) -> str:
    """Return a text without the characters that checks refuse, for texts of other programs: zero-width signs and such.

    Signs that end lines elsewhere become line ends.
    """
    if is_plain(text):
        return text
    text = re.sub("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    while True:
        gone = {at for at in _unsafe(text) if text[at] != "\t"} | {*_find_stacked(text)}
        gone |= {*_find_blanks(text)}
        if not gone:
            return text
        text = "".join(character for at, character in enumerate(text) if at not in gone)


def visible_line(text: str) -> str:
    """Return a text that is safe to show on one line: line ends, as in a file name, become spaces."""
    return sanitize(text).replace("\n", " ")


def quote_value(text: str) -> str:
    """Return the beginning of a refused value, safe to show. The rest of a long value is not read."""
    return sanitize(text) if len(text) <= MAX_SHOWN else sanitize(text[: MAX_SHOWN - 1]) + "…"


def initials(name: str) -> str:
    """Return one or two letters that represent a user, at most two cells wide; "?" without a letter.

    They are the first letters of the first and the last word, or the first two of a single word. Of a name in wide
    letters (Chinese, Japanese, Korean) one alone fills both cells. Digits count as letters; other numerals do
    not, because the width of some (counting rods) depends on the version of Unicode.
    """
    typed = unicodedata.normalize("NFC", name).split()
    words = list(filter(None, ("".join(each for each in word if each.isalpha() or each.isdecimal()) for word in typed)))
    if not words:
        return "?"
    pair = words[0][:2] if len(words) == 1 else words[0][0] + words[-1][0]
    wide = next((letter for letter in pair if unicodedata.east_asian_width(letter) in "WF"), None)
    return wide or "".join(map(_upper, pair))


def _refuse_length(text: str, what: str, most: int) -> None:
    """Refuse a text by its length, before the slower checks, if none of them could make it short enough."""
    if len(text) > LONGER * most:
        raise _too_long(text, what, most)


def _too_long(text: str, what: str, most: int) -> InvalidInput:
    return _refusal(what, f"Enter at most {most:,} characters for the {what}. This text has {len(text):,}.")


def _check_text(text: str, what: str, most: int) -> str:
    """Return ``text`` as NFC and stripped, or refuse it. The messages also suit a ``what`` in the plural."""
    _refuse_stacks(text, what)  # before NFC, whose time grows with the square of the number of marks
    text = unicodedata.normalize("NFC", text)
    _refuse_stacks(text, what)
    if (at := first_unsafe_index(text)) is not None:
        found = f"The character {_code(text[at])} in the {what}, {_place(text, at)}"
        raise _refusal(what, f"{found}, cannot be shown. Remove it.")
    text = text.strip() if any(map(_can_be_seen, text)) else ""
    if len(text) > most:
        raise _too_long(text, what, most)
    return text


def _refuse_stacks(text: str, what: str) -> None:
    for at in _find_stacked(text):
        raise _refusal(
            what, f"A letter in the {what} has more than {MAX_COMBINING} marks ({_code(text[at])}). Remove some."
        )


def _refusal(what: str, sentence: str) -> InvalidInput:
    """Name the field as message classes do: "first name" is ``first_name``, "URL" is ``url``."""
    return InvalidInput(what.lower().replace(" ", "_").replace("-", ""), sentence)


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _unsafe(text: str) -> Iterator[int]:
    """Yield the index of each character that is not shown; line ends are shown."""
    if text.isascii() and text.isprintable():
        return
    yield from (found.start() for found in re.finditer(UNSAFE_IN_LINES, text))
    yield from (found.start() for found in re.finditer(_JOINER, text) if not _joins(text, found.start()))


def first_unsafe_index(text: str) -> int | None:
    """Return the index of the first character that ``many_lines`` refuses; None if there is none."""
    return min((at for at in _unsafe(text) if text[at] not in "\t\r"), default=None)


def _place(text: str, at: int) -> str:
    """Describe a position in words, because users cannot see the character."""
    before = " ".join(text[:at].split())
    return f"after “{sanitize(before[-MAX_QUOTED:].lstrip())}”" if before else "at the beginning"


def _joins(text: str, at: int) -> bool:
    """Return True if the joiner at this index is visible: inside a word of a script that joins, or inside an emoji."""
    before, after = text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    if not before or not after:
        return False
    kinds = (unicodedata.category(before), unicodedata.category(after))
    if kinds[1] in _SIGNS:
        return kinds[0] in _SIGNS or before in _SELECTORS
    return re.search(_JOINED, before + after) is not None and all(kind[0] in "LMN" for kind in kinds)


def _first_blank(text: str) -> int | None:
    """Return the index of the first character that draws nothing in its place; None if there is none."""
    return next(_find_blanks(text), None)


def _find_blanks(text: str) -> Iterator[int]:
    """Yield the index of each character that draws nothing in its place. Letters and digits are skipped quickly."""
    if not text.isascii():
        found = re.finditer(f"{_UNUSUAL}|{_BLANK}", text)
        yield from (each.start() for each in found if _is_blank(text, each.start(), each[0]))


def _is_blank(text: str, at: int, character: str) -> bool:
    before, after = text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    if character in _SELECTORS:
        is_sign = before != "" and (unicodedata.category(before) in _SIGNS or before in _OTHER_EMOJI)
        return not is_sign and after != _KEYCAP
    if character in _OF_MONGOLIAN:
        return not "\u1820" <= before <= "\u18aa"
    if character in "\u200c\u200d":
        return False  # ``first_unsafe_index`` finds those that are invisible
    return character in _BLANK_LETTERS or unicodedata.category(character) == "Cf"


def _find_stacked(text: str) -> Iterator[int]:
    """Yield the index of each mark beyond ``MAX_COMBINING``."""
    for run in re.finditer(_NO_LETTERS, text):
        height = 0
        for at in range(*run.span()):
            height = height + 1 if _is_mark(text[at]) else 0
            if height > MAX_COMBINING:
                yield at


def _is_mark(character: str) -> bool:
    """Return True for marks without a cell of their own. Spacing vowels (Mc) have one; Burmese words need many."""
    return unicodedata.category(character) in ("Mn", "Me") or unicodedata.combining(character) > 0


def _can_be_seen(character: str) -> bool:
    return unicodedata.category(character)[0] not in "ZM" and character not in _BLANK_LETTERS


def _upper(letter: str) -> str:
    """Return the upper case if it is one letter too (``ß`` stays)."""
    upper = letter.upper()
    return upper if len(upper) == 1 else letter
