"""The decision on each column of a table: a use that its head names and its cells fit, a custom field, or words.

No value is rewritten: a column becomes numbers only if each cell comes out as it went in, or if its head names an
amount, or if the person says so. What cannot be a custom field becomes words at the end of the description.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import islice

from core.domain.fields import MAX_CHOICES, MAX_FIELDS, MAX_TEXT, FieldKind, from_thousandths, is_plain_number
from core.errors import InvalidImport, InvalidInput
from core.import_export.document import FieldEntry
from core.import_export.draft import UnknownWord, free_name, make_field
from core.import_export.tables.cell_days import NOTHING, DayOrder, TwoDays, read_days, shows_order
from core.import_export.tables.csv_export import own_name
from core.import_export.tables.grid import CellGrid
from core.import_export.tables.heads import REPEATED, Use, find_uses, names_amount
from core.import_export.tables.mapping import TableMapping, plain_words, same
from core.import_export.tables.words import kind_word, truth_word
from core.record import Record, replace
from core.text.amounts import DecimalSign, find_decimal, has_two_meanings, read_amount
from core.text.phrases import in_words, names
from core.text.sanitize import MAX_SHOWN, link, quote_value

SAMPLES = 3
"""The cells of a column that a preview shows."""

_PERCENT = re.compile(r"(\d{1,3})(?:[.,]\d+)? ?%?")
_OUTLINE = re.compile(r"\d+(?:\.\d+)*\.?")
_CURRENCY = re.compile(r"([€$£¥₽₹]|[A-Z]{3}\b)?\s*([+\-−]?\d.*?\d|\d)\s*([€$£¥₽₹]|\b[A-Z]{3}|zł|Kč|kr\.?)?")


CLOSING = (Use.DONE, Use.ARCHIVED)
"""The uses that close a card."""

_OWN_FIELDS = (Use.FIELD, Use.TEXT, Use.NUMBER)

_OF_MANY = frozenset((*_OWN_FIELDS, Use.WORDS, Use.NOTHING))
"""What any number of columns can become."""

_IN_WORDS = {
    **dict.fromkeys((*_OWN_FIELDS, Use.START), ""),
    **dict.fromkeys(CLOSING, "status"),
    **{Use.ID: "id", Use.OUTLINE: "outline number", Use.INDENT: "levels"},
    **{Use.WORDS: "end of the description", Use.NOTHING: "left out", Use.WAITS_FOR: "waits for", Use.EMAIL: "assigned"},
}

_FITTED = {
    **dict.fromkeys((Use.STATUS, Use.DONE), "a status"),
    **dict.fromkeys((Use.DUE, Use.START), "a day"),
    **{Use.ARCHIVED: "yes or no", Use.PRIORITY: "a priority", Use.LINK: "a link", Use.INDENT: "a level"},
    Use.OUTLINE: "an outline number",
}
"""Uses that cells must fit, in words: it is said if they do not."""


class Undecided(InvalidImport):
    """A table has cells with two meanings, or no title. The person who imports says what is meant.

    ``shown`` are the cell with two meanings, or the heads of which one can be the title.
    """

    def __init__(self, about: str, message: str, *shown: str) -> None:
        super().__init__(about, message)
        self.shown = shown

    @property
    def about(self) -> str:
        """“dates” or “decimal”, as the option is called, or “title”."""
        return self.field


class CellColumn(Record, kw_only=False):
    """A column, or several with one head, and what becomes of its cells."""

    head: str
    cells: list[str]
    """Its cell in each line, without blanks around it, but for titles; of columns with one head, all on a line each."""
    use: Use
    samples: tuple[str, ...] = ()
    field: FieldEntry | None = None
    """The custom field that it becomes, also beside another use."""
    numbers: Mapping[str, str] = {}
    """The numbers of its cells, as they are kept, where these are amounts."""

    @property
    def becomes(self) -> str:
        """Its use and its field, in words."""
        if not self.samples:
            return "empty"
        own = f"field “{self.field.name}” ({in_words(self.field.kind)})" if self.field else ""
        return " and ".join(filter(None, (_IN_WORDS.get(self.use, self.use.value), own))) or "field"


class CellColumns(Record, kw_only=False):
    """The columns of a table. ``order`` is that of its days, and ``notes`` say how the cells are read."""

    columns: tuple[CellColumn, ...]
    order: DayOrder | None
    notes: tuple[str, ...]
    unknown: tuple[UnknownWord, ...]
    """The words of columns of statuses or priorities in which none is known."""

    of: Mapping[Use, tuple[CellColumn, ...]]
    """The columns with each use."""

    def text(self, use: Use, at: int) -> str:
        """The cell of a line in the first column with a use; "" without one."""
        return self.of[use][0].cells[at] if self.of[use] else ""


def decide_columns(grid: CellGrid, mapping: TableMapping, today: date) -> CellColumns:
    """Return what becomes of each column. Raises InvalidImport without a title, and Undecided for two meanings."""
    heads = [head or f"Column {at}" for at, head in enumerate(grid.heads, 1)]
    whole = [*zip(*(row.cells for row in grid.rows), strict=True)] or [()] * len(heads)
    empty = [at for at, cells in enumerate(whole) if not any(map(str.strip, cells))]
    unsaid = ["" if mapping.use_of(head) else given for head, given in zip(heads, grid.heads, strict=True)]
    uses = _say_uses(find_uses(unsaid, empty), heads, mapping)
    joined: dict[tuple[Use, str | int], list[int]] = {}
    for at, (head, use) in enumerate(zip(heads, uses, strict=True)):
        place = (use, plain_words(head) if use in _OF_MANY and use is not Use.NUMBER else at)
        joined.setdefault(place, []).append(at)
    notes: list[str] = []
    unknown: list[UnknownWord] = []
    grouped: list[CellColumn] = []
    cells: Cells = []
    for (said, _), places in joined.items():
        texts = [*whole[places[0]]] if said is Use.TITLE else _join_cells([whole[at] for at in places])
        cells.append(found := Counter(filter(None, map(str.strip, texts))))
        column = CellColumn(heads[places[0]], texts, said)
        use = _fit_use(column, found, mapping, today)
        grouped.append(replace(column, use=use, samples=_sample(found)))
        if column.use is not use is Use.FIELD and column.use in _FITTED:
            option, more = column.use.value, ""
            if column.use in (Use.STATUS, Use.PRIORITY) and len(found) <= MAX_CHOICES:
                unknown += [UnknownWord(option, word, number) for word, number in found.items()]
                more = f" --{option} “WORD={option.upper()}” says what its words mean."
            what = _FITTED[column.use]
            notes.append(f"No cell of “{quote_value(column.head)}” is {what}, so the column is a field.{more}")
    with_days = [found for each, found in zip(grouped, cells, strict=True) if each.use in (Use.DUE, Use.START)]
    order = _find_order([cell for found in with_days for cell in found], mapping)
    columns = _choose_fields(grouped, cells, grid, mapping, notes)
    of = {use: tuple(each for each in columns if each.use is use) for use in Use}
    return CellColumns(tuple(columns), order, tuple(notes), tuple(unknown), of)


def _join_cells(parts: Sequence[Sequence[str]]) -> list[str]:
    """The cell of each line in a column; several cells of a line, in columns with one head, on a line each."""
    plain = [map(str.strip, part) for part in parts]
    return [*plain[0]] if len(plain) == 1 else ["\n".join(filter(None, each)) for each in zip(*plain, strict=True)]


def _say_uses(uses: list[Use], heads: list[str], mapping: TableMapping) -> list[Use]:
    """The uses of the heads, with those that the person gives to some of them."""
    for said, use in mapping.columns.items():
        if not any(same(said, head) for head in heads):
            listed = names([f"“{quote_value(head)}”" for head in heads])
            raise InvalidImport("columns", f"There is no head “{quote_value(said)}”. There is {listed}.")
        places = [at for at, head in enumerate(heads) if same(said, head)]
        if use not in REPEATED | _OF_MANY:
            uses = [Use.FIELD if each is use else each for each in uses]
            places = places[:1]
        uses = [use if at in places else each for at, each in enumerate(uses)]
    if Use.TITLE not in uses:
        listed = names([f"“{quote_value(head)}”" for head in heads])
        sentence = f"No column looks like the title of the tasks (found: {listed}). Name it with --map title=COLUMN."
        raise Undecided("title", sentence, *heads)
    return uses


def _sample(cells: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(cell[:MAX_SHOWN].split()) for cell in islice(cells, SAMPLES))


def _fit_use(column: CellColumn, cells: Collection[str], mapping: TableMapping, today: date) -> Use:
    """The use of a column, or FIELD for one whose cells do not fit it: then they are kept as they are."""
    fits: dict[Use, Callable[[str], object]] = {Use.INDENT: str.isdecimal, Use.OUTLINE: _OUTLINE.fullmatch}
    some: dict[Use, Callable[[str], object]] = {
        Use.STATUS: mapping.status_of,
        Use.PRIORITY: mapping.priority_of,
        **dict.fromkeys((Use.DUE, Use.START), lambda cell: _reads_day(cell, today)),
        Use.LINK: is_link,
        Use.KIND: kind_word,
        **dict.fromkeys(CLOSING, lambda cell: says_done(cell, mapping, today) is not None),
        Use.PHASE: lambda cell: truth_word(cell) is None or cell.isdecimal(),
    }
    if column.use is Use.ID and all(map(_OUTLINE.fullmatch, cells)):
        above = {cell.rstrip(".").rpartition(".")[0] for cell in cells} - {""}
        return Use.OUTLINE if above and above <= {cell.rstrip(".") for cell in cells} else Use.ID
    if column.use in fits and not all(map(fits[column.use], cells)):
        return Use.FIELD
    if mapping.use_of(column.head):
        return column.use
    if column.use in some and cells and not any(map(some[column.use], cells)):
        percents = [_PERCENT.fullmatch(cell) for cell in cells] if column.use is Use.STATUS else []
        is_percent = all(percents) and any(int(each[1]) > 9 or "%" in each[0] for each in percents if each)
        return Use.DONE if is_percent else Use.FIELD  # digits alone are numbers of statuses
    return column.use


def _reads_day(cell: str, today: date) -> bool:
    """True for a cell with a day, also for one with two meanings, and for one that says that there is none."""
    for order in DayOrder:
        try:
            read_days(cell, today, order)
        except InvalidInput:
            continue
        return True
    return False


def is_day(cell: str, today: date) -> bool:
    """Return True for a cell with a day, also for one with two meanings."""
    return _reads_day(cell, today) and cell.strip().casefold() not in NOTHING


def is_link(cell: str) -> bool:
    """Return True for a cell that is a link as it stands."""
    try:
        return link(cell) == cell
    except InvalidInput:
        return False


def says_done(cell: str, mapping: TableMapping, today: date) -> bool | None:
    """Return whether a cell in a column such as “Completed at”, “Done”, “% complete” or “Resolution” says so.

    None for one that does not tell. 0 to 99 per cent are not done, and a day is.
    """
    if (truth := truth_word(cell)) is not None:
        return truth
    if percent := _PERCENT.fullmatch(cell):
        return int(percent[1]) >= 100
    if (status := mapping.status_of(cell)) is not None:
        return status in ("COMPLETED", "ARCHIVED")
    return True if is_day(cell, today) else None


def _says_more(column: CellColumn, cells: Collection[str]) -> bool:
    """True if a column has more in its cells than yes and no, or task and activity: a day, or “Milestone”."""
    if column.use is Use.KIND:
        return any(kind_word(cell) is None for cell in cells)
    return column.use in CLOSING and any(truth_word(cell) is None for cell in cells)


def _find_order(cells: Collection[str], mapping: TableMapping) -> DayOrder | None:
    """The order of day and month in days such as 03/04/2027, as other days of the table show it. Raises Undecided."""
    if mapping.dates is not None:
        return mapping.dates
    shown = {order for cell in cells for part in re.split(r"\s*[→–—]\s*", cell) if (order := shows_order(part))}
    if len(shown) == 1:
        return shown.pop()
    for cell in cells:
        try:
            read_days(cell, date(2000, 1, 1))
        except TwoDays:
            sentence = (
                f"“{quote_value(cell)}” can mean two days, and no other cell tells which number is the month. Say"
                " --dates dmy or --dates mdy."
            )
            raise Undecided("dates", sentence, cell) from None
        except InvalidInput:
            continue
    return None


Cells = list[Mapping[str, int]]
"""The different cells of each column, with the number of each; in the order of the lines."""


def _choose_fields(
    columns: list[CellColumn],
    cells: Cells,
    grid: CellGrid,
    mapping: TableMapping,
    notes: list[str],
) -> list[CellColumn]:
    """The columns with their custom fields: those that differ between cards first, then by their order, up to the limit
    of a project."""

    def fits(place: int) -> bool:
        column, found = columns[place], cells[place]
        own = (*_OWN_FIELDS, Use.ID, Use.OUTLINE)
        is_able = is_text(found) and (column.use in own or _says_more(column, found))
        return bool(found) and (is_able or column.use is Use.START)

    def rank(place: int) -> tuple[object, ...]:
        column, found = columns[place], cells[place]
        is_last = column.use in (Use.ID, Use.OUTLINE, *CLOSING)
        differs = len(found) + (sum(found.values()) < len(grid.rows)) > 1
        return mapping.use_of(column.head) is None, column.use is not Use.START, is_last, not differs, place

    made = [replace(each, use=Use.WORDS) if each.use in _OWN_FIELDS else each for each in columns]
    others: list[FieldEntry] = []
    for place in sorted(sorted(filter(fits, range(len(columns))), key=rank)[:MAX_FIELDS]):
        column = columns[place]
        kind, numbers = _find_kind(column, cells[place], grid, mapping, notes)
        called = own_name(column.head)
        if column.use is Use.START:
            called = "Start" if free_name("Start", [each.name for each in others]) == "Start" else "Start day"
        field = make_field(called, others, kind)
        others.append(field)
        made[place] = replace(column, field=field, numbers=numbers)
        if column.use is not Use.START and field.name != " ".join(called.split()):
            notes.append(f"The field of the column “{quote_value(column.head)}” is called “{field.name}”.")
    return made


def _find_kind(
    column: CellColumn, cells: Collection[str], grid: CellGrid, mapping: TableMapping, notes: list[str]
) -> tuple[FieldKind, Mapping[str, str]]:
    """The kind of a custom field that holds all these cells, with the number in each cell of amounts.

    Raises Undecided for numbers with two meanings.
    """
    if column.use not in _OWN_FIELDS:
        return FieldKind.DATE if column.use is Use.START else FieldKind.TEXT, {}
    is_said, here = column.use is Use.NUMBER, mapping.kind_of(column.head)
    if column.use is Use.FIELD and here in (FieldKind.TEXT, FieldKind.CHOICE):
        return FieldKind.TEXT, {}
    if column.use is not Use.TEXT and (is_said or here is FieldKind.NUMBER or names_amount(column.head)):
        found = _read_amounts(column, cells, grid, mapping, notes)
        if found is not None:
            return FieldKind.NUMBER, found
        if is_said:
            raise _refuse_amounts(column, cells)
    if column.use is Use.FIELD:
        if all(map(is_plain_number, cells)) and (grid.is_typed or not any(map(has_two_meanings, cells))):
            return FieldKind.NUMBER, {}
        if all(map(is_plain_day, cells)):
            return FieldKind.DATE, {}
        if all(map(is_link, cells)):
            return FieldKind.LINK, {}
    return FieldKind.TEXT, {}


def is_text(cells: Collection[str]) -> bool:
    """Return True for cells that a custom field can hold as texts."""
    return all(len(cell) <= MAX_TEXT and "\n" not in cell and "\t" not in cell for cell in cells)


def is_plain_day(cell: str) -> bool:
    """Return True for a day as it is kept."""
    try:
        return date.fromisoformat(cell).isoformat() == cell and is_day(cell, date(2026, 1, 1))
    except ValueError:
        return False


def _read_amounts(
    column: CellColumn, cells: Collection[str], grid: CellGrid, mapping: TableMapping, notes: list[str]
) -> Mapping[str, str] | None:
    """The number in each cell of a column of amounts; None where a cell is no amount."""
    parts = [_CURRENCY.fullmatch(cell) for cell in cells]
    units = {(each[1] or each[3] or "") for each in parts if each}
    if not all(parts) or len(units) > 1:
        return None
    numbers = [each[2] for each in parts if each]
    decimal = DecimalSign.POINT if grid.is_typed else mapping.decimal
    signs = {sign for number in numbers if (sign := find_decimal(number))}
    if decimal is None and len(signs) == 1:
        decimal = next(iter(signs))
    unsure = next((number for number in numbers if has_two_meanings(number)), None)
    if unsure is not None and decimal is None:
        sentence = (
            f"In “{quote_value(column.head)}”, “{unsure}” can mean two numbers, and no other cell tells which sign"
            " stands before decimals. Say --decimal comma or --decimal point, or --map text=COLUMN to keep the cells as"
            " texts."
        )
        raise Undecided("decimal", sentence, unsure)
    try:
        read = {
            cell: from_thousandths(read_amount(number, decimal)) for cell, number in zip(cells, numbers, strict=True)
        }
    except InvalidInput:
        return None
    if changed := next((cell for cell, number in read.items() if number != cell), None):
        notes.append(f"{column.head}: {quote_value(changed)} read as {read[changed]}.")
    if unit := units.pop():
        notes.append(f"{column.head}: all cells have “{unit}”, which is left out of the numbers.")
    return read


def _refuse_amounts(column: CellColumn, cells: Collection[str]) -> InvalidImport:
    """The refusal of a column that is said to be numbers, with its first cell that is none."""
    reason = "its cells have several currencies."
    for cell in cells:
        try:
            found = _CURRENCY.fullmatch(cell)
            read_amount(found[2] if found else cell, DecimalSign.POINT)
        except InvalidInput as refused:
            reason = str(refused)
            break
    return InvalidImport("columns", f"“{quote_value(column.head)}” cannot be numbers: {reason}")
