"""Due dates as people type and read them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.text.dates import format_due, in_five_cells, parse_days, parse_due, parse_past

TODAY = date(2026, 9, 16)
"""A Wednesday."""
DAYS = st.dates(date(2001, 1, 1), date(2090, 12, 31))


def test_today_is_the_wednesday_that_the_tables_below_take_it_for() -> None:
    assert TODAY.isoweekday() == 3


@pytest.mark.parametrize("typed", ["", "  ", "-", "none", "NONE"])
def test_no_due_date(typed: str) -> None:
    assert parse_due(typed, TODAY) is None


@pytest.mark.parametrize(
    ("typed", "due"),
    [
        ("today", "2026-09-16"),
        (" Tomorrow ", "2026-09-17"),
        ("tom", "2026-09-17"),
        ("yesterday", "2026-09-15"),
        ("fri", "2026-09-18"),
        ("Friday", "2026-09-18"),
        ("tues", "2026-09-22"),
        ("thurs", "2026-09-17"),
        ("wed", "2026-09-23"),
        ("next  fri", "2026-09-25"),
        ("next wed", "2026-09-23"),
        ("next mon", "2026-09-21"),
        ("next week", "2026-09-21"),
        ("+3", "2026-09-19"),
        ("+3d", "2026-09-19"),
        ("2d", "2026-09-18"),
        ("3 days", "2026-09-19"),
        ("+0", "2026-09-16"),
        ("-1", "2026-09-15"),
        ("2w", "2026-09-30"),
        ("+2w", "2026-09-30"),
        ("1 week", "2026-09-23"),
        ("+1m", "2026-10-16"),
        ("5m", "2027-02-16"),
        ("-9m", "2025-12-16"),
        ("eow", "2026-09-18"),
        ("eom", "2026-09-30"),
        ("3 dec", "2026-12-03"),
        ("3dec", "2026-12-03"),
        ("3rd December", "2026-12-03"),
        ("3. dec.", "2026-12-03"),
        ("dec 3", "2026-12-03"),
        ("Sept 16", "2026-09-16"),
        ("15 sep", "2027-09-15"),
        ("29 feb", "2028-02-29"),
        ("3 dec 2027", "2027-12-03"),
        ("3 dec 27", "2027-12-03"),
        ("Dec 3, 2027", "2027-12-03"),
        ("3.12.", "2026-12-03"),
        ("3.12", "2026-12-03"),
        ("03.12.2027", "2027-12-03"),
        ("3. 12. 2027", "2027-12-03"),
        ("3.12.27", "2027-12-03"),
        ("1.9.", "2027-09-01"),
        ("2026-12-03", "2026-12-03"),
        ("2020-2-9", "2020-02-09"),
    ],
)
def test_what_people_type(typed: str, due: str) -> None:
    assert parse_due(typed, TODAY) == date.fromisoformat(due)


@pytest.mark.parametrize(
    ("today", "typed", "due"),
    [
        ("2026-01-31", "+1m", "2026-02-28"),
        ("2027-12-31", "+2m", "2028-02-29"),
        ("2026-12-31", "eom", "2026-12-31"),
        ("2026-12-05", "eom", "2026-12-31"),
        ("2026-09-18", "eow", "2026-09-18"),
        ("2026-09-19", "eow", "2026-09-25"),
        ("2026-09-18", "fri", "2026-09-25"),
        ("2026-09-20", "next mon", "2026-09-21"),
        ("2097-03-01", "29 feb", "2104-02-29"),
    ],
)
def test_at_the_edges_of_weeks_and_months(today: str, typed: str, due: str) -> None:
    assert parse_due(typed, date.fromisoformat(today)) == date.fromisoformat(due)


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        ("wed", "2026-09-16"),
        ("thu", "2026-09-10"),
        ("16 sep", "2026-09-16"),
        ("17 sep", "2025-09-17"),
        ("29 feb", "2024-02-29"),
        ("1.9.", "2026-09-01"),
        ("Yesterday", "2026-09-15"),
        ("-2w", "2026-09-02"),
        ("tomorrow", "2026-09-17"),
        ("next thu", "2026-09-24"),
        ("3 dec 2026", "2026-12-03"),
    ],
)
def test_a_day_that_has_to_be_past_is_the_latest_such_day(typed: str, day: str) -> None:
    assert parse_past(typed, TODAY) == date.fromisoformat(day)
    assert parse_past("none", TODAY) is None


@pytest.mark.parametrize("typed", ["31 feb", "2026-02-29", "0.1.", "3.13.", "32 dec", "29 feb 2027", "0000-01-01"])
def test_a_day_that_does_not_exist_is_refused_with_examples(typed: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_due(typed, TODAY)
    assert str(caught.value) == (f"There is no day “{typed}”. Try tomorrow, fri, +3d, eom, 3 dec or 2026-12-03.")
    assert caught.value.field == "due"


@pytest.mark.parametrize("typed", ["soon", "3", "3 foo", "fr", "next", "3/12", "1 2 3", "+", "٣ dec", "+99999"])
def test_what_is_no_date_is_refused_with_examples(typed: str) -> None:
    with pytest.raises(InvalidInput, match=r"cannot be read as a date\. Try"):
        parse_due(typed, TODAY)


@pytest.mark.parametrize("typed", ["1999-12-31", "3 dec 2200", "+9999m", "9999-12-31"])
def test_a_year_out_of_bounds_is_refused(typed: str) -> None:
    with pytest.raises(InvalidInput, match="is not between the years 2000 and 2199"):
        parse_due(typed, TODAY)


def test_a_refusal_is_safe_to_show_and_short() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_due("\x1b[2J" + "x" * 500, TODAY)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 150


@given(st.text(max_size=30), DAYS)
@example("+9999d", date(9999, 12, 31))
@example("eom", date(9999, 12, 31))
@example("-9999m", date(1, 1, 1))
def test_whatever_is_typed_gives_a_date_or_a_refusal(typed: str, today: date) -> None:
    try:
        due = parse_due(typed, today)
    except InvalidInput:
        return
    assert due is None or 2000 <= due.year <= 2199


@pytest.mark.parametrize(
    ("days", "shown"),
    [
        (0, "today"),
        (1, "tomorrow"),
        (-1, "yesterday"),
        (2, "Fri"),
        (6, "Tue"),
        (7, "23 Sep"),
        (-2, "2d late"),
        (-14, "14d late"),
        (-15, "1 Sep"),
        (106, "31 Dec"),
        (107, "1 Jan 27"),
        (-259, "31 Dec 25"),
    ],
)
def test_what_people_read(days: int, shown: str) -> None:
    assert format_due(TODAY + timedelta(days), TODAY) == shown


@pytest.mark.parametrize(
    ("days", "shown"),
    [(0, "today"), (1, "Fri"), (6, "Wed"), (7, "3Dec"), (-1, "-1d"), (-14, "-14d"), (-15, "11Nov"), (301, "2027")],
)
def test_a_due_date_in_five_cells(days: int, shown: str) -> None:
    assert in_five_cells(date(2026, 11, 26) + timedelta(days), date(2026, 11, 26)) == shown


@given(st.dates(date(2000, 1, 1), date(2199, 12, 31)), st.dates(date(2000, 1, 1), date(2199, 12, 31)))
def test_no_short_due_date_takes_more_than_five_cells(due: date, today: date) -> None:
    assert 1 <= len(in_five_cells(due, today)) <= 5


@given(DAYS, DAYS)
def test_a_due_date_takes_ten_cells_at_most(due: date, today: date) -> None:
    shown = format_due(due, today)
    assert len(shown) <= 10
    assert shown.isascii()


@given(DAYS, st.integers(0, 3000))
@example(date(2026, 1, 1), -1)
def test_what_is_shown_of_a_day_to_come_can_be_typed(today: date, days: int) -> None:
    due = today + timedelta(days)
    assert parse_due(format_due(due, today), today) == due


@given(DAYS, DAYS)
def test_iso_means_the_same_on_every_day(due: date, today: date) -> None:
    assert parse_due(due.isoformat(), today) == due


@pytest.mark.parametrize(("typed", "days"), [("+3d", 3), ("3", 3), ("-1w", -7), ("2 weeks", 14), (" +10 Days ", 10)])
def test_a_distance_is_read_in_days_and_weeks(typed: str, days: int) -> None:
    assert parse_days(typed) == days


@pytest.mark.parametrize("typed", ["", "soon", "1m", "--3", "99999d", "3 dec"])
def test_what_is_no_distance_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(InvalidInput, match="Try \\+3d or -1w"):
        parse_days(typed)
