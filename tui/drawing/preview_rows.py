"""The lines of a preview: a title with facts, and parts with headings, in as many columns as fit.

What does not fit is counted ("… 3 more") or cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from rich.cells import cell_len
from rich.segment import Segment

from core.domain.statuses import ItemCounts
from core.record import Record
from tui.drawing import rows
from tui.drawing.cells import fit
from tui.drawing.outline_lines import one_line as clean
from tui.drawing.outline_lines import wrap_text
from tui.drawing.rows import Word, join_words
from tui.drawing.styles import ASCII, BackgroundRole, Row, Styles, TextRole

COLUMN = 38
"""Fewest cells of a column of parts."""

NARROW = 34
"""Fewest cells of a column where a single one would not show all."""

WIDE = 66
"""Most cells of a column, as long lines are hard to read; more where a part would not be whole otherwise."""

GAP = 3
"""Blank cells between columns."""

MAX_COLUMNS = 4

LEAST = 2
"""Fewest rows that a part is shown in: its heading and one more."""

ENOUGH = 4
"""Rows that a part keeps while there are others; before it gets fewer, the last part is left out."""


BAR, LEAST_BAR = 10, 4
"""The most and the fewest cells of a bar of progress."""

MAX_PROSE = 6_000
"""The most characters of a text that are wrapped, more than any pane has room for."""


class PreviewLine(Record, kw_only=False):
    """One entry of a part: ``○ A text, wrapped below itself      hint``."""

    text: str = ""
    hint: tuple[Word, ...] = ()
    """Words at the right end, of which the last ones stay where there is little room."""
    lead: tuple[Word, ...] = ()
    """The sign before the text, under which nothing is written."""
    text_role: TextRole = TextRole.TITLE
    most: int = 2
    """The most rows that the text takes."""
    listed: tuple[Word, ...] = ()
    """In place of a text: words with commas between, each in its own style, and wrapped between them."""
    tally: ItemCounts | None = None
    """Drawn as a bar of progress before the hint, where the texts of the part leave room for it."""


class PreviewPart(Record, kw_only=False):
    """A heading with its lines."""

    heading: str
    lines: tuple[PreviewLine, ...]
    hint: str = ""
    """A note beside the heading, such as a count."""
    is_prose: bool = False
    """True for a text, which is cut where it has to end; other parts count the lines that are left out."""
    markdown: str = ""
    """A text with Markdown below the lines."""
    left_out: int = 0
    """The number of lines that were not even read."""


class PreviewPage(Record, kw_only=False):
    """The whole preview of one record."""

    title: str
    lead: tuple[Word, ...] = ()
    facts: tuple[Word, ...] = ()
    """What is shown below the title, with dots between."""
    parts: tuple[PreviewPart, ...] = ()


def prose(heading: str, text: str, hint: str = "", text_role: TextRole = TextRole.TITLE) -> PreviewPart:
    """A part with a text of several paragraphs."""
    lines = (PreviewLine(each, text_role=text_role, most=1_000) for each in text[:MAX_PROSE].strip().split("\n"))
    return PreviewPart(heading, tuple(lines), hint, is_prose=True)


def markdown(heading: str, text: str, hint: str = "", *lines: PreviewLine) -> PreviewPart:
    """A part with a text with Markdown, below some lines."""
    return PreviewPart(heading, lines, hint, is_prose=True, markdown=text[:MAX_PROSE].strip("\n"))


def preview_rows(look: Styles, page: PreviewPage, width: int, height: int) -> list[Row]:
    """The rows of a page, at most ``height`` of exactly ``width`` cells; fewer where it ends before."""
    head = _head(look, page, width)
    room = height - len(head) - 1
    parts = [part for part in page.parts if part.lines or part.markdown]
    if room < LEAST or not parts:
        return head[: max(0, height)]
    return [*head, look.blank(width), *_in_columns(look, parts, width, room)]


def _head(look: Styles, page: PreviewPage, width: int) -> list[Row]:
    title = PreviewLine(page.title, lead=page.lead, text_role=TextRole.NAME, most=3)
    found = list(_entry(look, title, width))
    line: list[Word] = []
    for fact in page.facts:  # as many in a row as fit
        longer = rows.list_words(look, [*line, fact])
        if line and rows.cells(longer) > width:
            found.append(_row(look, rows.list_words(look, line), width))
            line = []
        line.append(fact)
    return [*found, _row(look, rows.list_words(look, line), width)] if line else found


def _in_columns(look: Styles, parts: Sequence[PreviewPart], width: int, height: int) -> list[Row]:
    usual = max(1, min(MAX_COLUMNS, len(parts), (width + GAP) // (COLUMN + GAP)))
    most = (width - GAP * (usual - 1)) // usual
    count, cells = usual, min(most, WIDE)
    groups = _group_parts([_Drawn(look, part, cells) for part in parts], count)
    if max(map(_height, groups)) > height:
        if usual == 1 and len(parts) > 1 and width >= 2 * NARROW + GAP:
            count, most = 2, (width - GAP) // 2
        cells = most
        groups = _group_parts([_Drawn(look, part, cells) for part in parts], count)
    columns = [_column(look, group, cells, height) for group in groups]
    tall = max(map(len, columns))
    gap = Segment(" " * GAP, look.style(TextRole.QUIET))
    found: list[Row] = []
    for number in range(tall):
        segments: list[Segment] = []
        for column in columns:
            segments += [*([gap] if segments else []), *(column[number] if number < len(column) else look.blank(cells))]
        found.append((*segments, *look.blank(width - cells * count - GAP * (count - 1))))
    return found


class _Drawn:
    """A part in the width of its column, in as many rows as it gets."""

    def __init__(self, look: Styles, part: PreviewPart, width: int) -> None:
        self._look, self._part, self._width = look, part, width
        bar = _bar_cells(part.lines, width)
        self._entries = [list(_entry(look, line, width, bar)) for line in part.lines]
        if part.markdown:
            self._entries.append([_row(look, words, width) for words in _markdown(look, part.markdown, width)])
        self._heading = [_heading(look, part, width)] if part.heading else []
        self.rows = len(self._heading) + sum(map(len, self._entries)) + bool(part.left_out)
        """The rows that it needs."""

    def draw_rows(self, most: int) -> list[Row]:
        """Its rows; the ones that are left out are counted, or the text is cut."""
        look, part, heading = self._look, self._part, self._heading
        if self.rows <= most and not part.left_out:
            return heading + [each for entry in self._entries for each in entry]
        if part.is_prose:
            return heading + self._cut(most - len(heading))
        kept: list[Row] = []
        more = len(self._entries) + part.left_out
        for entry in self._entries:
            if len(kept) + len(entry) > most - len(heading) - 1:  # the count
                break
            kept += entry
            more -= 1
        return [*heading, *kept, _row(look, [(f"{look.ellipsis} {more} more", TextRole.QUIET)], self._width)]

    def _cut(self, most: int) -> list[Row]:
        whole = [each for entry in self._entries for each in entry][:most]
        text = "".join(segment.text for segment in whole[-1]).rstrip()
        mark = self._look.ellipsis
        cut = text + mark if cell_len(text) < self._width else fit(f"{text}  ", self._width, mark=mark)
        text_role = TextRole.TITLE if self._part.markdown else self._part.lines[0].text_role
        return [*whole[:-1], _row(self._look, [(cut, text_role)], self._width)]


def _markdown(look: Styles, text: str, width: int) -> Iterator[list[Word]]:
    from tui.drawing.markdown.styles import markdown_words  # not needed before the first paint

    return markdown_words(text, width, look.signs is ASCII)


def _heading(look: Styles, part: PreviewPart, width: int) -> Row:
    hint: list[Word] = [(f"  {part.hint}", TextRole.QUIET)] if part.hint else []
    return _row(look, [(part.heading, TextRole.QUIET), *hint], width)


def _group_parts(drawn: Sequence[_Drawn], count: int) -> list[Sequence[_Drawn]]:
    """The parts in ``count`` columns, in order, so that the tallest column is as short as can be."""
    found: list[Sequence[_Drawn]] = []
    best = 10**9
    for cuts in combinations(range(1, len(drawn)), count - 1):
        bounds = [0, *cuts, len(drawn)]
        groups = [drawn[start:end] for start, end in pairwise(bounds)]
        tallest = max(_height(group) for group in groups)
        if tallest < best:
            best, found = tallest, groups
    return found


def _height(group: Sequence[_Drawn]) -> int:
    return sum(each.rows for each in group) + len(group) - 1


def _column(look: Styles, group: Sequence[_Drawn], width: int, height: int) -> list[Row]:
    """The rows of one column: long parts give way first, then the last ones are left out."""
    shown, rooms = [*group], [each.rows for each in group]
    while sum(rooms) + len(rooms) - 1 > height and (len(rooms) > 1 or rooms[0] > LEAST):
        if max(rooms) > ENOUGH or len(rooms) == 1:
            rooms[rooms.index(max(rooms))] -= 1
        else:
            shown.pop()
            rooms.pop()
    found: list[Row] = []
    for each, room in zip(shown, rooms, strict=True):
        found += [*([look.blank(width)] if found else []), *each.draw_rows(room)]
    return found[:height]


def _bar_cells(lines: Sequence[PreviewLine], width: int) -> int:
    """The cells of the bars of progress of a part, all alike; 0 without them."""
    free = [
        width - rows.cells([*line.lead, *line.hint]) - cell_len(clean(line.text)) - 2
        for line in lines
        if line.tally is not None
    ]
    cells = min([BAR, *free])
    return cells if free and cells >= LEAST_BAR else 0


def _entry(look: Styles, line: PreviewLine, width: int, bar: int = 0) -> Iterator[Row]:
    lead = list(line.lead)
    indent = rows.cells(lead)
    hint = list(line.hint)
    while hint and rows.cells(hint) > (width - indent) // 2:
        hint = hint[1:]
    if bar and line.tally is not None:
        hint = [*(word for word in rows.progress_bar(look, line.tally, bar) if word[0]), *line.hint]
    room = max(2, width - indent - (rows.cells(hint) + 2 if hint else 0))
    for number, words in enumerate(_list_in_rows(line.listed, room) if line.listed else _texts(look, line, room)):
        begin: list[Word] = lead if number == 0 else [(" " * indent, TextRole.QUIET)]
        end: list[Word] = []
        if number == 0 and hint:
            blank = width - indent - rows.cells(words) - rows.cells(hint)
            end = [(" " * blank, TextRole.QUIET), *hint]
        yield _row(look, [*begin, *words, *end], width)


def _texts(look: Styles, line: PreviewLine, room: int) -> Iterator[list[Word]]:
    lines = wrap_text(clean(line.text), room)
    if len(lines) > line.most:
        cut = fit(f"{lines[line.most - 1]} {lines[line.most]}", room, mark=look.ellipsis)
        lines = [*lines[: line.most - 1], cut]
    return ([(text, line.text_role)] for text in lines)


def _list_in_rows(listed: Sequence[Word], room: int) -> list[list[Word]]:
    found: list[list[Word]] = [[]]
    for number, (text, text_role) in enumerate(listed):
        comma = "," if number < len(listed) - 1 else ""
        word: list[Word] = [(clean(text), text_role), (comma, TextRole.QUIET)]
        if found[-1] and rows.cells([*found[-1], *word]) + 1 > room:
            found.append([])
        found[-1] += [*([(" ", TextRole.QUIET)] if found[-1] else []), *word]
    return found


def _row(look: Styles, words: Sequence[Word], width: int) -> Row:
    """A row of exactly ``width`` cells."""
    room, fitted = width, list[Word]()
    for text, text_role in words:
        part = fit(text, room, mark=look.ellipsis)
        room -= rows.cells([(part, text_role)])
        fitted.append((part, text_role))
    return join_words(look, BackgroundRole.PLAIN, [*fitted, (" " * room, TextRole.QUIET)])
