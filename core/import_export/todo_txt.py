"""Imports todo.txt: a task on each line, with the rules of todotxt.

The first ``+project`` of a line is an activity, as projects of taskwarrior are; other projects and ``@contexts`` are
labels. Words such as ``due:2026-12-03`` at the end of a line leave the title, and those in its midst stay in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time

from core.domain.model import Priority, Status
from core.import_export.draft import Draft, LeftOut
from core.import_export.loose_cards import LooseCard, place_cards, read_moment

_DAY = r"\d{4}-\d\d-\d\d"
_BEGINNING = re.compile(rf"(?P<done>x )?(?:\((?P<priority>[A-Z])\) )?(?P<first>{_DAY} )?(?P<second>{_DAY} )?")
_PAIR = re.compile(r"(?<!\S)([^\W\d_][\w-]*):(?!//)(\S+)")
_SIGN = re.compile(r"(?:^|\s)([+@])(\S*\w\S*)")
_MARKED = re.compile(rf"x {_DAY} |\([A-Z]\) |{_DAY} (?!\d\d:)|.*?(?:\s[+@]\w|\s[a-z]+:{_DAY}\b)")
_SURE = re.compile(rf"x {_DAY} |\([A-Z]\) {_DAY} |.*?(?:\s[+@]\w|\s[a-z]+:{_DAY}\b)")
_PRIORITIES = {"A": Priority.URGENT, "B": Priority.HIGH, "C": Priority.NORMAL}
_WORDS = {"rec": "Repeats", "pri": "Priority", "due": "Due"}


def is_todo_txt(text: str) -> bool:
    """Return whether a text is a todo.txt: half of its lines are marked, and a quarter in a way that prose is not.

    >>> is_todo_txt("(A) Call +spring"), is_todo_txt("(A) Paris\\n(B) London"), is_todo_txt("2026-11-01 Rain\\n")
    (True, False, False)
    """
    found = [line for line in text.splitlines() if line.strip()]
    marked, sure = ([line for line in found if each.match(line[:2_000])] for each in (_MARKED, _SURE))
    is_table = found[:1] != marked[:1] and re.search(r"[,;\t|]", found[0])
    return 2 * len(marked) >= len(found) and 4 * len(sure) >= len(found) and not is_table


def draft(text: str) -> Draft:
    """The draft of the tasks of a todo.txt."""
    made = Draft("todo.txt")
    cards: list[LooseCard] = []
    created = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            card, has_day = _read_line(line.strip(), f"row {number}")
            cards.append(card)
            created += has_day
    place_cards(made, _with_projects(cards))
    if created:
        made.left_out.append(LeftOut(created, "creation day", "cards have none"))
    if any(card.parent for card in cards):
        made.note("Projects of todo.txt become activities.")
    return made


def _with_projects(cards: Sequence[LooseCard]) -> list[LooseCard]:
    """The cards with an activity for each project, before the first of its tasks."""
    found: dict[str, LooseCard] = {}
    placed = []
    for card in cards:
        if card.parent and card.parent.casefold() not in found:
            activity = LooseCard(card.parent, card.parent.removeprefix("+"), card.origin)
            activity.status, activity.is_activity = None, True
            placed.append(found.setdefault(card.parent.casefold(), activity))
        placed.append(card)
    return placed


def _read_line(line: str, origin: str) -> tuple[LooseCard, bool]:
    """The card of a line, and whether it has a day of creation."""
    begins = _BEGINNING.match(line)
    assert begins  # each of its parts can be missing
    text = " ".join((line[begins.end() :] or line).split())
    title, pairs = _split_end(text)
    card = LooseCard("", title, origin)
    projects = [f"+{name}" for sign, name in _SIGN.findall(text) if sign == "+"]
    card.parent = projects[0] if projects else ""
    card.labels = [name for sign, name in _SIGN.findall(text) if f"{sign}{name}" != card.parent]
    letter = begins["priority"] or ""
    completed = begins["first"] if begins["done"] else None
    if begins["done"]:
        card.status = Status.COMPLETED
        day = read_moment(completed or "")
        card.completed_at = datetime.combine(day, time(12)) if day else None
        card.say("Completed", "" if day else completed or "")
    for key, value in pairs:
        match key:
            case "due" if card.due is None:
                card.due = card.read_day("Due", value)
            case "t" if not card.own.get("Start"):
                card.take_start(value)
            case "pri" if re.fullmatch("[A-Z]", value) and not letter:
                letter = value
            case "due" | "rec" | "pri" | "t":
                card.say(_WORDS.get(key, "Start"), value)
            case _ if key not in card.own:
                card.own[key] = value
            case _:
                card.say(key, value)
    card.priority = _PRIORITIES.get(letter, Priority.LOW if letter else Priority.NORMAL)
    if letter not in ("A", "B"):
        card.say("Priority", letter)
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
