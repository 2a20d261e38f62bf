"""The filter language: against a plain reading of it, at the ends of weeks and years, and against any text at all."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.domain.canvas import Card
from core.domain.labels import Label, LabelColour
from core.domain.model import ItemKind, Priority, Status
from core.errors import InvalidFilter
from core.filters.completion import complete
from core.filters.fields import FIELDS
from core.filters.filter import CardTexts, Filter
from core.record import replace
from tests.properties import filter_strategies as plan
from tests.properties.filter_strategies import DAYS, One, around, cards, conditions

TODAY = date(2026, 12, 30)
"""A Wednesday; the week ends in the next year."""


def test_an_empty_filter_leaves_everything() -> None:
    for text in ("", "  ", "\t\n"):
        assert Filter(text, around(TODAY)).matches(card())


def card(**more: Any) -> Card:
    some = Card(
        id="c",
        kind=ItemKind.TASK,
        phase_id="p1",
        rank="a",
        title="Write the brief",
        status=Status.TO_DO,
        due=None,
        activity_id=None,
        assignee_ids=("u2",),
        has_link=False,
        holds="",
        comments=0,
        tasks_done=0,
        tasks=0,
        version=1,
    )
    return replace(some, **more)


@given(card=cards(), wanted=st.lists(conditions(), max_size=4), today=DAYS)
def test_a_filter_leaves_what_a_plain_reading_of_it_does(card: Card, wanted: list[One], today: date) -> None:
    understood = Filter("  ".join(map(str, wanted)), around(today))
    assert understood.matches(card) == all(plan.picks(each, card, today) for each in wanted)


WORDS = st.lists(
    st.sampled_from(["w", "wr", "write", "-brief", "brief", "due:none", "-due:none", "status:done"]), max_size=3
)


@given(card=cards(), wide=WORDS, narrow=WORDS)
def test_a_filter_that_narrows_another_one_leaves_no_card_that_the_other_does_not(
    card: Card, wide: list[str], narrow: list[str]
) -> None:
    texts = CardTexts(around(TODAY).members)
    before, after = (Filter(" ".join(text), around(TODAY), texts) for text in (wide, narrow))
    if after.narrows(before):
        assert before.matches(card) or not after.matches(card)


def test_only_a_filter_of_plain_words_is_narrowed_and_only_by_words_that_hold_its_own() -> None:
    texts = CardTexts(around(TODAY).members)

    def narrows(narrow: str, wide: str) -> bool:
        return Filter(narrow, around(TODAY), texts).narrows(Filter(wide, around(TODAY), texts))

    assert narrows("write", "wri")
    assert narrows("-draft due:none rewrite the", "the WRI")
    assert not narrows("wri", "write")
    assert not narrows("write", "wri brief")
    assert not narrows("-draft", "-dra")
    assert not narrows("status:done write", "status:done")
    renamed = CardTexts(around(TODAY).members)
    assert not Filter("write", around(TODAY), renamed).narrows(Filter("wri", around(TODAY), texts))


@given(text=st.text(max_size=60) | st.text(alphabet='-!",.:<>=+ adeghinopstu12\u00a0\u3000ß²٣', max_size=40))
@example("due:" + "9" * 5000 + "d")
@example("phase:²")
@example("-")
@example('a:"')
@example("due:..")
@example("status:,,")
@example("\u3000status:x\u3000")
def test_any_text_is_a_filter_or_is_refused_with_a_place_in_it(text: str) -> None:
    refused = refusal(text)
    if refused is not None:
        assert 0 <= refused.at < refused.at + refused.length <= len(text)
        assert refused.text == text
        assert str(refused).isprintable()


def refusal(text: str) -> InvalidFilter | None:
    try:
        Filter(text, around(TODAY)).matches(card(due=TODAY))
    except InvalidFilter as refused:
        return refused
    return None


@given(fields=st.sampled_from(sorted(FIELDS)), value=st.text(max_size=20), at=st.integers(0, 30))
def test_every_completion_goes_on_from_what_is_typed(fields: str, value: str, at: int) -> None:
    text = f"brief {fields}:{value}"
    at = min(at, len(text))
    for each in complete(text, at, around(TODAY)):
        assert each.text.endswith(text[at:])
        assert each.text[: each.at].endswith(each.word)
        assert each.meaning


@pytest.mark.parametrize("field", sorted(FIELDS))
def test_every_value_that_is_offered_is_understood(field: str) -> None:
    start = f"{field}:"
    for each in complete(start, len(start), around(TODAY)):
        if each.word in ("<", ">"):
            for day in complete(each.text, each.at, around(TODAY)):
                Filter(day.text, around(TODAY))
        else:
            Filter(each.text, around(TODAY))


def offered(text: str) -> list[str]:
    return [each.text for each in complete(text, len(text), around(TODAY))]


def test_fields_are_offered_first_and_then_their_values() -> None:
    first = ["assignee:", "due:", "status:", "label:", "priority:", "phase:", "type:", "has:"]
    assert offered("") == [*first, "is:", "blocks:"]
    assert offered("brief -S") == ["brief -status:"]
    assert offered("status:do") == ["status:doing", "status:done"]
    assert offered("status:todo,do") == ["status:todo,doing", "status:todo,done"]
    assert offered("status:todo") == []
    assert offered("assignee:ann") == ["assignee:annika.berg"]
    assert offered("assignee:kov") == ["assignee:ann"]
    assert offered("phase:la") == ['phase:"Launch, at last"']
    assert offered('phase:"build') == ['phase:"Build it"']
    assert offered("phase:3") == ['phase:"Launch, at last"']
    assert offered("due:<to") == ["due:<today", "due:<tomorrow"]
    assert offered("due:1dec..eo") == ["due:1dec..eow", "due:1dec..eom"]
    assert offered("label:ne") == ['label:"Needs review"']
    assert offered("priority:>") == ["priority:>=high"]
    assert offered("nothing:") == offered("zz") == []
    assert complete("status:todo brief", 8, around(TODAY)) == ()


@pytest.mark.parametrize(
    ("text", "wrong", "says"),
    [
        ("brief due:<frx oat", "frx", "not a day"),
        ("due:fri..frx", "frx", "not a day"),
        ("due:fri..", "fri..", "A day is missing"),
        ("due:5jan..1jan", "5jan..1jan", "ends before it begins"),
        ('due:"3 dex"', '"3 dex"', "not a day"),
        ("status:todo,late", "late", "todo, doing, done, archived or open"),
        ("status:todo,", ",", "missing"),
        ("status:", "status:", "missing"),
        ("-assignee:zed", "zed", "Ann Kovács, Bob Lind and Annika Berg"),
        ("phase:9", "9", "2 Build it"),
        ("type:tusk", "tusk", "task, activity or application, not “tusk”"),
        ("has:label", "label", "has: takes comments, link, tasks, labels, due or assignee, not “label”."),
        ("priority:hi", "hi", "priority: takes urgent, high, normal, low or >=high, not “hi”."),
        ("is:late", "late", "is: takes ready or blocked"),
        ("#nosuch", "nosuch", "no label “nosuch”"),
        ("-@zed", "zed", "no member “zed”"),
        ("!high,hi", "hi", "priority: takes"),
        ("brief #", "#", "A value of “label:” is missing"),
        ("whose:me", "whose:", "assignee:, due:"),
        ('brief "two words', '"two words', "do not end"),
        ("brief -", "-", "Nothing follows"),
        ('brief ""', '""', "nothing between"),
    ],
)
def test_a_refusal_points_at_the_place_and_says_what_would_be_understood(text: str, wrong: str, says: str) -> None:
    with pytest.raises(InvalidFilter) as refused:
        Filter(text, around(TODAY))
    at, length = refused.value.at, refused.value.length
    assert text[at : at + length] == wrong
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("due:week", date(2026, 12, 28), date(2027, 1, 3)),
        ("due:soon", date(2026, 12, 30), date(2027, 1, 2)),
        ("due:fri", date(2027, 1, 1), date(2027, 1, 1)),
        ("due:wed", date(2027, 1, 6), date(2027, 1, 6)),
        ("due:1jan..3jan", date(2027, 1, 1), date(2027, 1, 3)),
        ("due:=31dec", date(2026, 12, 31), date(2026, 12, 31)),
        ("due:eom..+1w", date(2026, 12, 31), date(2027, 1, 6)),
        ("due:>=tomorrow due:<sun", date(2026, 12, 31), date(2027, 1, 2)),
        ("due:2026-12-01..2026-12-31", date(2026, 12, 1), date(2026, 12, 31)),
    ],
)
def test_days_count_over_the_end_of_the_year(text: str, first: date, last: date) -> None:
    understood = Filter(text, around(TODAY))
    days = [TODAY + timedelta(days=each) for each in range(-40, 40)]
    left = [day for day in days if understood.matches(card(due=day))]
    assert (left[0], left[-1], len(left)) == (first, last, (last - first).days + 1)
    assert not understood.matches(card(due=None))


def test_on_sunday_the_week_is_over_and_on_monday_it_is_another() -> None:
    sunday, monday = date(2027, 1, 3), date(2027, 1, 4)
    assert Filter("due:week", around(sunday)).matches(card(due=date(2026, 12, 28)))
    assert not Filter("due:week", around(sunday)).matches(card(due=monday))
    assert Filter("due:week", around(monday)).matches(card(due=date(2027, 1, 10)))


def test_who_is_named_exactly_is_meant_alone_and_a_part_means_all_who_have_it() -> None:
    ann, annika = card(assignee_ids=("u1",)), card(assignee_ids=("u3",))
    exactly, part = Filter("assignee:ann", around(TODAY)), Filter("assignee:Anni", around(TODAY))
    assert (exactly.matches(ann), exactly.matches(annika)) == (True, False)
    assert (part.matches(ann), part.matches(annika)) == (False, True)
    assert all(Filter("assignee:an", around(TODAY)).matches(each) for each in (ann, annika))


def test_a_filter_knows_its_words_and_whether_it_asks_for_the_archive() -> None:
    understood = Filter('Brief -draft "Two words" status:archived', around(TODAY))
    assert understood.words == ("brief", "two words")
    assert understood.shows_archived
    assert not Filter("-status:archived status:open", around(TODAY)).shows_archived


def test_of_ten_thousand_cards_those_that_match_are_left() -> None:
    many = [card(id=str(number), title=f"Card {number}") for number in range(10_000)]
    understood = Filter("card 7 status:todo,doing assignee:bob -due:late", around(TODAY))
    left = [each for each in many if understood.matches(each)]
    assert len(left) == 3_439


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("#print", "label:print"),
        ('-#"Needs review"', '-label:"Needs review"'),
        ("#print,reprint @bob", "label:print,reprint assignee:bob"),
        ("@me,none", "assignee:me,none"),
        ("!!high", "-priority:high"),
        ("!High", "priority:high"),
        ("!high,urgent", "priority:high,urgent"),
        ("-!high", "-priority:high"),
        ("!@bob", "-assignee:bob"),
    ],
)
def test_the_shorthands_of_titles_are_understood_as_the_fields_that_they_stand_for(short: str, long: str) -> None:
    titled = [card(title=f"Fix !high {short}"), card(title="Write the brief")]
    some = [
        replace(each, labels=labels, priority=priority, assignee_ids=people)
        for each in titled
        for labels in ((), ("l1",), ("l2",), ("l1", "l3"))
        for priority in Priority
        for people in ((), ("u1",), ("u2",))
    ]
    found, wanted = Filter(short, around(TODAY)), Filter(long, around(TODAY))
    left = [each for each in some if found.matches(each)]
    assert left == [each for each in some if wanted.matches(each)]
    assert 0 < len(left) < len(some)


@pytest.mark.parametrize("name", ["🔥", "[/]", "12", "!x"])
def test_a_sign_before_any_characters_names_a_label_that_is_there(name: str) -> None:
    hot = Label(id="hot", project_id="p1", name=name, colour=LabelColour.RED, sign="H")
    here = replace(around(TODAY), labels=(hot,))
    having, other = card(title="Shoot", labels=("hot",)), card(title=f"Call #{name}")
    assert [Filter(f"#{name}", here).matches(each) for each in (having, other)] == [True, False]
    assert [Filter(f"-#{name}", here).matches(each) for each in (having, other)] == [False, True]
    assert [Filter(f'"#{name}"', here).matches(each) for each in (having, other)] == [False, True]


@pytest.mark.parametrize("text", ["#12", '"#print"', "ann@b.c", "!highest", '"@bob"', "5#a"])
def test_a_sign_before_no_letter_within_a_word_or_in_quotes_is_searched(text: str) -> None:
    word = text.strip('"')
    found = Filter(text, around(TODAY))
    assert found.matches(card(title=f"Fix {word} now", assignee_ids=())) is not word.startswith("!")
    assert found.matches(card(title="Fix it now", assignee_ids=())) is word.startswith("!")


def test_the_values_of_shorthands_are_offered() -> None:
    assert offered("#") == ["#none", "#any", "#print", '#"Needs review"', "#Reprint"]
    assert offered("brief -#ne") == ['brief -#"Needs review"']
    assert offered("@kov") == ["@ann"]
    assert offered("!u") == ["!urgent"]
    assert offered("!h") == ["!high", "!has:"]
    assert offered("!high") == offered("#12") == []


def test_a_label_in_a_project_without_labels_is_refused_in_plain_words() -> None:
    with pytest.raises(InvalidFilter, match=r"There is no label “print”\. There are none yet"):
        Filter("#print", replace(around(TODAY), labels=()))


@pytest.mark.parametrize(("text", "found"), [("aut-1", [1]), ("AUT-12", [12]), ("aut-", [1, 12]), ("-aut-1", [12])])
def test_a_key_is_a_whole_key_and_its_beginning_a_word(text: str, found: list[int]) -> None:
    here = replace(around(TODAY), key="AUT")
    assert [number for number in (1, 12) if Filter(text, here).matches(card(number=number))] == found
