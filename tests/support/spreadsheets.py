"""Makes spreadsheets (.xlsx) for tests, with the parts that a program writes and with others that none would."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from xml.sax.saxutils import quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="0.0%&quot; done&quot;"/></numFmts>'
    '<cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="20"/><xf numFmtId="46"/>'
    '<xf numFmtId="164"/></cellXfs></styleSheet>'
)
"""Plain, date, percentage, time of day, duration, and a percentage of one's own."""
DATE, PERCENT, CLOCK, DURATION, OWN_PERCENT = range(1, 6)


def text(place: str, said: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{said}</t></is></c>'


def number(place: str, value: object, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


def sheet(*rows: str, after: str = "", before: str = "") -> str:
    """The XML of a sheet of rows, each of them of cells."""
    lines = "".join(each if each.startswith("<row") else f"<row>{each}</row>" for each in rows)
    return f'<worksheet xmlns="{MAIN}">{before}<sheetData>{lines}</sheetData>{after}</worksheet>'


def spreadsheet(sheets: Mapping[str, str], hidden: frozenset[str] = frozenset(), **parts: str) -> bytes:
    """A spreadsheet with these sheets by their names. ``parts`` are more parts, such as ``sharedStrings``."""
    packed = BytesIO()
    states = {name: "hidden" if name in hidden else "visible" for name in sheets}
    named = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{at}" state="{states[name]}" r:id="r{at}"/>'
        for at, name in enumerate(sheets, 1)
    )
    links = "".join(
        f'<Relationship Id="r{at}" Type="{LINKS}/worksheet" Target="worksheets/sheet{at}.xml"/>'
        for at, _ in enumerate(sheets, 1)
    )
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        book = f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{named}</sheets></workbook>'
        archive.writestr("xl/workbook.xml", book)
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{links}</Relationships>")
        archive.writestr("xl/styles.xml", STYLES)
        for at, each in enumerate(sheets.values(), 1):
            archive.writestr(f"xl/worksheets/sheet{at}.xml", each)
        for name, part in parts.items():
            archive.writestr(f"xl/{name}.xml", part)
    return packed.getvalue()


def archive_of(**files: str) -> bytes:
    """A zip archive of files, whose names have “__” for a slash."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, said in files.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), said)
    return packed.getvalue()
