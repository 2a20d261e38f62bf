"""Spreadsheets (.xlsx): what each kind of cell becomes, and that no file claims more than a machine has."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import date
from io import BytesIO
from string import ascii_uppercase
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from core.errors import InvalidImport
from core.import_export.files import ImportedFile, read_document
from core.import_export.tables.columns import Undecided
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping
from core.text.amounts import DecimalSign
from tests.support.spreadsheets import (
    CLOCK,
    DATE,
    DURATION,
    MAIN,
    OWN_PERCENT,
    PERCENT,
    archive_of,
    number,
    sheet,
    spreadsheet,
    text,
)
from tests.unit.import_export.test_tables import in_words

TODAY = date(2026, 11, 2)
HEADS = text("A1", "Title")
SECONDS = 8.0
"""A hostile file is refused within this time, on a slow machine."""


def read(data: bytes, sheet: str = "", decimal: DecimalSign | None = None) -> ImportedFile:
    return read_document(data, mapping=TableMapping(sheet=sheet, decimal=decimal), today=TODAY)


def cards(data: bytes, sheet: str = "") -> list[str]:
    document = read(data, sheet).document
    return [in_words(document, item) for item in document.items]


KINDS = {
    "a date": (number("B2", 46359, DATE), "“Kind: 2026-12-03”"),
    "a date with a time": (number("B2", 46359.4375, DATE), "“Kind: 2026-12-03 10:30:00”"),
    "a time of day": (number("B2", 0.4375, CLOCK), "“Kind: 10:30:00”"),
    "a duration": (number("B2", 1.25, DURATION), "“Kind: 30:00”"),
    "a number": (number("B2", "12.5"), "“Kind: 12.5”"),
    "a sum of decimals": (number("B2", "0.30000000000000004"), "“Kind: 0.3”"),
    "a large number": (number("B2", "1E+15"), "“Kind: 1000000000000000”"),
    "a percentage": (number("B2", "0.28999999999999998", PERCENT), "“Kind: 29%”"),
    "a percentage of one's own": (number("B2", "0.125", OWN_PERCENT), "“Kind: 12.5%”"),
    "a yes": ('<c r="B2" t="b"><v>1</v></c>', "“Kind: TRUE”"),
    "an error": ('<c r="B2" t="e"><v>#REF!</v></c>', "“Kind: #REF!”"),
    "a text with zeros": (text("B2", "00123"), "“Kind: 00123”"),
    "a shared text": ('<c r="B2" t="s"><v>1</v></c>', "“Kind: shared”"),
    "a formula": ('<c r="B2"><f>6*7</f><v>42</v></c>', "“Kind: 42”"),
    "a formula of text": ('<c r="B2" t="str"><f>A2</f><v>A</v></c>', "“Kind: A”"),
    "a cell without a place": ("<c><v>7</v></c>", "“Kind: 7”"),
}
SHARED = f'<sst xmlns="{MAIN}"><si><t>first</t></si><si><r><t>sha</t></r><r><t>red</t></r></si></sst>'


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_is_read_by_its_kind(kind: str) -> None:
    cell, expected = KINDS[kind]
    of_words = TableMapping(columns={"Kind": Use.WORDS})
    data = spreadsheet({"Plan": sheet(HEADS + text("B1", "Kind"), text("A2", "A") + cell)}, sharedStrings=SHARED)
    found = read_document(data, mapping=of_words, today=TODAY)
    assert in_words(found.document, found.document.items[0]) == f"A: {expected}"


def row(at: int, *cells: object) -> str:
    """A row of texts, and of numbers, each with its style."""
    made = zip(ascii_uppercase, cells, strict=False)
    inside = (text(f"{x}{at}", c) if isinstance(c, str) else number(f"{x}{at}", *c) for x, c in made)  # type: ignore[misc]
    return f'<row r="{at}">{"".join(inside)}</row>'


def test_typed_cells_become_days_amounts_and_done_work() -> None:
    heads = row(1, "Title", "Due", "Done", "Cost", "Rate")
    open_work = row(2, "A", (46359, DATE), ("0.4", PERCENT), ("1234.125",), ("12.125",))
    done = row(3, "B", (46360, DATE), (1, PERCENT), (7,), (3,))
    assert cards(spreadsheet({"Plan": sheet(heads, open_work, done)})) == [
        "A: in_progress 2026-12-03 Done=40% Cost=1234.125 Rate=12.125",
        "B: completed 2026-12-04 Done=100% Cost=7 Rate=3",
    ]


def test_a_plan_of_planner_comes_in_whole() -> None:
    """Its second sheet is about the plan, with nothing to do in it."""
    about = sheet(*(row(at, *cells) for at, cells in enumerate([("Plan name", "Shop"), ("Plan ID", "a1")], 1)))
    heads = (
        "Task ID,Task Name,Bucket Name,Progress,Priority,Assigned To,Created By,Created Date,Start date,Due date,"
        "Is Recurring,Late,Completed Date,Completed By,Completed Checklist Items,Checklist Items,Labels,Description"
    )
    lines = (
        "t1,Draft,Method,In progress,Important,Maya Okafor;Bob Lind,Maya Okafor,10/01/2026,10/05/2026,10/30/2026,"
        "false,false,,,1/2,Read;Write,Pink;Web,First cut",
        "t2,Publish,Method,Completed,Low,,Maya Okafor,10/01/2026,,,false,false,10/20/2026,Bob Lind,,,,",
    )
    tasks = sheet(*(row(at, *each.split(",")) for at, each in enumerate((heads, *lines), 1)))
    found = read(spreadsheet({"Tasks": tasks, "Plan": about}))
    assert [in_words(found.document, item) for item in found.document.items] == [
        "Draft: activity in Method in_progress 2026-10-30 high @Maya Okafor @Bob Lind #Pink #Web Task ID=t1"
        " Created By=Maya Okafor Created Date=10/01/2026 Start=2026-10-05 Is Recurring=false Late=false"
        " Completed Checklist Items=1/2 Checklist Items=Read;Write “First cut”",
        "Publish: in Method completed low Task ID=t2 Created By=Maya Okafor Created Date=10/01/2026"
        " Is Recurring=false Late=false Completed Date=10/20/2026 Completed By=Bob Lind",
    ]
    assert [*found.notes, *(each.sentence for each in found.left_out)] == [
        "The sheet “Tasks” is read.",
        "Several people share 1 card: such a card is an activity, because a task has one person (row 2 “Draft”).",
        "Start days are a date field, because cards have no start yet.",
        "Left out: 1 sheet, because one is read; --sheet reads “Plan”.",
    ]


def test_a_text_that_is_a_number_with_two_meanings_is_asked_about() -> None:
    data = spreadsheet({"Plan": sheet(HEADS + text("B1", "Cost"), text("A2", "A") + text("B2", "12.500"))})
    with pytest.raises(Undecided, match=r"“12\.500” can mean two numbers"):
        read(data)
    assert read(data, decimal=DecimalSign.COMMA).document.items[0].fields[0].value == "12500"


def test_lines_have_the_numbers_of_the_sheet_and_may_stand_before_the_heads() -> None:
    rows = (row(2, "Plan of spring"), row(5, "Title", "Link"), row(9, "A", "www.x.y"), row(10, "B", "https://x.y"))
    found = read(spreadsheet({"Plan": sheet(*rows)}))
    assert found.left_out[0].sentence == "Left out: 1 line, because it stands before the heads: “Plan of spring”."
    assert "1 link that cannot be opened is in the description (row 9 “A”)." in found.notes


def test_the_first_sheet_with_cells_is_read_and_the_others_are_named() -> None:
    sheets = {"Cover": sheet(), "Plan": sheet(HEADS, text("A2", "A")), "Old": sheet(HEADS, text("A2", "B"))}
    data = spreadsheet(sheets, frozenset({"Old"}))
    found = read(data)
    assert [item.title for item in found.document.items] == ["A"]
    assert found.notes == ("The sheet “Plan” is read.",)
    said = "Left out: 2 sheets, because one is read; --sheet reads “Cover” or “Old” (hidden)."
    assert [each.sentence for each in found.left_out] == [said]
    assert cards(data, "old") == ["B"]
    with pytest.raises(InvalidImport, match=r"no sheet “New”. There is “Cover”, “Plan” and “Old” \(hidden\)"):
        read(data, "New")
    with pytest.raises(InvalidImport, match=r"No sheet has cells\. There is “Cover”"):
        read(spreadsheet({"Cover": sheet()}))


def test_hidden_merged_and_unfinished_cells_are_read_and_said() -> None:
    rows = (
        HEADS + text("B1", "Phase") + text("C1", "Remark"),
        text("A2", "A") + text("B2", "Design") + '<c r="C2"><f>B9</f><v></v></c>',
        f'<row r="3" hidden="1">{text("A3", "B")}</row>',
        text("A4", "C") + text("B4", "Build") + '<c r="C4"><f>B9</f></c>',
    )
    after = '<mergeCells><mergeCell ref="B2:B3"/><mergeCell ref="A4:B4"/></mergeCells>'
    data = spreadsheet(
        {"Plan": sheet(*rows, before='<cols><col min="2" max="3" hidden="1"/></cols>', after=after)},
        comments1='<comments><commentList><comment ref="A1"/></commentList></comments>',
    )
    found = read(data)
    made = [in_words(found.document, each) for each in found.document.items]
    assert made == ["A: in Design", "B: in Design", "C: in Build"]
    assert found.notes[:2] == (
        "Read too: 1 hidden line and 2 hidden columns.",
        "1 cell below others that are merged with them: each has the value above it.",
    )
    assert [each.sentence for each in found.left_out] == [
        "Left out: 2 formulas, because the file has no value for C2 and C4. Save it in a spreadsheet program.",
        "Left out: 1 cell note, because only cells are read.",
    ]


NO_SPREADSHEETS = {
    "a text document": (archive_of(word__document_xml=""), "It is a text document \\(.docx\\)"),
    "slides": (archive_of(ppt__presentation_xml=""), "It is a presentation"),
    "an OpenDocument file": (archive_of(content_xml=""), "OpenDocument file .* Save it as .xlsx or CSV"),
    "another archive": (archive_of(plan="x", notes="y"), "zip archive with “plan” and “notes” in it. Unpack it"),
    "a broken archive": (b"PK\x03\x04 and more", "It is a damaged spreadsheet"),
    "a spreadsheet without its links": (archive_of(xl__workbook_xml="<workbook/>"), "No sheet has cells"),
    "a spreadsheet that is no XML": (spreadsheet({"Plan": "<worksheet"}), "It is a damaged spreadsheet"),
}


@pytest.mark.parametrize("kind", NO_SPREADSHEETS)
def test_what_is_no_spreadsheet_is_named_with_a_way_out(kind: str) -> None:
    data, said = NO_SPREADSHEETS[kind]
    with pytest.raises(InvalidImport, match=said):
        read(data)


def bomb() -> bytes:
    """A small file that is 300 MB, unpacked."""
    packed = BytesIO(spreadsheet({"Other": sheet()}))
    with ZipFile(packed, "a", ZIP_DEFLATED) as archive, archive.open("xl/sharedStrings.xml", "w") as part:
        for _ in range(300):
            part.write(b"0" * 1_000_000)
    return packed.getvalue()


def cell_at(place: str) -> str:
    return sheet(HEADS, f'<row><c r="{place}"><v>1</v></c></row>')


HOSTILE = {
    "a bomb": (bomb, "more than 100,000,000 bytes"),
    "a cell far out": (lambda: spreadsheet({"P": cell_at("XFD1048576")}), "line 1,048,576 and column 16,384"),
    "a cell far out, in other words": (lambda: spreadsheet({"P": cell_at("&#88;FD1048576")}), "column 16,384"),
    "a cell far out, behind a plain one": (
        lambda: spreadsheet({"P": sheet(HEADS, '<c r="A2"><v>1</v></c><c r="XFD1048576"><v>1</v></c>')}),
        "column 16,384",
    ),
    "a cell far out, behind one in a comment": (
        lambda: spreadsheet(
            {
                "P": sheet(
                    HEADS, '<row r="1048576"><!--<c r="A1"><v>1</v></c>--><c><v>1</v></c><c r="ZZ3"><v>1</v></c></row>'
                )
            }
        ),
        "line 1,048,576",
    ),
    "a cell far out, behind one in an instruction": (
        lambda: spreadsheet(
            {
                "P": sheet(
                    HEADS, '<row r="1048576"><?a <c r="A1"><v>1</v></c>?><c><v>1</v></c><c r="ZZ3"><v>1</v></c></row>'
                )
            }
        ),
        "line 1,048,576",
    ),
    "a million columns": (
        lambda: spreadsheet({"P": sheet(HEADS, "<row>" + "<c><v>1</v></c>" * 1_000_000 + "</row>")}),
        "packed far smaller",
    ),
    "too many cells": (lambda: spreadsheet({"P": sheet(*["<row><c><v>1</v></c></row>"] * 20_001)}), "20,000 cells"),
    "a text in too many cells": (
        lambda: spreadsheet(
            {"P": sheet(HEADS, *['<row><c t="s"><v>0</v></c></row>'] * 5_000)},
            sharedStrings=f"<sst><si><t>{'x' * 100_000}</t></si></sst>",
        ),
        "more than 100,000,000 characters",
    ),
    "a text in too many plain cells": (
        lambda: spreadsheet(
            {"P": sheet(HEADS, *[f'<row><c r="A{at}" t="s"><v>0</v></c></row>' for at in range(2, 5_000)])},
            sharedStrings=f"<sst><si><t>{'x' * 100_000}</t></si></sst>",
        ),
        "more than 100,000,000 characters",
    ),
    "entities": (
        lambda: spreadsheet({"P": '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>' + sheet(HEADS)}),
        "It has a document type",
    ),
    "merged cells on each other": (
        lambda: spreadsheet(
            {
                "P": sheet(
                    *[f"<row><c r='A{at}'><v>{at}</v></c></row>" for at in range(1, 500)],
                    after="<mergeCells>" + '<mergeCell ref="A1:A400"/>' * 20_000 + "</mergeCells>",
                )
            }
        ),
        "damaged spreadsheet",
    ),
    "a million styles": (
        lambda: archive_of(xl__workbook_xml="<workbook/>", xl__styles_xml="<xf/>" * 3_000_000),
        "more than 10,000,000 bytes",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_spreadsheet_is_refused_within_seconds(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "too many cells":
        monkeypatch.setattr("core.import_export.tables.sheet_survey.MAX_PLACES", 20_000)
    make, said = HOSTILE[kind]
    data = make()
    begun = time.process_time()
    with pytest.raises(InvalidImport, match=said):
        read(data)
    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize("where", ["beside the rows", "in a cell"])
def test_deeply_nested_parts_do_no_harm(where: str) -> None:
    deep = "<a>" * 100_000 + "</a>" * 100_000
    if where == "beside the rows":
        assert cards(spreadsheet({"P": sheet(HEADS, text("A2", "A"), after=deep)})) == ["A"]
    else:
        with pytest.raises(InvalidImport, match="It is a damaged spreadsheet"):
            read(spreadsheet({"P": sheet(HEADS, f'<c r="A2">{deep}</c>')}))


def test_a_claim_of_many_lines_and_an_empty_cell_far_out_cost_nothing() -> None:
    before = '<dimension ref="A1:XFD1048576"/>'
    far = '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    assert cards(spreadsheet({"P": sheet(HEADS, text("A2", "A"), far, before=before)})) == ["A"]


def test_the_libraries_are_loaded_only_when_such_a_file_is_read() -> None:
    script = (
        "import sys; from core.import_export.files import read_document; read_document('Title\\nA');"
        "print([name for name in ('python_calamine', 'charset_normalizer') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
