"""No cell and no value of a file is lost: it is on its card, or its meaning is, or the plan of the import names it."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.codec.encoding import to_json
from core.domain.fields import from_thousandths
from core.errors import InvalidInput
from core.import_export.document import ItemEntry, ProjectDocument
from core.import_export.files import FileFormat, ImportedFile, read_document
from core.import_export.tables.cell_days import DayOrder, read_days
from core.import_export.tables.heads import _HEADS, Use
from core.import_export.tables.mapping import TableMapping
from core.import_export.tables.words import kind_word, split_words, status_of_list
from core.record import replace
from core.text.amounts import DecimalSign, read_amount
from core.text.folding import fold
from core.text.sanitize import drop_unshown

TODAY = date(2026, 11, 2)
SAID = TableMapping(dates=DayOrder.DMY, decimal=DecimalSign.COMMA, skip_lines=0)

OWN_HEADS = ("Cost", "Sprint", "sprint", "", "Version", "Team", "H" * 50, "H" * 50 + "2", "Custom field (Rank)", "💡")
KNOWN_HEADS = [word for words in _HEADS.values() for word in split_words(words)]
HEADS = st.one_of(st.sampled_from(KNOWN_HEADS), st.sampled_from(OWN_HEADS))
CELLS_OF_PEOPLE = """
,,1,2,1.1,1.10,12.500 50,Done,erledigt,yes,50%,Epic,Urgent,2FS+1d,A,B,A; B,Okafor Maya,maya@example.com,2026-12-03,
3/4/27,31.12.1999,next Tuesday,https://example.com/a,www.example.com,10/Jan/26 9:05 AM;maya;Well,Design,Build,P1,AB-1
"""
CELLS = st.one_of(
    st.sampled_from(["", "12.500,50", "x,y", "Okafor, Maya", *split_words(CELLS_OF_PEOPLE)]),
    st.text(alphabet="a b;,|\n\t\"'=@#-–\u200b\u00ad\x0bé中א°€0.", max_size=30),
    st.text(max_size=20),
    st.integers(1, 50_000).map(lambda size: ("long word " * 5_000)[:size]),
)


def words_of(text: str) -> set[str]:
    """The words of a text without the signs that part labels, people and waits."""
    return {each.strip("@#;|\"“”'=-– ") for each in re.split(r"[\s,;|\"“”]+", drop_unshown(text))} - {""}


def texts_of(document: ProjectDocument, item: ItemEntry) -> str:
    people = {each.login: f"{each.login} {each.name} {each.email}" for each in document.people}
    phase = next(each.name for each in document.phases if item in each.items)
    return " ".join(
        [phase, item.title, item.description, item.link, *item.labels, *(each.value for each in item.fields)]
        + [people[each] for each in (*item.assigned, *(comment.author for comment in item.comments))]
        + [comment.text for comment in item.comments]
    )


def means(use: Use, cell: str, item: ItemEntry, found: ImportedFile) -> bool:
    """True if a card has the meaning of a cell instead of its words."""

    def day() -> bool:
        days = read_days(cell, TODAY, SAID.dates)
        return days.due is None or days.due == item.due or days.due.isoformat() in {each.value for each in item.fields}

    def amount() -> bool:
        number = re.sub(r"^[€$]|[€$]$", "", cell).strip()
        return from_thousandths(read_amount(number, SAID.decimal)) in {each.value for each in item.fields}

    waits = {wait.card for each in found.document.items for wait in each.waits_for}
    checks: dict[Use, Callable[[], bool]] = {
        Use.STATUS: lambda: SAID.status_of(cell) is not None,
        Use.PHASE: lambda: (SAID.status_of(cell) or status_of_list(cell)) is not None,
        Use.PRIORITY: lambda: SAID.priority_of(cell) is not None,
        Use.KIND: lambda: kind_word(cell) is not None,
        Use.DUE: day,
        Use.START: day,
        Use.PARENT: lambda: item.activity is not None,
        Use.OUTLINE: lambda: cell.rstrip(".").replace(".", "").isdecimal(),
        Use.INDENT: cell.isdecimal,
        Use.KEY: lambda: item.number > 0,
        **dict.fromkeys((Use.DONE, Use.ARCHIVED), lambda: bool(re.fullmatch(r"100 ?%?|0 ?%?|\w{1,6}|[✓✔☑☐✗]", cell))),
        Use.WAITS_FOR: lambda: bool(item.waits_for),
        Use.BLOCKS: lambda: item.id in waits,
        Use.FIELD: amount,
        Use.NOTHING: lambda: any("you skip" in each.why for each in found.left_out),
    }
    try:
        return use in checks and checks[use]()
    except InvalidInput:
        return False


def check_table(heads: list[str], rows: list[list[str]], said: dict[str, Use]) -> None:
    if len(heads) == 1:  # a cell of only ";" is then an empty line of a table with semicolons
        rows = [row for row in rows if any(cell.strip(" ;|\t\r\n") for cell in row)]
    text = io.StringIO()
    csv.writer(text).writerows([heads, *rows])
    found = read_document(text.getvalue(), FileFormat.CSV, replace(SAID, columns=said), TODAY)
    uses: dict[str, set[Use]] = {}
    for column in found.columns:
        uses.setdefault(fold(" ".join(column.head.split())), set()).add(Use(column.use))
    by_row = {item.id: item for item in found.document.items}
    named = " ".join([*found.notes, *(each.sentence for each in found.left_out)])
    number = 1
    for row in rows:
        number += 1
        if not any(map(str.strip, row)):
            continue
        item = by_row[f"row {number}"]
        there = fold(texts_of(found.document, item) + named)
        for at, cell in enumerate(row):
            head = heads[at] if at < len(heads) and drop_unshown(heads[at]).strip() else f"Column {at + 1}"
            lost = [word for word in words_of(cell) if fold(word) not in there]
            plain = drop_unshown(cell).strip()
            of_head = uses.get(fold(" ".join(drop_unshown(head).split())), set())
            is_meant = any(means(use, plain, item, found) for use in of_head)
            assert is_meant or not lost, (head, cell[:80], lost[:3], of_head)
    assert sum(each.startswith("row ") for each in by_row) == sum(any(map(str.strip, row)) for row in rows)


Table = tuple[list[str], list[list[str]], dict[str, Use]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table with heads of many programs, repeated, empty and odd ones, lines of different lengths, and a mapping."""
    heads = ["Title", *draw(st.lists(HEADS, max_size=40))]
    rows = draw(st.lists(st.lists(CELLS, min_size=1, max_size=len(heads)), min_size=1, max_size=5))
    width = max(map(len, rows))
    named = [head for head in heads[:width] if head.strip() and fold(head) != "title"]
    uses = st.sampled_from([use for use in Use if use is not Use.NUMBER])
    return heads, rows, draw(st.dictionaries(st.sampled_from(named), uses, max_size=4)) if named else {}


@settings(max_examples=25, deadline=None)
@given(tables())
def test_each_cell_of_a_random_table_is_on_its_card_or_named(table: Table) -> None:
    check_table(*table)


@pytest.mark.sweep
@settings(max_examples=600, deadline=None)
@given(tables())
def test_each_cell_of_many_random_tables_is_on_its_card_or_named(table: Table) -> None:
    check_table(*table)


class Marks:
    """Texts of a random document, each with a mark of its own, by which it is found again."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self.made: list[str] = []

    def text(self, lines: bool = False) -> str:
        self.made.append(f"mark{len(self.made)}x")
        sizes = [1] * 8 + [100] * 3 + [300] + [12_000] * lines
        odd = self._data.draw(st.sampled_from(["", " \u200b", "\n" if lines else " ", "é", "  ", "“"]))
        return f"{self.made[-1]}{odd}" + "w " * self._data.draw(st.sampled_from(sizes))

    def some(self, make: Callable[[int], Any], most: int = 3) -> list[Any]:
        return [make(at) for at in range(self._data.draw(st.integers(0, most)))]

    def one(self, *values: Any) -> Any:
        return self._data.draw(st.sampled_from(values))

    def check(self, document: Any) -> None:
        """Read the document, and find each mark on cards, or in what the plan of the import names."""
        text = json.dumps(document)
        found = read_document(text, today=TODAY)
        named = " ".join([*found.notes, *(each.sentence for each in found.left_out)])
        there = json.dumps(to_json(found.document)) + named
        assert [mark for mark in self.made if mark in text and mark not in there] == []


TIMES = ("2026-12-02T22:00:00.000Z", "1999-12-31T00:00:00.000Z", "2026-03-29T02:30:00+01:00")


def random_board(marks: Marks) -> dict[str, Any]:
    some, text, one = marks.some, marks.text, marks.one
    people = some(lambda at: {"id": f"m{at}", "username": f"{text()[:20]}", "fullName": one("Maya", None)})
    lists = [{"id": f"l{at}", "name": text()[:100], "pos": at, "closed": one(False, True)} for at in range(2)]
    kinds = ("text", "number", "date", "list", "checkbox")
    own: list[dict[str, Any]] = [
        {"id": f"f{at}", "name": "Own", "type": kind, "options": []} for at, kind in enumerate(kinds)
    ]

    def value(at: int) -> dict[str, Any]:
        kind = own[at]["type"]
        if kind == "list":
            own[at]["options"] += [{"id": f"o{len(own[at]['options'])}", "value": {"text": text()[:50]}}]
            return {"idCustomField": f"f{at}", "idValue": own[at]["options"][-1]["id"], "value": None}
        given = {"number": one("3", "2.50", "x"), "date": one(*TIMES), "checkbox": "true", "text": text()[:900]}[kind]
        key = {"checkbox": "checked"}.get(kind, kind)
        return {"idCustomField": f"f{at}", "value": {key: given}}

    cards = some(
        lambda at: {
            "id": f"c{at}",
            "name": text(),
            "idList": one("l0", "l1"),
            "desc": text(lines=True),
            "closed": one(False, True),
            "due": one(None, *TIMES),
            "start": one(None, *TIMES),
            "dueComplete": one(False, True),
            "idMembers": [each["id"] for each in people][: one(0, 1, 2)],
            "labels": some(lambda _: {"name": text()[:40], "color": one("green", None)}),
            "attachments": some(lambda _: {"url": f"https://example.com/{text().split()[0]}", "name": "x"}),
            "customFieldItems": [value(at) for at in range(len(kinds)) if one(True, False)],
        }
    )
    checks = some(
        lambda at: {
            "id": f"k{at}",
            "idCard": one("c0", "c1"),
            "name": text()[:60],
            "checkItems": some(
                lambda on: {"id": f"i{at}-{on}", "name": text(), "state": one("complete", "incomplete")}
            ),
        }
    )
    of_cards = {each["id"] for each in cards}
    checks = [each for each in checks if each["idCard"] in of_cards]
    creator = {"id": "x", "username": "who", "fullName": "Who"}
    said = [{"card": {"id": each["id"]}, "text": text(lines=True)} for each in cards]
    actions = [{"type": "commentCard", "date": TIMES[0], "data": each, "memberCreator": creator} for each in said]
    board = {"name": text(), "desc": text(lines=True), "lists": lists, "cards": cards, "members": people}
    return {**board, "checklists": checks, "actions": actions, "customFields": own}


def random_tasks(marks: Marks) -> list[dict[str, Any]]:
    some, text, one = marks.some, marks.text, marks.one
    moments = ("20261202T220000Z", "19991231T000000Z")
    return [
        {
            "uuid": f"u{at}",
            "description": text(),
            "status": one("pending", "waiting", "completed", "deleted", text()[:20]),
            "entry": moments[0],
            "due": one("", *moments),
            "wait": one("", *moments),
            "scheduled": one("", *moments),
            "project": one("", text(), "home"),
            "priority": one("", "H", text()[:20]),
            "tags": some(lambda _: text()[:40].strip()),
            "depends": some(lambda _: one("u0", "u1", text()[:20]), 2),
            "annotations": some(lambda _: {"entry": moments[0], "description": text()}),
            "estimate": one(3, 2.5, 1234567.5, text()[:700]),
            **{f"own{letter}": text()[:90] for letter in "abcdefghijklmn"[: one(0, 2, 14)]},
        }
        for at in range(one(1, 2, 4))
    ]


RANDOM_DOCUMENTS: dict[str, Callable[[Marks], Any]] = {"Trello": random_board, "taskwarrior": random_tasks}


@pytest.mark.parametrize("kind", RANDOM_DOCUMENTS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_each_value_of_a_random_document_is_on_its_card_or_named(kind: str, data: st.DataObject) -> None:
    marks = Marks(data)
    marks.check(RANDOM_DOCUMENTS[kind](marks))


@pytest.mark.sweep
@pytest.mark.parametrize("kind", RANDOM_DOCUMENTS)
@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_each_value_of_many_random_documents_is_on_its_card_or_named(kind: str, data: st.DataObject) -> None:
    marks = Marks(data)
    marks.check(RANDOM_DOCUMENTS[kind](marks))


@pytest.mark.parametrize("sign", ["\u2adc", "\t", "e\u0301", "\u0958"])
def test_a_text_at_the_limit_is_read_also_where_its_signs_become_longer(sign: str) -> None:
    found = read_document(f"Title,Description\nA,b{sign * 3}{'d' * 19_990}c", FileFormat.CSV, today=TODAY)
    item = found.document.items[0]
    there = "".join([item.description, *(each.text for each in item.comments)])
    assert unicodedata.normalize("NFC", sign).strip() in there
    assert there.count("d") == 19_990
