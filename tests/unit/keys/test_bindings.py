"""The table of keys: one meaning for each key of a screen, and the letters that people learn first."""

from __future__ import annotations

from tui.keys.bindings import KEYS
from tui.keys.keymap import check_conflicts


def test_the_table_itself_has_no_key_with_two_meanings() -> None:
    check_conflicts(KEYS)


def test_the_same_letter_moves_a_card_on_every_screen_that_has_cards() -> None:
    found = {each.id: (each.keys, each.words) for each in KEYS if each.id.endswith(".next_status")}
    assert {name.partition(".")[0] for name in found} == {"canvas", "card", "view", "my_work"}
    assert set(found.values()) == {("L", "Move to the next status")}
