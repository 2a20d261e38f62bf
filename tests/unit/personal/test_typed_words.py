"""Words are found as people type them, in scripts without blanks and without accents, wherever one looks for them."""

from __future__ import annotations

import re
from operator import methodcaller

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.personal.search import Search
from core.filters.completion import complete
from core.record import replace
from core.storage import full_text
from core.text.excerpts import words_of
from core.text.folding import AROUND_RUN, RUN, fold, fold_with_places, split_runs
from core.text.word_match import match_words
from tests.support.typed_words import APART, TYPED
from tests.support.workspace import World
from tests.unit.fields.test_uses import around, left


@pytest.fixture
def titled(world: World) -> World:
    for title in TYPED:
        world.task(title)
    return world


def found(world: World, typed: str) -> list[str]:
    return [hit.title for hit in world.ask(Search(text=typed, project_id=world.project.id)).found]


def test_search_the_filter_and_the_finder_find_a_title_by_the_same_words(titled: World) -> None:
    for title, words in TYPED.items():
        for typed in words:
            assert found(titled, typed) == [title], typed
            assert left(titled, typed) == [title], typed
            assert [each for each in TYPED if match_words(typed, each)] == [title], typed
    assert {typed: found(titled, typed) for typed in APART} == {typed: [] for typed in APART}


def test_texts_are_found_like_titles_and_marked_where_the_words_are(world: World) -> None:
    for number, title in enumerate(TYPED):
        world.task(f"Card {number}", description=f"Nothing else\n\n{title}")
    for number, (title, words) in enumerate(TYPED.items()):
        for typed in words:
            (hit,) = world.ask(Search(text=typed)).found
            assert hit.title == f"Card {number}", typed
            marked = {fold(hit.excerpt[each.start : each.end]) for each in hit.excerpt_marks}
            for word in map(fold, words_of(typed)):
                assert any(mark.startswith(word) for mark in marked), typed
            match = match_words(typed, title)
            assert match is not None
            assert {fold(title[start:end]) for start, end in match.spans} == marked, typed


def test_a_text_that_changes_or_goes_is_found_as_it_is(world: World) -> None:
    world.task("Keeps the phase open")
    task = world.task("准备春季发布会材料")
    world.do(EditTask(task_id=task.id, title="Straße"))
    assert (found(world, "发布会"), found(world, "strasse")) == ([], ["Straße"])
    world.delete(task.id)
    assert found(world, "strasse") == []


@pytest.mark.parametrize("length", [full_text.PIECE - 1, full_text.PIECE, full_text.PIECE + 1, 3 * full_text.PIECE])
def test_a_long_run_is_found_at_its_beginning_at_its_end_and_over_each_piece(world: World, length: int) -> None:
    run = "".join(chr(0x4E00 + number) for number in range(length))
    world.task("Long", description=f"{run}END")
    for at in (0, length // 2, full_text.PIECE - 3, full_text.PIECE - 2, length - 3):
        assert found(world, run[at : at + 3]) == ["Long"], at
    assert found(world, "end") == found(world, run[-1]) == ["Long"]


def test_a_value_of_a_filter_is_offered_by_a_word_inside_a_name(world: World) -> None:
    head = around(world)
    member = replace(head.members[0], name="王小明", login="wang")
    offered = complete("assignee:小", 10, replace(head, members=(member,)))
    assert [each.word for each in offered] == ["wang"]


def test_every_latin_letter_that_the_filter_folds_to_ascii_is_folded_by_search_too(world: World) -> None:
    letters = [letter for letter in map(chr, range(0xC0, 0x250)) if letter.isalpha() and fold(letter).isascii()]
    assert len(letters) > 250
    world.task("Letters", description=" ".join(f"x{letter}x" for letter in letters))
    asked = [f"x{fold(letter)}x" for letter in letters]
    rows = [world.database.read(methodcaller("search", [word], [world.project.id], 9)) for word in asked]
    assert [word for word, found in zip(asked, rows, strict=True) if not found] == []


def test_the_letters_of_runs_are_the_same_for_python_and_both_engines() -> None:
    assert split_runs("aบb漢cカd한e々f") == ["a", "บ", "b", "漢", "c", "カ", "d", "한", "e", "々", "f"]
    assert all(len(split_runs(f"a{sign}b")) == 1 for sign in "éяβא·・、。「」 ￥＄Ａ〇①🚀")
    assert re.sub(f"[{AROUND_RUN}]", "", "".join(map(chr, range(0x40000)))) == re.sub(
        f"[{AROUND_RUN}]|[{RUN}]", "", "".join(map(chr, range(0x40000)))
    )


def test_the_place_of_each_folded_letter_is_that_of_its_letter() -> None:
    for text in ("plain", "Maß", "Œuvre", "e\u0301t", "한글", "İ"):
        folded, places = fold_with_places(text)
        assert folded == fold(text)
        assert (len(places), places[-1]) == (len(folded) + 1, len(text))
        assert places == sorted(places)
