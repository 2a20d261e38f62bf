"""The record of a gate in files: all of its entries with their seals, which are kept as documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.actions.history.history import Redo, Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.codec.encoding import to_json
from core.diagnostics.seals import check_seals
from core.domain.finding import Finding, Verdict
from core.domain.gates import Decision
from core.domain.model import Gate, GateState, ItemKind, ProjectRole
from core.engine import large_projects
from core.errors import InvalidImport
from core.import_export.document import DecisionEntry, ItemEntry, PersonEntry, PhaseEntry, ProjectDocument
from core.import_export.files import read_document
from core.record import replace
from core.reports.formats import RENDERINGS, ExportFormat
from core.rules.gate_seals import canonical, hash_of
from core.wire.message_decoder import message_from
from tests.support.workspace import World


def exported(world: World, project_id: str | None = None) -> ProjectDocument:
    return world.ask(ExportProject(project_id=project_id or world.project.id))


@pytest.fixture(params=["listed", "counted"])
def large_or_small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seals that list their cards; and seals that count them, in an import that comes in large_projects."""
    if request.param == "counted":
        monkeypatch.setattr("core.rules.gate_seals.CARDS_LISTED", 0)
        for name, value in (("AT_ONCE", 0), ("STEP", 2), ("SLICE_SECONDS", 0.0), ("PAUSE_SECONDS", 0.0)):
            monkeypatch.setattr(large_projects, name, value)


@pytest.fixture
def document(world: World) -> ProjectDocument:
    """The export of a project with each kind of entry: “Discover” is approved, and “Pilot” was removed."""
    brief = world.do(AddDeliverable(phase_id=world.discover.id, name="Brief"))
    world.do(Deliver(deliverable_id=brief.id, statement="Sent to all shops"), as_=world.bob)
    card = world.task("Interviews", world.discover)
    world.complete(card.id, as_=world.bob)
    approve = DecideGate(phase_id=world.discover.id, decision=Decision.PASS, reason="Signed.")
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, reason="A review from now on", relock=True))
    world.do(approve)
    world.do(EditPhase(phase_id=world.discover.id, outcomes="More", allow_lapse="The target was raised"))
    world.do(approve)
    world.do(Undo(project_id=world.project.id))
    world.do(Redo(project_id=world.project.id))
    pilot = world.phase("Pilot")
    world.do(DecideGate(phase_id=pilot.id, decision=Decision.HOLD, reason="No budget"))
    world.do(RemovePhase(phase_id=pilot.id))
    return exported(world)


def as_file(world: World, document: ProjectDocument) -> str:
    return RENDERINGS[ExportFormat.JSON].text(document, world.engine.clock())


@pytest.mark.usefixtures("large_or_small")
def test_an_imported_record_has_the_same_entries_and_seals_with_another_mark(
    world: World, document: ProjectDocument
) -> None:
    discover = document.phases[0]
    assert [(each.decision, each.about) for each in discover.decisions] == [
        (Decision.KIND_CHANGE, None),
        (Decision.PASS, None),
        (Decision.LAPSE, 2),
        (Decision.PASS, None),
        (Decision.WITHDRAWAL, 4),
        (Decision.RESTORATION, 4),
    ]
    (removed,) = document.removed_phases
    assert [(each.decision, each.phase_name) for each in removed.decisions] == [(Decision.HOLD, "Pilot")]
    read = read_document(as_file(world, document)).document
    assert read == document
    project = world.do(ImportProject(document=read))
    came = exported(world, project.id)
    mark: dict[str, Any] = {"imported_by": "maya", "imported_at": world.engine.clock()}
    assert came.decisions == tuple(replace(each, **mark) for each in document.decisions)
    assert came.phases[0].gate_state is GateState.PASSED
    (card,) = came.phases[0].items
    assert (card.completed_by, card.completed_at) == ("bob", discover.items[0].completed_at)
    assert came.phases[0].deliverables == discover.deliverables
    assert discover.deliverables[0].delivered_by == "bob"
    here = world.rows("SELECT record_id, body FROM gate_seal WHERE project_id = :p", p=project.id)
    records = {each["id"]: each for each in world.rows("SELECT * FROM gate_record WHERE project_id = :p", p=project.id)}
    assert len(here) == 3
    assert all(hash_of(each["body"]) == records[each["record_id"]]["sha256"] for each in here)
    assert all(each["by_id"] == each["imported_by"] == world.maya.user_id for each in records.values())
    assert [line.phase for line in world.ask(ListGateDecisions(project_id=project.id))][-1] == "Pilot"
    assert world.rows("SELECT 1 FROM change_record WHERE entity = 'gate_seal'") == []


def test_a_file_from_before_seals_is_read_and_a_file_without_them_has_no_key_of_theirs(world: World) -> None:
    decision = DecisionEntry(decision=Decision.HOLD, by="maya", at=world.engine.clock())
    people = (PersonEntry(login="maya", role=ProjectRole.OWNER),)
    items = (ItemEntry(id="1", kind=ItemKind.TASK, title="Write"),)
    old = ProjectDocument(
        name="Old", people=people, phases=(PhaseEntry(name="Work", decisions=(decision,), items=items),)
    )
    text = as_file(world, old)
    for key in ("seal", "sha256", "seq", "way", "about", "detail", "phaseName", "removedPhases", "completedBy"):
        assert f'"{key}"' not in text
    project = world.do(ImportProject(document=read_document(text).document))
    row = world.row("gate_record", project_id=project.id)
    assert (row["sha256"], row["way"], row["of_id"], row["imported_by"]) == ("", "", None, world.maya.user_id)


def test_who_completed_a_card_and_is_not_here_is_named_refused_and_left_out_when_told_to(
    world: World, document: ProjectDocument
) -> None:
    people = (*document.people, PersonEntry(login="zed", name="Zed Zeller"))
    card = replace(document.phases[0].items[0], completed_by="zed")
    phases = (replace(document.phases[0], items=(card,)), *document.phases[1:])
    changed = replace(document, people=people, phases=phases)
    (missing,) = world.ask(PreviewImport(document=changed)).missing
    assert (missing.kind, missing.name, missing.why) == ("person", "Zed Zeller (zed)", "who completed or delivered")
    with pytest.raises(InvalidImport, match=r"person “Zed Zeller \(zed\)” \(who completed or delivered\)"):
        world.do(ImportProject(document=changed))
    came = exported(world, world.do(ImportProject(document=changed, leave_out_unknown=True)).id)
    assert (came.phases[0].items[0].completed_by, came.phases[0].items[0].completed_at) == (None, card.completed_at)


def sealed(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], None]:
    """Change the body of the seal, and give it the hash of what it is then, as a forger would."""

    def reseal(decision: dict[str, Any]) -> None:
        body = json.loads(decision["seal"])
        change(body)
        decision["seal"] = canonical(body)
        decision["sha256"] = hash_of(decision["seal"])

    return reseal


def written(text: str) -> Callable[[dict[str, Any]], None]:
    return lambda decision: decision.update(seal=text, sha256=hash_of(text))


NOT_WHOLE = r"seal: The seal of a decision at “Discover” is not one that Podium writes"
HOSTILE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another body": (
        lambda decision: decision.update(seal=decision["seal"].replace("Signed", "Forged")),
        r"decisions\[1\].seal: The seal of a decision at “Discover” does not match its SHA-256",
    ),
    "a body without a hash": (lambda decision: decision.update(sha256=""), "does not match its SHA-256"),
    "a hash that is none": (lambda decision: decision.update(sha256="X"), "of a decision at “Discover” has 64 digits"),
    "a body that is too long": (written("[" * 1_000_001), r"has 1,000,001 characters, and at most 1,000,000 fit"),
    "no JSON": (written("{"), NOT_WHOLE),
    "deep JSON": (written("[" * 100_000), NOT_WHOLE),
    "spaces": (lambda decision: written(decision["seal"].replace(":", ": "))(decision), NOT_WHOLE),
    "a key twice": (lambda decision: written(decision["seal"].replace("{", '{"bound":1,', 1))(decision), NOT_WHOLE),
    "another form": (sealed(lambda body: body.pop("asItWas")), NOT_WHOLE),
    "another key": (sealed(lambda body: body["bound"].update(more="x")), NOT_WHOLE),
    "a number for a text": (sealed(lambda body: body["asItWas"].update(reason=7)), NOT_WHOLE),
    "a long number": (
        lambda decision: written(decision["seal"].replace('"overridden":0', f'"overridden":{2**70}'))(decision),
        NOT_WHOLE,
    ),
    "a time that is none": (sealed(lambda body: body["asItWas"].update(at="then")), NOT_WHOLE),
    "a short time": (sealed(lambda body: body["asItWas"].update(at="2026-3-2T9:00:00Z")), NOT_WHOLE),
    "deliverables that are counted": (
        sealed(lambda body: body["bound"].update(deliverables={"count": 1, "sha256": ""})),
        NOT_WHOLE,
    ),
    "a control character": (sealed(lambda body: body["asItWas"].update(reason="a\x1b]0;b")), NOT_WHOLE),
    "about itself": (lambda decision: decision.update(about=2), r"decisions\[1\].about: It is the number of another"),
    "about none": (lambda decision: decision.update(about=99), "number of another entry"),
    "a seq below zero": (lambda decision: decision.update(seq=-1), r"decisions\[1\].seq"),
    "a way that is none": (lambda decision: decision.update(way="DOOR"), r"decisions\[1\].way"),
    "a long detail": (lambda decision: decision.update(detail="x" * 2_001), "at most 2,000 characters for the detail"),
    "a name with a control character": (lambda decision: decision.update(phaseName="a\x00b"), r"U\+0000"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_record_that_podium_would_not_write_is_refused_by_field(
    world: World, document: ProjectDocument, case: str
) -> None:
    change, said = HOSTILE[case]
    forged = to_json(document)
    change(forged["phases"][0]["decisions"][1])
    seals = world.rows("SELECT count(*) AS n FROM gate_seal")
    with pytest.raises(InvalidImport, match=said):
        world.send(message_from("ImportProject", {"document": forged}))
    assert world.rows("SELECT count(*) AS n FROM gate_seal") == seals


def test_an_open_card_and_a_removed_phase_without_entries_are_refused(world: World, document: ProjectDocument) -> None:
    opened = to_json(document)
    opened["phases"][1]["items"].append({"id": "new", "kind": "TASK", "title": "Open", "completedBy": "bob"})
    emptied = to_json(document) | {"removedPhases": [{"decisions": []}]}
    for forged, said in ((opened, "completedBy: Only what is completed can"), (emptied, r"removedPhases\[0\]")):
        with pytest.raises(InvalidImport, match=said):
            world.send(message_from("ImportProject", {"document": forged}))


@pytest.mark.usefixtures("document")
def test_doctor_names_each_seal_that_does_not_match_its_hash_or_is_missing(world: World) -> None:
    assert check_seals(world.database) == Finding("Seals", "3 seals checked")
    day = world.engine.clock().date()
    first, second, _ = (each["record_id"] for each in world.rows("SELECT record_id FROM gate_seal ORDER BY record_id"))

    def meddle(sql: str, record_id: str) -> None:
        world.database.write(lambda tx: tx.execute(f"{sql} WHERE record_id = :id", id=record_id))

    meddle("UPDATE gate_seal SET body = replace(body, 'Signed', 'Forged')", first)
    found = check_seals(world.database)
    entry = f"The decision of {day} at “Discover”"
    assert found == Finding(
        "Seals", f"{entry}: the stored seal does not match its hash: it was changed past Podium.", Verdict.BAD
    )
    meddle("DELETE FROM gate_seal", second)
    assert f"{entry}: the seal is not in the database any more" in check_seals(world.database).found


def test_doctor_counts_the_seals_that_are_too_many_to_hash(
    world: World, document: ProjectDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert document.decisions
    monkeypatch.setattr("core.diagnostics.seals.MOST", 0)
    monkeypatch.setattr("core.diagnostics.seals.AT_ONCE", 1)
    assert check_seals(world.database).found == "1 seal checked; 2 older seals not checked, to keep this short"


@pytest.mark.usefixtures("document")
def test_a_deleted_project_leaves_no_seal(world: World) -> None:
    assert world.rows("SELECT 1 FROM gate_seal")
    world.do(ArchiveProject(project_id=world.project.id))
    world.do(DeleteProject(project_id=world.project.id))
    assert world.rows("SELECT 1 FROM gate_seal") == world.rows("SELECT 1 FROM gate_record") == []
