"""Imports tasks of Backlog.md: Markdown with front matter, one task in a file, or several one after another.

A milestone is a phase, and a task with subtasks an activity. The sections stay Markdown in the description. What else
the front matter has becomes words in it, but for the times and the order that Backlog.md keeps for itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from core.domain.model import Priority
from core.errors import InvalidImport
from core.import_export.draft import Draft, find_unread
from core.import_export.programs.loose_cards import LooseCard, Text, Texts, as_texts, place_cards, read_part
from core.import_export.tables.words import priority_word
from core.record import Record, fields

OWN = frozenset(("created_date", "updated_date", "ordinal"))
"""Keys that Backlog.md has for itself."""

MOST_LINES = 200
"""The most lines of front matter."""

_MARK = re.compile(r"^[ \t]*<!-- (?:SECTION:\w+|AC|DOD|COMMENTS?):(?:BEGIN|END) -->[ \t]*\n?", re.MULTILINE)
_KEY = re.compile(r"([^\W\d][\w-]*):(?:[ \t]+(.*))?")
_ITEM = re.compile(r"\s*-(?:\s+|$)")
_LISTED = re.compile(r"\s*('(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|[^,]+?)\s*(?:,|$)")


class BacklogTask(Record, rename=None):
    id: Text = ""
    title: Text = ""
    status: Text = ""
    assignee: Texts = ()
    labels: Texts = ()
    dependencies: Texts = ()
    priority: Text = ""
    milestone: Text = ""
    parent_task_id: Text = ""
    type: Text = ""
    due_date: Text = ""


def is_backlog(text: str) -> bool:
    """Return whether a text begins with the front matter of a task.

    >>> is_backlog("---\\nid: BACK-1\\ntitle: Paint\\n---\\n")
    True
    """
    return _begins(text.lstrip().split("\n", MOST_LINES), 0)


def _begins(found: Sequence[str], at: int) -> bool:
    """Return whether a task begins in a line: with “---”, and then an id and a title before the next such line."""
    if found[at].rstrip() != "---":
        return False
    front = [*takewhile(lambda line: line.rstrip() != "---", found[at + 1 : at + MOST_LINES])]
    return at + len(front) + 1 < len(found) and {line.partition(":")[0] for line in front} >= {"id", "title"}


def draft(text: str, _called: str = "") -> Draft:
    """The draft of the tasks of a file. Raises InvalidImport."""
    made = Draft("Backlog.md")
    found = text.replace("\r\n", "\n").split("\n")
    starts = [at for at in range(len(found)) if _begins(found, at)]
    if not starts:
        raise InvalidImport("", "It has no task of Backlog.md: “---”, then lines such as “id: task-1” and “title: …”.")
    before = sum(bool(line.strip()) for line in found[: starts[0]])
    made.leave_out(before, "line", "no task is above the first “---”")
    fronts, cards = [], []
    for at, end in zip(starts, [*starts[1:], len(found)], strict=True):
        lines = [*takewhile(lambda line: line.rstrip() != "---", found[at + 1 : end])]
        fronts.append(read_front_matter(lines))
        cards.append(_card(fronts[-1], "\n".join(found[at + len(lines) + 2 : end]), f"row {at + 1}"))
    place_cards(made, cards)
    read = {key for each in fronts for key in each if key not in OWN}
    made.left_out += find_unread(fronts, read, "Backlog.md has such things for itself")
    return made


def _card(front: Mapping[str, str | list[str]], body: str, origin: str) -> LooseCard:
    task = read_part(front, BacklogTask)
    card = LooseCard(task.id, task.title, origin, task.milestone)
    card.description = re.sub(r"\A\s*## Description\n", "", _MARK.sub("", body)).strip()
    card.take_status(task.status)
    priority = priority_word(task.priority)
    card.priority = priority or Priority.NORMAL
    card.say("Priority", "" if priority else task.priority)
    card.people = [each.removeprefix("@") for each in task.assignee]
    card.labels, card.waits, card.parent = [*task.labels], dict.fromkeys(task.dependencies, 0), task.parent_task_id
    card.due = card.read_day("Due", task.due_date)
    card.own = {"ID": task.id, "Type": task.type}
    for key in [each for each in front if each not in OWN and each not in fields(task)]:
        card.say(key.replace("_", " ").capitalize(), ", ".join(as_texts(front[key])))
    return card


def read_front_matter(found: Iterable[str]) -> dict[str, str | list[str]]:
    """Return the values of front matter: texts and lists of texts, which is the YAML that Backlog.md writes.

    >>> read_front_matter(["title: 'It''s'", "labels:", "  - a", "text: >-", "  one", "  two", "none: []"])
    {'title': "It's", 'labels': ['a'], 'text': 'one two', 'none': []}
    """
    values: dict[str, list[str]] = {"": [""]}
    lists, key = set(), ""
    for line in found:
        if pair := _KEY.fullmatch(line.rstrip()):
            key = pair[1] if pair[1] not in values else f"{pair[1]} again"
            values[key] = [pair[2] or ""]
        elif (item := _ITEM.match(line)) and (key in lists or not values[key][0]):
            values[key] = [*(values[key] if key in lists else ()), line[item.end() :].rstrip()]
            lists.add(key)
        elif line.strip():
            between = "\n" if values[key][-1].startswith("|") else " "
            values[key][-1] += between + line.strip()
    read: dict[str, str | list[str]] = {}
    for key, texts in values.items():
        inline = re.fullmatch(r"\[(.*)\]", texts[0].strip()) if key not in lists else None
        texts = _LISTED.findall(inline[1]) if inline else texts
        read[key] = [*map(_unquote, texts)] if inline or key in lists else _unquote(texts[0])
    return {key: value for key, value in read.items() if key or value}


def _unquote(text: str) -> str:
    """A scalar of YAML as a text."""
    plain = re.sub(r"^[>|][+-]?(?:\s+|$)", "", text.strip())
    if len(plain) > 1 and plain[0] == plain[-1] == "'":
        return plain[1:-1].replace("''", "'")
    try:
        return str(json.loads(plain)) if plain[:1] == plain[-1:] == '"' else "" if plain in ("null", "~") else plain
    except ValueError:
        return plain
