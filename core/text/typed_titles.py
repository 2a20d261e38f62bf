"""Titles of new cards as people type and paste them: ``Write brief @bob fri #print !high``, and lists of titles.

The title shorthand is read from the end of a title only, so "Meet Friday band" and "Ask @bob about fees" stay as they
are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from datetime import date
from typing import Generic, Protocol, TypeVar

from core.errors import InvalidInput
from core.record import Record
from core.text.dates import parse_due
from core.text.folding import fold
from core.text.label_names import fold_name
from core.text.sanitize import sanitize

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:,? (?:[0-9]{4}|[0-9]{2}))?"
_DAYS = (
    r"today|tomorrow|eow|eom|next week"
    r"|(?:next )?(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?"
    r"|sun(?:day)?)"
    r"|\+[0-9]{1,4} ?(?:d|days?|w|weeks?|m|months?)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"|[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{4})?"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th|\.)? ?{_MONTH}{_YEAR}"
    rf"|{_MONTH} ?[0-9]{{1,2}}(?:st|nd|rd|th)?{_YEAR}"
)
"""The dates of ``parse_due`` that are hardly ever meant otherwise at the end of a title. "5m", "2.4", "tom" are."""

_WORDS = "tod tom eow eom nex mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec"
_BEGINNINGS = frozenset(_WORDS.split())
"""The first letters of every date without a digit, and of every month."""

_WORDS_OF_DATE = 3
_LEADING = frozenset({"by", "on", "due"})
"""Words that belong to the date after them, and leave the title with it: "Send offer by fri"."""
_NEEDS_MORE = (
    r"an?|the|in|of|for|to|from|and|or|with|at|since|after|before|during|until|till|this|last|every|each|per|like"
    r"|black|good|casual"
)
"""Words that belong together with the word after them: "Shoot in the sun", "Talk to @bob", "Black Friday"."""
_ORDINARY = frozenset({"mon", "sat", "sun", "wed"})
"""Short weekdays that are also words or names; with a capital letter they stay: "Rising Sun"."""

_LABEL = r"#(?!(?:none|any)$)[^\W\d_][^\s@#!\"“”,;]{0,29}"
"""A new label begins with a letter, and its name is one that labels can have: “Fix issue #12” stays as it is."""
_PRIORITY = r"!(low|normal|high|urgent)"
_NAME = r"@[^\s@\"“”,;]+"
_QUOTED = r"(.*?)[\"“]([^\"“”]+)[\"”]"
_MOST_NAMES = 3
_MOST_STAY = 8
"""The most words with a sign that stay in the title while those before them are still read."""

_BULLETS = r"\u2022\u25e6\u25aa\u25ab\u25cf\u25cb\u2023\u2043\u2013\u2014\u00b7"
_BOXES = r"\u2610\u2611\u2612\u2713\u2714\u2717\u2718\u2b1c\u2705"
_LIST_SIGN = rf"(?:[-*+>{_BULLETS}](?:\s+|$)|\(?[0-9]{{1,3}}[.)]\s+|\[[ xX\u2713\u2714]?\]\s*|[{_BOXES}]\ufe0f?\s*)*"
"""The signs before an item of a list: bullets and dashes, numbers, boxes and ticks."""


class Person(Protocol):
    """A person whom a title can name: a ``User`` or a ``CanvasMember``."""

    @property
    def name(self) -> str: ...
    @property
    def login(self) -> str: ...


P = TypeVar("P", bound=Person)


class TypedTitle(Record, Generic[P]):
    """A title without its shorthand, and the meaning of the shorthand."""

    title: str
    assignee: P | None = None
    due: date | None = None
    labels: tuple[str, ...] = ()
    """The names after ``#``, in their order; a name can be that of no label yet."""
    priority: str = ""
    """LOW, NORMAL, HIGH or URGENT; empty for a title without a priority."""
    notes: tuple[str, ...] = ()
    """A sentence for each word with a sign, such as ``@name`` or ``!soon``, at the end that stays in the title."""


def read_title(
    text: str, today: date, people: Sequence[P], me: P | None = None, labels: Iterable[str] = ()
) -> TypedTitle[P]:
    """Read a title that ends with ``@name``, a date, ``#label`` and ``!high``, or with some of them, in any order.

    ``people`` are those who can be assigned. A name is a login, a first or last name, or the beginning of one; ``@me``
    is ``me``. A name that is unknown or ambiguous stays in the title, and so does a date in the past. ``labels`` are
    the names of labels that are there; only one of them can begin with another character than a letter. Quotes around
    a shorthand, or around the whole text, keep it literal, and are removed. The title is empty only if the text is.

    >>> read_title("Write brief by 27 nov", date(2026, 11, 22), [])
    TypedTitle(title='Write brief', assignee=None, due=datetime.date(2026, 11, 27), labels=(), priority='', notes=())
    >>> read_title('Write brief "fri"', date(2026, 11, 22), []).title
    'Write brief fri'
    """
    known = frozenset(map(fold_name, labels)) if "#" in text else frozenset()
    if literal := _remove_quotes(text, today, people, me, known):
        return TypedTitle(title=literal)
    words = text.split()
    stay: list[str] = []
    assignee: P | None = None
    due: date | None = None
    named: list[str] = []
    priority = ""
    notes: list[str] = []
    while words and len(stay) < _MOST_STAY:
        if (sign := _label_or_priority(words, known)) and not (sign[0] == "!" and priority):
            if sign[0] == "!":
                priority = sign[1:].upper()
            else:
                named.insert(0, sign[1:])
            words = words[:-1]
            continue
        day, length = _date_at_end(words, today) if due is None else (None, 0)
        if day is not None:
            due, words = day, words[:-length]
            continue
        name = words[-1].rstrip(",;")
        before = words[-2].lower() if len(words) > 1 else ""
        if before in _LEADING or re.fullmatch(_NEEDS_MORE, before):
            break
        if name[:1] == "@" and re.fullmatch(_NAME, name):
            found = _find_people(name[1:], people, me)
            if assignee is None and len(found) == 1:
                assignee, words = found[0], words[:-1]
                continue
            note = _note(name, found, is_second=assignee is not None)
        elif not (note := _note_of_sign(name)):
            break
        notes.insert(0, note)
        stay.insert(0, words[-1])
        words = words[:-1]
    title = " ".join([*words, *stay])
    if assignee is not None or due is not None or named or priority:
        title = title.rstrip(" ,;")
    if not title:
        return _literal(text)
    kept = tuple(dict.fromkeys(named))
    return TypedTitle(title=title, assignee=assignee, due=due, labels=kept, priority=priority, notes=tuple(notes))


def listed_titles(text: str) -> tuple[str, ...]:
    """Return the titles of a pasted list, one for each line that is not empty, without bullets, numbers and boxes.

    >>> listed_titles("- [ ] Book crew\\n\\n2) Shoot @bob fri\\n")
    ('Book crew', 'Shoot @bob fri')
    """
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(title for line in lines if (title := line[_sign_length(line) :].strip()))


def _literal(text: str) -> TypedTitle[P]:
    return TypedTitle(title=" ".join(text.split()))


def _remove_quotes(text: str, today: date, people: Sequence[P], me: P | None, labels: Iterable[str]) -> str:
    """Return a text without the quotes that keep a shorthand at its end literal; "" if there are none."""
    found = re.fullmatch(_QUOTED, text.strip(), re.DOTALL) if '"' in text or "“" in text else None
    if not found:
        return ""
    before, inside = found[1], found[2].strip()
    kept = read_title(f"x {inside}", today, people, me, labels)
    if kept == _literal(f"x {inside}") or (before.strip() and kept.title != "x"):
        return ""
    return " ".join(f"{before} {inside}".split() if before[-1:].isspace() else f"{before}{inside}".split())


def _label_or_priority(words: Sequence[str], labels: Container[str]) -> str:
    """Return the last word, without the punctuation after it, if it is a label or a priority; "" for any other."""
    word = words[-1].rstrip(",;")
    if word[:1] not in ("#", "!"):
        return ""  # without the patterns, whose compilation takes longer than all the rest
    if re.fullmatch(_PRIORITY, word, re.IGNORECASE):
        return word
    before = words[-2].lower() if len(words) > 1 else ""
    belongs = before in _LEADING or re.fullmatch(_NEEDS_MORE, before)
    is_label = re.fullmatch(_LABEL, word) or fold_name(word[1:]) in labels
    return word if is_label and not belongs else ""


def _date_at_end(words: Sequence[str], today: date) -> tuple[date | None, int]:
    """Return the date of the last words, and the number of these words; None and 0 without one."""
    for length in range(min(_WORDS_OF_DATE, len(words)), 0, -1):
        last = words[-length:]
        if length == 1 and last[0].lower() in _ORDINARY and not last[0].islower():
            continue
        before = words[-length - 1].lower() if len(words) > length else ""
        if (due := _day(" ".join(last), today)) and not re.fullmatch(_NEEDS_MORE, before):
            return due, length + (before in _LEADING)
    return None, 0


def _day(text: str, today: date) -> date | None:
    """Return a day from today on; None for any other text."""
    if text[:3].lower() not in _BEGINNINGS and not any(map(str.isdigit, text)):
        return None  # without the pattern, whose compilation takes longer than all the rest
    if not re.fullmatch(_DAYS, text, re.ASCII | re.IGNORECASE):
        return None
    try:
        due = parse_due(text, today)
    except InvalidInput:
        return None
    return due if due is not None and due >= today else None


def _find_people(wanted: str, people: Sequence[P], me: P | None) -> list[P]:
    """Return the people with this name. The first of these ways that finds any is the only one used.

    The login; ``me``; the first name; another name; the beginning of a login or a first name; the beginning of another
    name.
    """
    word = fold(wanted)
    called = [(each, fold(each.login), (*map(fold, each.name.split()), "")) for each in people]
    ways: tuple[Callable[[P, str, tuple[str, ...]], bool], ...] = (
        lambda _, login, __: login == word,
        lambda each, *_: word == "me" and me is not None and each.login == me.login,
        lambda _, __, names: names[0] == word,
        lambda _, __, names: word in names[1:],
        lambda _, login, names: login.startswith(word) or names[0].startswith(word),
        lambda _, __, names: any(name.startswith(word) for name in names[1:]),
    )
    for fits in ways:
        if found := [each for each, login, names in called if fits(each, login, names)]:
            return found
    return []


def _note(name: str, found: Sequence[Person], *, is_second: bool) -> str:
    stays = f"“{sanitize(name)}” stays in the title"
    if is_second:
        return f"{stays}: only one assignee is read from it."
    if not found:
        return f"{stays}: no member has this name."
    shown = [sanitize(each.name) for each in found[:_MOST_NAMES]]
    others = ["another member"] if len(found) > _MOST_NAMES else []
    return f"{stays}: it can mean {' or '.join([*shown, *others])}."


def _note_of_sign(word: str) -> str:
    """Return the reason why a word with the sign of a label or a priority stays; "" for "#12", "!!" and other words."""
    sign, first = word[:1], word[1:2]
    if not ((sign == "!" and first.isalpha()) or (sign == "#" and first and not first.isdecimal())):
        return ""
    if re.fullmatch(_PRIORITY, word, re.IGNORECASE):
        reason = "only one priority is read from it"
    elif sign == "!":
        reason = "a priority is !low, !normal, !high or !urgent"
    elif first.isalpha():
        reason = "no label can have this name"
    else:
        reason = "no label has this name"
    return f"“{sanitize(word)}” stays in the title: {reason}."


def _sign_length(line: str) -> int:
    found = re.match(_LIST_SIGN, line)
    return found.end() if found else 0
