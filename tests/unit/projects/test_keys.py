"""Keys: AUT of a project, AUT-12 of its cards; changed, undone, imported, found by their owners only."""

from __future__ import annotations

from itertools import islice

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.capture import CaptureTasks
from core.actions.cards.cards import MoveCard
from core.actions.cards.details import GetCard
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import Redo, Undo
from core.actions.personal.my_work import GetMyWork
from core.actions.personal.search import Search
from core.actions.projects.exports import ExportProject
from core.actions.projects.find import FindProjects
from core.actions.projects.imports import ImportProject
from core.actions.projects.lists import GetProject
from core.actions.projects.projects import ArchiveProject, CreateProject, DeleteProject, EditProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.model import ItemKind, Project, Status
from core.engine.counters import list_miscounted
from core.errors import CannotUndo, InvalidImport, InvalidInput, NotFound
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.record import replace
from core.text.short_keys import keys_for
from tests.support.workspace import World


def numbers(world: World, project: Project | None = None) -> dict[str, int]:
    """The numbers of the cards by title."""
    rows = world.rows(
        "SELECT title, number FROM item WHERE project_id = :id ORDER BY number", id=(project or world.project).id
    )
    return {row["title"]: row["number"] for row in rows}


def last_number(world: World) -> int:
    return int(world.row("feed", id=world.project.id)["last_number"])


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Autumn 2026", ["AUT", "AUTU", "AUTUM", "AUTUMN", "AUTA"]),
        ("Été à la mer", ["ETE", "ETEA", "ETEAL", "ETEALA", "ETEB"]),
        ("UI", ["UI", "UIA", "UIB"]),
        ("7", ["PRO", "PROJ", "PROJE", "PROJEC", "PROA"]),
        ("春の計画", ["PRO", "PROJ"]),
    ],
)
def test_the_key_of_a_new_project_follows_from_its_name(name: str, keys: list[str]) -> None:
    assert list(islice(keys_for(name), len(keys))) == keys
    first = list(islice(keys_for(name), 2_000))
    assert len(set(first)) == len(first)
    assert all(2 <= len(key) <= 6 and key.isascii() and key.isupper() for key in first)


def test_projects_of_the_same_name_get_different_keys(world: World) -> None:
    made = [world.new_project("Autumn").key for _ in range(40)]
    assert made[:6] == ["AUT", "AUTU", "AUTUM", "AUTUMN", "AUTA", "AUTB"]
    assert len(set(made)) == 40


@pytest.mark.parametrize("key", ["A", "ABCDEFG", "A1", "ÄB", "A B", "A-1"])
def test_a_key_has_two_to_six_letters(world: World, key: str) -> None:
    with pytest.raises(InvalidInput, match=r"A key has 2 to 6 letters from A to Z, for example AUT\."):
        world.do(CreateProject(name="Autumn", key=key))
    world.refuses(EditProject(project_id=world.project.id, key=key), InvalidInput, "2 to 6 letters")


def test_a_key_is_chosen_in_any_case_and_only_once(world: World) -> None:
    assert world.do(CreateProject(name="Autumn", key="fall")).key == "FALL"
    with pytest.raises(InvalidInput, match=r"Another project has or had the key FALL. Choose another one\."):
        world.do(CreateProject(name="Winter", key="Fall"))
    with pytest.raises(InvalidInput, match="Another project has or had the key FALL"):
        world.do(EditProject(project_id=world.project.id, key="FALL"))


def test_a_former_key_goes_on_leading_to_the_project_and_its_cards(world: World) -> None:
    task = world.task()
    assert world.project.key == "SPR"
    assert world.do(EditProject(project_id="SPR", key="launch")).key == "LAUNCH"
    assert world.last_change()["summary"] == "changed the key of the project to LAUNCH"
    for key in ("SPR-1", "spr-1", "LAUNCH-1", "Launch-1"):
        assert world.ask(GetCard(item_id=key)).item.id == task.id
    for key in ("spr", "launch"):
        assert world.ask(GetProject(project_id=key)).project.id == world.project.id
        assert [each.id for each in world.ask(FindProjects(name=key))] == [world.project.id]
    assert world.ask(FindProjects())[0].keys == ("LAUNCH", "SPR")
    world.refuses(CreateProject(name="Spring", key="SPR"), InvalidInput, "Another project has or had the key SPR")
    assert world.new_project("Spring").key == "SPRI"


def test_the_undo_of_a_changed_key_frees_the_new_one(world: World) -> None:
    world.do(EditProject(project_id=world.project.id, key="NEW"))
    world.do(Undo(project_id=world.project.id))
    assert world.row("project", id=world.project.id)["key"] == "SPR"
    assert [row["key"] for row in world.rows("SELECT key FROM project_key")] == ["SPR"]
    world.do(CreateProject(name="News", key="NEW"))
    world.refuses(Redo(project_id=world.project.id), CannotUndo)


def test_a_project_takes_a_former_key_of_its_own_back(world: World) -> None:
    for key in ("NEW", "SPR"):
        world.do(EditProject(project_id=world.project.id, key=key))
    assert world.ask(FindProjects())[0].keys == ("SPR", "NEW")


def test_a_deleted_project_frees_its_keys(world: World) -> None:
    other = world.do(CreateProject(name="Winter", key="COLD"))
    world.do(ArchiveProject(project_id=other.id))
    world.do(DeleteProject(project_id="COLD"))
    assert world.do(CreateProject(name="Winter", key="COLD")).key == "COLD"


def test_cards_count_up_in_their_project_however_they_are_added(world: World) -> None:
    first, activity = world.task("first"), world.activity("second")
    world.do(CaptureTasks(project_id=world.project.id, texts=("third", "fourth")))
    steps = tuple(CreateTask(phase_id=world.discover.id, title=title) for title in ("fifth", "sixth"))
    world.do(BulkUpdate(project_id=world.project.id, commands=steps))
    assert (first.number, activity.number) == (1, 2)
    assert numbers(world) == {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
    other = world.new_project("Other")
    assert world.task("first", world.phase("Only", other.id)).number == 1
    assert last_number(world) == 6
    assert world.database.read(list_miscounted) == []


def test_a_refused_step_of_a_bulk_change_leaves_no_gap(world: World) -> None:
    steps = tuple(CreateTask(phase_id=world.discover.id, title=title) for title in ("one", "", "two"))
    assert world.do(BulkUpdate(project_id=world.project.id, commands=steps)).done == 2
    assert numbers(world) == {"one": 1, "two": 2}
    world.refuses(CreateTask(phase_id=world.discover.id, title=""), InvalidInput)
    assert world.task("three").number == 3


def test_a_number_is_given_once_and_comes_back_with_its_card(world: World) -> None:
    world.task("one")
    world.task("two")
    world.do(Undo(project_id=world.project.id))
    assert world.task("three").number == 3
    world.do(Undo(project_id=world.project.id))
    world.do(Redo(project_id=world.project.id))
    assert numbers(world) == {"one": 1, "three": 3}
    gone = world.task("four")
    world.delete(gone.id)
    assert world.task("five").number == 5


def test_messages_take_keys_wherever_they_take_ids(world: World) -> None:
    world.task("one")
    assert world.do(EditTask(task_id="spr-1", title="First")).title == "First"
    move = MoveCard(card_id="SPR-1", status=Status.IN_PROGRESS)
    assert world.do(BulkUpdate(project_id="spr", commands=(move,))).done == 1
    assert world.row("item", title="First")["status"] == "IN_PROGRESS"
    world.refuses(GetCard(item_id="SPR-99"), NotFound, r"There is no card “SPR-99” here\.")
    world.refuses(GetProject(project_id="NONE"), NotFound, r"There is no project “NONE” here\.")


def test_keys_of_projects_of_others_are_like_keys_of_none(world: World) -> None:
    world.task("one")
    for key in ("SPR-1", "SPR-99"):
        world.refuses(GetCard(item_id=key), NotFound, rf"There is no card “{key}” here\.", as_=world.gus)
    for key in ("SPR", "NONE"):
        world.refuses(GetProject(project_id=key), NotFound, rf"There is no project “{key}” here\.", as_=world.gus)
    assert world.ask(Search(text="SPR-1"), world.gus).found == ()
    assert world.ask(FindProjects(name="SPR"), world.gus) == ()


def test_answers_have_the_keys(world: World) -> None:
    before = world.ask(GetCanvas(project_id=world.project.id)).head
    task = world.task("one", assignee_id=world.maya.user_id)
    canvas = world.ask(GetCanvas(project_id=world.project.id))
    assert (canvas.head.key, [card.number for card in canvas.cards]) == ("SPR", [1])
    changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=before.seq))
    assert changes is not None
    assert [card.number for card in changes.changed] == [1]
    assert world.ask(GetCard(item_id=task.id)).key == "SPR-1"
    assert [line.key for line in world.ask(GetMyWork()).lines] == ["SPR-1"]


def test_search_finds_a_card_and_a_project_by_key(world: World) -> None:
    world.task("Print the flyers")
    world.do(EditProject(project_id=world.project.id, key="PRINT"))
    assert [(hit.title, hit.key) for hit in world.ask(Search(text="print-1")).found] == [
        ("Print the flyers", "PRINT-1")
    ]
    assert [(hit.title, hit.key) for hit in world.ask(Search(text="print")).found] == [
        ("Spring launch", "PRINT"),
        ("Print the flyers", "PRINT-1"),
    ]
    assert world.ask(Search(text="SPR-1")).found[0].key == "PRINT-1"


# -- export and import ------------------------------------------------------------------------------------------------


def test_an_import_keeps_the_numbers_and_gets_another_key_where_it_is_taken(world: World) -> None:
    for title in ("one", "two", "three"):
        world.task(title)
    world.delete("SPR-2")
    document = world.ask(ExportProject(project_id="SPR"))
    assert document.key == "SPR"
    copy = world.do(ImportProject(document=document))
    assert copy.key == "SPRI"
    assert numbers(world, copy) == {"one": 1, "three": 3}
    assert world.task("four", world.phase("More", copy.id)).number == 4
    assert replace(world.ask(ExportProject(project_id=world.project.id)), created_at=None) == replace(
        document, created_at=None
    )
    elsewhere = world.do(ImportProject(document=replace(document, key="free")))
    assert elsewhere.key == "FREE"
    assert world.database.read(list_miscounted) == []


def test_cards_without_a_number_count_on_after_those_with_one(world: World) -> None:
    items = tuple(
        ItemEntry(id=title, kind=ItemKind.TASK, title=title, number=number)
        for title, number in (("a", 0), ("b", 7), ("c", 0))
    )
    document = ProjectDocument(name="Autumn", phases=(PhaseEntry(name="Only", items=items),))
    made = world.do(ImportProject(document=document))
    assert (made.key, numbers(world, made)) == ("AUT", {"b": 7, "a": 8, "c": 9})


@pytest.mark.parametrize("given", [(7, 7), (-1, 0), (100_000_000, 0)])
def test_a_document_with_impossible_numbers_is_refused(world: World, given: tuple[int, int]) -> None:
    items = tuple(
        ItemEntry(id=str(place), kind=ItemKind.TASK, title="x", number=number) for place, number in enumerate(given)
    )
    with pytest.raises(InvalidImport, match="is there twice, or out of range"):
        world.do(ImportProject(document=ProjectDocument(name="A", phases=(PhaseEntry(name="Only", items=items),))))
    with pytest.raises(InvalidImport, match="A key has 2 to 6 letters"):
        world.do(ImportProject(document=ProjectDocument(name="Autumn", key="A1")))
