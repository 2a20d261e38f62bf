"""A text as blocks of spans: paragraphs, headings, list items, code, rules, and the links in them.

Markdown-it-py is imported when a text with a sign of Markdown is read for the first time. A text that would take long
to read, or whose parts are nested too deeply, is one plain block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum, IntFlag, auto
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from core.errors import InvalidInput
from core.record import Record, replace
from core.text.markdown_budget import READING, TakesTooLong, until, watch_parser
from core.text.sanitize import link, sanitize, visible_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_LENGTH = 20_000
"""The most characters that are shown, as many as a description can have; longer texts can only be written by other
programs."""

MAX_LINES, MAX_SIGNS = 600, 1_000
"""The most lines, and the most signs such as brackets and asterisks, whatever the time."""

MAX_NESTING = 40
"""The most lists, quotes and emphases in one another; markdown-it-py leaves out the text of deeper ones."""

AS_PLAIN_TEXT = "… shown as plain text, not as Markdown: {}."
CUT = "… {:,} more characters are not shown."

_HAS_SIGNS = re.compile(r"[*_`\[<~#&\\]|https?://|^ *(?:[-+>]|\d{1,9}[.)]|-{3,}|={3,})(?:\s|$)", re.MULTILINE)
_SIGNS = re.compile(r"[*_`\[<~!&\\]")
BOX = re.compile(r"\[([ xX])\] +(?=\S)")
"""A check box at the beginning of a list item."""

_URL = re.compile(r"https?://[^\s<>\"“”]+")
_AFTER_URL = ".,;:!?'*_~"
"""Characters that end a sentence rather than a URL."""


class SpanStyle(IntFlag):
    """The look of a span."""

    PLAIN = 0
    STRONG = auto()
    EMPHASIS = auto()
    STRUCK = auto()
    CODE = auto()
    LINK = auto()
    HEADING = auto()
    QUIET = auto()
    FAINT = auto()


Span = tuple[str, SpanStyle]
"""A safe text and its look. In a block, "\\n" breaks the line."""


class LeadKind(Enum):
    """The sign before the lines of a list item, a quote or code."""

    BULLET = auto()
    NUMBER = auto()
    BOX = auto()
    TICKED = auto()
    QUOTE = auto()
    CODE = auto()


class Lead(Record, kw_only=False):
    """The sign of one level: of a list item it stands before the first line, of quotes and code before all lines."""

    kind: LeadKind
    words: str = ""
    """The number of a list item."""
    is_first: bool = True
    """False for later paragraphs of a list item."""


class Block(Record, kw_only=False):
    """Lines that are wrapped together."""

    spans: tuple[Span, ...]
    leads: tuple[Lead, ...] = ()
    has_gap: bool = False
    """True if an empty line comes before it."""
    is_rule: bool = False


class Link(Record, kw_only=False):
    """A link to http or https in a text."""

    words: str
    url: str


class Document(Record, kw_only=False):
    """A text that was read."""

    blocks: tuple[Block, ...]
    links: tuple[Link, ...] = ()
    """Without those to the same URL as an earlier one."""
    box_lines: tuple[int, ...] = ()
    """The lines of the text with a check box, from 0."""
    why_plain: str = ""
    """Why a text with Markdown is shown as it is; "" if it is not."""


@lru_cache(maxsize=256)
def read_document(text: str) -> Document:
    """Read a text. Never raises."""
    if not _HAS_SIGNS.search(text[:MAX_LENGTH]):
        return _plain(text)
    if why := _too_much(text):
        return _plain(text, why)
    parser = _parser()  # imported before the time runs
    try:
        tokens = parser.parse(sanitize(text.expandtabs(4)), {"until": until(READING)})
    except (ValueError, IndexError, KeyError, RecursionError, TakesTooLong):  # such as for a number of 5,000 digits
        return _plain(text, "it takes too long to read")
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        return _plain(text, "its lists or quotes are nested too deeply")
    return _Reader(tokens).document()


def _too_much(text: str) -> str:
    """Say what a text has too much of to be read; "" for nothing."""
    if len(text) > MAX_LENGTH:
        return f"it has more than {MAX_LENGTH:,} characters"
    if text.count("\n") >= MAX_LINES:
        return f"it has {MAX_LINES} lines or more"
    signs = len(_SIGNS.findall(text))
    return f"it has more than {MAX_SIGNS:,} signs such as * and [" if signs > MAX_SIGNS else ""


def links_of(*texts: str) -> list[Link]:
    """Return the links of some texts, each URL once."""
    found: dict[str, Link] = {}
    for text in texts:
        for each in read_document(text).links:
            found.setdefault(each.url, each)
    return [*found.values()]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return watch_parser(MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "html": False}).enable("strikethrough"))


def _plain(text: str, why: str = "") -> Document:
    """The text as it is, and under it the reason."""
    shown = sanitize(text[:MAX_LENGTH].expandtabs(4))
    urls = [url for url in dict.fromkeys(map(_without_end, _URL.findall(shown))) if _is_link(url)]
    blocks = [Block(((shown, SpanStyle.PLAIN),))] if shown.strip() else []
    if why:
        blocks.append(Block(((AS_PLAIN_TEXT.format(why), SpanStyle.QUIET),)))
    if len(text) > MAX_LENGTH:
        blocks.append(Block(((CUT.format(len(text) - MAX_LENGTH), SpanStyle.QUIET),)))
    return Document(tuple(blocks), tuple(Link(url, url) for url in urls), why_plain=why)


class _Reader:
    """Walks through the tokens of one text."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = tokens
        self._blocks: list[Block] = []
        self._leads: list[Lead] = []
        self._numbers: list[int | None] = []
        """The number of the next item of each open list; None for one with bullets."""
        self._links: dict[str, Link] = {}
        self._box_lines: list[int] = []
        self._mark = SpanStyle.PLAIN
        self._end = 0
        """The line of the text after the last block."""

    def document(self) -> Document:
        for token in self._tokens:
            self._take(token)
        return Document(tuple(self._blocks), tuple(self._links.values()), tuple(self._box_lines))

    def _take(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                self._numbers.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                self._leads.append(self._lead_of_item(token.markup))
            case "list_item_close":
                if self._leads[-1].is_first:  # an empty item
                    self._put(token, ())
                self._leads.pop()
            case "blockquote_open":
                self._leads.append(Lead(LeadKind.QUOTE))
            case "blockquote_close":
                self._leads.pop()
            case "heading_open" | "heading_close":
                self._mark ^= SpanStyle.HEADING
            case "inline":
                self._put(token, tuple(self._spans(token, self._box_of(token))))
            case "fence" | "code_block":
                code = sanitize(token.content).rstrip("\n")
                self._put(token, ((code, SpanStyle.CODE),), Lead(LeadKind.CODE))
            case "hr":
                self._put(token, (), is_rule=True)

    def _lead_of_item(self, markup: str) -> Lead:
        number = self._numbers[-1]
        if number is None:
            return Lead(LeadKind.BULLET)
        self._numbers[-1] = number + 1
        return Lead(LeadKind.NUMBER, f"{number}{markup}")

    def _put(self, token: Token, spans: tuple[Span, ...], *inner: Lead, is_rule: bool = False) -> None:
        start, end = token.map or (self._end, self._end)
        if token.type == "code_block":  # its lines include empty ones after it
            end = start + token.content.rstrip().count("\n") + 1
        has_gap = bool(self._blocks) and start > self._end
        self._blocks.append(Block(spans, (*self._leads, *inner), has_gap, is_rule))
        self._leads = [replace(lead, is_first=False) for lead in self._leads]
        self._end = max(self._end, end)

    def _box_of(self, token: Token) -> int:
        """The length of the check box at the beginning of a list item, which becomes the lead of the item; 0 for none.

        A check box is one of GitHub's task lists: https://github.github.com/gfm/#task-list-items-extension-.
        """
        box = BOX.match(token.content)
        if box is None or not self._leads or not self._leads[-1].is_first or not token.children or not token.map:
            return 0
        if self._leads[-1].kind not in (LeadKind.BULLET, LeadKind.NUMBER):
            return 0
        if not token.children[0].content.startswith(box[0]):  # a link to “x”
            return 0
        self._leads[-1] = Lead(LeadKind.BOX if box[1] == " " else LeadKind.TICKED)
        self._box_lines.append(token.map[0])
        return len(box[0])

    def _spans(self, token: Token, begin: int) -> Iterator[Span]:
        """The spans of a paragraph or a heading, without its first ``begin`` characters."""
        mark, target, words = self._mark, "", ""
        for child in token.children or ():
            text = visible_line(child.content[begin:])
            begin = 0
            words += text
            match child.type:
                case "text" | "text_special":
                    yield from ((text, mark),) if target else self._with_urls(text, mark)
                case "softbreak" | "hardbreak":
                    yield "\n", SpanStyle.PLAIN
                case "code_inline":
                    yield "`", SpanStyle.FAINT
                    yield text, mark | SpanStyle.CODE
                    yield "`", SpanStyle.FAINT
                case "strong_open" | "strong_close":
                    mark = _switch(mark, SpanStyle.STRONG, on=child.nesting > 0)
                case "em_open" | "em_close":
                    mark = _switch(mark, SpanStyle.EMPHASIS, on=child.nesting > 0)
                case "s_open" | "s_close":
                    mark = _switch(mark, SpanStyle.STRUCK, on=child.nesting > 0)
                case "link_open":
                    target, words = str(child.attrs.get("href", "")), ""
                    mark = _switch(mark, SpanStyle.LINK, on=_is_link(target))
                case "link_close":
                    yield self._target(words, target)
                    mark, target = _switch(mark, SpanStyle.LINK, on=False), ""
                case "image":
                    source = str(child.attrs.get("src", ""))
                    yield text or "image", mark | (SpanStyle.LINK if _is_link(source) else SpanStyle.PLAIN)
                    yield self._target(text, source)

    def _with_urls(self, text: str, mark: SpanStyle) -> Iterator[Span]:
        """The spans of a text that can have URLs, which are links without any sign."""
        start = 0
        for found in _URL.finditer(text):
            url = _without_end(found[0])
            if _is_link(url):
                self._links.setdefault(url, Link(url, url))
                yield text[start : found.start()], mark
                yield url, mark | SpanStyle.LINK
                start = found.start() + len(url)
        yield text[start:], mark

    def _target(self, words: str, url: str) -> Span:
        """The host of a link after its words, so that no words hide it; of any other link the whole target."""
        from urllib.parse import urlsplit  # not needed before the first paint

        if _is_link(url):
            self._links.setdefault(url, Link(words or url, url))
            shown = urlsplit(url).hostname or ""
        else:
            shown = url.removeprefix("mailto:")
        return ("", SpanStyle.PLAIN) if words in (url, shown) else (f" ({visible_line(shown)})", SpanStyle.QUIET)


def _switch(mark: SpanStyle, part: SpanStyle, *, on: bool) -> SpanStyle:
    return mark | part if on else mark & ~part


def _without_end(url: str) -> str:
    """A URL without what belongs to the sentence around it."""
    end, unopened = len(url.rstrip(_AFTER_URL)), url.count(")") - url.count("(")
    while unopened > 0 and url[end - 1] == ")":
        end, unopened = len(url[: end - 1].rstrip(_AFTER_URL)), unopened - 1
    return url[:end]


def _is_link(url: str) -> bool:
    try:
        return link(url) != ""
    except InvalidInput:
        return False
