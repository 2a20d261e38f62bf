"""Spreadsheets (.xlsx): what is left out is named by its cells and sheets."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

from core.import_export.tables.workbook import read_workbook

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(**sheets: str) -> bytes:
    """A spreadsheet of sheets by their names, each with its lines in XML."""
    listed = "".join(f'<sheet name="{name}" sheetId="{at}" r:id="r{at}"/>' for at, name in enumerate(sheets, 1))
    targets = "".join(
        f'<Relationship Id="r{at}" Type="{LINKS}/worksheet" Target="s{at}.xml"/>' for at in range(1, len(sheets) + 1)
    )
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>'
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{targets}</Relationships>")
        for at, lines in enumerate(sheets.values(), 1):
            archive.writestr(f"xl/s{at}.xml", f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>')
    return packed.getvalue()


def line(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def text(place: str, said: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{said}</t></is></c>'


def formula(place: str) -> str:
    return f'<c r="{place}"><f>SUM(A1:A2)</f></c>'


HEADS = line(1, text("A1", "Title"), text("B1", "Notes"), text("C1", "Cost"))


def test_formulas_without_a_value_and_sheets_that_are_not_read_are_named() -> None:
    lines = HEADS + line(2, text("A2", "Call"), text("B2", "x"), formula("C2"))
    lines += line(5, text("A5", "Book"), text("B5", "y"), formula("C5"))
    assert [each.sentence for each in read_workbook(workbook(Plan=lines, Kosten=HEADS, Alt="")).left_out] == [
        "Left out: 2 sheets, because one is read, not “Kosten” and “Alt”; --sheet reads another.",
        "Left out: 2 formulas, because the file has no value for C2 and C5. Save it in a spreadsheet program.",
    ]


def test_of_many_formulas_the_first_are_named() -> None:
    lines = HEADS + "".join(line(at, text(f"A{at}", "Call"), formula(f"C{at}")) for at in range(2, 1202))
    (formulas,) = read_workbook(workbook(Plan=lines)).left_out
    assert (formulas.number, formulas.why.partition(". ")[0]) == (
        1200,
        f"the file has no value for {', '.join(f'C{at}' for at in range(2, 14))} and 1,188 more",
    )
