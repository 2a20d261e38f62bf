"""A person's own keys: read, checked, written out."""

from __future__ import annotations

import pytest

from core.errors import InvalidInput
from tui.keys.keymap import keymap_of, parse_keymap, remap_keys, written_out
from tui.keys.table import BY_ID


def test_the_table_written_out_and_read_back_changes_nothing() -> None:
    assert parse_keymap(written_out({})) == ""


def test_only_what_differs_is_kept_under_the_names_of_the_keys() -> None:
    text = written_out({}).replace("canvas.edit = e", "canvas.edit = ^ $,f5")
    assert parse_keymap(text + "\n# a remark\n") == "canvas.edit = circumflex_accent,dollar_sign,f5"


def test_a_label_that_names_the_old_keys_loses_them() -> None:
    (key,) = remap_keys([BY_ID["canvas.next_status"]], {"canvas.next_status": "f6"})
    assert (key.shown, key.label) == ("f6", "move")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nonsense", "is not an action"),
        ("canvas.nothing = x", "is not an action"),
        ("canvas.edit = hello", "is not a key"),
        ("canvas.edit =", "has no key"),
        ("canvas.edit = n", "is the key of both"),
        ("projects.edit = j", "is the key of both"),
        ("card.edit = u", "is the key of both"),
    ],
)
def test_what_cannot_work_is_refused_with_its_reason(line: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse_keymap(line)


def test_a_keymap_that_was_stored_before_a_verb_was_renamed_is_brought_forward() -> None:
    assert keymap_of("canvas.own_fields = f9\nview.sort = f8") == {"canvas.custom_fields": "f9"}
    assert keymap_of("projects.sort = f8") == {"projects.sort": "f8"}
