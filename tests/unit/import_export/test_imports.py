"""A project exported and imported again, and what an import refuses; nothing is left of one that is refused."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from core.actions.cards.cards import RestoreCard
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.products.products import RetireProduct
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.projects import LinkProject
from core.codec.encoding import to_json
from core.domain.evidence import evidence_of
from core.domain.gates import EvidenceKind
from core.domain.model import ItemKind, NodeKind, ProjectRole, Status
from core.errors import Cancelled, Forbidden, InvalidImport
from core.import_export.document import (
    CommentEntry,
    DecisionEntry,
    ItemEntry,
    PersonEntry,
    PhaseEntry,
    ProjectDocument,
)
from core.import_export.files import read_document
from core.record import replace
from core.reports.formats import RENDERINGS, ExportFormat
from core.storage.progress import Progress
from core.wire.message_decoder import message_from
from tests.properties.project_strategies import STEPS, Dice, play
from tests.support.message_examples import messages
from tests.support.prepared import new_world
from tests.support.workspace import Clock, World, content

EXPORTED = Path(__file__).parent / "exported_project.json"
"""The export of a random project that has something in each part."""


def exported(world: World, project_id: str | None = None) -> ProjectDocument:
    return world.ask(ExportProject(project_id=project_id or world.project.id))


def imported(world: World, document: ProjectDocument, **fields: Any) -> ProjectDocument:
    """The export of the imported project."""
    return exported(world, world.do(ImportProject(document=document, **fields)).id)


def as_imported(document: ProjectDocument, importer: str, at: datetime) -> ProjectDocument:
    """The document with what an import must change: who imported it and when, and so who invited its members.

    Of a person who is no member, and completed or delivered nothing, only what was said under their name is kept.
    """
    mark: dict[str, Any] = {"imported_by": importer, "imported_at": at}

    def record(decisions: tuple[DecisionEntry, ...]) -> tuple[DecisionEntry, ...]:
        return tuple(replace(each, **mark) for each in decisions)

    phases = tuple(
        replace(
            phase,
            items=tuple(
                replace(item, comments=tuple(replace(each, **mark) for each in item.comments)) for item in phase.items
            ),
            decisions=record(phase.decisions),
            accepts_statements=phase.evidence_required
            if phase.accepts_statements is None
            else phase.accepts_statements,
            deliverables=tuple(
                each
                if each.evidence_kind is not EvidenceKind.NONE
                else replace(each, evidence_kind=evidence_of(each.evidence).kind)
                for each in phase.deliverables
            ),
        )
        for phase in document.phases
    )
    spoke = {each.author for item in document.items for each in item.comments}
    spoke |= {each.by for each in document.decisions}
    people = tuple(
        replace(each, invited_by=importer)
        if each.role
        else replace(each, email=each.email if each.login in document.workers else "", invited_by=None)
        for each in document.people
        if each.role or each.login in spoke | document.workers
    )
    removed = tuple(replace(each, decisions=record(each.decisions)) for each in document.removed_phases)
    return replace(document, phases=phases, people=people, removed_phases=removed)


def text_of(document: ProjectDocument) -> str:
    return json.dumps(to_json(document))


def task(title: str = "Write", **fields: Any) -> ItemEntry:
    return ItemEntry(**{"id": title, "kind": ItemKind.TASK, "title": title} | fields)


def activity(title: str = "Plan", **fields: Any) -> ItemEntry:
    return ItemEntry(**{"id": title, "kind": ItemKind.ACTIVITY, "title": title} | fields)


def with_items(*items: ItemEntry, people: tuple[PersonEntry, ...] = ()) -> ProjectDocument:
    return ProjectDocument(name="Brought", people=people, phases=(PhaseEntry(name="Work", items=items),))


def furnished(folder: Path) -> World:
    """A world with products and nodes, and a project with a task of an activity."""
    world = new_world(folder / "podium.db")
    messages.market(world)
    world.product("Assets")
    world.product("Films", required_context=(NodeKind.CLIENT,))
    world.task(activity_id=world.activity().id)
    return world


@given(STEPS)
@settings(max_examples=50)
def test_an_export_of_what_was_imported_is_the_same_text(steps: list[Dice]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = furnished(Path(folder))
        play(world, steps)
        document = exported(world)
        read = read_document(text_of(document)).document
        assert read == document
        once = imported(world, read)
        assert once.key != document.key  # which the first project has
        as_first = replace(once, key=document.key)
        assert text_of(as_first) == text_of(as_imported(document, "maya", world.engine.clock()))
        assert text_of(replace(imported(world, once), key=once.key)) == text_of(once)
        world.database.close()


def test_a_file_that_was_exported_before_is_read_and_written_as_it_was(tmp_path: Path) -> None:
    """It says of no gate whether it accepts statements, and of no evidence what it is: any text was evidence."""
    text = EXPORTED.read_text()
    document, world = read_document(text).document, furnished(tmp_path)
    written = json.loads(RENDERINGS[ExportFormat.JSON].text(document, world.engine.clock()))
    for phase in written["phases"]:
        assert phase.pop("acceptsStatements") == phase["evidenceRequired"]
        for each in phase["deliverables"]:
            assert each.pop("evidenceKind", "NONE") == evidence_of(each["evidence"]).kind
    assert written == json.loads(text)
    assert text_of(imported(world, document)) == text_of(as_imported(document, "maya", world.engine.clock()))


def test_the_random_projects_have_something_in_each_part(tmp_path: Path) -> None:
    """Otherwise the test above would be empty."""
    world = furnished(tmp_path)
    chance = Random(7).randrange
    done = play(world, [Dice(chance(60), chance(60), chance(60), "Words") for _ in range(700)])
    assert done > 200
    document = exported(world)
    assert any(person.meta_roles for person in document.people)
    assert document.presets
    assert any(item.comments for item in document.items)
    for part in ("items", "applications", "deliverables", "decisions", "assigned"):
        assert any(getattr(phase, part) for phase in document.phases), part


def test_an_import_is_one_line_of_history_and_undo_archives_its_project(world: World) -> None:
    project = world.do(ImportProject(document=with_items(task("One"), task("Two")), name="Other"))
    (line,) = world.ask(ListHistory(project_id=project.id))
    assert line.summary == "imported the project “Other” with 2 cards"
    assert world.row("member", project_id=project.id)["role"] == "OWNER"
    world.do(Undo(project_id=project.id))
    assert world.row("project", id=project.id)["archived"] == 1
    assert len(world.rows("SELECT id FROM item WHERE project_id = :id", id=project.id)) == 2
    world.do(Redo(project_id=project.id))
    assert world.row("project", id=project.id)["archived"] == 0


def test_the_importer_is_an_owner_whatever_the_file_says(world: World) -> None:
    people = (
        PersonEntry(login="bob", role=ProjectRole.OWNER),
        PersonEntry(login="maya", role=ProjectRole.VIEWER),
    )
    project = world.do(ImportProject(document=with_items(people=people)))
    roles = {
        row["user_id"]: row["role"] for row in world.rows("SELECT * FROM member WHERE project_id = :p", p=project.id)
    }
    assert roles == {world.maya.user_id: "OWNER", world.bob.user_id: "OWNER"}


def said(author: str) -> CommentEntry:
    return CommentEntry(author=author, at=Clock().now, text="Looks good.")


def test_who_and_what_is_not_here_is_named_refused_and_left_out_when_told_to(world: World) -> None:
    before = exported(world)
    item = task(assigned=("zed",), comments=(said("zed"), said("bob")))
    people = (
        PersonEntry(login="zed", email="zed@x.org", name="Zed Zeller", role=ProjectRole.OWNER, meta_roles=("Sage",)),
        PersonEntry(login="bob", role=ProjectRole.CONTRIBUTOR),
    )
    document = replace(with_items(item, people=people), client="Nowhere")
    kept = content(world.database)
    plan = world.ask(PreviewImport(document=document))
    assert [(each.kind, each.name) for each in plan.missing] == [
        ("person", "Zed Zeller (zed, zed@x.org)"),
        ("link", "Nowhere"),
        ("meta role", "Sage"),
    ]
    with pytest.raises(
        InvalidImport, match=r"person “Zed Zeller .zed, zed@x.org.”, link “Nowhere”.*and meta role “Sage”"
    ):
        world.do(ImportProject(document=document))
    assert content(world.database) == kept
    came = imported(world, document, leave_out_unknown=True)
    (found,) = came.items
    assert found.assigned == ()
    assert [(each.author, each.text, each.imported_by) for each in found.comments] == [
        ("zed", "Looks good.", "maya"),
        ("bob", "Looks good.", "maya"),
    ]
    assert exported(world) == before


def test_products_that_are_gone_retired_or_do_not_fit_are_left_out(world: World) -> None:
    world.do(LinkProject(project_id=world.project.id, client_id=messages.node(world).id))
    product = world.product(required_context=(NodeKind.CLIENT,))
    world.add_application(product)
    document = exported(world)
    unlinked = replace(document, client=None)
    (missing,) = world.ask(PreviewImport(document=unlinked)).missing
    assert (missing.kind, missing.why) == ("product", "it does not fit the links of the project")
    world.do(RetireProduct(product_id=product.id))
    world.refuses(ImportProject(document=document), InvalidImport, r"product “Asset library” .it is retired.")
    assert imported(world, document, leave_out_unknown=True).phases[0].applications == ()


def test_a_stopped_import_leaves_no_trace(world: World) -> None:
    document = with_items(*(task(f"Task {number}") for number in range(400)))
    before = content(world.database)
    seen: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        seen.append((done, total))
        if done >= 300:
            progress.cancel()

    progress = Progress(tell)
    with pytest.raises(Cancelled):
        world.engine.execute(ImportProject(document=document), world.maya, progress)
    assert seen == [(done, 802) for done in (0, 100, 200, 300)]
    assert content(world.database) == before


def test_importing_takes_the_right_to_create_projects(world: World) -> None:
    for message in (PreviewImport(document=with_items()), ImportProject(document=with_items())):
        with pytest.raises(Forbidden):
            world.engine.authorize(message, world.bob)


def broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The document of a project as JSON, with something wrong in it."""
    people = (PersonEntry(login="bob", role=ProjectRole.CONTRIBUTOR), PersonEntry(login="gone"))
    document = with_items(activity(), task(activity="Plan", assigned=("bob",), comments=(said("bob"),)), people=people)
    made: dict[str, Any] = to_json(document)
    change(made)
    return made


def item(at: int, **values: Any) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["phases"][0]["items"][at].update(values)


def phase(**values: Any) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["phases"][0].update(values)


def presets(*entries: dict[str, Any]) -> Callable[[dict[str, Any]], object]:
    return lambda document: document.update(presets=list(entries))


def another_task(**values: Any) -> dict[str, Any]:
    return {"id": "Another", "kind": "TASK", "title": "Another"} | values


def two_on_a_task(document: dict[str, Any]) -> None:
    document["people"].append({"login": "vera", "role": "VIEWER"})
    item(1, assigned=["bob", "vera"])(document)


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "an activity in an activity": (item(0, activity="Write"), r"items\[0\].activity: “Plan” is an activity"),
    "an activity in itself": (item(0, activity="Plan"), "it cannot be in another one"),
    "a task in a task": (item(1, activity="Write"), "“Write” is a task. Only an activity can contain"),
    "an activity that is not there": (item(1, activity="Other"), "no activity with the id “Other”"),
    "the same id twice": (item(1, id="Plan"), r"items\[1\].id: The id “Plan” is there twice"),
    "a stranger assigned": (item(1, assigned=["zed"]), "“zed” is not among the people"),
    "a user assigned who left": (item(1, assigned=["gone"]), "“gone” is not a member"),
    "a user twice": (item(0, assigned=["bob", "bob"]), "assigned twice"),
    "a task of two": (two_on_a_task, r"items\[1\].assigned: A task is assigned to one person"),
    "a wrong type": (item(1, title=5), r"items\[1\].title: It should be text; “5” is not"),
    "an unknown field": (item(1, colour="red"), r"items\[1\].colour: There is no such field"),
    "an unknown status": (item(1, status="LATE"), r"items\[1\].status"),
    "an application as an item": (item(1, kind="APPLICATION"), "TASK or an ACTIVITY"),
    "no title": (item(1, title=""), "Enter a title"),
    "a control character": (item(1, title="a\x00b"), r"U\+0000"),
    "a text turned around": (item(1, description="a\u202eb"), r"items\[1\].description: .*U\+202E"),
    "a link that acts": (item(1, link="javascript:alert(1)"), "must start with https"),
    "a date far away": (item(1, due="9999-12-31"), r"items\[1\].due: 9999-12-31 is out of range"),
    "a day that is none": (item(1, due="2026-02-30"), r"items\[1\].due"),
    "a number for a day": (item(1, due=20260203), r"items\[1\].due"),
    "archived from nowhere": (item(1, status="ARCHIVED"), "archivedFrom"),
    "an open task in what is done": (item(0, status="COMPLETED"), "completed, so the task cannot be open"),
    "archived with an activity that is not": (
        item(1, archivedWithActivity=True),
        r"items\[1\].archivedWithActivity: Only an archived task",
    ),
    "an open task in what is archived": (item(0, status="ARCHIVED", archivedFrom="TO_DO"), "is archived, so the task"),
    "an activity of another phase": (
        lambda document: document["phases"].append({"name": "Later", "items": [another_task(activity="Plan")]}),
        r"phases\[1\].items\[0\].activity: The activity “Plan” is in another phase",
    ),
    "two applications in one activity": (
        phase(applications=[{"product": "Any", "name": name, "activity": "Plan"} for name in "ab"]),
        r"applications\[1\].activity: The activity “Plan” holds an application already",
    ),
    "more done than there is": (
        phase(decisions=[{"decision": "PASS", "by": "bob", "at": "2026-02-03T10:00:00Z", "completed": 2, "total": 1}]),
        r"decisions\[0\].completed",
    ),
    "a moment far away": (
        lambda document: document.update(createdAt="1970-01-01T00:00:00Z"),
        "createdAt: .* is out of range",
    ),
    "a time without a zone": (
        lambda document: document["phases"][0]["items"][1]["comments"][0].update(at="2026-02-03T10:00:00"),
        r"comments\[0\].at: .*time zone",
    ),
    "an empty comment": (
        lambda document: document["phases"][0]["items"][1]["comments"][0].update(text="  "),
        r"comments\[0\].text",
    ),
    "the same person twice": (lambda document: document["people"].append({"login": "bob"}), "“bob” is listed twice"),
    "another format": (lambda document: document.update(format="podium"), "format"),
    "a newer version": (lambda document: document.update(version=2), "version"),
    "no name": (lambda document: document.pop("name"), "name: It is missing"),
    "evidence at an automatic gate": (
        phase(evidenceRequired=True),
        r"phases\[0\].evidenceRequired: Only a review",
    ),
    "a pass with something open": (
        phase(gateState="PASSED"),
        r"phases\[0\].gateState: A card of the phase is open",
    ),
    "a preset without cards": (presets({"name": "Ours", "sections": []}), r"presets\[0\].sections: No cards"),
    "a preset named like a predefined one": (presets({"name": "overview"}), r"presets\[0\].name: There is a preset"),
    "two presets of one name": (presets({"name": "Ours"}, {"name": "OURS"}), r"presets\[1\].name: There is a preset"),
    "a preset whose filter is none": (presets({"name": "Ours", "filter": "nonsense:me"}), r"presets\[0\].filter"),
    "a preset with a long name": (presets({"name": "x" * 41}), r"presets\[0\].name"),
    "too many presets": (
        presets(*({"name": str(at)} for at in range(31))),
        "presets: A project can have at most 30 presets, not 31.",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_document_with_something_wrong_is_refused_by_field_and_nothing_is_written(world: World, case: str) -> None:
    change, said_of_it = BROKEN[case]
    before = content(world.database)
    with pytest.raises(InvalidImport, match=said_of_it) as refused:
        world.send(message_from("ImportProject", {"document": broken(change)}))
    assert refused.value.field
    assert content(world.database) == before


def test_more_than_can_be_looked_at_is_refused() -> None:
    from core.import_export.validation import MAX_RECORDS, accept_document

    with pytest.raises(InvalidImport, match="200,001 records"):
        accept_document(with_items(*[task()] * MAX_RECORDS))


def test_archived_cards_come_back_to_where_they_were(world: World) -> None:
    document = with_items(
        activity(status=Status.ARCHIVED, archived_from=Status.IN_PROGRESS),
        task(activity="Plan", status=Status.ARCHIVED, archived_from=Status.TO_DO, archived_with_activity=True),
    )
    project = world.do(ImportProject(document=document))
    plan = world.row("item", project_id=project.id, kind="ACTIVITY")
    world.do(RestoreCard(card_id=plan["id"]))
    statuses = {row["title"]: row["status"] for row in world.rows("SELECT * FROM item")}
    assert statuses == {"Plan": "IN_PROGRESS", "Write": "TO_DO"}
