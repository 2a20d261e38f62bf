"""Numbers as people write them: “12.500,50”, “12 500”, “1'250.50”, “0.125”.

In some countries a point parts thousands and a comma decimals, in others the other way round. Most spellings have one
meaning; “12.500” has two, and then nobody guesses.
"""

from __future__ import annotations

import re
from enum import StrEnum

from core.errors import InvalidInput
from core.text.sanitize import quote_value

MAX_AMOUNT = 1_000_000_000_000
"""The largest number, and the smallest below zero."""

DECIMALS = 3
"""The most digits behind the decimal sign."""

_BLANKS = " \u00a0\u2009\u202f"
"""The blanks that part thousands: also those that do not break a line, and narrow ones."""

_GROUPED = re.compile(rf"([+\-−]?)(\d{{1,3}}(?:[{_BLANKS}'’]\d{{3}})+|\d+)(?:([.,])(\d+))?")
"""Digits with blanks or apostrophes between thousands, if any, and one decimal sign."""

_MARKED = re.compile(r"([+\-−]?)(\d{1,3}(?:([.,])\d{3})(?:\3\d{3})*)(?:(?!\3)([.,])(\d+))?")
"""Thousands with points or commas between them, and the other sign before decimals."""

_AMBIGUOUS = re.compile(r"[+\-−]?[1-9]\d{0,2}[.,]\d{3}")


class DecimalSign(StrEnum):
    """The sign before decimals."""

    COMMA = "comma"
    POINT = "point"


class TwoMeanings(InvalidInput):
    """A number that people of two countries read differently: “12.500”. The sentence has both spellings."""

    def __init__(self, typed: str) -> None:
        super().__init__("value", f"“{typed}” can mean two numbers. Write {' or '.join(spell_both(typed))}.")


def read_amount(text: str, decimal: DecimalSign | None = None) -> int:
    """Return a number in thousandths. ``decimal`` decides about a number with two meanings.

    >>> [read_amount(each) for each in ("12.500,50", "12 500", "1'250.50", "1.234.567", "0.125", "2,5")]
    [12500500, 12500000, 1250500, 1234567000, 125, 2500]
    >>> read_amount("12.500", DecimalSign.COMMA), read_amount("12.500", DecimalSign.POINT)
    (12500000, 12500)

    Raises TwoMeanings without ``decimal``, and InvalidInput for what is no number, or too large.
    """
    typed = text.strip()
    sign, whole, decimals = _parts(typed, decimal)
    if len(decimals.rstrip("0")) > DECIMALS:
        raise InvalidInput("value", f"“{_short(text)}” has too many decimals. A number has at most {DECIMALS}.")
    thousandths = int(whole) * 1000 + int(decimals.rstrip("0").ljust(DECIMALS, "0"))
    if thousandths > MAX_AMOUNT * 1000:
        raise InvalidInput("value", f"“{_short(text)}” is too large. A number is at most {MAX_AMOUNT:,}.")
    return -thousandths if sign in ("-", "−") else thousandths


def has_two_meanings(text: str) -> bool:
    """Return True for one separator with one to three digits before it, which do not begin with 0, and three after it.

    >>> has_two_meanings("12,500"), has_two_meanings("0,500"), has_two_meanings("1234.500")
    (True, False, False)
    """
    return _AMBIGUOUS.fullmatch(text.strip()) is not None


def spell_both(typed: str) -> tuple[str, str]:
    """Return both meanings of a number that has two, each in a spelling with one meaning.

    >>> spell_both("12.500"), spell_both("12,125")
    (('12500', '12.5'), ('12125', '12.1250'))
    """
    decimals = typed.strip().replace(",", ".")
    small = decimals.rstrip("0").rstrip(".") if decimals.endswith("0") else f"{decimals}0"
    return decimals.replace(".", ""), small


def find_decimal(text: str) -> DecimalSign | None:
    """Return the sign before decimals in a number with one meaning; None for one that does not tell.

    >>> [find_decimal(each) for each in ("2,5", "1.234.567", "1,234.5", "12 500", "12.500")]
    [<DecimalSign.COMMA: 'comma'>, <DecimalSign.COMMA: 'comma'>, <DecimalSign.POINT: 'point'>, None, None]
    """
    typed = text.strip()
    if has_two_meanings(typed):
        return None
    if found := _GROUPED.fullmatch(typed):
        sign = found[3]
    elif found := _MARKED.fullmatch(typed):
        sign = found[4] or (",." if found[3] == "." else ".,")[0]
    else:
        return None
    return {",": DecimalSign.COMMA, ".": DecimalSign.POINT}.get(sign or "")


def spell_number(number: str) -> str:
    """Return a kept number so that it has one meaning, as forms and tables have it: with a 0 at its end, if need be.

    >>> spell_number("12.125"), spell_number("2.5")
    ('12.1250', '2.5')
    """
    return f"{number}0" if has_two_meanings(number) else number


def write_amount(number: str | float) -> str:
    """Return a number with a narrow blank between thousands, as screens show it: ``read_amount`` reads it again.

    >>> write_amount("-1234567.5").replace("\u202f", " ")
    '-1 234 567.5'
    """
    whole, point, decimals = str(number).partition(".")
    return re.sub(r"(?<=\d)(?=(?:\d{3})+$)", "\u202f", whole) + point + decimals


def _parts(typed: str, decimal: DecimalSign | None) -> tuple[str, str, str]:
    """The sign, the digits before the decimal sign, and those after it."""
    if has_two_meanings(typed):
        separator = DecimalSign.COMMA if "," in typed else DecimalSign.POINT
        if decimal is None:
            raise TwoMeanings(typed)
        sign = typed[0] if typed[0] in "+-−" else ""
        before, after = re.split("[.,]", typed.removeprefix(sign))
        return (sign, before, after) if separator is decimal else (sign, before + after, "")
    if found := _GROUPED.fullmatch(typed):
        return found[1], found[2] if found[2].isdecimal() else re.sub(r"\D", "", found[2]), found[4] or ""
    if found := _MARKED.fullmatch(typed):
        return found[1], re.sub(r"\D", "", found[2]), found[5] or ""
    raise InvalidInput("value", f"“{_short(typed)}” is not a number. Write one such as 3, 2.5 or 12 500.")


def _short(text: str) -> str:
    return quote_value(text.strip())[:40]
