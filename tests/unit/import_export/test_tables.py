"""Tables of other programs: what each kind of cell becomes, and that no cell is lost.

Each table is one that real files are like. Nothing else tests what becomes of columns, words, days and numbers.
"""

from __future__ import annotations

import json
import time
from datetime import date
from typing import Any

import pytest

from core.domain.model import ItemKind, Priority, Status
from core.errors import InvalidImport, InvalidInput
from core.import_export.document import ItemEntry, ProjectDocument
from core.import_export.files import FileFormat, ImportedFile, read_document
from core.import_export.tables.cell_days import DayOrder
from core.import_export.tables.columns import Undecided
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping, read_mapping, write_mapping
from core.text.amounts import DecimalSign

TODAY = date(2026, 11, 2)


def read(text: str, **said: Any) -> ImportedFile:
    return read_document(text, FileFormat.CSV, TableMapping(**said), TODAY)


def in_words(document: ProjectDocument, item: ItemEntry) -> str:
    """A card in one line, without what each card has."""
    titles = {each.id: each.title for each in document.items}
    kinds = {field.key: field.name for field in document.fields}
    phase = next(phase.name for phase in document.phases if item in phase.items)
    parts = [
        "activity" if item.kind is ItemKind.ACTIVITY else "",
        f"in {phase}" if phase != "Work" else "",
        "" if item.status is Status.TO_DO else item.status.lower(),
        f"of {titles[item.activity]}" if item.activity else "",
        str(item.due or ""),
        "" if item.priority is Priority.NORMAL else item.priority.lower(),
        *(f"@{each}" for each in item.assigned),
        *(f"#{each}" for each in item.labels),
        *(f"{kinds[each.field]}={each.value}" for each in item.fields),
        *(f"after {titles[each.card or '']}{f' +{each.lag_days}' if each.lag_days else ''}" for each in item.waits_for),
        item.link,
        *(f"{each.author} said {each.text}" for each in item.comments),
        f"“{item.description}”" if item.description else "",
    ]
    return " ".join([f"{item.title}:", *filter(None, parts)]).rstrip(":")


def cards(text: str, **said: Any) -> list[str]:
    document = read(text, **said).document
    return [in_words(document, item) for item in document.items]


DAYS = {
    "Thu, Dec 3, 2026": "2026-12-03",
    "Tuesday": "2026-11-03",
    "Today": "2026-11-02",
    "3 OCT 2027": "2027-10-03",
    "12/31/2026": "2026-12-31",
    "31/12/2026": "2026-12-31",
    "14/Mar/26 12:00 AM": "2026-03-14",
    "2026-12-03 10:00": "2026-12-03",
    "2026/12/03": "2026-12-03",
    "20261203": "2026-12-03",
    "02.06.2027 12:00": "2027-06-02",
    "25-10-2027": "2027-10-25",
    "2026-12-02T22:00:00.000Z": "2026-12-02",
    "3. Dezember 2026": "2026-12-03",
    "3 décembre 2026": "2026-12-03",
    "Tue Jan 05 2027 00:00:00 GMT+0000 (GMT)": "2027-01-05",
    "Mon 12/7/26": "2026-12-07",
    "0000-00-00": "",
    "n/a": "",
    "TBD": "“Due: TBD”",
    "46359": "“Due: 46359”",
    "October 8, 2027 → October 29, 2027": "2027-10-29 “Due: October 8, 2027 → October 29, 2027”",
}


@pytest.mark.parametrize("cell", DAYS)
def test_a_day_is_read_in_every_form_that_has_one_meaning_and_kept_as_words_in_others(cell: str) -> None:
    order = DayOrder.MDY if cell.startswith("Mon") else None
    beside = "" if not DAYS[cell].startswith("“") else '\nB,"2026-12-03"'
    assert cards(f'Title,Due\nA,"{cell}"{beside}', dates=order)[0] == f"A: {DAYS[cell]}".rstrip(": ")


def test_a_day_with_two_meanings_is_asked_about_or_found_by_another_cell() -> None:
    with pytest.raises(Undecided, match=r"“03/04/2027” can mean two days.*--dates dmy or --dates mdy") as raised:
        read("Title,Due\nA,03/04/2027")
    assert raised.value.about == "dates"
    assert cards("Title,Due\nA,03/04/2027", dates=DayOrder.DMY) == ["A: 2027-04-03"]
    assert cards("Title,Due\nA,03/04/2027", dates=DayOrder.MDY) == ["A: 2027-03-04"]
    assert cards("Title,Due\nA,03/04/2027\nB,31/12/2026")[0] == "A: 2027-04-03"


NUMBERS = [
    ("Title,Version\nA,1.10\nB,1.9", ["A: Version=1.10", "B: Version=1.9"]),
    ("Title,Zip\nA,00123\nB,01000", ["A: Zip=00123", "B: Zip=01000"]),
    ("Title,Article\nA,1.230\nB,+5", ["A: Article=1.230", "B: Article=+5"]),
    ("Title,Ref\nA,3E5\nB,1e3", ["A: Ref=3E5", "B: Ref=1e3"]),
    ('Title,Note 7\nA,"1,2"\nB,3', ["A: Note 7=1,2", "B: Note 7=3"]),
    ("Title;Cost\nA;1,5\nB;2.25", ["A: Cost=1.5", "B: Cost=2.25"]),
    ("Titel;Kosten\nA;1.200,00 €\nB;12.500 €", ["A: Kosten=1200", "B: Kosten=12500"]),
    ('Title,Amount\nA,"1,234"\nB,"1,234.5"', ["A: Amount=1234", "B: Amount=1234.5"]),
    ("Title,Cost\nA,1234567890\nB,12", ["A: Cost=1234567890", "B: Cost=12"]),
    ("Title,Cost\nA,x\nB,12", ["A: Cost=x", "B: Cost=12"]),
    ("Title,Level of risk\nA,3\nB,12.5", ["A: Level of risk=3", "B: Level of risk=12.5"]),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_no_number_is_rewritten_but_an_amount(text: str, expected: list[str]) -> None:
    assert cards(text) == expected


def test_an_amount_with_two_meanings_is_asked_about() -> None:
    text = 'Title,Amount\nA,"1,234"\nB,12'
    with pytest.raises(Undecided, match=r"“1,234” can mean two numbers.*--decimal comma or --decimal point") as raised:
        read(text)
    assert raised.value.about == "decimal"
    assert cards(text, decimal=DecimalSign.POINT) == ["A: Amount=1234", "B: Amount=12"]
    assert cards(text, decimal=DecimalSign.COMMA)[0] == "A: Amount=1.234"
    assert cards(text, columns={"amount": Use.TEXT})[0] == "A: Amount=1,234"
    assert "Cost: 12.500 read as 12500." in read("Title;Cost\nA;12.500\nB;2,5").notes


TABLES = {
    "repeated heads": ("Summary,Labels,Labels,Labels\nOne,alpha,beta,gamma", ["One: #alpha #beta #gamma"]),
    "repeated own heads": (
        "Summary,Team,Team\nOne,red,blue\nTwo,red,",
        ["One: “Team:\nred\nblue”", "Two: “Team: red”"],
    ),
    "two remarks": ("Summary,Comment,Comment\nOne,first,second", ["One: “Comment: first\nComment: second”"]),
    "a comment of Jira": (
        'Summary,Comment\nOne,"10/Jan/26 9:05 AM;maya;Well\ndone"',
        ["One: maya said Well\ndone"],
    ),
    "comments with other times": (
        'Summary,Comment\nOne,"2026-01-10T09:05:00;maya;a"\nTwo,"10.01.2026 09:05;bob;b"\nThree,"soon;bob;c"',
        ["One: maya said a", "Two: bob said b", "Three: “Comment: soon;bob;c”"],
    ),
    "a cell on two lines": ('Title,Criteria\nA,"one\ntwo"\nB,x', ["A: “Criteria:\none\ntwo”", "B: “Criteria: x”"]),
    "an empty head": ("Title,,Status\nA,remark,Done", ["A: completed Column 2=remark"]),
    "a comma too many": ("Title,Status\nA,Done,\nB,To Do,", ["A: completed", "B"]),
    "a cell too many": ("Title,Status\nA,Done,more", ["A: completed Column 3=more"]),
    "lines before the heads": ("Plan,Spring\nExported,2026\n\nTask Name,Progress\nA,Completed", ["A: completed"]),
    "a kind that is none": ("Title,Type\nA,Bug\nB,Milestone", ["A: Type=Bug", "B: Type=Milestone"]),
    "a kind": ("Title,Kind\nA,activity\nB,Task", ["A: activity", "B"]),
    "kinds in other languages": (
        "Vorgangsname,Vorgangsart\nA,Sammelvorgang\nB,Vorgang\nC,Meilenstein",
        ["A: activity Vorgangsart=Sammelvorgang", "B: Vorgangsart=Vorgang", "C: Vorgangsart=Meilenstein"],
    ),
    "kinds alone": ("Tarea,Tipo\nA,Actividad\nB,Tarea", ["A: activity", "B"]),
    "a milestone or not": ("Title,Milestone\nA,true\nB,false", ["A: Milestone=true", "B: Milestone=false"]),
    "phases with numbers": ("Title,Phase\nA,1", ["A: in 1"]),
    "two days": ("Title,Due date,Deadline\nA,2026-12-03,2026-12-10", ["A: 2026-12-03 Deadline=2026-12-10"]),
    "two texts": ("Title,Description,Notes\nA,one,two", ["A: “one\n\nNotes: two”"]),
    "heads alike in forty letters": (
        f"Title,{'H' * 50} one,{'H' * 50} two\nA,x,y",
        [f"A: {'H' * 40}=x {'H' * 36} 2=y"],
    ),
    "a parent by its id, below": (
        "Summary,Issue id,Parent\nChild,2,1\nMother,1,",
        ["Child: of Mother Issue id=2", "Mother: activity Issue id=1"],
    ),
    "a parent by its key": (
        "Issue key,Summary,Parent\nAB-1,Mother,\nAB-2,Child,AB-1",
        ["Mother: activity", "Child: of Mother"],
    ),
    "a parent by its title": ("Title,Parent\nChild,Mother\nMother,", ["Child: of Mother", "Mother: activity"]),
    "numbers that are an outline": (
        "N°;Lot / Tâche\n1;Build\n1.1;Walls\n2.;Paint",
        ["Build: activity N°=1", "Walls: of Build N°=1.1", "Paint: N°=2."],
    ),
    "numbers that are none": ("No,Title\n1.1,A\n1.2,B", ["A: No=1.1", "B: No=1.2"]),
    "a parent by outline": (
        "Outline number,Title\n1,Build\n1.1,Walls",
        ["Build: activity Outline number=1", "Walls: of Build Outline number=1.1"],
    ),
    "a parent by level": (
        "Task name,Outline level\nBuild,1\nWalls,2\nRoof,2",
        ["Build: activity", "Walls: of Build", "Roof: of Build"],
    ),
    "a parent by blanks before the title": (
        "Task,Status\nBuild,Done\n  Walls,Done\n    Bricks,To Do\nPaint,To Do",
        ["Build: activity in_progress", "Walls: completed of Build", "Bricks: of Build “Parent: Walls”", "Paint"],
    ),
    "a parent that is no line": ("Title,Epic\nA,Shop\nB,Shop", ["Shop: activity", "A: of Shop", "B: of Shop"]),
    "three levels": (
        "ID,Title,Parent\n1,A,\n2,B,1\n3,C,2",
        ["A: activity ID=1", "B: of A ID=2", "C: of A ID=3 “Parent: B”"],
    ),
    "parents in a circle": ("Title,Parent\nA,B\nB,A", ["A: activity “Parent: B”", "B: of A"]),
    "a done parent with an open child": (
        "Title,Status,Parent\nA,Done,\nB,To Do,A",
        ["A: activity in_progress", "B: of A"],
    ),
    "several people": ("Title,Assigned To\nA,maya; bob", ["A: activity @maya @bob"]),
    "people and a comma": (
        'Title,Assignees\nA,"maya, bob"\nB,"Okafor, Maya"',
        ["A: activity @maya @bob", "B: @Maya Okafor"],
    ),
    "people between slashes": (
        'Title,Assignees\nA,"Okafor, Maya / Lind, Bob"\nB,maya@x.example/bob@x.example\nC,R/D',
        ["A: activity @Maya Okafor @Bob Lind", "B: activity @maya@x.example @bob@x.example", "C: @R/D"],
    ),
    "people with their addresses": (
        'Title,Assignees,Parent\nA,Maya Okafor <maya@x.example>,\nB,"Lind, Bob (bob@x.example); Zed <zed@x.example>",A',
        [
            "A: activity @maya@x.example",
            "B: of A @bob@x.example “Also assigned: Zed (zed@x.example)”",
        ],
    ),
    "no name and an address": (
        "Name,Assignee,Assignee Email\nA,-,maya@example.com",
        ["A: @maya@example.com “Assignee: -”"],
    ),
    "one person twice": ("Title,Assigned\nA,maya; maya", ["A: @maya"]),
    "names and addresses": (
        "Name,Assignee,Assignee Email\nA,Maya Okafor,maya@example.com",
        ["A: @maya@example.com"],
    ),
    "done by a day": ("Name,Completed At\nA,2026-09-10\nB,", ["A: completed Completed At=2026-09-10", "B"]),
    "done by yes": ("Title,Done\nA,TRUE\nB,FALSE", ["A: completed", "B"]),
    "done by per cent": (
        "Task Name,% Complete\nA,100%\nB,40%\nC,0%",
        ["A: completed % Complete=100%", "B: in_progress % Complete=40%", "C: % Complete=0%"],
    ),
    "done by a resolution": (
        "Summary,Resolution\nA,Fixed\nB,Won't Do\nC,",
        ["A: completed Resolution=Fixed", "B: archived Resolution=Won't Do", "C"],
    ),
    "statuses of others": (
        "Title,Status\nA,erledigt\nB,en cours\nC,완료\nD,Reopened",
        ["A: completed", "B: in_progress", "C: completed", "D"],
    ),
    "an unknown status": ("Title,Status\nA,On the moon\nB,Done", ["A: “Status: On the moon”", "B: completed"]),
    "priorities": (
        "Title,Priority\nA,P1\nB,3 - Low\nC,Immediate\nD,High \nE,7",
        ["A: high", "B: low", "C: urgent", "D: high", "E: “Priority: 7”"],
    ),
    "no link": (
        "Title,Link\nA,www.example.com/x\nB,https://example.com",
        ["A: “Link: www.example.com/x”", "B: https://example.com"],
    ),
    "predecessors": (
        'ID,Title,Predecessors\n1,A,\n2,B,1FS+2 days\n3,C,"1,2"',
        ["A: ID=1", "B: ID=2 after A +2", "C: ID=3 after A after B"],
    ),
    "links of Jira": (
        "Issue key,Summary,Inward issue link (Blocks),Outward issue link (Blocks)\n"
        "AB-1,A,,AB-2\nAB-2,B,,\nAB-3,C,AB-9,",
        ["A", "B: after A", "C: “Inward issue link (Blocks): AB-9”"],
    ),
    "waits in a circle": ("ID,Title,Blocked by\n1,A,2\n2,B,1", ["A: ID=1 after B", "B: ID=2 “Waits for: A”"]),
    "a parent that is elsewhere": ("#,Subject,Parent task\n12,Basket,10", ["Basket: #=12 “Parent task: 10”"]),
    "no title": ("Title,Status\n,Done", ["Row 2: completed"]),
    "a title on two lines": ('Title,Status\n"Two\nlines",To Do', ["Two lines"]),
    "invisible signs": ("Title,Remark\nPasted\u200b text,zero\u00adwidth", ["Pasted text: Remark=zerowidth"]),
    "signs of the past": ("Title,Notes\nA\x00B,first\x0bsecond", ["AB: “first\nsecond”"]),
    "formulas": (
        "Title,Status\n=1+1,Done\n'-5 degrees,To Do\n'quoted,To Do",
        ["=1+1: completed", "-5 degrees", "'quoted"],
    ),
    "a stray quote": ('Title,Status\n"Fix 24" screen",Done', ['Fix 24" screen: completed']),
    "a quote in the middle": ('Title,Status\nFix 24" screen,Done', ['Fix 24" screen: completed']),
    "semicolons in cells": ("Title,Labels\nA;B,x;y\nC;D,z;w", ["A;B: #x #y", "C;D: #z #w"]),
    "bars": ("Title|Status\nA|Done", ["A: completed"]),
    "old line ends": ("Title,Status\rA,Done\rB,To Do\r", ["A: completed", "B"]),
    "a start day": ("Title,Start Date\nA,2026-09-05", ["A: Start=2026-09-05"]),
    "todoist": (
        "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,RESPONSIBLE,DATE\nmeta,view=list,,,,,\nsection,Planning,,,,,\n"
        "task,Trip,Book,1,1,Bob (2),2026-10-12\ntask,Hotel,,4,2,,\nnote,Sea view,,,,,",
        [
            "Trip: activity in Planning 2026-10-12 urgent @Bob “Book\n\nRESPONSIBLE: Bob (2)”",
            "Hotel: in Planning of Trip low Notes of the task=Sea view",
        ],
    ),
    "OpenProject": (
        "ID;Subject;Type;Status;Finish date;Parent\n"
        "1;Design;Phase;In progress;2026-12-01;\n2;Sketch;Task;Rejected;2026-11-10;1",
        [
            "Design: activity in_progress 2026-12-01 ID=1 Type=Phase",
            "Sketch: archived of Design 2026-11-10 ID=2 Type=Task",
        ],
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_becomes_these_cards(name: str) -> None:
    text, expected = TABLES[name]
    assert cards(text) == expected


def test_what_is_on_no_card_is_named_with_its_number_and_the_reason() -> None:
    found = read("Plan,Spring\n\nTask Name,Sprint\nA,7\nB,8", columns={"Sprint": Use.NOTHING})
    assert [each.sentence for each in found.left_out] == [
        "Left out: 1 line, because it stands before the heads: “Plan Spring”.",
        "Left out: 2 cells of “Sprint”, because you skip the column.",
    ]


def test_columns_that_differ_become_the_twelve_fields_and_the_others_words() -> None:
    heads = ["Same", *(f"C{at}" for at in range(13))]
    rows = [["x", *(f"{at}-{row}" for at in range(13))] for row in range(2)]
    text = "\n".join(",".join(row) for row in (["Title", *heads], *(["T", *row] for row in rows)))
    found = read(text)
    assert [field.name for field in found.document.fields] == [f"C{at}" for at in range(12)]
    assert found.document.items[0].description == "Same: x\nC12: 12-0"
    assert "4 cells of “Same” and “C12” are at the end of descriptions." in found.notes


def test_the_person_says_what_columns_and_words_mean() -> None:
    text = "Job,When,Sprint,State,Who,Prio\nA,3/4/27,7,in work,Bob L.,1"
    columns = {"job": Use.TITLE, "When": Use.DUE, "sprint": Use.WORDS}
    said = {
        "statuses": {"In Work": Status.IN_PROGRESS},
        "priorities": {"1": Priority.URGENT},
        "people": {"bob l.": "bob"},
    }
    assert cards(text, columns=columns, dates=DayOrder.DMY, **said) == [
        "A: in_progress 2027-04-03 urgent @bob “Sprint: 7”"
    ]
    with pytest.raises(InvalidImport, match="There is no head “Nope”"):
        read(text, columns={"Nope": Use.TITLE})
    with pytest.raises(InvalidImport, match="No column looks like the title"):
        read("a,b\n1,2")


@pytest.mark.parametrize(
    ("person", "becomes"),
    [
        ("Zed Zeller,zed@x.example", "“Assignee: Zed Zeller (zed@x.example)”"),
        ("Zed Zeller <zed@x.example>,", "“Assignee: Zed Zeller <zed@x.example>”"),
        (",zed@x.example", "“E-mail: zed@x.example”"),
    ],
)
def test_a_person_who_is_left_out_or_is_another_one_keeps_the_address_as_words(person: str, becomes: str) -> None:
    text, words = f"Title,Assignee,Assignee Email\nA,{person}\n", ("Zed Zeller", "zed@x.example")
    assert cards(text, people=dict.fromkeys(words, "")) == [f"A: {becomes}"]
    said = cards(text, people=dict.fromkeys(words, "bob"))
    assert said == [f"A: @bob {becomes.replace('<', '(').replace('>', ')')}" if "Zed" in person else "A: @bob"]


def test_what_is_said_about_a_table_can_be_kept_as_a_file() -> None:
    said = TableMapping(
        columns={"Job = work": Use.TITLE, "Sprint": Use.NOTHING},
        statuses={"in work": Status.IN_PROGRESS},
        priorities={"1": Priority.URGENT},
        people={"Bob L.": "bob", "Nobody": ""},
        dates=DayOrder.DMY,
        decimal=DecimalSign.COMMA,
        skip_lines=3,
        encoding="cp1250",
    )
    assert read_mapping(write_mapping(said)) == said
    with pytest.raises(InvalidInput, match="“nope” is no status"):
        read_mapping('{"format": "podium-mapping", "statuses": ["x=nope"]}')


def test_a_time_in_utc_has_the_local_day_as_in_json_and_one_in_another_zone_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = {"name": "B", "lists": [{"id": "l", "name": "To Do"}], "cards": [{"id": "c", "name": "A", "idList": "l"}]}
    with monkeypatch.context() as there:
        for zone, day in (("Australia/Sydney", "2026-12-03"), ("America/New_York", "2026-12-02")):
            there.setenv("TZ", zone)
            time.tzset()
            assert cards("Title,Due\nA,2026-12-02T22:00:00.000Z") == [f"A: {day}"]
            board["cards"][0]["due"] = "2026-12-02T22:00:00.000Z"  # type: ignore[index]
            assert str(read_document(json.dumps(board)).document.items[0].due) == day
            assert cards("Title,Due\nA,2026-12-02T22:00:00+02:00") == ["A: 2026-12-02"]
    time.tzset()


def test_all_problems_are_said_at_once_by_the_row_of_the_spreadsheet_and_the_title() -> None:
    text = "Plan\n\nTitle,Due,Link,Status,Waits for\nA,soon,x.y,Moon,\nB,2026-12-03,https://x.y,Mars,Z\nC,later,z,Done,"
    found = read(text)
    assert set(found.notes) == {
        "2 cells in columns of days are no day, and are in the description (row 4 “A” and row 6 “C”).",
        "2 links that cannot be opened are in the description (row 4 “A” and row 6 “C”).",
        "1 wait that cannot be here is in the description (row 5 “B”).",
        "Not known as a status, so the cards are To Do: “Moon” (1) and “Mars” (1)."
        " --status “WORD=STATUS” says what they mean.",
    }
    assert [(each.kind, each.word, each.number) for each in found.unknown] == [
        ("status", "Moon", 1),
        ("status", "Mars", 1),
    ]


def test_words_of_a_column_in_which_none_is_known_can_be_mapped_too() -> None:
    text = "Title,Status\nA,Moon\nB,Mars\nC,Moon"
    found = read(text)
    assert [(each.word, each.number) for each in found.unknown] == [("Moon", 2), ("Mars", 1)]
    assert "No cell of “Status” is a status, so the column is a field. --status “WORD=STATUS” says" in found.notes[0]
    assert cards(text, statuses={"moon": Status.COMPLETED})[0] == "A: completed"


def test_columns_that_the_person_chooses_become_fields_before_others() -> None:
    heads = [f"C{at}" for at in range(14)]
    text = "\n".join(",".join(row) for row in (["Title", *heads], ["A", *heads], ["B", *reversed(heads)]))
    assert [field.name for field in read(text, columns={"C13": Use.FIELD}).document.fields][-1] == "C13"
    assert [field.name for field in read(text).document.fields][-1] == "C11"


ENCODED = {
    "Polish": ("cp1250", "Tytuł;Status\nPrzygotować ofertę;w toku\nWysłać umowę;zakończone", "Windows-1250"),
    "a Polish word": ("cp1250", "Zadanie,Status\nCzęść pierwsza,w toku", "Windows-1250"),
    "Czech": ("cp1250", "Název,Stav\nSchůzka s účetní,hotovo\nObjednat zboží,čeká", "Windows-1250"),
    "German": ("cp1252", "Titel;Status\nGröße prüfen;erledigt", "Windows-1252"),
    "a German word": ("cp1252", "Title,Status\nÄrger,Done", "Windows-1252"),
    "French": ("cp1252", "Tâche;État\nRéserver l’hôtel;terminé\nCœur;", "Windows-1252"),
    "Spanish": ("cp1252", "Tarea;Estado\nDiseño del año;hecho", "Windows-1252"),
    "Danish": ("cp1252", "Opgave;Status\nKøbe brød på lørdag;færdig", "Windows-1252"),
    "signs": ("cp1252", "Title,Note\nOven,20 °C\nB,“quoted” – 12 €", "Windows-1252"),
    "Russian": ("cp1251", "Title,Задача\nПодготовить отчёт,готово", "Windows-1251"),
    "Japanese": ("cp932", "タイトル,Note\n準備,完了\n会議の準備,進行中", "cp932"),
    "UTF-16": ("utf-16", "Title,Note\nŁódź,ß", "UTF-16"),
    "UTF-32": ("utf-32", "Title,Note\nŁódź,ß", "UTF-32"),
    "UTF-16 without a mark": ("utf-16-le", "Title,Note\nŁódź,ß", "UTF-16-LE"),
    "UTF-16 the other way": ("utf-16-be", "Title,Note\nŁódź,ß", "UTF-16-BE"),
}


@pytest.mark.parametrize("language", ENCODED)
def test_a_table_in_an_older_encoding_is_read_and_it_is_said_in_which(language: str) -> None:
    encoding, text, called = ENCODED[language]
    found = read_document(text.encode(encoding), today=TODAY)
    assert [in_words(found.document, each) for each in found.document.items] == cards(text)
    assert found.notes[0].startswith(f"Read as {called}")


def test_a_wrong_byte_in_utf_8_is_one_sign_that_cannot_be_read() -> None:
    found = read_document("Title,Note\nŁódź,ß\n".encode() + b"Caf\xe9,x", today=TODAY)
    assert [item.title for item in found.document.items] == ["Łódź", "Caf\ufffd"]
    assert found.notes == (
        "Read as utf-8, with 1 sign that cannot be read, because it is not UTF-8 throughout. --encoding says another.",
    )


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "标题;值\n苹果;绿\n".encode("utf-16-le")])
def test_what_is_no_text_is_not_taken_for_a_table(data: bytes) -> None:
    with pytest.raises(InvalidImport, match=r"It is not text, or in an unknown encoding\. Save it as UTF-8"):
        read_document(data)


def test_another_encoding_can_be_said() -> None:
    found = read_document("Title\nŁódź".encode("cp1250"), mapping=TableMapping(encoding="cp1252"))
    assert [item.title for item in found.document.items] == ["£ódŸ"]
    assert found.notes == ()
    for encoding, shown in (("klingon", "klingon"), ("undefined", "undefined"), ("u" * 9_000, "u+…")):
        with pytest.raises(InvalidImport, match=f"There is no encoding “{shown}”"):
            read_document(b"Title\nA", mapping=TableMapping(encoding=encoding))


TOO_LARGE = {
    "columns": ("Title" + ",x" * 1_000, "Line 1: It has 1,001 columns. Podium reads 1,000 at most."),
    "lines": ("Title\n" + "a\n" * 200_001, "It has more than 200,000 lines. Split it."),
    "letters in a cell": ("Title\n" + "x" * 1_000_001, "A cell has more than 1,000,000 characters"),
    "letters in an open quote": ('Title\n"' + "x" * 1_000_001, "A cell has more than 1,000,000 characters"),
    "quotes": ("Title\n" + 'a"b' * 400_000, "A cell has more than 1,000,000 characters"),
}


@pytest.mark.parametrize("many", TOO_LARGE)
def test_a_table_with_too_many_parts_is_refused_before_anything_is_made_of_them(many: str) -> None:
    text, said = TOO_LARGE[many]
    begun = time.process_time()
    with pytest.raises(InvalidImport, match=said):
        read(text)
    assert time.process_time() - begun < 3


def test_a_short_cell_of_a_column_of_what_is_done_is_not_taken_for_a_yes() -> None:
    """A cell with a line end lets the column be no field, so that the words are all that is left of the others."""
    found = read('Title,Resolution\nA,later\nB,yes\nC,"long story\nof two lines"')
    said = {item.title: item.description for item in found.document.items}
    assert said == {"A": "Resolution: later", "B": "", "C": "Resolution:\nlong story\nof two lines"}


def test_an_address_whose_person_has_another_is_in_the_description() -> None:
    text = "Title;Assignee;Owner;Assignee email\nA;Maya;Maya;a@b.org 1.1\n"
    (item,) = read_document(text, today=TODAY).document.items
    assert item.description == "E-mail: 1.1"
