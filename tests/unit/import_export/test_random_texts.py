"""Random files of beads, Markdown, Backlog.md, todo.txt and Nextcloud Deck: each word comes in, or is counted."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from core.import_export.document import ProjectDocument
from core.import_export.files import FileFormat
from core.import_export.tables.words import split_words
from tests.support.sweeps import sweep
from tests.unit.import_export.test_texts import beads, read


class Words:
    """Words of a random file, each of which must come in or be counted."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.given: list[str] = []
        self.own = 0
        """Values that the program has for itself, or that cards have no place for."""

    def leave(self) -> str:
        self.own += 1
        return "left out"

    def word(self, most: int = 1) -> str:
        self.given.append(f"w{len(self.given)}w")
        return self.given[-1] + self.random.choice(("", ".", " é", "\u200b", '"', " x" * most))

    def some(self, make: Callable[[], Any]) -> list[Any]:
        return [make() for _ in range(self.random.randrange(4))]

    def chance(self, make: Callable[[], Any], other: Any = None) -> Any:
        return make() if self.random.random() < 0.5 else other


def of_beads(words: Words) -> str:
    pick = words.random.choice

    def issue(number: int) -> dict[str, Any]:
        def relation() -> Any:
            kind = pick(("blocks", "parent-child", "related", "")) or words.word()
            other = words.chance(lambda: f"b-{words.random.randrange(12)}") or words.word()
            return {"depends_on_id": other, "type": kind} | ({"created_by": words.leave()} if pick((0, 1)) else {})

        keys = split_words(
            "title, description, design, notes, assignee, due_at, status, closed_at, priority, external_ref, odd,"
            "close_reason, estimated_minutes, issue_type"
        )
        odd = (words.word, lambda: words.word(9_000), lambda: [{"a": words.word()}], lambda: None)
        return {
            "id": f"b-{pick((number, 1))}",
            "issue_type": pick(("task", "epic", "bug")),
            "status": pick(("open", "closed", "in_progress", "tombstone", "blocked")),
            **{key: pick(odd)() for key in keys if words.random.random() < 0.5},
            "created_at": words.leave(),
            "labels": words.some(words.word),
            "comments": words.some(lambda: {"author": words.word(), "text": words.word(), "odd": words.leave()}),
            "dependencies": words.some(relation),
        }

    return beads(*(issue(number) for number in range(12)))


def of_check_lists(words: Words) -> str:
    pick, word = words.random.choice, words.word
    heads = ("Kind", "Due", "Assigned", "Labels", "Priority", "Status", "Link")

    def link() -> str:
        return f"{pick(('', '!'))}[{word()}](http://{word()} '{word()}') <http://{word()}> <b {word()}>{word()}</b>"

    def text() -> Any:
        return pick((word, word, link, lambda: f"**{word()}** `{word()}`", lambda: f"{word()}[^{word()}]"))()

    def part() -> str:
        return f"{pick(heads)}: {pick((text, lambda: f'{word()}, {word()}'))()}"

    blocks: tuple[Callable[[str], str], ...] = (
        lambda _: f"{'#' * words.random.randint(1, 6)} {text()}{pick(('', ' #'))}",
        lambda _: f"{text()}\n{pick('=-') * 3}",
        lambda indent: f"{indent}- [ ] {text()}\n{indent}  {text()}",
        lambda indent: f"{indent}- [x] {text()}\n{indent}  - {part()}\n{indent}  - {part()}\n{indent}  - {part()}",
        lambda indent: f"{indent}1) [ ] {text()}\n\n{indent}   > {text()}\n\n{indent}   {text()}",
        lambda indent: f"{indent}1. {text()}\n{indent}2. {text()}",
        lambda indent: f"{indent}- {text()}\n{indent}  - [ ] {text()}\n{indent}* {text()}",
        lambda _: f"> {text()}\n> - [ ] {text()}\n{text()}",
        lambda _: f"| {word()} | {text()} |\n|---|:--|\n| {text()} | {word()} |",
        lambda _: f"```{word()}\n- [ ] {word()}\n# {word()}\n```",
        lambda _: f"    {word()}\n    - [ ] {word()}",
        lambda _: f"<div class={word()}>\n# {text()}\n</div>\n<!-- {word()} -->",
        lambda _: pick(("---", "***", "- - -")),
        lambda _: f"[{word()}]: http://{word()} '{word()}'\n[^{word()}]: {text()}",
        lambda indent: indent + text(),
    )
    front = words.chance(lambda: f"---\ntitle: {word()}\ntags: [{word()}]\n---\n", "")
    parts = [pick(blocks)(pick(("", "", "", "  ", "    "))) + pick(("", "\n")) for _ in range(30)]
    return "\n".join([f"{front}# {word()}", *parts, "", f"- [ ] {word()}"])


def of_backlog(words: Words) -> str:
    pick = words.random.choice
    parts = []
    for number in range(8):
        parts += ["---", f"id: t-{pick((number, 1))}", f"title: {words.word()}"]
        parts += [f"{key}: {words.word()}" for key in ("status", "priority", "odd", "due_date") if pick((0, 1))]
        parts += [f"parent_task_id: t-{words.random.randrange(9)}", "milestone: >-", f"  {words.word()}"]
        parts += ["labels:", *(f"  - {words.word()}" for _ in range(3)), f"assignee: [{words.word().strip(chr(34))}]"]
        parts += [
            "dependencies:",
            f"  - t-{words.random.randrange(9)}",
            "---",
            "## Description",
            words.word(),
            words.word(),
        ]
    return "\n".join(parts)


def of_todo(words: Words) -> str:
    pick = words.random.choice
    signs = ("", "+", "@", "due:", "t:", "rec:", "pri:", "odd:", "http://")
    begins = ("", "x ", "(A) ", "(F) ", "x 2026-11-01 ")
    return "\n".join(
        pick(begins) + " ".join(pick(signs) + words.word() for _ in range(words.random.randrange(1, 7)))
        for _ in range(20)
    )


def of_deck(words: Words) -> str:
    def card() -> Any:
        keys = split_words("title, description, duedate, startdate, done, archived, dependentCards")
        odd = (words.word, lambda: [words.word()], lambda: None)
        return {
            **{key: words.random.choice(odd)() for key in keys if words.random.random() < 0.5},
            "owner": words.leave(),
            "odd": words.leave(),
            "labels": words.some(lambda: {"title": words.word(), "color": words.leave()}),
            "assignedUsers": words.some(
                lambda: {"participant": {"uid": words.word()}, "type": words.random.randrange(2)}
            ),
            "comments": words.some(lambda: {"message": words.word(), "actorId": words.word()}),
            "attachments": words.some(lambda: {"data": words.word()}),
        }

    stacks = [{"title": words.word(), "order": n % 3, "cards": words.some(card)} for n in range(5)]
    return json.dumps({"title": words.word(), "stacks": stacks})


OF_FORMATS = {
    FileFormat.BEADS: of_beads,
    FileFormat.CHECK_LIST: of_check_lists,
    FileFormat.BACKLOG_MD: of_backlog,
    FileFormat.TODO_TXT: of_todo,
    FileFormat.NEXTCLOUD_DECK: of_deck,
}


def on_cards(document: ProjectDocument) -> str:
    """All texts of a project that people can see."""
    people = {each.login: each.name for each in document.people}
    parts = [document.name, document.description, *(phase.name for phase in document.phases), *people, *people.values()]
    parts += [field.name for field in document.fields]
    for item in document.items:
        parts += [item.title, item.description, item.link, *item.labels, *(each.value for each in item.fields)]
        parts += [each.text for each in item.comments]
    return "\n".join(parts)


@pytest.mark.parametrize("seed", sweep(range(60), lambda seed: seed < 3))
@pytest.mark.parametrize("format", OF_FORMATS)
def test_each_word_of_a_random_file_is_in_the_project_or_counted(format: FileFormat, seed: int) -> None:
    words = Words(seed)
    text = OF_FORMATS[format](words)
    found = read(text, format)
    shown = on_cards(found.document).casefold()
    assert [word for word in words.given if word in text and word not in shown] == []
    counted = [each for each in found.left_out if "creation day" not in each.noun]
    assert sum(each.number for each in counted) == words.own
