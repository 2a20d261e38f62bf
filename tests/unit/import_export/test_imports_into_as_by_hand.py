"""An import into a project holds to what the same changes by hand hold to, and says where it differs from the file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.actions.cards.cards import ReorderCard
from core.actions.dependencies.links import LinkCards
from core.actions.fields.custom_fields import AddField, SetFields
from core.actions.history.history import Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.imports_into import ImportInto, PreviewImportInto
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.users import DeactivateUser
from core.authorization.local_source import LocalPermissions
from core.domain.fields import FieldKind, FieldValue
from core.domain.gates import Decision
from core.domain.grants import CacheControl, Grant, PermissionQuery
from core.domain.model import Gate, ProjectRole
from core.domain.permissions import Permission
from core.errors import LapsesApproval, RuleViolation, WouldRelockPhases
from core.import_export.document import ProjectDocument
from core.import_export.files import FileFormat, read_document
from core.record import replace
from tests.support.panel import set_policy, vote, with_panel
from tests.support.workspace import World
from tests.unit.import_export.test_imports_into import FIRST, Into, said, table


@pytest.fixture
def into(world: World) -> Into:
    return Into(world)


def of_json(**card: Any) -> ProjectDocument:
    """A project of Podium with one card in Discover, and a person who wrote comments."""
    item = {"id": "9", "number": 0, "kind": "TASK", "title": "Done", "status": "COMPLETED"} | card
    body = {"format": "podium-project", "version": 1, "name": "f", "key": "", "people": [{"login": "zed"}]}
    return read_document(json.dumps(body | {"phases": [{"name": "Discover", "items": [item]}]})).document


def test_completed_lines_of_a_locked_phase_are_to_do_until_it_opens(into: Into) -> None:
    text = FIRST.replace("Build it;Build;;", "Build it;Build;done;")
    plan = into.do(text)
    (note,) = plan.notes
    assert note.title == "Build it"
    assert "“Build” is locked until the phases before it are complete" in note.why
    assert into.card("Build it")["status"] == "TO_DO"
    assert into.do(text).is_empty
    into.world.complete(into.card("Read")["id"])
    assert said(into.do(text)) == [("Build it", "status", "To Do", "Completed")]


def test_a_file_that_completes_a_phase_opens_the_next_one_for_its_own_lines(into: Into) -> None:
    done = FIRST.replace("Read;Discover;;", "Read;Discover;done;").replace("Build it;Build;;", "Build it;Build;doing;")
    assert into.do(done).notes == ()
    assert into.card("Build it")["status"] == "IN_PROGRESS"


def test_a_card_that_waits_for_an_open_one_is_not_completed(into: Into) -> None:
    into.do("ID;Title;Phase\n1;First;Discover\n2;Second;Discover\n")
    first, second = (into.card(title)["id"] for title in ("First", "Second"))
    into.world.do(LinkCards(waiting_id=second, blocker_id=first))
    plan = into.do("ID;Title;Phase;Status\n1;First;Discover;\n2;Second;Discover;done\n")
    assert plan.notes[0].why == "It is To Do, not Completed: It waits for “First”, which is open."
    assert into.card("Second")["status"] == "TO_DO"
    into.do("ID;Title;Phase;Status\n1;First;Discover;done\n2;Second;Discover;done\n")
    assert {into.card("First")["status"], into.card("Second")["status"]} == {"COMPLETED"}


def approve(into: Into) -> None:
    into.do(FIRST.replace("Read;Discover;;", "Read;Discover;done;"))
    into.world.do(EditPhase(phase_id=into.world.discover.id, gate=Gate.REVIEW, reason="It matters", relock=True))
    into.world.do(DecideGate(phase_id=into.world.discover.id, decision=Decision.PASS))


def test_a_card_for_an_approved_phase_ends_the_approval_only_with_consent(into: Into) -> None:
    approve(into)
    text = f"{FIRST.replace('Read;Discover;;', 'Read;Discover;done;')}More;Discover;;;;;\n"
    (ending,) = into.preview(text).approvals
    assert ending.phase == "Discover"
    refused = into.world.refuses(into.message(text), LapsesApproval)
    assert str(refused).startswith(ending.sentence)
    assert "“More” was added" in ending.sentence
    assert into.preview(text).relocked == ("Build",)
    into.do(text, allow_lapse="The client wants more")
    newest = into.world.ask(ListGateDecisions(project_id=into.world.project.id))[-1].record
    assert (newest.decision, newest.reason) == (Decision.LAPSE, "The client wants more")
    into.world.do(Undo(project_id=into.world.project.id))
    assert into.world.row("phase", id=into.world.discover.id)["gate_state"] == "PASSED"


def test_an_open_card_in_a_complete_phase_asks_before_later_phases_lock_again(into: Into) -> None:
    into.do(FIRST.replace("Read;Discover;;", "Read;Discover;done;"))
    text = f"{FIRST.replace('Read;Discover;;', 'Read;Discover;done;')}More;Discover;;;;;\n"
    into.world.refuses(into.message(text), WouldRelockPhases, "“Build” would lock again")
    into.do(text, relock=True)
    assert into.card("More")["status"] == "TO_DO"


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


def test_a_card_that_another_one_waits_for_moves_to_no_later_phase(into: Into) -> None:
    into.do("ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n")
    other = into.world.task("Other")
    into.world.do(LinkCards(waiting_id=other.id, blocker_id=into.card("Shoot")["id"]))
    text = "ID;Title;Phase\n1;Film;Build\n3;New;Build\n"
    plan = into.do(text)
    assert [(each.title, each.why) for each in plan.notes if each.title != "Film"] == [
        ("Shoot", "It stays in its phase, because “Other” waits for “Shoot”, which is not in a later phase.")
    ]
    assert [each.title for each in plan.cards] == ["New"]
    assert {into.card(title)["phase_id"] for title in ("Film", "Shoot")} == {into.world.discover.id}
    assert into.do(text).is_empty


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
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.OWNER))
    assert world.ask(replace(asked, invite=("bob",)), as_=world.gus).invited == (), "nor by an invitation"


def test_a_person_who_is_deactivated_while_an_import_begins_is_not_invited(
    into: Into, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = into.world
    other = world.new_project("Other")
    world.do(InviteMember(project_id=other.id, user_id=world.gus.user_id))
    world.do(AddField(project_id=other.id, name="Boss", kind=FieldKind.PERSON))
    card = world.task("Elsewhere", phase=world.phase("Discover", other.id))
    world.do(SetFields(item_id=card.id, values=(FieldValue("boss", "gus"),)))
    message = into.message(world.ask(ExportProject(project_id=other.id)), invite=("gus",))
    prepare = ImportInto.prepare

    def deactivate_after(self: ImportInto, read: Any) -> Any:
        prepared = prepare(self, read)
        world.do(DeactivateUser(user_id=world.gus.user_id))
        return prepared

    monkeypatch.setattr(ImportInto, "prepare", deactivate_after)
    world.refuses(message, RuleViolation, "no longer active in this workspace")
    for of in ("member WHERE user_id = :gus AND", "item WHERE :gus <> '' AND"):
        here = f"SELECT 1 FROM {of} project_id = :id"
        assert world.rows(here, id=world.project.id, gus=world.gus.user_id) == []


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


def test_an_activity_here_that_the_file_has_as_a_task_is_in_no_activity(into: Into) -> None:
    into.do("ID;Title;Parent\n1;Film;\n2;Shoot;1\n3;Book;\n")
    plan = into.do("ID;Title;Parent\n1;Film;3\n3;Book;\n4;Pack;3\n")
    assert [each.why for each in plan.notes if each.title == "Film"] == [
        "It is an activity here and a task in the file, and stays as here.",
        "An activity is in no other, so this card is beside “Book”.",
    ]
    assert into.card("Film")["activity_id"] is None


def test_a_parent_that_is_no_line_is_in_the_phase_of_its_tasks(into: Into) -> None:
    text = "Title;Phase;Parent\nShoot;Build;Film\n"
    into.do(text)
    assert {into.card(title)["phase_id"] for title in ("Shoot", "Film")} == {into.world.build.id}
    assert into.do(text).is_empty


def test_an_activity_that_is_archived_moves_to_a_locked_phase_with_its_started_tasks(into: Into) -> None:
    text = "ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n3;Read;Discover;\n"
    into.do(text)
    into.world.start(into.card("Shoot")["id"])
    plan = into.do("ID;Title;Phase;Status\n1;Film;Build;archived\n3;Read;Discover;\n", theirs=True)
    assert [each.why for each in plan.notes if "phase" in each.why] == []
    assert {into.card(title)["phase_id"] for title in ("Film", "Shoot")} == {into.world.build.id}


def test_a_task_that_joins_its_activity_in_another_phase_here_stays_there(into: Into) -> None:
    text = "ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n"
    into.do(text)
    into.world.do(ReorderCard(card_id=into.card("Film")["id"], phase_id=into.world.build.id))
    more = f"{text}3;Cut;Discover;1\n"
    into.do(more)
    assert into.card("Cut")["phase_id"] == into.world.build.id
    assert into.do(more).is_empty


def test_a_card_that_is_restored_to_a_lower_status_than_in_the_file_is_no_conflict_the_next_time(into: Into) -> None:
    into.do("ID;Title;Phase;Status\n1;Read;Discover;\n2;Ship;Build;archived\n")
    text = "ID;Title;Phase;Status\n1;Read;Discover;\n2;Ship;Build;done\n"
    into.do(text)
    assert into.card("Ship")["status"] == "TO_DO"
    assert into.do(text).is_empty
    into.world.complete(into.card("Read")["id"])
    into.do(text)
    assert into.card("Ship")["status"] == "COMPLETED"


class WithoutTasks(LocalPermissions):
    """Permissions of people who change activities but no tasks, as a service may answer."""

    def grant(self, query: PermissionQuery, cache_control: CacheControl) -> Grant:
        given = super().grant(query, cache_control)
        return replace(given, held=given.held - {Permission.TASK_MANAGE})


def test_who_cannot_set_fields_or_link_cards_by_hand_cannot_by_a_new_activity(into: Into) -> None:
    into.world.do(AddField(project_id=into.world.project.id, name="Cost", kind=FieldKind.NUMBER))
    into.world.engine.permissions = WithoutTasks(into.world.database)
    text = "Title;Kind;Cost;Predecessors\nFilm;activity;3;\nShoot;activity;;\nCut;activity;;Shoot\n"
    plan = into.do(text, skip_refused=True)
    assert [(each.title, each.what) for each in plan.refused] == [("Film", "a new card"), ("Cut", "what it waits for")]
    assert [each.title for each in plan.cards] == ["Shoot", "Cut"]
    assert into.world.rows("SELECT * FROM dependency") == []


def test_cards_that_would_wait_for_each_other_with_those_of_here_do_not_and_the_import_says_so(into: Into) -> None:
    into.do("ID;Title\n1;Read;\n2;Write\n3;Print\n")
    into.world.do(LinkCards(waiting_id=into.card("Read")["id"], blocker_id=into.card("Write")["id"]))
    text = "ID;Title;Predecessors\n1;Read;\n2;Write;1\n3;Print;1\n"
    plan = into.do(text)
    assert [(each.title, each.why) for each in plan.notes] == [
        ("Write", "It does not wait for “Read” as in the file, because they would wait for each other.")
    ]
    assert said(plan) == [("Print", "waits for", "none", "Read")]
    assert into.do(text).is_empty
