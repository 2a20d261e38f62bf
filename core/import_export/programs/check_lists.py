"""Check lists in Markdown, in and out.

Each box is a card, done if it is checked, and boxes in it are its tasks. An item without a box that holds boxes is an
activity. Headings are phases; “# Title” above all of them is the name of the project. Text belongs to the card above
it, and before the first card of a heading to the project, as does a heading with text and no boxes. Boxes in quotes and
in code are text.

Written are the cards that are not archived: title, kind, day, people, labels, priority, status, link and description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from core.domain.max_lengths import MAX_PHASES, PHASE_NAME
from core.domain.model import ItemKind, Priority, Status
from core.errors import InvalidImport
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.import_export.draft import DESCRIPTION, NAMED, PHASE, Draft, lines
from core.import_export.programs.loose_cards import LooseCard, place_cards
from core.import_export.tables.words import priority_word
from core.text.markdown import escape_markdown
from core.text.markdown_budget import TakesTooLong, until, watch_parser
from core.text.phrases import in_words, some
from core.text.sanitize import drop_unshown

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_LENGTH, MAX_TITLE = 2_000_000, 2_000
"""The most characters of a file, and of a title whose signs are read."""

SECONDS = 20
"""The most processor time for reading a file as Markdown."""

MAX_NESTING = 60
"""The most lists, items and quotes in one another; the library leaves out the text of deeper ones."""

_FIND_BOX = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\](?:[ \t]|$)", re.MULTILINE)
_BOX = re.compile(r"\[([ xX])\](?:\s+|$)")
_FRONT = re.compile(r"\A---[ \t]*\n(?=\w[\w-]*:)(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_PART = re.compile(r"\s*- (Kind|Due|Assigned|Labels|Priority|Status|Link): (.+)")


def is_check_list(text: str) -> bool:
    """Return whether a text has check boxes, and begins as Markdown does: not with the heads of a table.

    >>> is_check_list("# Spring\\n- [ ] Call"), is_check_list("Title,Notes\\nA,\\"\\n- [ ] x\\"")
    (True, False)
    """
    first = text.lstrip().partition("\n")[0]
    is_marked = re.match(r"#{1,6} |---|>|[-*+] |\d+[.)] ", first) is not None
    return _FIND_BOX.search(text) is not None and (is_marked or not re.search(r"[,;\t|]", first))


def to_check_lists(document: ProjectDocument) -> str:
    """Write the cards of a project as check lists."""
    written = [f"# {_heading(document.name)}", *_quote(document.description, "")]
    for phase in document.phases:
        written += ["", f"## {_heading(phase.name)}", "", *_boxes(phase, None, "")]
    return "\n".join([*written, ""])


def _heading(text: str) -> str:
    """A name as a heading. A “#” at its end is escaped, because Markdown would drop it."""
    return re.sub(r"(?<=\s)#", r"\\#", escape_markdown(text))


def _quote(text: str, indent: str) -> Iterator[str]:
    """A description as a quote, so that boxes and headings in it are no cards and phases."""
    yield from (f"{indent}> {line}" for line in text.split("\n") if text)


def _boxes(phase: PhaseEntry, activity: str | None, indent: str) -> Iterator[str]:
    """The lines of the cards of a phase that are in no activity, or of the tasks of an activity."""
    for item in phase.items:
        if item.activity != activity or item.status is Status.ARCHIVED:
            continue
        inner = f"{indent}  "
        yield f"{indent}- [{'x' if item.status is Status.COMPLETED else ' '}] {escape_markdown(item.title)}"
        tasks = [] if activity else [*_boxes(phase, item.id, inner)]
        parts = {"Kind": "" if tasks or item.kind is ItemKind.TASK else in_words(item.kind)} | _parts(item)
        yield from (f"{inner}- {head}: {escape_markdown(text)}" for head, text in parts.items() if text)
        yield from _quote(item.description, inner)
        yield from tasks


def _parts(item: ItemEntry) -> dict[str, str]:
    return {
        "Due": str(item.due or ""),
        "Assigned": ", ".join(item.assigned),
        "Labels": ", ".join(item.labels),
        "Priority": "" if item.priority is Priority.NORMAL else in_words(item.priority),
        "Status": in_words(item.status) if item.status is Status.IN_PROGRESS else "",
        "Link": item.link,
    }


def draft(text: str, called: str = "") -> Draft:
    """The draft of the check lists of a text. ``called`` names the project of one without a title.

    Raises InvalidImport for a text that is too long, nested too deeply, or takes too long.
    """
    if len(text) > MAX_LENGTH:
        raise InvalidImport("", f"It has {len(text):,} characters. Markdown has at most {MAX_LENGTH:,}. Split it.")
    try:
        return _Reader(text).draft(called)
    except TakesTooLong:
        raise InvalidImport("", "It takes too long to read as Markdown. Split it.") from None


class _Section:
    """A heading with its path, and the text before its first card."""

    def __init__(self, level: int, path: tuple[str, ...]) -> None:
        self.level, self.path = level, path
        self.lines: list[str] = []
        self.has_cards = self.has_sections = False

    def say(self, head: str, text: str) -> None:
        self.lines.append(f"{head}: {text}")

    @property
    def name(self) -> str:
        return " / ".join(self.path)

    @property
    def is_phase(self) -> bool:
        return self.has_cards or not (self.path == () or self.has_sections or _text_of(self.lines))


class _Reader:
    """Reads one text: first where cards and headings begin, then to which of them each line belongs."""

    def __init__(self, text: str) -> None:
        from markdown_it import MarkdownIt

        self._text, plain = text, drop_unshown(text)
        front = _FRONT.match(plain)
        self._front = front[1].strip() if front else ""
        if front:  # its lines stay, empty, so that the others keep their numbers
            plain = "\n" * front[0].count("\n") + plain[front.end() :]
        self._lines = plain.split("\n")
        self._parser = watch_parser(MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "html": False}))
        self._parser.disable("inline")
        self._env: dict[str, Any] = {"until": until(SECONDS)}
        self._tokens = self._parser.parse("\n".join(self._lines), self._env)
        self._sections = {-1: _Section(0, ())}
        self._cards: dict[LooseCard, range] = {}
        """The sections by the lines of their headings, and the cards with their lines."""
        self._titles: set[int] = set()
        """The lines of titles and headings, which are no text."""
        self._has_signs = False

    def draft(self, called: str) -> Draft:
        self._find_parts()
        sections, title = [*self._sections.values()], ""
        first = next((at for at in self._sections if at >= 0), 0)
        is_above = all(where.start > first for where in self._cards.values())
        if is_above and [at for at, each in self._sections.items() if each.level == 1] == [first]:
            title = self._sections[first].name
            for each in sections:
                each.path = each.path[1:]
        self._share_lines()
        made = Draft(title or called or "Check list", self._front)
        made.clean(self._text)  # which counts the signs that are not shown
        has_groups = any(card.status is None for card in self._cards)
        phases = [*dict.fromkeys(each.name or PHASE for each in sections if each.is_phase)]
        place_cards(made, [*self._cards], phases)
        kept = {each for each in phases[:MAX_PHASES] if len(each) <= PHASE_NAME}
        only_text = [each for each in sections if each.path and not (each.has_cards or each.has_sections)]
        only_text = [each for each in only_text if each.name not in kept or _text_of(each.lines)]
        for each in sections:
            if (text := _text_of(each.lines)) or each in only_text:
                made.description = lines(made.description, f"{'#' * each.level} {each.name}" if each.path else "", text)
        if only_text:
            listed = some([f"“{made.clean(each.name)}”" for each in only_text], NAMED)
            made.note(f"In the description of the project, as no boxes are below: {listed}.")
        more = max(0, len(made.description) - DESCRIPTION)
        made.description = made.description[:DESCRIPTION]
        made.leave_out(more, "character", f"the text above cards has more than {DESCRIPTION:,}")
        if self._has_signs:
            made.note("Signs of Markdown in titles, such as ** and `, are dropped.")
        if has_groups:
            made.note("Items without a box that hold boxes become activities.")
        return made

    def _find_parts(self) -> None:
        """Find the sections and the cards."""
        path: list[_Section] = []
        items: list[tuple[int, LooseCard | None]] = []
        quotes = 0
        for at, token in enumerate(self._tokens):
            if token.level >= MAX_NESTING - 2:
                raise InvalidImport("", "It is nested too deeply.", line=(token.map or [0])[0] + 1)
            match token.type:
                case "heading_open" if token.level == 0 and token.map:
                    path = [each for each in path if each.level < int(token.tag[1:])]
                    for each in path:
                        each.has_sections = True
                    section = _Section(int(token.tag[1:]), path[-1].path if path else ())
                    section.path += (self._read_title(at, section) or "–",)
                    self._sections[token.map[0]] = section
                    path.append(section)
                case "blockquote_open" | "blockquote_close":
                    quotes += token.nesting
                case "list_item_open":
                    has_title = not quotes and self._tokens[at + 1].type == "paragraph_open"
                    items.append((at, None))
                    if has_title and _BOX.match(self._tokens[at + 2].content):
                        self._open_cards(items)
                case "list_item_close":
                    items.pop()

    def _open_cards(self, items: list[tuple[int, LooseCard | None]]) -> None:
        """Make cards of the last one of some nested items, and of those around it with a title that are none yet."""
        around = ""
        for place, (at, card) in enumerate(items):
            if card is None and self._tokens[at + 1].type == "paragraph_open":
                first, end = self._tokens[at].map or [0, 0]
                card = LooseCard("", "", f"row {first + 1}")
                box = _BOX.match(self._tokens[at + 2].content)
                card.status = None if not box else Status.TO_DO if box[1] == " " else Status.COMPLETED
                card.title, card.parent = self._read_title(at + 1, card), around
                self._cards[card] = range(first, end)
                items[place] = at, card
            around = card.id if card else around

    def _read_title(self, at: int, of: LooseCard | _Section) -> str:
        """The text of a paragraph of a card, or of a heading, without its box and signs."""
        self._titles |= {*range(*(self._tokens[at].map or [0, 0]))}
        text = self._tokens[at + 1].content
        return self._read_inline(re.sub(rf"\A{_BOX.pattern}", "", text) if isinstance(of, LooseCard) else text, of)

    def _read_inline(self, text: str, of: LooseCard | _Section) -> str:
        """A text without signs of Markdown; addresses behind words of a title are words of its card or section."""
        if len(text) > MAX_TITLE:
            return text
        found: list[Token] = []
        self._parser.inline.parse(text, self._parser, self._env, found)
        said = "".join(" " if each.type in ("softbreak", "hardbreak") else each.content for each in found)
        for each in found:
            given = [str(each.attrs.get(name) or "") for name in ("href", "src", "title")]
            if unsaid := " ".join(text for text in given if text not in said):
                of.say("Link", unsaid)
            self._has_signs |= each.type in ("em_open", "strong_open", "code_inline")
        return said

    def _share_lines(self) -> None:
        """Give each line of text to the innermost card that contains it, else to the card or heading above it."""
        holders: dict[int, LooseCard] = {}
        for card, where in self._cards.items():
            holders |= dict.fromkeys(where, card)
        starts = {where.start: card for card, where in self._cards.items() if not card.parent}
        texts: dict[LooseCard, list[str]] = {card: [] for card in self._cards}
        section, above = self._sections[-1], None
        for at, line in enumerate(self._lines):
            if at in self._sections:
                section, above = self._sections[at], None
            if at in starts:
                above, section.has_cards = starts[at], True
                above.phase = section.name
            holder = holders.get(at, above)
            if at not in self._titles:
                (texts[holder] if holder else section.lines).append(line)
        for card, text in texts.items():
            heads: set[str] = set()
            while len(heads) < len(text) and (part := _PART.fullmatch(text[len(heads)])) and part[1] not in heads:
                if not self._take_part(card, part[1], part[2]):
                    break
                heads.add(part[1])
            card.description = _text_of(text[len(heads) :])

    def _take_part(self, card: LooseCard, head: str, written: str) -> bool:
        """Read a part as ``to_check_lists`` writes it; False for another text."""
        links = _Section(0, ())
        said = self._read_inline(written, links)
        match head:
            case _ if links.lines:
                return False
            case "Kind" if said in map(in_words, ItemKind):
                card.is_activity = said == in_words(ItemKind.ACTIVITY)
            case "Due":
                card.due = card.read_day(head, said)
            case "Assigned":
                card.people = said.split(", ")
            case "Labels":
                card.labels = said.split(", ")
            case "Priority" if priority := priority_word(said):
                card.priority = priority
            case "Status" if said == in_words(Status.IN_PROGRESS) and card.status:
                card.status = Status.IN_PROGRESS if card.status is Status.TO_DO else card.status
            case "Link":
                card.take_link(head, said)
            case _:
                return False
        return True


def _text_of(found: list[str]) -> str:
    """Lines as a text; without the signs of a quote if all of them are one."""
    plain = dedent("\n".join(found)).strip("\n").rstrip()
    if all(line.startswith(">") for line in plain.split("\n")):
        return "\n".join(re.sub("^> ?", "", line) for line in plain.split("\n"))
    return plain
