"""The status report and the gate record as pages of HTML, with the same parts as Markdown."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser

import pytest
from jinja2 import UndefinedError

from core.reports import html_page
from core.reports.html_page import to_html
from core.reports.sections import ReportSection, to_markdown
from tests.support.hostile_project import LONG_WORD, SCRIPT, gate_record, make_hostile, project_report
from tests.support.paths import ROOT
from tests.support.workspace import World

TAGS = {"html", "head", "meta", "title", "style", "body", "main", "section", "p", "div", "strong", "code", "a"}
TAGS |= {"h1", "h2", "h3", "h4", "h6", "dl", "dt", "dd", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "scope", "dir", "href", "rel"}


class Page(HTMLParser):
    """A page as a browser finds it: its tags, attributes, texts and headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text, self.headings, self._open = "", list[str](), ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._open = tag
        self.tags.add(tag)
        self.attributes += [(tag, *each) for each in attributes]
        if re.fullmatch("h[1-3]", tag):
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        self.text += data
        if re.fullmatch("h[1-3]", self._open):
            self.headings[-1] += data


def test_hostile_names_and_texts_stay_text(world: World) -> None:
    make_hostile(world, entries=4)
    for report in (gate_record(world), project_report(world)):
        page = Page(to_html(report))
        assert page.tags <= TAGS
        assert {name for _, name, _ in page.attributes} <= ATTRIBUTES
        addresses = {value for _, name, value in page.attributes if name == "href"}
        assert addresses
        assert all(str(each).startswith("https://") for each in addresses)
        links = Counter((name, value) for tag, name, value in page.attributes if tag == "a" and name != "href")
        assert links["rel", "noopener noreferrer"] == sum(name == "href" for _, name, _ in page.attributes)
        assert SCRIPT in page.text
        assert LONG_WORD in page.text
        assert not re.search("[\u202a-\u202e\u200f]", page.text)
    for typed in (
        "[run](javascript:alert(1))",
        "evil.html",
        "[named]: https://evil.example/named",
        "<iframe",
        "evil\ufffd",
    ):
        assert typed in page.text, typed


def test_the_policy_of_a_page_allows_its_style_alone() -> None:
    text = to_html(ReportSection(heading="Any"))
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert not re.search(r"url\(|@import|https?:", style)
    assert (text[:15], '<html lang="en">' in text, "<title>Any</title>" in text) == ("<!DOCTYPE html>", True, True)


def test_markdown_has_the_same_parts_in_the_same_order(world: World) -> None:
    make_hostile(world, entries=4)
    for report in (gate_record(world), project_report(world)):
        heads = [re.sub(r"\\(.)", r"\1", line) for line in to_markdown(report).splitlines() if re.match("#+ ", line)]
        assert [line.lstrip("# ") for line in heads] == Page(to_html(report)).headings
        assert len(heads) > 5


def test_a_further_part_is_one_more_section_and_an_empty_one_is_left_out() -> None:
    votes = ReportSection(
        heading="Votes",
        heads=("Person", "Vote"),
        rows=[("Ann | Bo", "go"), ("Cy", "–")],
        facts=[("Needed", "2 of 3", "of the owners")],
    )
    empty = ReportSection(heading="Criteria", note="None.", sections=[ReportSection(heading="None of them")])
    report = ReportSection(heading="Gate", texts=[("Why", "A *b*\n\n- c")], sections=[empty, votes])
    assert to_markdown(report).splitlines() == [
        *("# Gate", "", "**Why**", "", "A \\*b\\*", "", "\\- c", "", "## Votes", ""),
        *("- Needed: **2 of 3** of the owners", ""),
        *("| Person | Vote |", "| --- | --- |", "| Ann \\| Bo | go |", "| Cy | – |"),
    ]
    page = to_html(report)
    assert "<p>A <em>b</em></p>\n<ul>\n<li>c</li>" in page
    assert "<strong>2 of 3</strong> of the owners" in page
    assert "Criteria" not in page


@pytest.mark.parametrize("text", ["> " * 60 + "deep", "- " * 50 + "deep", "&#" + "9" * 5_000 + "; deep"])
def test_a_text_that_cannot_be_read_as_markdown_is_shown_as_it_was_typed(text: str) -> None:
    assert text in Page(to_html(ReportSection(heading="Any", texts=[("", text)]))).text


def test_a_name_that_a_template_does_not_know_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    template = html_page._template().environment.from_string("{{ report.nothing }}")
    monkeypatch.setattr(html_page, "_template", lambda: template)
    with pytest.raises(UndefinedError):
        to_html(ReportSection(heading="Any"))


def test_jinja_is_loaded_only_when_a_page_is_made() -> None:
    code = (
        "import sys; from core.reports import formats, gate_decisions, sections, status_report;"
        " sections.to_markdown(sections.ReportSection(heading='Any')); assert 'jinja2' not in sys.modules;"
        " from core.reports import html_page; assert 'jinja2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
