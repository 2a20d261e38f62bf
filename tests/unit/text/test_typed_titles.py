"""The shorthand at the end of a title, and pasted lists of titles."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.domain.canvas import CanvasMember
from core.domain.model import ProjectRole
from core.text.typed_titles import TypedTitle, listed_titles, read_title

TODAY = date(2026, 11, 22)
"""A Sunday."""


def member(name: str, login: str) -> CanvasMember:
    return CanvasMember(user_id=login, name=name, login=login, role=ProjectRole.CONTRIBUTOR, active=True)


BOB, ANN, BERG = member("Bob Lind", "bob"), member("Ann Lee", "ann"), member("Anna Berg", "aberg")
JOSE, MEI = member("José Ruiz", "jr"), member("Mei 陳", "mei.c")
TEAM = (BOB, ANN, BERG, JOSE, MEI)

WORDS = st.lists(st.text("bcdghklmnopqrstuvw", min_size=4, max_size=8).map(str.capitalize), min_size=1, max_size=5)
"""Words of a title, none of which is a date or leads to one."""


def read(text: str) -> TypedTitle[CanvasMember]:
    return read_title(text, TODAY, TEAM, ANN)


@pytest.mark.parametrize(
    ("typed", "title", "assignee", "due"),
    [
        ("Write brief @bob fri", "Write brief", BOB, "2026-11-27"),
        ("Write brief fri @bob", "Write brief", BOB, "2026-11-27"),
        ("Write brief, @bob, fri", "Write brief", BOB, "2026-11-27"),
        ("Write brief by next fri", "Write brief", None, "2026-11-27"),
        ("Write brief due tomorrow", "Write brief", None, "2026-11-23"),
        ("Write brief +2w", "Write brief", None, "2026-12-06"),
        ("Write brief 3 dec", "Write brief", None, "2026-12-03"),
        ("Write brief 3 dec 27", "Write brief", None, "2027-12-03"),
        ("Write brief Dec 3, 2027", "Write brief", None, "2027-12-03"),
        ("Write brief 3.12.", "Write brief", None, "2026-12-03"),
        ("Write brief 2026-12-03", "Write brief", None, "2026-12-03"),
        ("Go sun", "Go", None, "2026-11-29"),
        ("Write brief @Ann", "Write brief", ANN, None),
        ("Write brief @anna", "Write brief", BERG, None),
        ("Write brief @lind", "Write brief", BOB, None),
        ("Write brief @ber", "Write brief", BERG, None),
        ("Write brief @jose", "Write brief", JOSE, None),
        ("Write brief @陳", "Write brief", MEI, None),
        ("Write brief @me", "Write brief", ANN, None),
    ],
)
def test_the_last_words_name_the_assignee_and_the_due_date(
    typed: str, title: str, assignee: CanvasMember | None, due: str | None
) -> None:
    assert read(typed) == TypedTitle(title=title, assignee=assignee, due=date.fromisoformat(due) if due else None)


@pytest.mark.parametrize(
    "typed",
    [
        "Meet Friday band",
        "Ask @bob about fees",
        "Talk to @bob",
        "Mail ann@example.com",
        "What we may do",
        "Call Tom",
        "Shoot in the sun",
        "Plan for Monday",
        "Black Friday",
        "Rising Sun",
        "Portrait of Frida",
        "Release 2.4",
        "Buy paint 5m",
        "Read 1984",
        "Team of 5 +1",
        "Report of 2020-01-01",
        "Archive 2020-01-01",
        'Edit "The Last Friday"',
        '"Just do it"',
        "fri",
        "by fri",
        "@bob",
        "@bob fri",
        "",
    ],
)
def test_other_words_stay_in_the_title(typed: str) -> None:
    assert read(typed) == TypedTitle(title=typed)


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ('Plan "fri"', "Plan fri"),
        ('"Meet on fri"', "Meet on fri"),
        ("Ship “@bob fri”", "Ship @bob fri"),
        ('"fri"', "fri"),
    ],
)
def test_quotes_keep_a_shorthand_literal_and_are_removed(typed: str, title: str) -> None:
    assert read(typed) == TypedTitle(title=title)


def test_a_name_that_two_members_share_stays_in_the_title_and_says_why() -> None:
    assert read("Write @an fri") == TypedTitle(
        title="Write @an",
        due=date(2026, 11, 27),
        notes=("“@an” stays in the title: it can mean Ann Lee or Anna Berg.",),
    )


def test_a_name_that_no_member_has_stays_in_the_title_and_says_why() -> None:
    assert read("Write @zed").notes == ("“@zed” stays in the title: no member has this name.",)


@pytest.mark.parametrize(
    ("typed", "note"),
    [
        ("Write !soon", "“!soon” stays in the title: a priority is !low, !normal, !high or !urgent."),
        ("Write !low !high", "“!low” stays in the title: only one priority is read from it."),
        ("Write #any", "“#any” stays in the title: no label can have this name."),
    ],
)
def test_a_word_with_a_sign_that_means_nothing_stays_in_the_title_and_says_why(typed: str, note: str) -> None:
    found = read(typed)
    assert found.title == typed.removesuffix(" !high")
    assert found.notes == (note,)


def test_words_before_one_that_is_not_understood_are_still_read() -> None:
    found = read("Call #print !high @bob #none !nope @nobody fri")
    assert (found.title, found.labels, found.priority) == ("Call #none !nope @nobody", ("print",), "HIGH")
    assert (found.assignee, found.due) == (BOB, date(2026, 11, 27))
    assert found.notes == (
        "“#none” stays in the title: no label can have this name.",
        "“!nope” stays in the title: a priority is !low, !normal, !high or !urgent.",
        "“@nobody” stays in the title: no member has this name.",
    )


def test_a_label_that_is_there_is_read_by_any_name_and_another_word_says_that_none_has_it() -> None:
    found = read_title("Shoot #🔥 #[/] #12 #!x", TODAY, TEAM, ANN, ["🔥", "[/]", "12", "!X"])
    assert (found.title, found.labels, found.notes) == ("Shoot", ("🔥", "[/]", "12", "!x"), ())
    assert read("Shoot #🔥").notes == ("“#🔥” stays in the title: no label has this name.",)
    assert read("Fix issue #12") == TypedTitle(title="Fix issue #12")


def test_of_two_names_the_last_is_the_assignee() -> None:
    found = read("Write @bob @ann")
    assert (found.title, found.assignee) == ("Write @bob", ANN)
    assert found.notes == ("“@bob” stays in the title: only one assignee is read from it.",)


def test_a_login_comes_before_a_first_name_and_me() -> None:
    me, anna = member("Carl May", "me"), member("Me Berg", "anna")
    assert read_title("Write @me", TODAY, (BOB, anna, me), BOB).assignee == me
    assert read_title("Write @me", TODAY, (BOB, anna), BOB).assignee == BOB
    assert read_title("Write @me", TODAY, (BOB, anna)).assignee == anna


@given(st.text(max_size=80))
@example("@bob fri")
@example(", fri")
@example('"" fri')
@example('"fri')
@example("+2w @me")
def test_a_text_with_a_word_has_a_title(text: str) -> None:
    assert bool(read(text).title) == bool(text.split())


@given(
    WORDS, st.sampled_from(["@bob", "@lind"]), st.sampled_from(["fri", "+2w", "3 dec", "by tomorrow"]), st.booleans()
)
def test_no_word_before_the_shorthand_is_lost(words: list[str], name: str, day: str, day_first: bool) -> None:
    shorthand = f"{day} {name}" if day_first else f"{name} {day}"
    found = read(" ".join([*words, shorthand]))
    assert (found.title, found.assignee) == (" ".join(words), BOB)
    assert found.due is not None


@given(WORDS, st.dates(TODAY, TODAY + timedelta(days=20_000)))
def test_every_day_from_today_on_can_be_written_in_full(words: list[str], due: date) -> None:
    assert read(" ".join([*words, due.isoformat()])).due == due


@given(st.text(max_size=40).filter(lambda text: not set(text) & set('"“”')))
@example("Write @bob fri")
@example("fri")
def test_nothing_is_read_from_a_quoted_text(text: str) -> None:
    found = read(f'"{text}"')
    assert (found.assignee, found.due, found.notes) == (None, None, ())
    assert found.title.replace('"', "").split() == text.split()


def test_a_long_text_is_read_quickly() -> None:
    for text in ('"' * 100_000, "@bob " * 30_000, "fri " * 30_000, "[ ] " * 30_000 + "Shoot"):
        assert read(text).title
        assert listed_titles(text)


def test_a_pasted_list_loses_its_bullets_numbers_and_boxes() -> None:
    pasted = (
        "- Book crew\n* [x] Scout @bob fri\r\n\n1. Cast\n  (2) Shoot\n☐ Edit\n• [ ] Grade\n-\n   \n3D titles\n2026 plan"
    )
    titles = ("Book crew", "Scout @bob fri", "Cast", "Shoot", "Edit", "Grade", "3D titles", "2026 plan")
    assert listed_titles(pasted) == titles


@given(st.lists(WORDS.map(" ".join), max_size=8), st.sampled_from(["", "- ", "* [ ] ", "12. ", "☑ ", "\t• "]))
def test_every_line_of_a_pasted_list_is_one_title(titles: list[str], sign: str) -> None:
    assert listed_titles("\n\n".join(sign + title for title in titles)) == tuple(titles)
