"""Spreadsheets: what is in cells comes as it stands, and files that claim too much are refused soon."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZipFile

import pytest

from core.errors import InvalidImport
from core.import_export.files import read_document
from core.import_export.tables.workbook import Workbook, read_workbook
from core.text.phrases import count

_BOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats'
    '.org/officeDocument/2006/relationships"><sheets>{}</sheets></workbook>'
)
_FORMATS = ("[h]:mm:ss", "00000", '#,##0.00 "EUR"', "[$€-407] #,##0", "0.0%", "yyyy-mm-dd", '"approx. "0')
"""The formats of the styles 1 to 7."""


def _styles() -> str:
    said = "".join(f'<numFmt numFmtId="{200 + at}" formatCode="{_quote(f)}"/>' for at, f in enumerate(_FORMATS))
    used = "".join(f'<xf numFmtId="{200 + at}"/>' for at in range(len(_FORMATS)))
    return f'<styleSheet><numFmts>{said}</numFmts><cellXfs><xf numFmtId="0"/>{used}</cellXfs></styleSheet>'


def _quote(text: str) -> str:
    return text.replace('"', "&quot;")


def book(
    rows: str,
    more: str = "",
    parts: Mapping[str, str | bytes] | None = None,
    sheets: tuple[str, ...] = ("Plan",),
    how: int = 8,
) -> bytes:
    """A spreadsheet with these lines, what follows them in the sheet, and other parts; not packed if ``how`` is 0."""
    listed = "".join(f'<sheet name="{name}" sheetId="{at}" r:id="r1"/>' for at, name in enumerate(sheets, 1))
    written: dict[str, str | bytes] = {
        "xl/workbook.xml": _BOOK.format(listed),
        "xl/_rels/workbook.xml.rels": '<r><Relationship Id="r1" Target="worksheets/sheet1.xml"/></r>',
        "xl/styles.xml": _styles(),
        "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{rows}</sheetData>{more}</worksheet>",
        **(parts or {}),
    }
    packed = BytesIO()
    with ZipFile(packed, "w", how) as archive:
        for name, text in written.items():
            archive.writestr(name, text)
    return packed.getvalue()


def text_cell(text: str) -> str:
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


HEADS = f"<row>{text_cell('Title')}{text_cell('Value')}</row>"


def read_cell(cell: str) -> tuple[str, Workbook]:
    read = read_workbook(book(f"{HEADS}<row>{text_cell('Card')}{cell}</row>"))
    return read.grid.rows[0].cells[-1], read


@pytest.mark.parametrize(
    ("cell", "right"),
    [
        ("<c><v>1201234567890123</v></c>", "1201234567890123"),
        ("<c><v>1201234567890123456</v></c>", "1201234567890123456"),
        ("<c><v>1.20123456789012E+18</v></c>", "1201234567890120000"),
        ("<c><v>0.30000000000000004</v></c>", "0.3"),
        ('<c s="1"><v>1000000000000</v></c>', "1000000000000"),
        ('<c s="6"><v>-5</v></c>', "-5"),
        ('<c s="6"><v>1e400</v></c>', "1e400"),
        ("<c><v>1e400</v></c>", "1e400"),
        ("<c><v>soon</v></c>", "soon"),
        ('<c t="e"><v>#SPILL!</v></c>', "#SPILL!"),
        ('<c t="e"><v>#GETTING_DATA</v></c>', "#GETTING_DATA"),
        ('<c s="1"><v>1.5625578703703704</v></c>', "37:30:05"),
        ('<c s="1"><v>1.5625</v></c>', "37:30"),
        ('<c s="2"><v>123</v></c>', "00123"),
        ('<c s="3"><v>1250.5</v></c>', "1250.5 EUR"),
        ('<c s="4"><v>1250</v></c>', "1250 €"),
        ('<c s="5"><v>0.125</v></c>', "12.5%"),
        ('<c s="6"><v>46359</v></c>', "2026-12-03"),
        ('<c s="7"><v>3</v></c>', "3"),
    ],
)
def test_a_cell_of_a_spreadsheet_comes_as_it_stands(cell: str, right: str) -> None:
    found, read = read_cell(cell)
    assert found == right
    assert bool(read.notes) == (right.isdecimal() and int(right) > 2**53)


def test_ids_of_sixteen_digits_tell_parents_apart() -> None:
    lines = ((1201234567890123456, "One", ""), (1201234567890123457, "Two", ""), (3, "Child", 1201234567890123457))
    rows = "".join(f"<row><c><v>{id}</v></c>{text_cell(title)}<c><v>{on}</v></c></row>" for id, title, on in lines)
    heads = f"<row>{text_cell('Task ID')}{text_cell('Title')}{text_cell('Parent ID')}</row>"
    items = {each.title: each for each in read_document(book(heads + rows)).document.items}
    assert items["Child"].activity == items["Two"].id


DAMAGED = {
    "no shared text": (book('<row><c t="s"><v>7</v></c></row>'), "damaged"),
    "no name": (book(HEADS, parts={"xl/workbook.xml": "<workbook><sheets><sheet/></sheets></workbook>"}), "damaged"),
    "no column": (book('<row><c r="1"><v>1</v></c></row>'), "damaged"),
    "many names": (book("", sheets=tuple(f"Sheet {at}" for at in range(10_000))), "No sheet has cells"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_spreadsheet_is_refused_in_a_short_plain_sentence(name: str) -> None:
    data, said = DAMAGED[name]
    with pytest.raises(InvalidImport) as refused:
        read_workbook(data)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 250
    assert not re.search(r"[('](?:list|name|invalid|\w+Error)", str(refused.value))


LINKED = {
    "B2": ("https://a.org/1", "Title=Card; Value=see here; Link=https://a.org/1"),
    "A2": ("https://a.org/1", "Title=Card; Value=see here; Link=https://a.org/1"),
    "A1": ("https://a.org/1", "Title=Card; Value=see here; Left out: 1 link, because no card has the cells A1."),
    "A": ("https://a.org/1", "Title=Card; Value=see here; Left out: 1 link, because no card has the cells A."),
    "Link B2": ("https://a.org/1", "Title=Card; Link=https://a.org/1; Link (text)=see here"),
    "Link A2": ("https://a.org/1", "Title=Card; Link=see here; Title (link)=https://a.org/1"),
    "URL B2": ("see here", "Title=Card; URL=see here"),
}


@pytest.mark.parametrize("case", LINKED)
def test_an_address_behind_a_cell_comes_with_it(case: str) -> None:
    address, right = LINKED[case]
    head, _, cell = case.rpartition(" ")
    rows = f"<row>{text_cell('Title')}{text_cell(head or 'Value')}</row>"
    rows += f"<row>{text_cell('Card')}{text_cell('see here')}</row>"
    rels = f'<r><Relationship Id="h1" Target="{address}"/></r>'
    data = book(
        rows,
        f'<hyperlinks xmlns:r="urn:r"><hyperlink ref="{cell}" r:id="h1"/></hyperlinks>',
        {"xl/worksheets/_rels/sheet1.xml.rels": rels},
    )
    read = read_workbook(data)
    found = [f"{head}={cell}" for head, cell in zip(read.grid.heads, read.grid.rows[0].cells, strict=True)]
    assert "; ".join([*found, *(each.sentence for each in read.left_out)]) == right


FORMULAS = {
    'HYPERLINK("https://a.org/1","see here")': "Card=see here=https://a.org/1",
    'IF(1, HyperLink( "https://a.org/?q=""x""" ; "see here"))': 'Card=see here=https://a.org/?q="x"',
    'HYPERLINK("see here")': "Card=see here",
    'HYPERLINK("#Plan!A1","see here")': "Card=see here; 1 link",
    'HYPERLINK("https://a.org/"&A2,"see here")': "Card=see here; 1 link",
    'IF(A2="HYPERLINK","see here")': "Card=see here",
}


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("is_shared", [False, True])
def test_an_address_in_a_formula_comes_with_its_cell_or_is_counted(formula: str, is_shared: bool) -> None:
    shared = ' t="shared" si="3"' * is_shared
    texts = [f"<f{shared}>{escape(formula)}</f>"] + [f"<f{shared}/>"] * is_shared
    rows = [
        f'<row r="{at}">{text_cell("Card")}<c r="B{at}" t="str">{text}<v>see here</v></c></row>'
        for at, text in enumerate(texts, 2)
    ]
    read = read_workbook(book(HEADS + "".join(rows)))
    found = ["=".join(row.cells) for row in read.grid.rows]
    row, _, left = FORMULAS[formula].partition("; ")
    assert found == [row] * len(texts)
    number = len(texts) * bool(left)
    assert [each.sentence for each in read.left_out] == [
        f"Left out: {count(number, 'link')}, because a formula makes the address, or it leads into the file."
    ] * bool(left)


def test_a_link_of_several_cells_is_behind_each_with_its_place_in_the_page() -> None:
    rows = HEADS + "".join(f"<row>{text_cell(each)}{text_cell('see')}</row>" for each in ("One", "Two", "Three"))
    links = '<hyperlink ref="B2:C3" r:id="h1" location="top"/><hyperlink ref="A4" location="Plan!A1"/>'
    rels = '<r><Relationship Id="h1" Target="https://a.org/1"/></r>'
    read = read_workbook(
        book(
            rows,
            f'<hyperlinks xmlns:r="urn:r">{links}</hyperlinks>',
            {"xl/worksheets/_rels/sheet1.xml.rels": rels},
        )
    )
    assert [row.cells[2:] for row in read.grid.rows] == [("https://a.org/1#top",), ("https://a.org/1#top",), ("",)]
    assert [each.number for each in read.left_out] == [1]


def test_notes_and_threads_of_comments_are_counted_once() -> None:
    old = '<comments><authors><author>tc={1}</author></authors><comment ref="A1"/><comment ref="A2"/></comments>'
    new = '<ThreadedComments><threadedComment ref="A1"/><threadedComment ref="A1"/></ThreadedComments>'
    rows = f"{HEADS}<row>{text_cell('Card')}</row>"
    for parts, right in (
        ({"xl/threadedComments/threadedComment1.xml": new}, 2),
        ({"xl/threadedComments/threadedComment1.xml": new, "xl/comments1.xml": old}, 3),
    ):
        assert [each.number for each in read_workbook(book(rows, parts=parts)).left_out] == [right]


HUGE: dict[str, Callable[[], bytes]] = {
    "lines": lambda: book("<row><c><v>1</v></c></row>" * 300_000, how=0),
    "empty lines": lambda: book("<row/>" * 4_100_000, how=0),
    "shared texts": lambda: book(HEADS, parts={"xl/sharedStrings.xml": f"<sst>{'<si/>' * 4_100_000}</sst>"}, how=0),
    "packed lines": lambda: book("<row><c><v>1</v></c></row>" * 700_000),
    "formats": lambda: book(HEADS, parts={"xl/styles.xml": f"<s>{'<xf/>' * 600_000}</s>"}),
    "an attribute": lambda: book(f'<row a="{"a" * 30_000_000}"/>'),
    "a calendar": lambda: b"BEGIN:VCALENDAR\n" + b"X-A:b\n" * 600_000 + b"END:VCALENDAR\n",
}


@pytest.mark.parametrize("name", HUGE)
def test_a_file_that_claims_more_work_than_a_plan_is_refused_soon(name: str) -> None:
    data = HUGE[name]()
    began = time.process_time()
    with pytest.raises(InvalidImport, match=r"Split it|Save it again|Export it in parts"):
        read_document(data)
    assert time.process_time() - began < 2


def test_many_broken_lines_of_a_calendar_take_no_time() -> None:
    began = time.process_time()
    event = b"BEGIN:VEVENT\nSUMMARY:Party\nDESCRIPTION:All" + b"\nlong broken line" * 100_000 + b"\nEND:VEVENT\n"
    read = read_document(b"BEGIN:VCALENDAR\n" + event + b"END:VCALENDAR\n")
    assert time.process_time() - began < 3
    assert read.document.items[0].description.startswith("All\nlong broken line\n")


def test_a_sheet_of_many_lines_is_read() -> None:
    rows = "".join(f'<row r="{at}"><c r="A{at}"><v>{at}</v></c></row>' for at in range(2, 100_002))
    assert len(read_workbook(book(HEADS + rows)).grid.rows) == 100_000


WRITTEN = (
    '<c r="{}" t="inlineStr"><is><t>A{}</t></is></c>',
    '<c r="{}" t="inlineStr"><is><t xml:space="preserve"> r="B7" t="s"&gt;{} </t></is></c>',
    '<c r="{}" t="inlineStr"><is><t>ä {}</t></is></c> \n',
    '<c r="{}" t="inlineStr"><is><r><t>rich </t></r><r><t>{}</t></r></is></c>',
    '<c r="{}" t="str"><v>said {}</v></c>',
    '<c r="{}" t="str"><f>A1</f><v>made {}</v></c>',
    '<c r="{}"><v>{}.5</v></c>',
    '<c r="{}" s="5"><v>{}</v></c>',
    '<c r="{}" s="2" t="n"><v>{}</v></c>',
    '<c r="{}" t="s"><v>0</v></c><!-- {} -->',
    '<c r="{}"><f>A{}</f></c>',
    '<c r="{}" t="e"><v>#N/A</v></c>',
)
"""Ways to write a cell. Those that programs use most are not read by the parser of XML."""


def test_a_cell_comes_the_same_by_each_way_to_read_it() -> None:
    chance = random.Random(34)

    def line(at: int) -> str:
        cells = [chance.choice(WRITTEN).format(f"{letters}{at}", at) for letters in ("A", "C", "Z", "AA")]
        return f'<row r="{at}">{"".join(cells)}</row>'

    rows = "".join(map(line, range(1, 400)))
    parts = {"xl/sharedStrings.xml": "<sst><si><t>shared</t></si></sst>"}
    without = re.sub("<!--.*?-->", "", rows)
    assert read_workbook(book(without, parts=parts)) == read_workbook(book(rows, parts=parts))
    assert read_workbook(book(without, parts=parts)).left_out[-1].why.startswith("the file has no value for ")


@pytest.mark.parametrize("text", [b"\xe4", b"\x00", b"\x1b", b"\xef\xbf\xbe", b"x]]>y", b"</v></c>"])
def test_a_text_that_is_none_is_a_damaged_file(text: bytes) -> None:
    rows = f"{HEADS}<row r='2'>{WRITTEN[0].format('A2', 1)}</row>".encode()
    sheet = b"<worksheet><sheetData>" + rows.replace(b">A1<", b">" + text + b"<") + b"</sheetData></worksheet>"
    with pytest.raises(InvalidImport, match="damaged spreadsheet"):
        read_document(book("", parts={"xl/worksheets/sheet1.xml": sheet}))


def test_formulas_without_a_value_are_named_by_their_first_cells() -> None:
    formulas = "".join(f'<row r="{at}">{text_cell("Call")}<c r="C{at}"><f>A1</f></c></row>' for at in range(2, 1202))
    (left,) = read_workbook(book(HEADS + formulas)).left_out
    listed = ", ".join(f"C{at}" for at in range(2, 14))
    assert (left.number, left.why.partition(". ")[0]) == (1200, f"the file has no value for {listed} and 1,188 more")
