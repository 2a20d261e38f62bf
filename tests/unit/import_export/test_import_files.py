"""Files of other programs, in the shape that those document: what becomes of them, and what is refused where."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from core.actions.projects.imports import ImportProject
from core.codec.json_loader import line_of
from core.domain.labels import MAX_LABELS, LabelColour
from core.domain.model import ItemKind, Priority, Status
from core.errors import InvalidImport, InvalidInput
from core.import_export.document import ItemEntry, ProjectDocument
from core.import_export.files import FileFormat, detect_format, read_document
from core.import_export.tables.mapping import TableMapping, read_columns
from tests.support.workspace import World

TODAY = date(2026, 3, 2)

pytestmark = pytest.mark.usefixtures("in_utc")

MAYA = {"id": "m1", "username": "maya", "fullName": "Maya Okafor", "initials": "MO"}
BOB = {"id": "m2", "username": "boblind", "fullName": "Bob Lind", "initials": "BL"}


def trello(**more: Any) -> dict[str, Any]:
    """A board as Trello exports it, with fields that nobody here asks for."""
    return {
        "id": "5ee87b00",
        "name": "Website",
        "desc": "The new one.",
        "closed": False,
        "prefs": {"permissionLevel": "private"},
        "labelNames": {"red": "Urgent"},
        "lists": [
            {"id": "l2", "name": "Doing", "closed": False, "pos": 200.5},
            {"id": "l1", "name": "To Do", "closed": False, "pos": 100},
            {"id": "l3", "name": "Done ✔", "closed": False, "pos": 300},
            {"id": "l4", "name": "Ideas", "closed": False, "pos": 400},
        ],
        "cards": [
            {"id": "c2", "name": "Build", "idList": "l2", "pos": 1, "idMembers": ["m1", "m2"], "badges": {"votes": 0}},
            {
                "id": "c1",
                "name": "Write texts",
                "desc": "All of them.",
                "idList": "l1",
                "pos": 2,
                "closed": False,
                "due": "2026-03-20T12:00:00.000Z",
                "dueComplete": False,
                "idMembers": ["m2"],
                "labels": [{"id": "b1", "name": "Urgent", "color": "red"}, {"id": "b2", "name": "", "color": "sky"}],
                "attachments": [{"id": "a1", "url": "https://example.com/brief.pdf", "name": "brief.pdf"}],
            },
            {"id": "c3", "name": "Launch", "idList": "l3", "pos": 1, "dueComplete": True, "due": None},
            {"id": "c4", "name": "Fax", "idList": "l4", "pos": 1, "closed": True},
        ],
        "members": [dict(MAYA), dict(BOB)],
        "checklists": [
            {
                "id": "k1",
                "idCard": "c3",
                "name": "Before",
                "pos": 1,
                "checkItems": [
                    {"id": "i2", "name": "Tell people", "state": "incomplete", "pos": 20},
                    {"id": "i1", "name": "Buy domain", "state": "complete", "pos": 10, "idMember": "m1"},
                ],
            }
        ],
        "actions": [
            {
                "id": "x1",
                "type": "commentCard",
                "date": "2026-02-03T10:00:00.000Z",
                "data": {"text": "First draft is there.", "card": {"id": "c1", "name": "Write texts"}},
                "memberCreator": BOB,
            },
            {"id": "x2", "type": "updateCard", "date": "2026-02-03T11:00:00.000Z", "data": {"old": {"pos": 1}}},
        ],
    } | more


def warrior(**more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "uuid": "00000000-0000-0000-0000-000000000001",
        "description": "Pay the rent",
        "entry": "20260301T080000Z",
        "modified": "20260301T080000Z",
        "status": "pending",
        "urgency": 8.4,
    } | more


def read(value: Any, **options: Any) -> ProjectDocument:
    text = value if isinstance(value, str) else json.dumps(value, indent=1)
    return read_document(text, today=TODAY, **options).document


def by_title(document: ProjectDocument) -> dict[str, ItemEntry]:
    return {item.title: item for item in document.items}


def test_lists_of_trello_that_are_statuses_make_one_phase_and_others_one_each() -> None:
    document = read(trello())
    assert (document.name, document.description) == ("Website", "The new one.")
    assert {phase.name: [item.title for item in phase.items] for phase in document.phases} == {
        "Work": ["Write texts", "Build", "Launch", "Buy domain", "Tell people"],
        "Ideas": ["Fax"],
    }
    cards = by_title(document)
    assert {title: card.status for title, card in cards.items()} == {
        "Write texts": Status.TO_DO,
        "Build": Status.IN_PROGRESS,
        "Launch": Status.COMPLETED,
        "Buy domain": Status.COMPLETED,
        "Tell people": Status.ARCHIVED,
        "Fax": Status.ARCHIVED,
    }
    assert cards["Build"].kind is ItemKind.ACTIVITY
    assert cards["Build"].assigned == ("maya", "boblind")
    assert cards["Buy domain"].activity == "c3"
    texts = cards["Write texts"]
    assert texts.due == date(2026, 3, 20)
    assert texts.description == "All of them.\n\nAttached: https://example.com/brief.pdf"
    assert texts.labels == ("Urgent", "sky")
    assert [(each.name, each.colour) for each in document.labels] == [
        ("Urgent", LabelColour.RED),
        ("sky", LabelColour.TEAL),
    ]
    assert [(said.author, said.text) for said in texts.comments] == [("boblind", "First draft is there.")]


def test_a_due_moment_is_due_on_the_day_that_it_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    assert by_title(read(trello()))["Write texts"].due == date(2026, 3, 21)


def test_a_board_of_trello_becomes_rows(world: World) -> None:
    project = world.do(ImportProject(document=read(trello())))
    row = world.row("item", project_id=project.id, title="Write texts")
    assert (row["assignee_id"], row["due"]) == (world.bob.user_id, "2026-03-20")
    comment = world.row("comment", project_id=project.id)
    assert (comment["original_login"], comment["imported_by"]) == ("bob", world.maya.user_id)
    assert len(world.rows("SELECT 1 FROM assignment WHERE project_id = :p", p=project.id)) == 2


def test_a_closed_card_takes_its_check_items_into_the_archive() -> None:
    board = trello()
    board["cards"][2] |= {"closed": True, "dueComplete": False, "idList": "l1"}
    cards = by_title(read(board))
    assert cards["Launch"].archived_from is Status.TO_DO
    assert cards["Tell people"].archived_with_activity
    assert cards["Buy domain"].archived_from is Status.COMPLETED


def test_a_card_that_is_there_twice_comes_twice() -> None:
    cards = by_title(read(card(id="c2")))
    assert cards["Build"].description == "Id: c2"
    assert cards["Write texts"].id == "c2"


def test_a_field_of_trello_that_is_called_like_the_field_of_start_days_is_another_one() -> None:
    board = card(start="2026-03-01T12:00:00Z", customFieldItems=[{"idCustomField": "f", "value": {"text": "soon"}}])
    document = read(board | {"customFields": [{"id": "f", "name": "Start", "type": "text"}]})
    assert [field.name for field in document.fields] == ["Start", "Start 2"]
    assert [value.value for value in by_title(document)["Write texts"].fields] == ["2026-03-01", "soon"]


def test_a_title_that_is_too_long_is_kept_whole_in_the_description() -> None:
    board = trello()
    board["cards"][0]["name"] = "long " * 100
    found = next(item for item in read(board).items if item.title.startswith("long"))
    assert len(found.title) <= 200
    assert found.description == ("long " * 100).strip()


def test_tasks_of_taskwarrior_keep_what_podium_knows_and_say_the_rest_in_words() -> None:
    other = "00000000-0000-0000-0000-000000000002"
    tasks = [
        warrior(project="Home.Flat", due="20260320T120000Z", start="20260302T070000Z", tags=["money", "soon"]),
        warrior(uuid=other, description="Ask", status="waiting", wait="20260401T120000Z", depends=[warrior()["uuid"]]),
        warrior(uuid="3", description="Done", status="completed", end="20260301T090000Z", project="Home.Flat"),
        warrior(uuid="4", description="Dropped", status="deleted", depends=f"{other},unknown"),
        warrior(uuid="5", description="Model", status="recurring", recur="weekly", mask="-"),
        warrior(
            uuid="6",
            description="Note",
            priority="H",
            parent="5",
            annotations=[{"entry": "20260301T120000Z", "description": "rang twice"}],
        ),
        warrior(uuid="7", description="No repetition yet", status="recurring", recur="weekly"),
    ]
    result = read_document(json.dumps(tasks))
    cards = by_title(result.document)
    assert result.format is FileFormat.TASKWARRIOR
    assert list(cards) == ["Home.Flat", "Pay the rent", "Ask", "Done", "Dropped", "Note", "No repetition yet"]
    assert cards["Home.Flat"].kind is ItemKind.ACTIVITY
    assert cards["Home.Flat"].status is Status.IN_PROGRESS
    assert cards["Pay the rent"].status is Status.IN_PROGRESS
    assert cards["Pay the rent"].due == date(2026, 3, 20)
    assert cards["Pay the rent"].activity == cards["Home.Flat"].id
    assert (cards["Pay the rent"].description, cards["Pay the rent"].labels) == ("", ("money", "soon"))
    assert cards["Ask"].description == "Waits until: 2026-04-01"
    assert [wait.card for wait in cards["Ask"].waits_for] == [cards["Pay the rent"].id]
    assert cards["Dropped"].archived_from is Status.TO_DO
    assert cards["Dropped"].description == "Waits for: unknown"
    assert [wait.card for wait in cards["Dropped"].waits_for] == [other]
    assert (cards["Note"].description, cards["Note"].priority) == ("2026-03-01: rang twice", Priority.HIGH)
    assert result.notes[1] == "Annotations become words in the description."
    assert "Left out: 1 recurring task, because the tasks that repeat it are there." in [
        each.sentence for each in result.left_out
    ]


def test_tasks_of_kanban_tui_get_their_status_from_when_they_were_begun_and_done() -> None:
    created = {"creation_date": "2026-01-11T22:53:12", "column": 5, "days_since_creation": 3}
    tasks = [
        {"task_id": 1, "title": "Plan", "finished": False, "category": 2, "due_date": "2026-12-31T00:00:00"} | created,
        {"task_id": 2, "title": "Build", "start_date": "2026-01-12T08:00:00", "finished": False} | created,
        {"task_id": 3, "title": "Ship", "finish_date": "2026-01-13T08:00:00", "finished": True} | created,
        {"task_id": 4, "title": "Tell", "blocked_by": [2, 9], "is_blocked": True} | created,
    ]
    result = read_document(json.dumps(tasks))
    assert result.format is FileFormat.KANBAN_TUI
    statuses = [item.status for item in result.document.items]
    assert statuses == [Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.TO_DO]
    assert result.document.items[0].due == date(2026, 12, 31)
    assert result.document.items[3].description == "Waits for: 9"
    assert [wait.card for wait in result.document.items[3].waits_for] == ["2"]
    assert result.document.items[0].labels == ("category 2",)
    assert any("rename the labels" in note for note in result.notes)


def test_tags_beyond_the_most_labels_stay_words_and_twins_become_one_label(world: World) -> None:
    tags = [["Money", "money"], *([f"tag {number}"] for number in range(60)), ["none", 'a "b", c', "x" * 40]]
    tasks = [warrior(uuid=str(number), description=f"Task {number}", tags=each) for number, each in enumerate(tags)]
    result = read_document(json.dumps(tasks))
    assert len(result.document.labels) == MAX_LABELS
    cards = by_title(result.document)
    assert cards["Task 0"].labels == ("Money",)
    assert (cards["Task 60"].labels, cards["Task 60"].description) == ((), "Labels: tag 59")
    assert cards["Task 61"].description == f'Labels: none, a "b", c, {"x" * 40}'
    assert any("50 labels" in note for note in result.notes)
    project = world.do(ImportProject(document=result.document))
    assert len(world.rows("SELECT id FROM label WHERE project_id = :id", id=project.id)) == MAX_LABELS


def test_a_table_has_labels_and_priorities_and_says_which_it_does_not_know() -> None:
    table = "Title,Priority,Tags\nOne,Critical,print; Needs review\nTwo,P7,PRINT\nThree,,\n"
    result = read_document(table)
    assert [(item.priority, item.labels) for item in result.document.items] == [
        (Priority.URGENT, ("print", "Needs review")),
        (Priority.NORMAL, ("print",)),
        (Priority.NORMAL, ()),
    ]
    assert [note for note in result.notes if "P7" in note] == [
        "Not known as a priority, so the cards are normal: “P7” (1). --priority “WORD=PRIORITY” says what they mean."
    ]


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_table_is_read_by_its_heads_whatever_stands_between(between: str) -> None:
    rows = [
        ["Task Name", "Owner", "Due Date", "State", "Parent", "Stage"],
        ["Call", "maya; bob@example.com", "3.12.2026", "in progress", "", "Build"],
        ["Type", "Bob Lind", "2026-12-04T10:00", "", "Kick-off", "Build"],
        ["", "", "", "", "", ""],
        ['"It is ""so"""', "", "", "DONE", "Kick-off", ""],
    ]
    rows[1][1] = "maya"
    document = read("\r\n".join(between.join(row) for row in rows))
    cards = by_title(document)
    assert [phase.name for phase in document.phases] == ["Build", "Work"]
    assert (cards["Call"].status, cards["Call"].due, cards["Call"].assigned) == (
        Status.IN_PROGRESS,
        date(2026, 12, 3),
        ("maya",),
    )
    assert cards["Type"].due == date(2026, 12, 4)
    assert cards['It is "so"'].status is Status.COMPLETED
    assert [item.title for item in document.items if item.kind is ItemKind.ACTIVITY] == ["Kick-off", "Kick-off"]


def test_heads_can_be_told() -> None:
    mapping = TableMapping(columns=read_columns(["title=Job", "due = until"]))
    document = read("Job,Until\nPaint,2026-12-03\n", mapping=mapping)
    assert document.items[0].due == date(2026, 12, 3)
    with pytest.raises(InvalidInput, match="“colour=Red” is not FIELD=HEAD"):
        read_columns(["colour=Red"])


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    board = trello()
    change(board)
    return board


def card(**values: Any) -> dict[str, Any]:
    """A board with something else in one of its cards."""
    return changed(lambda board: board["cards"][1].update(values))


NO_TITLE = "^Line 1, title: No column looks like the title of the tasks \\(found: “a” and “b”\\)"

REFUSED: dict[str, tuple[Any, str]] = {
    "nothing": ("  \n", "There is nothing in it"),
    "cut off": (json.dumps(trello(), indent=1)[:900], r"^Line \d+: It is cut off"),
    "too deep": ("[" * 100_000, "JSON"),
    "JSON of something else": ({"a": 1}, "neither a project of Podium nor"),
    "a list of something else": ([{"a": 1}], "neither a project"),
    "a card without a name": (
        changed(lambda b: b["cards"][1].pop("name")),
        r"^Line 52, cards\[1\].name: It is missing",
    ),
    "a card in no list": (
        card(idList="l9"),
        r"cards\[1\].idList: There is no list “l9”",
    ),
    "a card at a place without an end, in a list without an end": (
        card(pos=10**400, idList="l" * 5_000),
        r"cards\[1\].idList: There is no list “l+…” in the file\.$",
    ),
    "a key twice": (
        '{"name": "Plan",\n "lists": [],\n "cards": [{"id": "c1", "name": "A", "id": "c2"}]}',
        r"^Line 3, cards\[0\].id: The key “id” is there twice\.$",
    ),
    "a date of another shape": (card(due="soon"), r"cards\[1\].due"),
    "members that are no list": (trello(members={}), "members: It should be a list"),
    "a time of no calendar": ([warrior(due="20261320T000000Z")], r"^Line 10, \[0\].due: “20261320T000000Z” is not"),
    "a table without titles": (
        "a,b\n1,2\n",
        "^title: No column looks like the title of the tasks \\(found: “a” and “b”\\)",
    ),
    "an open quote": ('title\nA\n"B\n', "A quote .* is opened in a cell and never closed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_in_a_file_is_named_by_line_and_field(case: str) -> None:
    value, said = REFUSED[case]
    with pytest.raises(InvalidImport, match=said):
        read(value)


def test_a_place_is_found_whatever_stands_before_it() -> None:
    text = '{\n "a]": "}\\"{",\n "cards": [\n  {"x": [1, {}]},\n  {\n   "name": 5}]}'
    assert line_of(text, "cards[1].name") == 6
    assert line_of(text, "cards[1].nothing") == 5
    assert line_of(text, "cards[9].name") == 3
    assert line_of("", "cards") == 1


def test_the_format_is_told_by_how_it_begins() -> None:
    assert detect_format(json.dumps(trello())) is FileFormat.TRELLO
    assert detect_format('{"format": "podium-project"') is FileFormat.PODIUM
    assert detect_format("title,due") is FileFormat.CSV
