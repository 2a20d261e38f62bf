"""Imports todo.txt: a task on each line, with the rules of todotxt.

The first ``+project`` of a line is an activity, as projects of taskwarrior are; other projects and ``@contexts`` are
labels. They leave the title if they stand at its end, and so do words such as ``due:2026-12-03``.
"""

from __future__ import annotations

import re
from datetime import datetime, time

from core.domain.model import Priority, Status
from core.import_export.draft import Draft
from core.import_export.programs.loose_cards import LooseCard, place_cards, read_moment

_DAY = r"\d{4}-\d\d-\d\d"
_BEGINNING = re.compile(rf"(?P<done>x )?(?:\((?P<priority>[A-Z])\) )?(?P<first>{_DAY} )?(?P<second>{_DAY} )?")
_PAIR = re.compile(r"(?<!\S)([^\W\d_][\w-]*):(?!//)(\S+)")
_SIGN = re.compile(r"(?<!\S)([+@])(\S*\w\S*)")
_SURE = rf"x {_DAY} |\([A-Z]\) {_DAY} |.*?(?:\s[+@][^\W\d_]|\s[a-z]+:{_DAY}\b)"
_MARKED = rf"\([A-Z]\) |{_DAY} (?!\d\d:)|{_SURE}"
_PRIORITIES = {"A": Priority.URGENT, "B": Priority.HIGH, "": Priority.NORMAL, "C": Priority.NORMAL}
_WORDS = {"rec": "Repeats", "pri": "Priority", "due": "Due", "t": "Start"}


def is_todo_txt(text: str) -> bool:
    """Return whether a text is a todo.txt: half of its lines are marked, and a quarter in a way that prose is not.

    >>> is_todo_txt("(A) Call +spring"), is_todo_txt("(A) Paris\\n(B) London"), is_todo_txt("2026-11-01 Rain\\n")
    (True, False, False)
    """
    found = [line[:2_000] for line in text.splitlines() if line.strip()]
    marked, sure = ([bool(re.match(each, line)) for line in found] for each in (_MARKED, _SURE))
    is_table = not marked[0] and re.search(r"[,;\t|]", found[0])
    return 2 * sum(marked) >= len(found) and 4 * sum(sure) >= len(found) and not is_table


def draft(text: str, _called: str = "") -> Draft:
    """The draft of the tasks of a todo.txt."""
    made = Draft("todo.txt")
    cards: dict[str, LooseCard] = {}
    created = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        card, has_day = _read_line(line.strip(), f"row {number}")
        created += has_day
        if card.parent and card.parent.casefold() not in cards:
            activity = LooseCard(card.parent, card.parent.removeprefix("+"), card.origin)
            activity.status, activity.is_activity = None, True
            cards[card.parent.casefold()] = activity
            made.note("Projects of todo.txt become activities.")
        cards[card.id] = card
    place_cards(made, [*cards.values()])
    made.leave_out(created, "creation day", "cards have none")
    return made


def _read_line(line: str, origin: str) -> tuple[LooseCard, bool]:
    """The card of a line, and whether it has a day of creation."""
    begins = _BEGINNING.match(line)
    assert begins  # each of its parts can be missing
    text = " ".join((line[begins.end() :] or line).split())
    title, pairs = _split_end(text)
    card = LooseCard("", title, origin)
    signs = _SIGN.findall(text)
    card.parent = next((f"+{name}" for sign, name in signs if sign == "+"), "")
    card.labels = [name for sign, name in signs if f"{sign}{name}" != card.parent]
    letter = begins["priority"] or ""
    if begins["done"]:
        day = read_moment(begins["first"] or "")
        card.status, card.completed_at = Status.COMPLETED, datetime.combine(day, time(12)) if day else None
        card.say("Completed", "" if day else begins["first"] or "")
    for key, value in pairs:
        match key:
            case "due" if card.due is None:
                card.due = card.read_day("Due", value)
            case "t" if "Start" not in card.own:
                card.take_start(value)
            case "pri" if re.fullmatch("[A-Z]", value) and not letter:
                letter = value
            case _ if key in _WORDS or key in card.own:
                card.say(_WORDS.get(key, key), value)
            case _:
                card.own[key] = value
    card.priority = _PRIORITIES.get(letter, Priority.LOW)
    card.say("Priority", letter if letter > "B" else "")
    return card, bool(begins["second"] or (begins["first"] and not begins["done"]))


def _split_end(text: str) -> tuple[str, list[tuple[str, str]]]:
    """A text without the projects, contexts and pairs at its end, and these pairs.

    A text with projects or contexts in its midst is a sentence, so that it keeps those at its end, too.
    """
    words = text.split()
    end = len(words)
    while end > 1 and (_SIGN.fullmatch(words[end - 1]) or _PAIR.fullmatch(words[end - 1])):
        end -= 1
    kept = [each for each in words[end:] if _SIGN.fullmatch(each)] if any(map(_SIGN.fullmatch, words[:end])) else []
    return " ".join([*words[:end], *kept]), _PAIR.findall(" ".join(words[end:]))
