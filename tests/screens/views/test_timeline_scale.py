"""The day at each cell of the Timeline, for each zoom, width and century."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.timeline.scale import FIRST_DAY, LAST_DAY, ZOOMS, Scale, Zoom, fitting, labels

DAYS = st.dates(FIRST_DAY, LAST_DAY)
SCALES = st.builds(
    lambda zoom, day, width: Scale(zoom, day, width).move_window(0), st.sampled_from(ZOOMS), DAYS, st.integers(1, 200)
)


@given(SCALES, DAYS)
def test_later_days_are_never_further_left(scale: Scale, day: date) -> None:
    assert scale.x(day) <= scale.x(day + timedelta(days=1))


@given(SCALES)
def test_labels_are_as_wide_as_the_window_in_every_zoom(scale: Scale) -> None:
    assert [len(line) for line in labels(scale)] == [scale.width, scale.width]


@given(SCALES, st.integers(-(10**6), 10**6))
def test_a_window_stays_where_dates_are(scale: Scale, days: int) -> None:
    moved = scale.move_window(days)
    assert FIRST_DAY <= moved.first <= LAST_DAY


@given(DAYS, st.integers(0, 300), st.integers(60, 150))
def test_all_of_a_project_is_shown_where_it_fits(first: date, length: int, width: int) -> None:
    last = min(LAST_DAY - timedelta(days=1200), first + timedelta(days=length))
    scale = fitting(min(first, last), last, width)
    assert scale.shows(last)
    assert scale.x(min(first, last)) >= 0


@pytest.mark.parametrize(
    ("zoom", "upper", "lower"),
    zip(
        ZOOMS,
        ("Dec 2026", "Jan 2027", "Jan 2027", "2027"),
        ("21 22 23 24 25 26 27 28", "21 28 4", "21 4", "Jan Feb"),
        strict=True,
    ),
)
def test_labels_name_days_mondays_months_and_years(zoom: Zoom, upper: str, lower: str) -> None:
    shown = labels(Scale(zoom, date(2026, 12, 21), 26))
    assert upper in shown[0]
    assert " ".join(shown[1].split()).startswith(lower)
