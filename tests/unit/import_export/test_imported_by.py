"""Imported records name the importer and the time, so no name from a file stands alone as an author."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard, GetPhase
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.personal.inbox import ListInbox
from core.actions.projects.exports import ExportProject, GetStatusReport
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.members import ListMembers
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workspace.users import AddUser, ListInviters, SetPlatformRoles
from core.codec.encoding import to_json
from core.domain.gates import Decision
from core.domain.model import Gate, GateState, ItemKind, PhaseState, PlatformRole, ProjectRole
from core.engine.unit_of_work import Actor
from core.import_export.document import CommentEntry, DecisionEntry, ItemEntry, PersonEntry, PhaseEntry, ProjectDocument
from core.record import replace
from core.reports import gate_decisions, status_report
from core.reports.html_page import to_html
from core.reports.sections import to_markdown
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import World

A_YEAR_AGO = datetime(2025, 3, 2, 9, tzinfo=UTC)
BY_EVE = "Maya Okafor, imported by Eve Stone"

FORGED = ProjectDocument(
    name="Forged",
    people=(
        PersonEntry(
            login="maya", email="maya@example.com", name="Maya Okafor", role=ProjectRole.OWNER, invited_by="bob"
        ),
        PersonEntry(login="bob", role=ProjectRole.VIEWER, invited_by="maya"),
    ),
    phases=(
        PhaseEntry(
            name="Budget",
            gate=Gate.REVIEW,
            decisions=(DecisionEntry(decision=Decision.PASS, by="maya", at=A_YEAR_AGO, reason="All right."),),
            items=(
                ItemEntry(
                    id="1",
                    kind=ItemKind.TASK,
                    title="Ask for money",
                    comments=(CommentEntry(author="maya", at=A_YEAR_AGO, text="I approve this budget, @bob."),),
                ),
            ),
        ),
        PhaseEntry(name="Later"),
    ),
)
"""What Eve typed: in it Maya approves a budget and passes a phase, a year ago."""


@pytest.fixture
def eve(world: World) -> Actor:
    user = world.do(AddUser(first_name="Eve", last_name="Stone", email="eve@example.com", login="eve"))
    world.do(SetPlatformRoles(user_id=user.id, platform_roles=(PlatformRole.INTERNAL,)))
    return Actor(user.id)


@pytest.fixture
def forged(world: World, eve: Actor) -> str:
    """The id of the project that Eve imported."""
    return world.do(ImportProject(document=FORGED), as_=eve).id


def only(world: World, table: str, project_id: str) -> dict[str, Any]:
    return world.row(table, project_id=project_id)


def test_rows_name_the_importer_and_the_person_of_the_file_is_text(world: World, eve: Actor, forged: str) -> None:
    look_at_the_rows(world, eve, forged)


def look_at_the_rows(world: World, eve: Actor, forged: str) -> None:
    now = world.engine.clock().isoformat(timespec="milliseconds")
    for table, column in (("comment", "author_id"), ("gate_record", "by_id")):
        row = only(world, table, forged)
        assert (row[column], row["imported_by"], row["imported_at"]) == (eve.user_id, eve.user_id, now)
        assert (row["original_login"], row["original_name"]) == ("maya", "Maya Okafor")
        assert world.maya.user_id not in row.values()


def test_the_card_and_the_phase_say_imported_by_whom_and_when(world: World, eve: Actor, forged: str) -> None:
    (comment,) = world.ask(GetCard(item_id=only(world, "item", forged)["id"]), as_=eve).comments
    assert (comment.author, comment.imported_by, comment.at) == (BY_EVE, "Eve Stone", A_YEAR_AGO)
    assert comment.imported_at == world.engine.clock()
    (decision,) = world.ask(
        GetPhase(phase_id=world.row("phase", project_id=forged, name="Budget")["id"]), as_=eve
    ).decisions
    assert (decision.by, decision.record.imported_by) == (BY_EVE, eve.user_id)
    answer = to_json(decision)
    assert answer["record"]["importedBy"] == eve.user_id
    assert answer["record"]["importedAt"]


def test_the_gate_record_and_the_report_say_so_in_every_format(world: World, eve: Actor, forged: str) -> None:
    lines = world.ask(ListGateDecisions(project_id=forged), as_=eve)
    report = world.ask(GetStatusReport(project_id=forged), as_=eve)
    texts = [  # with what stands between two entries
        (to_markdown(gate_decisions.to_sections("Forged", lines, {}, UTC)), "\n## "),
        (to_html(gate_decisions.to_sections("Forged", lines, {}, UTC)), "<section>"),
        (gate_decisions.to_csv(lines, {}), "\n"),
        (status_report.to_markdown(report), "\n"),
        (to_html(status_report.in_sections(report)), "\n"),
    ]
    for text, apart in texts:
        (decision,) = [entry for entry in text.split(apart) if "All right." in entry]
        assert BY_EVE in decision


def test_an_export_says_who_imported_it_and_a_second_import_names_its_own_importer(
    world: World, eve: Actor, forged: str
) -> None:
    document = world.ask(ExportProject(project_id=forged), as_=eve)
    (comment,) = document.items[0].comments
    assert (comment.author, comment.imported_by, comment.imported_at) == ("maya", "eve", world.engine.clock())
    again = world.do(ImportProject(document=document, name="Again"), as_=world.maya)
    (line,) = world.ask(ListGateDecisions(project_id=again.id))
    assert line.by == "Maya Okafor, imported by Maya Okafor"


def test_the_user_who_imports_is_the_inviter_of_all_members(world: World, eve: Actor, forged: str) -> None:
    assert {row["invited_by"] for row in world.rows("SELECT * FROM member WHERE project_id = :p", p=forged)} == {
        eve.user_id
    }
    assert {member.invited_by for member in world.ask(ListMembers(project_id=forged), as_=eve)} == {"Eve Stone"}
    assert "Bob Lind" not in [f"{each.first_name} {each.last_name}" for each in world.ask(ListInviters())]


def test_history_has_one_line_of_the_importer_and_no_inbox_has_a_mention_by_another_person(
    world: World, eve: Actor, forged: str
) -> None:
    assert [line.actor for line in world.ask(ListHistory(project_id=forged), as_=eve)] == ["Eve Stone"]
    card = world.ask(GetCard(item_id=only(world, "item", forged)["id"]), as_=eve)
    assert [line.actor for line in card.history] == ["Eve Stone"]
    assert [line for line in world.ask(ListInbox(read_too=True), as_=world.bob).lines if "Maya" in line.words] == []


def test_an_imported_pass_keeps_the_phase_complete_and_is_no_decision_of_the_person_it_names(
    world: World, eve: Actor
) -> None:
    done = replace(FORGED.phases[0], items=(), gate_state=GateState.PASSED)
    project = world.do(ImportProject(document=replace(FORGED, phases=(done, FORGED.phases[1]))), as_=eve)
    first = next(row for row in world.rows("SELECT * FROM phase WHERE project_id = :p ORDER BY rank", p=project.id))
    detail = world.ask(GetPhase(phase_id=first["id"]), as_=eve)
    assert detail.state is PhaseState.COMPLETE
    assert [line.by for line in detail.decisions] == [BY_EVE]


def test_who_only_spoke_need_not_be_in_the_workspace(world: World, eve: Actor) -> None:
    people = (PersonEntry(login="zed", name="Zed Zeller"),)
    item = replace(FORGED.items[0], comments=(CommentEntry(author="zed", at=A_YEAR_AGO, text="Fine."),))
    document = replace(FORGED, people=people, phases=(PhaseEntry(name="Work", items=(item,)),))
    plan = world.ask(PreviewImport(document=document), as_=eve)
    assert (plan.missing, plan.people) == ((), ())
    project = world.do(ImportProject(document=document), as_=eve)
    (comment,) = world.ask(GetCard(item_id=only(world, "item", project.id)["id"]), as_=eve).comments
    assert (comment.author, comment.text) == ("Zed Zeller, imported by Eve Stone", "Fine.")


@about_the_file
def test_a_comment_undone_before_the_upgrade_is_brought_back_after_it(world: World) -> None:
    task = world.task()
    world.do(AddComment(item_id=task.id, text="Mine."), as_=world.bob)
    world.do(Undo(project_id=world.project.id), as_=world.bob)
    world.database.write(
        lambda tx: tx.execute(
            "UPDATE change_record SET"
            " before = json_remove(before, '$.imported_by', '$.imported_at', '$.original_login', '$.original_name'),"
            " after = json_remove(after, '$.imported_by', '$.imported_at', '$.original_login', '$.original_name')"
            " WHERE entity = 'comment'"
        )
    )
    world.do(Redo(project_id=world.project.id), as_=world.bob)
    row = world.row("comment", item_id=task.id)
    assert (row["text"], row["author_id"], row["imported_by"]) == ("Mine.", world.bob.user_id, None)
