"""A report as sections: one structure for people, which becomes Markdown here and a page in ``core.reports.html_page``.

Texts are as people typed them; each form escapes them, and makes links of http(s) addresses. A further part of a report
is one more section in the list of its parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.record import Record
from core.text.markdown import escape_markdown, escape_with_links


class ReportSection(Record):
    """A part of a report, or the whole of it, with what it has in this order."""

    heading: str
    note: str = ""
    texts: Sequence[tuple[str, str]] = ()
    """Texts of several lines that a person wrote in Markdown, each after its name, which can be empty."""
    facts: Sequence[tuple[str, str, str]] = ()
    """Names with their values: first what is emphasized, then the rest."""
    heads: tuple[str, ...] = ()
    rows: Sequence[tuple[str, ...]] = ()
    """The cells of a table below its ``heads``."""
    lines: Sequence[str] = ()
    sections: Sequence[ReportSection] = ()

    @property
    def has_content(self) -> bool:
        """False if there is only a heading and a note: such a section is left out."""
        return any((self.texts, self.facts, self.rows, self.lines)) or any(each.has_content for each in self.sections)


def to_markdown(report: ReportSection) -> str:
    """Return a report as Markdown."""
    return "\n\n".join(_blocks(report, 1)) + "\n"


def _blocks(section: ReportSection, level: int) -> Iterator[str]:
    yield f"{'#' * level} {escape_markdown(section.heading)}"
    if section.note:
        yield escape_markdown(section.note)
    for name, text in section.texts:
        yield from [f"**{escape_markdown(name)}**"] if name else []
        yield from (escape_markdown(each) for each in text.split("\n\n") if each.strip())
    facts = [
        f"{escape_markdown(name)}: " + " ".join(filter(None, (strong and f"**{strong}**", escape_with_links(more))))
        for name, strong, more in section.facts
    ]
    cells = ([escape_markdown(f"|{each}")[2:] for each in row] for row in section.rows)  # no line begins in a cell
    rows = [section.heads, ("---",) * len(section.heads), *cells]
    yield from ["\n".join(f"- {each}" for each in facts)] if facts else []
    yield from ["\n".join(f"| {' | '.join(row)} |" for row in rows)] if section.rows else []
    yield from ["\n".join(f"- {escape_with_links(each)}" for each in section.lines)] if section.lines else []
    for each in section.sections:
        yield from _blocks(each, level + 1) if each.has_content else []
