"""Days as spreadsheets and other programs write them: each form that has one meaning, in the languages of ``_MONTHS``.

“03/04/2027” has two meanings, so the column or the person who imports decides. A time is dropped: the day is the one
that stands in the cell, in its own zone. A time in UTC is a moment as programs store it, and has the local day.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache

from core.errors import InvalidInput
from core.import_export.draft import local_day
from core.record import Record
from core.text.dates import FIRST_YEAR, LAST_YEAR, parse_due
from core.text.folding import fold
from core.text.sanitize import quote_value


class DayOrder(StrEnum):
    """The number of “03/04/2027” that is the day: the first or the second."""

    DMY = "dmy"
    MDY = "mdy"


class TwoDays(InvalidInput):
    """A day that people of two countries read differently: “03/04/2027”."""


class DayCell(Record, kw_only=False):
    """The days of a cell: the last one of a period counts, and its first one is where it begins."""

    due: date | None
    start: date | None = None


NOTHING = frozenset(
    ("", "-", "–", "?", "none", "null", "nan", "nat", "n/a", "na", "0000-00-00", "1899-12-30", "1900-01-00")
)
"""What programs write where there is no day."""

_MONTHS = {
    "English": "january february march april may june july august september october november december",
    "German": "januar februar marz april mai juni juli august september oktober november dezember",
    "Austrian": "janner feber maerz april mai juni juli august september oktober november dezember",
    "French": "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "Dutch": "januari februari maart april mei juni juli augustus september oktober november december",
    "Italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "Portuguese": "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "Polish": "styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien",
    "Polish, of": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
    "Czech": "leden unor brezen duben kveten cerven cervenec srpen zari rijen listopad prosinec",
    "Czech, of": "ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince",
    "Swedish": "januari februari mars april maj juni juli augusti september oktober november december",
    "Danish": "januar februar marts april maj juni juli august september oktober november december",
    "Finnish": "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesakuu heinakuu elokuu syyskuu lokakuu marraskuu"
    " joulukuu",
}
"""The months, without accents."""

_BETWEEN = frozenset("de del of the den le il el d o a dne".split())  # noqa: SIM905
"""Words between a day, its month and its year."""

_WEEKDAY = re.compile(
    r"^(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|mie|jue|vie|sab|dom|gio|seg|ter"
    r"|qua|qui|sex|man|tis|tir|ons|tor|lor|son|pon|wto|sro|czw|pia|sob|nie|ute|str|ctv|pat|ned)[a-z]*\.?(?:-feira)?,?\s+"
    r"(?=\S*\d|\w+\.? \d)"
)
_TIME = re.compile(
    r"[t ,]+(?:at |um |a las |alle |kl\.? ?|às )?"
    r"\d{1,2}(?:[:h]\d{2}|\.\d{2}(?:\.\d{2})?$)(?::\d{2})?(?:[.,]\d+)?(?: uhr)?"
    r"(?: ?[ap]\.?m\.?)?(?: ?(?:z|utc|gmt|[a-z]{3,4}))?(?: ?[+-]\d{2}:?(?:\d{2})?)?(?: ?\([^)]*\))?$"
)
_ISO = re.compile(r"(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})")
_COMPACT = re.compile(r"(?P<year>[12]\d{3})(?P<month>\d{2})(?P<day>\d{2})")
_NUMBERS = re.compile(r"(?P<first>\d{1,2})(?P<sign>[-/.])\s?(?P<second>\d{1,2})(?P=sign)\s?(?P<year>\d{4}|\d{2})\.?")
_NAMED = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|e|\.|º|ª)?[ /-]*(?P<name>[^\W\d]{3,})\.?[ /-]*,?\s*'?(?P<year>\d{4}|\d{2})?"
)
_NAME_FIRST = re.compile(r"(?P<name>[^\W\d]{3,})\.?[ -]*(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s*(?P<year>\d{4}))?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?= ?(?:z|utc|gmt|\+00:?00)$)")
_PERIOD = re.compile(r"\s*(?:→|—|\s–\s|\s-\s|\bto\b|\bbis\b)\s*")


def read_days(cell: str, today: date, order: DayOrder | None = None) -> DayCell:
    """Return the days of a cell; ``order`` decides about a day with two meanings.

    >>> today = date(2026, 11, 2)
    >>> [str(read_days(each, today).due) for each in ("14/Mar/26 12:00 AM", "Thu, Dec 3, 2026", "02.06.2027 12:00")]
    ['2026-03-14', '2026-12-03', '2027-06-02']
    >>> read_days("1 Oct 2027 → 5 Oct 2027", today)
    DayCell(due=datetime.date(2027, 10, 5), start=datetime.date(2027, 10, 1))

    Raises TwoDays without ``order``, and InvalidInput for a text that is no day.
    """
    try:
        return DayCell(_read_day(cell, today, order))
    except TwoDays:
        raise
    except InvalidInput:
        ends = _PERIOD.split(cell)
        if len(ends) != 2 or not all(each.strip() for each in ends):
            raise
        start, due = (_read_day(each, today, order) for each in ends)
        return DayCell(due, start)


def shows_order(cell: str) -> DayOrder | None:
    """Return the order that a day such as “31/12/2026” has, as one number is above 12; None for all other cells.

    >>> shows_order("31/12/2026"), shows_order("03/04/2027")
    (<DayOrder.DMY: 'dmy'>, None)
    """
    found = _NUMBERS.fullmatch(_without_time(cell))
    if not found or found["sign"] == ".":
        return None
    first, second = int(found["first"]), int(found["second"])
    return DayOrder.DMY if first > 12 >= second else DayOrder.MDY if second > 12 >= first else None


def _read_day(cell: str, today: date, order: DayOrder | None) -> date | None:
    text = _without_time(cell)
    if text in NOTHING:
        return None
    try:
        if moment := _MOMENT.match(" ".join(fold(cell).split())):
            return local_day(datetime.fromisoformat(moment[0].upper()).replace(tzinfo=UTC))
        found = _in_numbers(text, cell, order) or _in_words(text)
    except ValueError:
        raise InvalidInput("due", f"There is no day “{quote_value(cell)[:40]}”.") from None
    if found is None:
        return parse_due(text, today)
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        raise InvalidInput("due", f"“{quote_value(cell)[:40]}” is not between the years {FIRST_YEAR} and {LAST_YEAR}.")
    return found


def _without_time(cell: str) -> str:
    text = " ".join(fold(cell).split())
    return _TIME.sub("", _WEEKDAY.sub("", text))


def _in_numbers(text: str, cell: str, order: DayOrder | None) -> date | None:
    if found := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        return date(int(found["year"]), int(found["month"]), int(found["day"]))
    if not (found := _NUMBERS.fullmatch(text)):
        return None
    first, second, year = int(found["first"]), int(found["second"]), _year(found["year"])
    order = DayOrder.DMY if found["sign"] == "." else shows_order(text) or order
    if order is None and first != second:
        raise TwoDays(
            "due", f"“{quote_value(cell)[:40]}” can mean two days: say whether the day or the month is first."
        )
    day, month = (second, first) if order is DayOrder.MDY else (first, second)
    return date(year, month, day)


def _in_words(text: str) -> date | None:
    """A day whose month has a name, with its year: “3. Dez. 2026”, “3 de diciembre de 2026”, “December 3rd, 2026”."""
    plain = " ".join(word for word in text.split() if word not in _BETWEEN)
    found = _NAMED.fullmatch(plain) or _NAME_FIRST.fullmatch(plain)
    month = _months().get(found["name"]) if found else None
    if not found or month is None or not found["year"]:
        return None
    return date(_year(found["year"]), month, int(found["day"]))


def _year(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


@cache
def _months() -> dict[str, int]:
    """The number of each month by its name, and by the beginnings that no other month has; of Finnish by its name."""
    found: dict[str, set[int]] = {}
    for language, names in _MONTHS.items():
        for number, name in enumerate(names.split(), 1):
            sizes = (len(name),) if language == "Finnish" else range(3, len(name) + 1)
            for size in sizes:
                found.setdefault(name[:size], set()).add(number)
    whole = {name: number for names in _MONTHS.values() for number, name in enumerate(names.split(), 1)}
    return {name: min(numbers) for name, numbers in found.items() if len(numbers) == 1} | whole
