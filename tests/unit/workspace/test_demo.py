"""The demo's workspace is whole, plausible today, the same each time, and belongs to the user who asked for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from operator import methodcaller
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.cards.application_lists import ListApplications
from core.actions.history.history import ListHistory
from core.actions.products.launch import LaunchApplication
from core.actions.products.products import ListProducts
from core.actions.projects.find import FindProjects
from core.actions.projects.lists import ListProjects, ProjectOverview
from core.actions.projects.members import ListMembers
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import CheckGate
from core.actions.workflow.phases import ListPhases
from core.actions.workspace.users import ListUsers
from core.demo import SingleTransactionDatabase, make_demo, python
from core.demo.clock import moment
from core.diagnostics.seals import check_seals
from core.domain.finding import Finding
from core.domain.gate_policy import CriterionKind, Vote
from core.domain.gates import Decision
from core.domain.model import GateState, Health, Id, PhaseState, ProjectRole, Status
from core.domain.products.fields import argument_vector
from core.domain.products.launch_context import environment
from core.domain.products.products import LaunchKind
from core.domain.readiness import ReadinessState
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.errors import InvalidInput, RuleViolation
from core.sign_in.local import sign_on
from core.storage.schema import integrity
from core.storage.sqlite.database import SqliteDatabase

NOW = datetime(2026, 3, 18, 14, 0, tzinfo=UTC)
TABLES = (
    "app_user",
    "hierarchy_node",
    "project",
    "member",
    "phase",
    "deliverable",
    "item",
    "assignment",
    "comment",
    "gate_policy",
    "gate_criterion",
    "gate_condition",
    "gate_record",
    "change",
    "product",
    "application_role",
    "application",
    "launch",
    "member_meta_role",
)


IDS = ("id", "ids", "ed_by", "evidence", "context", "code_hash")
"""How the columns end that hold ids, or something made of them."""
MADE_OF_IDS = {"met_by", "people", "matched", "filter", "ground", "sha256"}
"""The columns of gates that hold some, too."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    make_demo(path, login="dana", now=NOW)
    return path


@pytest.fixture
def demo(made: Path, tmp_path: Path) -> Iterator[Engine]:
    """The demo, a copy for each test: what one changes, no other sees."""
    copy = Path(shutil.copy(made, tmp_path / "copy.db"))
    with closing(Engine(SqliteDatabase(copy), load_catalog, clock=lambda: NOW)) as engine:
        yield engine


@pytest.fixture
def me(demo: Engine) -> Actor:
    return sign_on(demo, "dana")


@pytest.fixture
def widget(demo: Engine, me: Actor) -> ProjectOverview:
    return demo.query(ListProjects(archived=True), me)


def test_there_are_eight_projects_in_all_states_and_roles(widget: ProjectOverview) -> None:
    assert len(widget.lines) == 8
    assert {line.role for line in widget.lines} == set(ProjectRole)
    assert {line.health for line in widget.lines} == set(Health)
    assert [line.project.name for line in widget.lines if line.project.archived] == ["Trade fair stand Cologne"]
    assert sum(line.favourite for line in widget.lines) == 2


def test_phases_are_seen_in_every_state(demo: Engine, me: Actor, widget: ProjectOverview) -> None:
    lines = [each for line in widget.lines for each in demo.query(ListPhases(project_id=line.project.id), me)]
    assert {line.state for line in lines} == set(PhaseState)
    assert {line.phase.gate_state for line in lines} == {*GateState} - {GateState.UNDECIDED}
    assert any(line.phase.overridden for line in lines)
    assert any(not line.tally.any for line in lines)
    assert any(not line.tally.open and line.tally.any and line.state is PhaseState.OPEN for line in lines)


def test_the_gates_have_seals_and_one_approval_that_ended_and_was_given_again(demo: Engine, me: Actor) -> None:
    lines = demo.query(ListGateDecisions(project_id=named(demo, me, "Slow Mornings campaign")), me)
    brief = [line.record for line in lines if line.phase == "Brief"]
    assert [each.decision for each in brief] == [Decision.PASS, Decision.LAPSE, Decision.PASS]
    assert (brief[1].of_id, brief[1].detail) == (brief[0].id, "the outcomes changed")
    assert brief[1].reason == "Halden wants two points, not one."
    assert check_seals(demo.database) == Finding("Seals", "11 seals checked")


def test_a_panel_of_three_is_at_a_gate_whose_four_eyes_and_criteria_are_met(demo: Engine, me: Actor) -> None:
    phase = demo.query(ListPhases(project_id=named(demo, me, "Torq T4 drill launch")), me)[1].phase
    gate = demo.query(CheckGate(phase_id=phase.id), me)
    assert (gate.state, gate.can_approve, gate.votes) == (ReadinessState.READY, True, "1 of 2 votes go")
    assert [each.line for each in gate.panel.members] == ["Robin Ekholm: –", "Mara Oduya: go", "Claire Whitlock: –"]
    assert gate.panel.policy
    assert (gate.panel.policy.four_eyes, gate.panel.secretary) == (True, "Priya Raman")
    assert [(each.criterion.kind, each.is_met) for each in gate.criteria] == [
        (CriterionKind.CLOSED, True),
        (CriterionKind.HAND, True),
    ]
    demo.execute(CastVote(phase_id=phase.id, vote=Vote.GO), me)
    assert demo.query(CheckGate(phase_id=phase.id), me).phase_state is PhaseState.COMPLETE


def test_its_gate_before_lapsed_and_was_approved_again_with_a_condition_that_was_met(demo: Engine, me: Actor) -> None:
    project_id = named(demo, me, "Torq T4 drill launch")
    before, at = demo.query(ListPhases(project_id=project_id), me)[:2]
    entries = demo.query(ListGateDecisions(project_id=project_id, phase_id=before.phase.id), me)
    assert [line.record.decision for line in entries] == [
        Decision.POLICY_CHANGE,
        *(Decision.VOTE_NO, Decision.VOTE_GO, Decision.VOTE_GO, Decision.PASS),
        Decision.LAPSE,
        *(Decision.VOTE_GO_IF, Decision.VOTE_GO, Decision.PASS),
    ]
    assert demo.query(CheckGate(phase_id=before.phase.id), me).state is ReadinessState.COMPLETE
    [condition] = demo.query(ListConditions(project_id=project_id), me)
    assert (condition.gate, condition.is_met, condition.person) == ("Positioning", True, "Hanna Lindqvist")
    assert condition.card
    assert condition.card.phase_id == at.phase.id


def test_deliverables_have_links_files_and_cards_as_evidence(demo: Engine) -> None:
    rows = demo.database.read(lambda tx: tx.query("SELECT DISTINCT evidence_kind FROM deliverable"))
    assert {row["evidence_kind"] for row in rows} >= {"LINK", "FILE", "CARD"}


def test_cards_are_seen_in_every_status_with_people_dates_and_comments(
    demo: Engine, me: Actor, widget: ProjectOverview
) -> None:
    cards = [card for line in widget.lines for card in demo.query(GetCanvas(project_id=line.project.id), me).cards]
    assert {card.status for card in cards} == {*Status, None}
    assert any(len(card.assignee_ids) > 1 for card in cards)
    assert any(card.comments for card in cards)
    assert any(card.tasks for card in cards)
    assert any(card.due == NOW.date() + timedelta(days=1) for card in cards)


def test_my_next_items_come_from_several_projects(widget: ProjectOverview) -> None:
    assert len({item.project for item in widget.next_items}) >= 4


def test_the_history_lies_in_working_hours_of_the_last_weeks(demo: Engine, me: Actor, widget: ProjectOverview) -> None:
    for line in widget.lines:
        times = [change.at for change in demo.query(ListHistory(project_id=line.project.id), me)]
        assert times == sorted(times, reverse=True)
        assert times[0] <= NOW
        assert all(at.astimezone().weekday() < 5 and 8 <= at.astimezone().hour <= 18 for at in times)


def test_later_steps_are_later_moments_whatever_the_weekday() -> None:
    for shift in range(7):
        now = NOW + timedelta(days=shift)
        moments = [moment(step / 10, now) for step in range(-300, 12)]
        assert moments == sorted(moments)
        assert moments[-1] == now


def test_the_same_day_gives_the_same_workspace(tmp_path: Path) -> None:
    texts = []
    for name in ("one.db", "two.db"):
        make_demo(tmp_path / name, login="dana", now=NOW)
        database = SqliteDatabase(tmp_path / name)
        rows = [
            {key: value for key, value in dict(row).items() if not key.endswith(IDS) and key not in MADE_OF_IDS}
            for table in TABLES
            for row in database.read(methodcaller("query", f"SELECT * FROM {table}"))
        ]
        texts.append(sorted(str(row) for row in rows))
    assert texts[0] == texts[1]


def test_a_login_that_a_colleague_has_is_left_to_the_one_who_asked(tmp_path: Path) -> None:
    make_demo(tmp_path / "demo.db", login="mara.oduya", now=NOW)
    engine = Engine(SqliteDatabase(tmp_path / "demo.db"), load_catalog)
    me = sign_on(engine, "mara.oduya")
    people = {line.user.login: line.user.name for line in engine.query(ListUsers(), me)}
    assert people["mara.oduya"] == "Robin Ekholm"
    assert len(people) == 13


def test_a_login_that_cannot_be_one_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="login"):
        make_demo(tmp_path / "demo.db", login="no such/login")
    database = SqliteDatabase(tmp_path / "demo.db")
    assert not database.read(lambda tx: tx.query("SELECT * FROM workspace"))


def test_a_workspace_that_is_there_is_not_touched(tmp_path: Path) -> None:
    make_demo(tmp_path / "demo.db", login="dana", now=NOW)
    with pytest.raises(RuleViolation):
        make_demo(tmp_path / "demo.db", login="dana", now=NOW)


def test_the_large_project_has_ten_thousand_cards_that_hold_together(tmp_path: Path) -> None:
    project_id = make_demo(tmp_path / "demo.db", large=True, login="dana", now=NOW)
    engine = Engine(SqliteDatabase(tmp_path / "demo.db"), load_catalog, clock=lambda: NOW)
    canvas = engine.query(GetCanvas(project_id=project_id or ""), sign_on(engine, "dana"))
    assert len(canvas.cards) == 10_000
    assert [column.state for column in canvas.head.columns][:3] == [
        PhaseState.COMPLETE,
        PhaseState.OPEN,
        PhaseState.LOCKED,
    ]
    assert len({card.rank for card in canvas.cards if card.phase_id == canvas.cards[0].phase_id}) > 1_000
    database = SqliteDatabase(tmp_path / "demo.db")
    assert integrity.damage(database.connection) == []


def test_there_are_products_of_both_kinds_and_one_that_is_retired(demo: Engine, me: Actor) -> None:
    products = [line.product for line in demo.query(ListProducts(), me)]
    assert {product.kind for product in products} == set(LaunchKind)
    assert [product.name for product in products if product.retired] == ["Old wiki"]
    assert {product.uses_external_authorization for product in products} == {True, False}


def test_applications_stand_on_phases_and_activities_and_were_launched(demo: Engine, me: Actor) -> None:
    project = named(demo, me, "Slow Mornings campaign")
    lines = demo.query(ListApplications(project_id=project), me)
    assert {line.activity for line in lines} == {"", "Launch day"}
    history = demo.query(ListHistory(project_id=project), me)
    assert sum(line.message == "LaunchApplication" for line in history) == 4


def test_product_roles_follow_from_the_meta_roles_of_the_members(demo: Engine, me: Actor) -> None:
    members = demo.query(ListMembers(project_id=named(demo, me, "Slow Mornings campaign")), me)
    follow = {
        line.user.first_name: {f"{held.product.name}: {held.role.name}" for held in line.product_roles}
        for line in members
    }
    assert follow["Robin"] == {"Asset library: Approver", "Media planner: Planner"}
    assert follow["Yuki"] == {"Asset library: Editor"}
    assert follow["Henrik"] == {"Asset library: Approver", "Media planner: Observer"}


def test_a_launch_works_from_the_demo(demo: Engine, me: Actor) -> None:
    project = named(demo, me, "Slow Mornings campaign")
    lines = demo.query(ListApplications(project_id=project), me)
    viewer = next(line.application for line in lines if line.product.kind is LaunchKind.TERMINAL)
    launched = demo.execute(LaunchApplication(application_id=viewer.id), me)
    run = subprocess.run(
        launched.product.command,
        env=environment(launched.context, launched.launch.user_id, os.environ),
        input="\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Project   Slow Mornings campaign" in run.stdout
    assert "Brand     Fjordland" in run.stdout


@pytest.mark.parametrize(
    ("executable", "program"),
    [
        ("/usr/bin/python3.11", "/usr/bin/python3.11"),
        ("/home/mara/my projects/.venv/bin/python", "python3"),
        ("/opt/podium (new)/bin/python", "python3"),
        ("", "python3"),
    ],
)
def test_the_demo_runs_a_python_that_the_registry_accepts(executable: str, program: str) -> None:
    assert python(executable) == program
    assert argument_vector((python(executable), "/home/mara/my projects/viewer.py"))


def named(demo: Engine, me: Actor, name: str) -> Id:
    return demo.query(FindProjects(name=name), me)[0].id


def test_the_room_on_the_disk_is_known_inside_its_one_transaction(tmp_path: Path) -> None:
    with closing(SqliteDatabase(tmp_path / "podium.db", create=True)) as database:
        room = database.write(lambda tx: SingleTransactionDatabase(database, tx).room())
        assert room.taken == database.room().taken > 0
        assert 0 < room.free <= shutil.disk_usage(tmp_path).total
