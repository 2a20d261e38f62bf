"""An import into a project holds to what the same changes by hand hold to, and says where it differs from the file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.actions.dependencies.links import LinkCards
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.imports_into import PreviewImportInto
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.domain.model import ProjectRole
from core.errors import RuleViolation
from core.import_export.document import ProjectDocument
from core.import_export.files import FileFormat, read_document
from tests.support.panel import set_policy, vote, with_panel
from tests.support.workspace import World
from tests.unit.import_export.test_imports_into import Into, table


@pytest.fixture
def into(world: World) -> Into:
    return Into(world)


def of_json(**card: Any) -> ProjectDocument:
    """A project of Podium with one card in Discover, and a person who wrote comments."""
    item = {"id": "9", "number": 0, "kind": "TASK", "title": "Done", "status": "COMPLETED"} | card
    body = {"format": "podium-project", "version": 1, "name": "f", "key": "", "people": [{"login": "zed"}]}
    return read_document(json.dumps(body | {"phases": [{"name": "Discover", "items": [item]}]})).document


@pytest.mark.parametrize("status", [{}, {"status": "ARCHIVED", "archivedFrom": "COMPLETED"}])
def test_a_card_that_comes_completed_is_completed_now_for_four_eyes(into: Into, status: dict[str, str]) -> None:
    world = with_panel(into.world)
    set_policy(world, needed=1, four_eyes=True)
    world.clock.forward(minutes=1)
    send_back = DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="x", relock=True)
    world.do(send_back, as_=world.bob)
    world.clock.forward(minutes=1)
    plan = into.do(of_json(completedAt="2001-01-01T00:00:00Z", **status))
    assert [each.why for each in plan.notes] == [
        "It is completed now, and by you: when it was in the file is left out."
    ]
    card = into.card("Done")
    assert (card["completed_by"], card["completed_at"]) == (
        world.maya.user_id,
        world.clock.now.isoformat(timespec="milliseconds"),
    )
    with pytest.raises(RuleViolation, match="completed a card of it in this round"):
        vote(world, world.maya)


def test_a_card_that_is_here_is_completed_now_and_the_import_says_so_once(into: Into) -> None:
    text = "(A) 2026-01-01 Write\n2026-01-01 Read\n2026-01-01 Ship\n"
    into.do(read_document(text, format=FileFormat.TODO_TXT, name="todo").document)
    done = text.replace("(A) 2", "x 2026-02-02 2").replace("\n2026", "\nx 2026-02-02 2026")
    plan = into.do(read_document(done, format=FileFormat.TODO_TXT, name="todo").document)
    assert [(each.title, each.why) for each in plan.notes] == [
        ("Write", "It is completed now, and by you, as are 2 more cards: when it was in the file is left out.")
    ]


def test_an_activity_that_moves_takes_its_application_along_as_by_hand(into: Into) -> None:
    text = "ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n"
    into.do(text)
    film = into.card("Film")["id"]
    into.world.add_application(activity_id=film)
    into.do("ID;Title;Phase\n1;Film;Build\n")
    held = into.world.row("application", activity_id=film)
    assert held["phase_id"] == into.world.build.id
    into.world.do(ImportProject(document=into.world.ask(ExportProject(project_id=into.world.project.id))))


def test_a_task_that_moves_with_its_activity_is_still_in_order(into: Into) -> None:
    into.do("ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n")
    other = into.world.task("Other")
    into.world.do(LinkCards(waiting_id=other.id, blocker_id=into.card("Shoot")["id"]))
    into.world.refuses(into.message("ID;Title;Phase\n1;Film;Build\n"), RuleViolation)


def test_a_guest_learns_no_names_of_people_who_are_no_members_and_no_e_mail_addresses(into: Into) -> None:
    world = into.world
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    text = "Title;Assigned\nWrite;nobody.here\nRead;bob\nPlan;vera@example.com\nBook;gus@example.com\n"
    asked = PreviewImportInto(project_id=world.project.id, document=table(text))
    no_member = "no active member of this project"
    assert [(each.name, each.why) for each in world.ask(asked, as_=world.gus).missing] == [
        ("nobody.here", no_member),
        ("bob", no_member),
        ("vera@example.com", no_member),
    ]
    assert [each.name for each in world.ask(asked).missing] == ["nobody.here", "Bob Lind"]


def test_a_card_of_another_kind_in_the_file_is_said_to_stay_as_it_is(into: Into) -> None:
    into.do(of_json(status="TO_DO"))
    plan = into.preview(of_json(status="TO_DO", kind="ACTIVITY"))
    assert [each.why for each in plan.notes] == ["It is a task here and an activity in the file, and stays as here."]


def test_a_comment_from_the_future_has_the_time_of_the_import(into: Into) -> None:
    late = {"author": "zed", "at": "2099-01-01T00:00:00Z", "text": "Later"}
    document = of_json(status="TO_DO", comments=[late])
    plan = into.do(document)
    assert [each.why for each in plan.notes] == [
        "A comment has a time in the future, which becomes that of the import."
    ]
    assert into.world.row("comment", text="Later")["at"] == into.world.clock.now.isoformat(timespec="milliseconds")
    assert into.do(document).is_empty
