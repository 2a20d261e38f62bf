"""The table of keys: one meaning for each key of a screen, and one idea for each letter on all screens."""

from __future__ import annotations

from collections import Counter

from tui.keys.keymap import check_conflicts
from tui.keys.table import IDEAS, KEYS, VERBS, idea_of


def test_the_table_itself_has_no_key_with_two_meanings() -> None:
    check_conflicts(KEYS)


def test_no_sign_between_entries_is_left_in_what_people_read() -> None:
    assert [key.id for key in KEYS if " ;" in f"{key.words} {key.label}"] == []


def test_the_same_letter_moves_a_card_on_every_screen_that_has_cards() -> None:
    found = {each.id: (each.keys, each.words) for each in KEYS if each.id.endswith(".next_status")}
    assert {name.partition(".")[0] for name in found} == {"canvas", "card", "view", "my_work"}
    assert set(found.values()) == {("L", "Move to the next status")}


def test_each_letter_has_one_idea() -> None:
    letters = [letter for idea in IDEAS for letter in idea.keys.split(",") if letter]
    assert [letter for letter, times in Counter(letters).items() if times > 1] == []
    assert len({idea.words for idea in IDEAS if idea.keys}) == len([idea for idea in IDEAS if idea.keys])


OF_TWO_IDEAS = {("edit", "enter"), ("deliver", "space"), ("deliver", "x"), ("change", "space")}
"""Verbs with a key of another idea than their own."""


def test_each_key_belongs_to_the_idea_of_its_letter_on_every_screen() -> None:
    others = {
        (key.verb, letter)
        for key in KEYS
        for letter in filter(None, key.keys.split(","))
        if letter not in idea_of(key).keys.split(",")
    }
    assert others == OF_TWO_IDEAS
    assert {letter for _, letter in others} <= {letter for idea in IDEAS for letter in idea.keys.split(",")}


def test_each_idea_is_that_of_some_key_and_each_key_has_one() -> None:
    used = {(letter, idea_of(key).words) for key in KEYS for letter in key.keys.split(",")}
    assert [idea.words for idea in IDEAS if (idea.keys.partition(",")[0], idea.words) not in used] == []
    assert all(idea_of(key).group for key in KEYS)
    assert VERBS.keys() == {key.verb for key in KEYS}
    assert [key.id for key in KEYS if set(key.words) & set("~[]{}<>")] == []


def test_a_verb_has_the_same_letter_wherever_it_has_one() -> None:
    first: dict[str, set[str]] = {}
    for key in KEYS:
        if key.keys and not key.arguments:
            first.setdefault(key.verb, set()).add(key.keys.partition(",")[0])
    assert {verb: letters for verb, letters in first.items() if len(letters) > 1} == {}


def test_six_keys_are_the_ones_to_learn_first() -> None:
    assert [idea.keys.partition(",")[0] for idea in IDEAS if idea.first] == [
        "enter", "n", "L", "greater_than_sign", "question_mark", "u"
    ]  # fmt: skip
