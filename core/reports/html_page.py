"""A report as one page of HTML that prints well: no script, no address outside but links, and a policy that says so.

Jinja2 escapes all texts of people, and refuses a name that is not there. ``core.reports`` imports this module, the only
one that imports Jinja2, when a page is made.
"""

from __future__ import annotations

import re
from base64 import b64encode
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from core.reports.sections import ReportSection
from core.text.sanitize import sanitize

MAX_NESTING = 40
"""The deepest nesting of lists and quotes; a text that has more of them is shown as it was typed."""

_ADDRESS = re.compile(r"https?://[^\s<>\"”]*[^\s<>\"”.,;:!?()\[\]’']", re.IGNORECASE)
_LINK = Markup('<a href="{0}" rel="noopener noreferrer">{0}</a>')


def to_html(report: ReportSection) -> str:
    """Return a report as a page of HTML."""
    return _template().render(report=report).lstrip()


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters |= {"with_links": _add_links, "markdown": _render_markdown}
    environment.filters["digest"] = lambda style: b64encode(sha256(style.encode()).digest()).decode()
    return environment.from_string(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))


def _add_links(text: str) -> Markup:
    """Escape a text of one line, and make its http(s) addresses links."""
    shown = sanitize(text)
    between = map(escape, _ADDRESS.split(shown))
    links = [*map(_LINK.format, _ADDRESS.findall(shown)), ""]
    return Markup("").join(part for parts in zip(between, links, strict=True) for part in parts)


def _render_markdown(text: str) -> Markup:
    """Return a text of several lines as HTML; as it was typed if it cannot be read as Markdown."""
    shown, parser = sanitize(text), _parser()
    with suppress(ValueError, IndexError, KeyError, RecursionError):  # such as for a number of 5,000 digits
        tokens = parser.parse(shown)
        for token in tokens:
            token.tag = "h6" if token.type in ("heading_open", "heading_close") else token.tag
            for link in (each for each in token.children or () if each.type == "link_open"):
                link.attrSet("rel", "noopener noreferrer")
                link.attrSet("class", "" if link.info == "auto" else "named")  # paper shows the address of a name
        if all(token.level < MAX_NESTING - 1 for token in tokens):
            return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - it escapes, HTML is off
    return Markup("<p>{}</p>").format(shown)


@cache
def _parser() -> MarkdownIt:
    """A parser that drops nothing: no images, and no addresses that are defined apart from their links."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING}).enable(["strikethrough", "table"])
    parser.validateLink = lambda url: bool(_ADDRESS.match(url))  # type: ignore[method-assign]
    return parser.disable(["image", "reference"])
