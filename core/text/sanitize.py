"""What text is accepted from people, and how it is made safe for every terminal it is shown on.

On the way in, text that could act on a colleague's terminal (control codes), turn a line around (bidi
controls), hide (invisible characters) or flood it (stacks of accents) is refused by name: nothing is silently
dropped. On the way out, ``sanitized`` covers the same characters in whatever came past this door: old rows,
direct writes to the database, answers of other services. ``tui.drawing.cells`` is the second layer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from core.errors import InvalidInput

REPLACEMENT = "\ufffd"
"""What ``sanitized`` puts in the place of a character that is not shown."""

MAX_COMBINING = 4
"""Combining marks on one letter. Written languages need four; more is a drawing over its neighbours."""

LONGER = 4
"""How many times longer than accepted a text may be that is looked at: spaces are folded, and letters composed."""

MAX_LOGIN = 64

MAX_SHOWN = 80
"""Characters of a refused value that are quoted."""

MAX_QUOTED = 20
"""Characters of a text that say where in it something is."""

_UNSAFE_OTHERS = (
    r"\x7f-\x9f"  # DEL and C1, in which U+009B and U+009D start terminal sequences
    r"\u00ad\u180e\u200b\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible
    r"\u061c\u200e\u200f\u2028-\u202e"  # turn or break the line
    r"\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # not characters: surrogates, and what Unicode keeps for itself
    r"\U000e0000-\U000e0fff"  # tags and variants, which can carry a hidden text
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
)
UNSAFE = re.compile(rf"[\x00-\x1f{_UNSAFE_OTHERS}]")
"""The characters that no line on a screen may hold."""

_UNSAFE_IN_LINES = re.compile(rf"[\x00-\x09\x0b-\x1f{_UNSAFE_OTHERS}]")
_JOINER = re.compile(r"[\u200c\u200d]")
_NO_LETTERS = re.compile(rf"[^\x00-\u02ff\w]{{{MAX_COMBINING + 1},}}")
"""Where a stack can be: marks are no word characters, so that prose in any script is passed over quickly."""

_SPACES = re.compile(r"[ \t\r\n\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
"""Folded to one space in a line, so that no two names differ by the width of a space alone."""

_BLANK_LETTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001107f\U00016fe4\U0001d159"
    + "".join(map(chr, range(0xFFF0, 0xFFF9)))
)
"""What takes part in names as letters, marks or signs do, and draws nothing."""

_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))
"""They choose the picture of the sign before them, and draw nothing behind a letter."""

_OF_MONGOLIAN = frozenset("\u180b\u180c\u180d\u180f")
_OTHER_EMOJI = frozenset("\u203c\u2049ℹ\u3030")
"""Signs with an emoji form that are no signs by their category."""

_KEYCAP = "\u20e3"
_JOINED = re.compile(
    "[\u0600-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uab2f\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
"""Letters of scripts that join or stack, in which a joiner is seen: Arabic, the Indic ones and those around them."""
_SIGNS = frozenset({"So", "Sm", "Sk", "Cn"})
"""Categories of emoji: pictures, arrows, skin tones, and what is newer than this Python's tables."""

_LOGIN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_EMAIL = r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[^\W_][\w-]*(\.[^\W_][\w-]*)+"
_HOST = r"[\w.:-]*[^\W_][\w.:-]*"
"""Patterns that ``re`` compiles, and keeps, when one is first typed: not while Podium starts."""


def one_line(text: str, what: str, *, most: int = 200, empty: bool = False) -> str:
    """A name or a title: NFC, without space around it, all other space folded to single spaces.

    ``what`` is the name of the field as a person knows it, ``most`` the number of characters. Raises
    ``InvalidInput`` for what cannot be shown, is too long, or, unless ``empty`` is allowed, shows nothing; and for a
    letter that draws nothing, by which two names would look alike.
    """
    _refuse_length(text, what, most)
    accepted = _accepted(_SPACES.sub(" ", text), what, most)
    if not accepted and not empty:
        raise _refusal(what, f"The {what} is empty. Type at least one character that can be seen.")
    if (at := _first_blank(accepted)) is not None:
        found = f"{_place(accepted, at)}, is a character that nobody can see ({_code(accepted[at])})"
        raise _refusal(what, f"In the {what}, {found}. Remove it.")
    return accepted


def person_name(text: str, what: str) -> str:
    """A first or last name: one line of at most 60 characters. Raises InvalidInput."""
    return one_line(text, what, most=60)


def many_lines(text: str, what: str, *, most: int = 20_000) -> str:
    """A description or a remark: as ``one_line``, but keeps its lines (ended by ``\\n``) and may be empty.

    Tabs become spaces up to the next fourth column, so that pasted lists keep their shape.
    """
    _refuse_length(text, what, most)
    return _accepted(text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4), what, most)


def email(text: str) -> str:
    """An e-mail address, its domain in lower case. Raises ``InvalidInput`` for anything else."""
    address = one_line(text, "e-mail", most=254)
    if not re.fullmatch(_EMAIL, address):
        raise _refusal("e-mail", "The e-mail is not an address. Write it like ann@example.com.")
    mailbox, _, domain = address.rpartition("@")
    return f"{mailbox}@{domain.lower()}"


def login(text: str) -> str:
    """A login name in lower case: ASCII only, so that no two look alike. Raises ``InvalidInput``."""
    if len(text) > LONGER * MAX_LOGIN or not re.fullmatch(_LOGIN, name := text.strip()):
        raise InvalidInput(
            "login",
            "The login must be 1 to 64 of the characters a-z, 0-9, dot, underscore and hyphen, "
            "and start with a letter or a digit.",
        )
    return name.lower()


def link(text: str, what: str = "link") -> str:
    """An ``http`` or ``https`` URL with a host and without a password in it, or "". Raises ``InvalidInput``."""
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
    # Browsers read a backslash as a slash: what follows it would be another host than the one shown here.
    if not re.fullmatch(_HOST, host) or "\\" in url or any(c.isspace() for c in url):
        raise _refusal(what, f"The {what} needs a host and no spaces. Write it like https://example.com/page.")
    return url


def sanitized(text: str) -> str:
    """The text as it may be shown: U+FFFD stands for what ``many_lines`` refuses, high stacks lose their top.

    Never raises. Line ends stay.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = list(text)
    for at in _unsafe(text):
        shown[at] = " " if text[at] in "\t\r" else REPLACEMENT
    for at in _stacked(text):
        shown[at] = ""
    return "".join(shown)


def visible_line(text: str) -> str:
    """A sentence as it may be shown, on one line: a name of a file in it may hold line ends, for which spaces stand."""
    return sanitized(text).replace("\n", " ")


def quoted(text: str) -> str:
    """The beginning of a value that is refused, as it may be shown. Of a long one the rest is not looked at."""
    return sanitized(text) if len(text) <= MAX_SHOWN else sanitized(text[: MAX_SHOWN - 1]) + "…"


def initials(name: str) -> str:
    """One or two letters that stand for a person, never wider than two cells; "?" when there is no letter.

    The first and the last word give one each, a single word its first two; of a name in wide letters (Chinese,
    Japanese, Korean) the first one fills both cells.
    """
    words = ["".join(filter(str.isalnum, word)) for word in unicodedata.normalize("NFC", name).split()]
    words = [word for word in words if word]
    if not words:
        return "?"
    pair = words[0][:2] if len(words) == 1 else words[0][0] + words[-1][0]
    if _is_wide(pair[0]):
        return pair[0]
    return "".join(_upper(letter) for letter in pair if not _is_wide(letter))


def _refuse_length(text: str, what: str, most: int) -> None:
    """Refuse by its length alone what no look at its characters can make short enough: each look takes time."""
    if len(text) > LONGER * most:
        raise _too_long(text, what, most)


def _too_long(text: str, what: str, most: int) -> InvalidInput:
    return _refusal(what, f"{len(text)} characters are too many for the {what}: {most} is the most.")


def _accepted(text: str, what: str, most: int) -> str:
    """``text`` as NFC and stripped, or the refusal. Its sentences suit a ``what`` in the plural as well."""
    _refuse_stacks(text, what)  # first: NFC takes time with the square of the height of a stack
    text = unicodedata.normalize("NFC", text)
    _refuse_stacks(text, what)
    if (at := first_unsafe_index(text)) is not None:
        found = f"{_place(text, at)}, is a character that cannot be shown ({_code(text[at])})"
        raise _refusal(what, f"In the {what}, {found}. Remove it.")
    text = text.strip() if any(map(_can_be_seen, text)) else ""
    if len(text) > most:
        raise _too_long(text, what, most)
    return text


def _refuse_stacks(text: str, what: str) -> None:
    for at in _stacked(text):
        raise _refusal(
            what, f"In the {what} is a letter with more than {MAX_COMBINING} marks ({_code(text[at])}). Remove some."
        )


def _refusal(what: str, sentence: str) -> InvalidInput:
    """It names the field as messages do: what people call "first name" is ``first_name``, "URL" ``url``."""
    return InvalidInput(what.lower().replace(" ", "_").replace("-", ""), sentence)


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _unsafe(text: str) -> Iterator[int]:
    """Where a character stands that is not shown. Line ends are."""
    yield from (found.start() for found in _UNSAFE_IN_LINES.finditer(text))
    yield from (found.start() for found in _JOINER.finditer(text) if not _joins(text, found.start()))


def first_unsafe_index(text: str) -> int | None:
    """Where the first character stands for which ``many_lines`` refuses a text; None where there is none."""
    return min((at for at in _unsafe(text) if text[at] not in "\t\r"), default=None)


def _place(text: str, at: int) -> str:
    """A place in words: people cannot see what is meant."""
    before = " ".join(text[:at].split())
    return f"after “{sanitized(before[-MAX_QUOTED:].lstrip())}”" if before else "at the beginning"


def _joins(text: str, at: int) -> bool:
    """Whether the joiner at this place is seen: inside a word of a script that joins, or an emoji."""
    before, after = text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    if not before or not after:
        return False
    kinds = (unicodedata.category(before), unicodedata.category(after))
    if kinds[1] in _SIGNS:
        return kinds[0] in _SIGNS or before in _SELECTORS
    return _JOINED.search(before + after) is not None and all(kind[0] in "LMN" for kind in kinds)


def _first_blank(text: str) -> int | None:
    """Where the first character stands that draws nothing there; None where there is none."""
    if text.isascii():
        return None
    return next((at for at, character in enumerate(text) if _is_blank(text, at, character)), None)


def _is_blank(text: str, at: int, character: str) -> bool:
    before, after = text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    if character in _SELECTORS:
        is_sign = before != "" and (unicodedata.category(before) in _SIGNS or before in _OTHER_EMOJI)
        return not is_sign and after != _KEYCAP
    if character in _OF_MONGOLIAN:
        return not "\u1820" <= before <= "\u18aa"
    if _JOINER.match(character):
        return False  # those that are not seen are refused in every text
    return character in _BLANK_LETTERS or unicodedata.category(character) == "Cf"


def _stacked(text: str) -> Iterator[int]:
    """Where a mark stands that is one too many for its letter."""
    for run in _NO_LETTERS.finditer(text):
        height = 0
        for at in range(*run.span()):
            height = height + 1 if _is_mark(text[at]) else 0
            if height > MAX_COMBINING:
                yield at


def _is_mark(character: str) -> bool:
    """Whether it takes no cell of its own. Spacing vowels (Mc) do: Burmese words carry more than four signs."""
    return unicodedata.category(character) in ("Mn", "Me") or unicodedata.combining(character) > 0


def _can_be_seen(character: str) -> bool:
    return unicodedata.category(character)[0] not in "ZM" and character not in _BLANK_LETTERS


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF"


def _upper(letter: str) -> str:
    """In upper case where that is one letter too (``ß`` stays)."""
    upper = letter.upper()
    return upper if len(upper) == 1 else letter
