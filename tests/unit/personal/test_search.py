"""Search: what is found and in which order, by whom it is found, and that the index says what the tables say."""

from __future__ import annotations

import contextlib
import random
import re
from operator import methodcaller
from typing import Any

import pytest

from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import EditTask
from core.actions.history.history import Redo, Undo
from core.actions.personal.search import MAX_COUNT, Search, SearchHit, SearchHitKind, SearchResult
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject, DeleteProject, EditProject
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workspace.users import DeactivateUser
from core.authorization.local_source import LocalPermissions
from core.domain.grants import LOCAL, CacheControl, Grant, PermissionQuery, ServiceFailure
from core.domain.model import WORKSPACE, Status
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, InvalidInput, NotFound, PodiumError
from core.record import replace
from core.storage import full_text
from core.storage.sqlite.database import SqliteDatabase
from core.text.excerpts import Excerpt, Mark, excerpt, match_spans, words_of
from tests.support.message_examples import messages
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import World


def look(world: World, text: str, as_: Actor | None = None, **fields: Any) -> SearchResult:
    return world.ask(Search(text=text, **fields), as_)


def titles(world: World, text: str, as_: Actor | None = None, **fields: Any) -> list[str]:
    return [found.title for found in look(world, text, as_, **fields).found]


def only(world: World, text: str) -> SearchHit:
    (found,) = look(world, text).found
    return found


# -- what is found ---------------------------------------------------------------------------------------------------


def test_words_are_found_by_their_beginnings_in_any_order_case_and_accent(world: World) -> None:
    world.task("Écrire le résumé", description="Für Zürich, straße 9")
    for text in ("resume", "RÉSUMÉ ecrire", "res ecr", "zurich", "Für", "r\u0065\u0301sum", "straße", "résumé zür"):
        assert titles(world, text) == ["Écrire le résumé"], text
    for text in ("crire", "résumés", "zurich bern", "9 8"):
        assert titles(world, text) == [], text


def test_every_kind_is_found_with_where_it_is_and_what_to_go_to(world: World) -> None:
    task = world.task("Quokka one")
    activity = world.activity("Quokka two", phase=world.build)
    comment = world.do(AddComment(item_id=task.id, text="The quokka called."))
    deliverable = world.do(AddDeliverable(phase_id=world.build.id, name="Quokka report"))
    product = world.product("Quokka tool")
    application = world.add_application(product)
    phase = world.phase("Quokka phase")
    project = world.new_project("Quokka")
    found = {each.kind: each for each in look(world, "quokka").found}
    places = {kind: (each.project, each.phase, each.target_id) for kind, each in found.items()}
    spring = "Spring launch"
    assert places == {
        SearchHitKind.TASK: (spring, "Discover", task.id),
        SearchHitKind.ACTIVITY: (spring, "Build", activity.id),
        SearchHitKind.COMMENT: (spring, "Discover", task.id),
        SearchHitKind.DELIVERABLE: (spring, "Build", world.build.id),
        SearchHitKind.APPLICATION: (spring, "Discover", application.id),
        SearchHitKind.PHASE: (spring, "", phase.id),
        SearchHitKind.PROJECT: ("Quokka", "", project.id),
        SearchHitKind.PRODUCT: ("", "", product.id),
    }
    assert found[SearchHitKind.COMMENT].id == comment.id
    assert found[SearchHitKind.COMMENT].title == "Quokka one"
    assert found[SearchHitKind.DELIVERABLE].id == deliverable.id
    assert only(world, "vera sato").kind is SearchHitKind.PERSON


def test_titles_come_before_texts_whole_words_before_beginnings_and_the_newest_first(world: World) -> None:
    world.task("In the text", description="a wombat")
    world.task("Wombats old")
    world.task("Wombat old")
    world.task("Wombat new")
    world.task("Wombats new")
    assert titles(world, "wombat") == ["Wombat new", "Wombat old", "Wombats new", "Wombats old", "In the text"]


def test_one_letter_is_a_whole_word(world: World) -> None:
    world.task("Plan B")
    world.task("Budget")
    assert titles(world, "b") == ["Plan B"]


def test_marks_show_where_the_words_stand(world: World) -> None:
    world.task("Zürich: the plan", description="Bring\n\nthe  planner.\n" + "x " * 100 + "zurich again")
    found = only(world, "zur pla")
    assert [found.title[each.start : each.end] for each in found.title_marks] == ["Zür", "pla"]
    assert found.excerpt.startswith("Bring the planner. x")
    assert [found.excerpt[each.start : each.end] for each in found.excerpt_marks] == ["pla"]
    late = excerpt("word " * 60 + "needle and more", ("needle",))
    assert re.fullmatch(r"…(word )+needle and more", late.text)
    assert [late.text[each.start : each.end] for each in late.marks] == ["needle"]
    assert excerpt("x" * 500 + " needle", ("needle",)).text == "…needle"
    assert excerpt("nothing here", ("needle",)) == Excerpt("", ())
    assert match_spans("İstanbul ist", ("ist",)) == (Mark(0, 3), Mark(9, 12))


def test_anything_is_found_by_its_id(world: World) -> None:
    task = world.task("Some task")
    application = world.add_application()
    for wanted, kind in (
        (task.id, SearchHitKind.TASK),
        (world.build.id.lower(), SearchHitKind.PHASE),
        (f"  {world.project.id} ", SearchHitKind.PROJECT),
        (application.id, SearchHitKind.APPLICATION),
        (application.product_id, SearchHitKind.PRODUCT),
    ):
        found = only(world, wanted)
        assert (found.kind, found.target_id) == (kind, wanted.strip().upper())


def test_what_is_out_of_use_is_found_and_says_so(world: World) -> None:
    task = world.task("Numbat")
    world.archive(task.id)
    assert (only(world, "numbat").out_of_use, only(world, "numbat").status) == (True, Status.ARCHIVED)
    world.do(DeactivateUser(user_id=world.gus.user_id))
    assert only(world, "gus").out_of_use
    other = world.new_project("Bilby")
    assert not only(world, "bilby").out_of_use
    world.do(ArchiveProject(project_id=other.id))
    assert only(world, "bilby").out_of_use


def test_as_many_are_listed_as_wanted_and_that_there_are_more_is_said(world: World) -> None:
    for number in range(4):
        world.task(f"Dingo {number}")
    listed = look(world, "dingo", most=3)
    assert (len(listed.found), listed.more) == (3, True)
    assert not look(world, "dingo", most=4).more
    for most in (0, -1, MAX_COUNT + 1):
        with pytest.raises(InvalidInput):
            look(world, "dingo", most=most)


HOSTILE = (
    "", " ", "*", '"', "foo-bar (", "'; DROP TABLE item; --", "NEAR(a b)", "scope:x", "{title}: y", "a AND", "\0",
    "a\0b", "\ud800", "^dingo", "-dingo +x", "%_", "概要", "x" * 10_000, "x " * 5_000, "e" + "\u0301" * 9_999, "🚀",
    "\u19b0\u19b1", "OR", "NOT", "\\", "(((((", "1" * 26, "\u202e", "𐐷𐐷",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_is_typed_is_words_to_look_for_or_nothing(world: World, text: str) -> None:
    world.task("foo bar")
    found = look(world, text, project_id=world.project.id)
    assert len(found.words) <= 12
    assert [each.title for each in found.found] == (["foo bar"] if text == "foo-bar (" else [])


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_every_word_character_of_python_may_be_looked_for(world: World, step: int) -> None:
    """A word of Python must not be two words of the index, which could not be searched."""
    letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000 and words_of(chr(code))]
    assert len(letters) > 100_000
    words = [f"a{letter}b" for letter in letters[::step]]
    for start in range(0, len(words), 100):  # a transaction each, which has a deadline
        chosen = words[start : start + 100]
        world.database.read(methodcaller("search", chosen, [WORKSPACE], 1))


# -- who finds it ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most_scopes", [full_text.MAX_SCOPES, 0])
def test_no_user_finds_what_they_may_not_see(world: World, monkeypatch: pytest.MonkeyPatch, most_scopes: int) -> None:
    """Tested with few and many projects, because the query differs for many."""
    monkeypatch.setattr(full_text, "MAX_SCOPES", most_scopes)
    task = world.task("Secret wallaby", description="hidden")
    world.do(AddComment(item_id=task.id, text="wallaby whisper"))
    hidden = ("wallaby", "hidden", "whisper", "spring", "discover", task.id, world.project.id, world.discover.id)
    for text in hidden:
        assert titles(world, text, world.bob), text
        assert titles(world, text, world.gus) == [], text
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    for text in hidden:
        assert titles(world, text, world.bob) == [], text
    with pytest.raises(NotFound):
        look(world, "wallaby", world.bob, project_id=world.project.id)
    with pytest.raises(NotFound):
        look(world, "wallaby", project_id="01" + "0" * 24)


def test_a_person_who_is_not_active_finds_nothing(world: World) -> None:
    world.do(DeactivateUser(user_id=world.gus.user_id))
    with pytest.raises(Forbidden):
        look(world, "spring", world.gus)


def test_a_search_can_keep_to_one_project(world: World) -> None:
    world.task("Here quoll")
    other = world.new_project("Other quoll")
    world.product("Quoll tool")
    assert titles(world, "quoll", project_id=world.project.id) == ["Here quoll"]
    assert titles(world, "quoll", project_id=other.id) == ["Other quoll"]
    assert len(titles(world, "quoll")) == 3


class Withholding(LocalPermissions):
    """A source that answers nothing for one account, as a service does that has taken a right away."""

    account = ""
    fault: ServiceFailure | None = None

    def grants(self, questions: Any, cache_control: CacheControl) -> dict[PermissionQuery, Grant]:
        answers = super().grants(questions, cache_control)
        nothing = Grant(frozenset(), replace(LOCAL, source="remote", fault=self.fault))
        return {each: nothing if each.account_id == self.account else grant for each, grant in answers.items()}


def test_of_a_project_that_the_source_withholds_nothing_is_found_and_that_is_said(world: World) -> None:
    world.task("Potoroo")
    other = world.new_project("Potoroo too")
    source = Withholding(world.database)
    world.engine.permissions = source
    assert len(titles(world, "potoroo")) == 2
    source.account = world.project.auth_id
    found = look(world, "potoroo")
    assert ([each.project_id for each in found.found], found.unseen) == ([other.id], 1)
    assert titles(world, world.discover.id) == []


def test_people_with_very_many_projects_find_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        world.new_project(f"Echidna {number}")
    world.task("Echidna task", description="spiny")
    few = [titles(world, text) for text in ("echidna", "spi", "ech 2")]
    monkeypatch.setattr(full_text, "MAX_SCOPES", 1)
    assert [titles(world, text) for text in ("echidna", "spi", "ech 2")] == few
    assert titles(world, "echidna", world.gus) == []


# -- in step ---------------------------------------------------------------------------------------------------------


def documents(world: World) -> set[tuple[str, ...]]:
    """The documents to find, derived from the tables without triggers."""
    texts: set[tuple[str, ...]] = set()
    for kind, table, title, body in (
        ("PHASE", "phase", "name", ("objectives", "outcomes")),
        ("DELIVERABLE", "deliverable", "name", ("evidence",)),
        ("ITEM", "item", "title", ("description",)),
        ("COMMENT", "comment", "", ("text",)),
        ("APPLICATION", "application", "name", ()),
        ("PROJECT", "project", "name", ("description",)),
        ("PRODUCT", "product", "name", ("description",)),
    ):
        for row in world.rows(f"SELECT * FROM {table}"):
            scope = row["id"] if table == "project" else row.get("project_id", WORKSPACE)
            texts.add((scope, kind, row["id"], row.get(title, ""), "\n".join(row[each] for each in body).strip("\n")))
    for row in world.rows("SELECT * FROM app_user"):
        texts.add((WORKSPACE, "PERSON", row["id"], f"{row['first_name']} {row['last_name']}", row["login"]))
    return texts


def assert_in_step(world: World) -> None:
    kept = world.rows("SELECT scope, kind, ref_id, title, body FROM search_doc WHERE kind <> 'TEMPLATE'")
    assert {tuple(row.values()) for row in kept} == documents(world)
    if isinstance(database := world.database, SqliteDatabase):
        database.connection.execute("INSERT INTO search_text (search_text, rank) VALUES ('integrity-check', 1)")


EDITS = [kind for kind in messages.COMMANDS if kind.__module__.rpartition(".")[2] not in ("templates", "template_use")]


@pytest.mark.parametrize("seed", range(6))
def test_the_index_says_what_the_tables_say_whatever_is_done_and_undone(world: World, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        kind = chance.choice(EDITS)
        with contextlib.suppress(PodiumError, KeyError, AttributeError, AssertionError):
            world.do(messages.COMMANDS[kind](world))
        for back in chance.choices((Undo, Redo), k=chance.randrange(3)):
            with contextlib.suppress(PodiumError):
                world.do(back(project_id=chance.choice((world.project.id, WORKSPACE))))
        assert_in_step(world)


def test_what_is_renamed_deleted_and_brought_back_is_found_as_it_is(world: World) -> None:
    world.task("Keeps the phase open")
    task = world.task("Axolotl")
    world.do(EditTask(task_id=task.id, title="Bandicoot"))
    assert (titles(world, "axolotl"), titles(world, "bandicoot")) == ([], ["Bandicoot"])
    world.do(Undo(project_id=world.project.id))
    assert (titles(world, "axolotl"), titles(world, "bandicoot")) == (["Axolotl"], [])
    world.delete(task.id)
    assert titles(world, "axolotl") == []
    world.do(EditProject(project_id=world.project.id, name="Autumn"))
    assert (titles(world, "spring"), titles(world, "autumn")) == ([], ["Autumn"])
    world.do(ArchiveProject(project_id=world.project.id))
    world.do(DeleteProject(project_id=world.project.id))
    assert titles(world, "autumn") == titles(world, "discover") == []
    assert world.rows("SELECT 1 FROM search_doc WHERE scope = :id", id=world.project.id) == []


@about_the_file
def test_a_move_does_not_touch_the_index(world: World) -> None:
    task = world.task()
    before = world.rows("SELECT * FROM search_text_data")
    world.start(task.id)
    assert world.rows("SELECT * FROM search_text_data") == before


def test_every_table_with_text_is_searched() -> None:
    assert {source.kind for source in full_text.SOURCES} == {each.value for each in SearchHitKind} - {
        "TASK",
        "ACTIVITY",
    } | {"ITEM"}
