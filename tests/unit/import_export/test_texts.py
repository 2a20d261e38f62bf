"""Files of beads, Markdown, Backlog.md, todo.txt and Nextcloud Deck: what becomes of them, and that nothing is lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidImport
from core.import_export.draft import DESCRIPTION
from core.import_export.files import FileFormat, ImportedFile, detect_format, read_document
from tests.unit.import_export.test_tables import in_words

SAMPLES = Path(__file__).parent / "samples"


def read(text: str, format: FileFormat | None = None) -> ImportedFile:
    return read_document(text, format, name="called")


def cards(found: ImportedFile) -> list[str]:
    return [in_words(found.document, item) for item in found.document.items]


EXPECTED: dict[str, tuple[FileFormat, str, list[str], list[str]]] = {
    "beads.jsonl": (
        FileFormat.BEADS,
        "beads",
        [
            "Spring: activity high ID=sp-1 “The **campaign**.”",
            "Call the printer: in_progress of Spring 2026-12-03 urgent @maya #print #a b ID=sp-2 Estimated minutes=90"
            " Type=bug after Book the crew https://example.com/9 bob said Ring twice “## Design\n\nTwo\nlines\n\n\n##"
            " Acceptance criteria\n\n- [ ] cheap\n- [ ] fast\n\nNotes: One line\nDiscovered from: sp-3\nComment of eve:"
            " When?\nWaits for: gone-1\nLabels: a, b”",
            'Book the crew: completed ID=sp-3 “External ref: gh-9\nClose reason: Done by Ann\nOdd: {"a": 1}”',
            "Old: archived low ID=sp-4 “Status: tombstone\nPriority: 4\nDelete reason: twice”",
            "Same id: of Spring ID=sp-4 Type=epic “Status: blocked\nPriority: P9\nId: sp-4”",
        ],
        [
            "Not as in the file, but said in descriptions: “Waits for” of 1 card, “Labels” of 1 card and “Id” of 1"
            " card.",
            "Left out: 2 values of “created_at” and “deleted_at”, because beads has such things for itself.",
            "Left out: 1 value of “created_at”, because beads has such things for itself.",
            "Left out: 1 value of “id”, because beads has such things for itself.",
        ],
    ),
    "check_list.markdown": (
        FileFormat.CHECK_LIST,
        "Spring campaign: tags: [a]\nkanban: board\n\nIntro text.\n\n## Plan\n\nWhy we plan.\n\n## Only text\n\nJust"
        " words. [ref]: x\n\n[ref]: https://example.com/ref",
        [
            "Call the printer site and ask: activity in Plan 2026-12-03 #print #legal “- note without box\n\n```\n- [ ]"
            " in code\n```\n\nLink: https://example.com”",
            "Nested: in Plan completed of Call the printer site and ask",
            "Deeper: in Plan of Call the printer site and ask “Parent: Nested”",
            "Book the crew: in Plan completed",
            "plain: activity in Plan “text after\n\n> - [ ] quoted”",
            "in a group: in Plan of plain",
            "Inner one: in Plan / Inner",
        ],
        [
            "Not as in the file, but said in descriptions: “Parent” of 1 card.",
            "In the description of the project, as no boxes are below: “Only text”.",
            "Signs of Markdown in titles, such as ** and `, are dropped.",
            "Items without a box that hold boxes become activities.",
        ],
    ),
    "backlog.markdown": (
        FileFormat.BACKLOG_MD,
        "Backlog.md",
        [
            'It\'s a "task": one: activity in m-8 in_progress high @maya @bob #tui #a b ID=BACK-1 Type=feature'
            " “Deliver it.\n\n## Acceptance Criteria\n- [x] #1 One\n- [ ] #2 Two\n\n---\nmore\n\nReferences:"
            " https://example.com/x\nWaits for: A long title that goes on”",
            'A long title that goes on: in m-8 of It\'s a "task": one ID=BACK-2 “Text\n\nStatus: Blocked by rain\n'
            "Priority: p7”",
        ],
        [
            "Not as in the file, but said in descriptions: “Waits for” of 1 card.",
            "Left out: 2 values of “created_date” and “ordinal”, because Backlog.md has such things for itself.",
        ],
    ),
    "todo.txt": (
        FileFormat.TODO_TXT,
        "todo.txt",
        [
            "spring: activity in_progress",
            "Call the printer: of spring 2026-12-03 urgent #phone “Repeats: +1w”",
            "Book the crew: completed of spring high",
            "summer: activity",
            "Ask @maya about +summer and +spring: of summer low #maya #spring note=a “note: b\nPriority: E”",
            "Look at https://example.com/x: “Start: soon”",
            "xylophone",
            "done without a day: completed",
            "only: activity",
            "+only @tags: of only #tags",
        ],
        ["Projects of todo.txt become activities.", "Left out: 3 creation days, because cards have none."],
    ),
    "deck.json": (
        FileFormat.NEXTCLOUD_DECK,
        "Spring",
        [
            "Archived: in Plan archived “Deleted in Deck: yes”",
            "Open: in Plan 2026-12-03 @maya #Bug Start=2026-12-01 bob said Hi “Still\n\nAssigned to: Crew\nAttached:"
            " brief.pdf”",
            "In the bin: in Plan archived @bob “Deleted in Deck: yes”",
            "Finished: completed “Dependent card: 3101”",
            "Under way: in_progress",
        ],
        [
            "Start days are a date field, because cards have no start yet.",
            "Each stack that is no status becomes a phase; a phase is locked until those before it are done.",
            "2 times of day are left out: a card has a day.",
            "Left out: 2 values of “color”, because cards here have no such thing.",
            "Left out: 1 value of “color”, because labels get colours of Podium.",
            "Left out: 1 value of “acl”, because a project has none.",
        ],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_with_all_that_a_format_can_hold_becomes_these_cards(name: str) -> None:
    format, about, expected, said = EXPECTED[name]
    found = read((SAMPLES / name).read_text())
    assert found.format is format
    assert ": ".join(filter(None, (found.document.name, found.document.description))) == about
    assert cards(found) == expected
    assert [*found.notes, *(each.sentence for each in found.left_out)] == said


def bead(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"b-{number}", "title": f"T{number}", "issue_type": "task"} | more


def beads(*issues: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, issues))


def child(number: int, of: int, kind: str = "parent-child", **more: Any) -> dict[str, Any]:
    return bead(number, dependencies=[{"depends_on_id": f"b-{of}", "type": kind}], **more)


SMALL: dict[str, tuple[str, list[str]]] = {
    "a list": ("# Spring\n- [ ] Call\n- [x] Book", ["Call", "Book: completed"]),
    "two titles are phases": ("# A\n- [ ] x\n# B\n- [ ] y", ["x: in A", "y: in B"]),
    "a card above the only title": ("- [ ] x\n\n# B\n- [ ] y", ["x", "y: in B"]),
    "a checked box with an open one in it": (
        "- [x] a\n  - [ ] b",
        ["a: activity in_progress “Status: completed”", "b: of a"],
    ),
    "numbers, stars and Windows": ("1. [x] a\r\n2) [ ] b\r\n\r\n* [X] c", ["a: completed", "b", "c: completed"]),
    "a bare box": ("- [ ]\n- [ ] b", ["Without a title", "b"]),
    "escapes and entities": ("- [ ] \\*a\\* &amp; b_c_ <d>", ["*a* & b_c_ <d>"]),
    "text of a box": ("- [ ] a\n\n  > one\n  >\n  > two", ["a: “one\n\ntwo”"]),
    "a todo.txt": (
        "(A) 2026-11-01 Call the printer +spring @phone due:2026-12-03\n"
        "x 2026-11-05 2026-11-01 Book the crew +spring\n"
        '(B) Write: the brief, with commas "and quotes" t:2026-12-01\n',
        [
            "spring: activity in_progress",
            "Call the printer: of spring 2026-12-03 urgent #phone",
            "Book the crew: completed of spring",
            'Write: the brief, with commas "and quotes": high Start=2026-12-01',
        ],
    ),
    "issues of beads": (
        beads(child(1, 2, "blocks", priority=1), bead(2, status="closed", priority=2)),
        ["T1: high ID=b-1 after T2", "T2: completed ID=b-2"],
    ),
    "an array of beads": (json.dumps([bead(1, priority=3)]), ["T1: low ID=b-1"]),
    "a parent below its child": (beads(child(1, 2), bead(2)), ["T1: of T2 ID=b-1", "T2: activity ID=b-2"]),
    "a missing parent": (beads(child(1, 9)), ["T1: ID=b-1 “Parent: b-9”"]),
    "parents in a circle": (
        beads(child(1, 2), child(2, 1)),
        ["T1: activity ID=b-1 “Parent: T2”", "T2: of T1 ID=b-2"],
    ),
    "its own parent": (beads(child(1, 1)), ["T1: ID=b-1 “Parent: b-1”"]),
    "three levels": (
        beads(bead(1), child(2, 1), child(3, 2)),
        ["T1: activity ID=b-1", "T2: of T1 ID=b-2", "T3: of T1 ID=b-3 “Parent: T2”"],
    ),
    "a closed epic with an open child": (
        beads(bead(1, status="closed", issue_type="epic", closed_at="2026-11-05T10:00:00Z"), child(2, 1)),
        ["T1: activity in_progress ID=b-1 “Status: completed\nCompleted: 2026-11-05”", "T2: of T1 ID=b-2"],
    ),
    "a deleted epic with a closed child": (
        beads(bead(1, status="tombstone", issue_type="epic"), child(2, 1, status="closed")),
        ["T1: activity archived ID=b-1 “Status: tombstone”", "T2: archived of T1 ID=b-2"],
    ),
    "waits in a circle": (
        beads(child(1, 2, "blocks"), child(2, 1, "blocks")),
        ["T1: ID=b-1 after T2", "T2: ID=b-2 “Waits for: T1”"],
    ),
    "strange values": (
        beads(bead(1, title=None, labels=5, status=9, comments={"a": 1}, dependencies=7, due_at=[], assignee="\0")),
        ['Without a title: #5 ID=b-1 “Status: 9\nComment of unknown: {"a": 1}\nWaits for: 7”'],
    ),
    "several boards": (
        json.dumps({"boards": [{"title": b, "stacks": [{"title": "S", "cards": [{"title": "c"}]}]} for b in "AB"]}),
        ["c: in A: S", "c: in B: S"],
    ),
    "a board alone, with strange values": (
        json.dumps({"title": "x", "stacks": [7, {"title": "S", "cards": ["y", {"title": "c", "duedate": "soon"}]}]}),
        ["Without a title: in S", "c: in S “Due: soon”"],
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_what_a_file_says_in_its_own_way_becomes_these_cards(name: str) -> None:
    text, expected = SMALL[name]
    assert cards(read(text)) == expected


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("Buy milk\n(A) Call Mum @phone\n(B) Post +letters", FileFormat.TODO_TXT),
        ("2026-11-01 It rained.\n2026-11-02 It rained again.", FileFormat.CSV),
        ("2026-11-01 10:00:01 INFO begun\n2026-11-01 10:00:02 INFO done", FileFormat.CSV),
        ("What is the capital?\n(A) Paris\n(B) London", FileFormat.CSV),
        ("Dear all,\n\nwe met @maya, and then:\nwe went home.\nIt was late.\nBye", FileFormat.CSV),
        ("title,who\nPaint, @maya\nMove, @bob", FileFormat.CSV),
        ('title,notes\nPaint,"\n- [ ] first"', FileFormat.CSV),
        ("My list\n\n- [ ] a", FileFormat.CHECK_LIST),
        ("[Draft] Plan,2027\nTitle,Value\nA,1", FileFormat.CSV),
        ("[ID],{Title}\n1,A", FileFormat.CSV),
        ("---\ntags: x\n---\n- [ ] a", FileFormat.CHECK_LIST),
        ("---\nid: a\ntitle: b\n---\n- [ ] a", FileFormat.BACKLOG_MD),
        (beads(bead(1, description="x" * 43_000)), FileFormat.BEADS),
    ],
)
def test_the_format_is_known_by_the_content(text: str, format: FileFormat) -> None:
    assert detect_format(text) is format


MANY = 3_000
HOSTILE = {
    "a chain of parents": beads(*(child(n, n + 1) for n in range(MANY))),
    "a circle of parents": beads(*(child(n, (n + 1) % MANY) for n in range(MANY))),
    "one id": beads(*(bead(1) for _ in range(MANY))),
    "circles of waits": beads(*(child(n, n ^ 1, "blocks") for n in range(MANY))),
    "signs": "- [ ] " + "[" * 100_000,
    "ticks": "- [ ] a\n" + "".join("`" * n + "a" for n in range(700)),
    "headings": "\n".join(f"## H{n}\n- [ ] x" for n in range(300)),
    "a long line": "(A) " + "a" * 1_000_000 + " +x",
    "tasks in tasks": "\n".join(f"---\nid: t-{n}\ntitle: T\nparent_task_id: t-{n + 1}\n---" for n in range(MANY)),
    "rules": "---\nid: a\ntitle: b\n---\n" + "---\n" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_means_harm_is_read_whole(name: str) -> None:
    text = HOSTILE[name]
    format = FileFormat.TODO_TXT if name == "a long line" else None
    document = read(text, format).document
    whole = {"signs": 1, "ticks": 1, "headings": 300, "a long line": 2, "rules": 1}
    assert len(document.items) == whole.get(name, MANY)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- [ ] a\n" + ">" * 100_000 + " x", "Line 2: It is nested too deeply."),
        ("- [ ] a\n" + "- " * 2_000 + "x", "Line 2: It is nested too deeply."),
        ('{"issue_type":1,"title":' + "[" * 100_000, "It is nested too deeply."),
        ("- [ ] a" * 300_000, "Markdown has at most 2,000,000. Split it."),
        ("# Only\n\nwords", "It is Markdown without check boxes."),
        ("{\\rtf1 Hello}", "It is a text document (.rtf). Podium cannot read it yet. Copy its table"),
        ('Title,Value\nA,1\nB,"C" d\n', 'Line 3: A quote (") in a quoted cell is not doubled. Save the table again.'),
        ('Title\n"A "b" c\nD,"e"f"\n', 'Line 2: A quote (") in a quoted cell is not doubled. Save the table again.'),
        (beads(bead(1)) + '\n{"id":', "Line 2: It is not JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_with_one_sentence(text: str, said: str) -> None:
    with pytest.raises(InvalidImport, match=re.escape(said)):
        read(text)


def test_a_text_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.import_export.programs.check_lists.SECONDS", 0)
    with pytest.raises(InvalidImport, match=r"It takes too long to read as Markdown\. Split it\."):
        read("- [ ] a")


def test_a_description_that_waits_in_words_make_too_long_goes_on_in_comments() -> None:
    issues = (child(1, 2, "blocks"), child(2, 1, "blocks", description="x" * DESCRIPTION))
    (_, long) = read(beads(*issues)).document.items
    assert (len(long.description), long.comments[0].text) == (DESCRIPTION, "Waits for: T1")
