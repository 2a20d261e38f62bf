"""The gate record: its entries in words, seals that are shown whole, and what has changed since one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.projects.exports import GetStatusReport
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gate_record import (
    CompareWithSeal,
    DecisionSummary,
    GetSeal,
    ListGateDecisions,
    PreviewApproval,
    SealComparison,
    in_sections,
)
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.diagnostics.seals import check_seals
from core.domain.finding import Verdict
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, Id
from core.errors import NotFound
from core.record import replace
from core.reports import gate_decisions, status_report
from core.reports.sections import to_markdown
from core.rules.gate_seals import FORGED, MISMATCH
from tests.support.workspace import World


def approved(world: World, **gate: Any) -> Id:
    """The id of the approval of a phase with a completed card and a deliverable."""
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, objectives="Know who pays.", **gate))
    world.complete(world.task("Interview Ada").id)
    report, interview = (
        world.do(AddDeliverable(phase_id=world.discover.id, name=name)).id for name in ("Report", "Interview")
    )
    world.do(Deliver(deliverable_id=report, link="https://example.com/report"), world.bob)
    world.do(Deliver(deliverable_id=interview, card_id=world.row("item", title="Interview Ada")["id"]))
    return decided(world).id


def decided(world: World, decision: Decision = Decision.PASS, reason: str = "") -> GateRecord:
    world.clock.forward(minutes=1)
    return world.do(DecideGate(phase_id=world.discover.id, decision=decision, reason=reason))


def entries(world: World) -> tuple[DecisionSummary, ...]:
    return world.ask(ListGateDecisions(project_id=world.project.id), world.vera)


def compared(world: World, since: Id | None = None, until: Id | None = None) -> SealComparison:
    return world.ask(CompareWithSeal(phase_id=world.discover.id, since=since, until=until), world.vera)


def differing(found: SealComparison) -> list[tuple[bool, str]]:
    return [(each.is_bound, each.sentence) for each in found.differences]


def test_the_record_of_an_approval_that_ended_came_back_and_whose_phase_was_removed(world: World) -> None:
    approved(world)
    world.do(CreateTask(phase_id=world.discover.id, title="One more", allow_lapse="A gap"))
    world.clock.forward(minutes=1)
    world.do(Undo(project_id=world.project.id))
    undone = [each.entry for each in entries(world)[1:]]
    world.clock.forward(minutes=1)
    world.do(Redo(project_id=world.project.id, allow_lapse="A gap all the same"))
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.AUTOMATIC, reason="No more reviews"))
    world.do(DecideGate(phase_id=world.launch.id, decision=Decision.HOLD))
    world.do(RemovePhase(phase_id=world.launch.id))
    lines = entries(world)
    about = "approval of 2 Mar 12:01 by Maya Okafor"
    assert undone == ["approved, in force", "approval ended, withdrawn", "withdrawn"]
    assert [(each.entry, each.about, each.record.detail) for each in lines[:3]] == [
        ("gate changed", "", "from “automatic” to “review”"),
        ("approved, ended 2 Mar", "", ""),
        ("approval ended", about, "“One more” was added"),
    ]
    assert lines[3].sentence == f"withdrawn by Maya Okafor: end of the {about}"
    assert [each.words for each in lines[4:]] == ["restored", "gate changed", "held"]
    assert {(each.number, each.phase) for each in lines} == {(1, "Discover"), (0, "Launch")}
    assert [each.way.partition(":")[0] for each in lines[:1]] == ["on a file without a server"]
    of_phase = world.ask(ListGateDecisions(project_id=world.project.id, phase_id=world.build.id))
    assert of_phase == ()


def test_a_seal_is_shown_whole_in_words(world: World) -> None:
    found = world.ask(GetSeal(record_id=approved(world)), world.vera)
    sections = in_sections(found, gate_decisions.in_utc, found.entry.words)
    assert (found.matches, found.note, found.entry.seal[:7]) == (True, "", "sealed ")
    assert [(each.heading, each.lines) for each in sections] == [
        (
            "Decision",
            (
                "“Discover” of “Spring launch”: approved",
                "by Maya Okafor (owner; meta role Lead)",
                "on 2026-03-02T12:01:00Z",
            ),
        ),
        ("Gate", ("review", "objectives: Know who pays.", "outcomes: none")),
        (
            "Deliverables (2)",
            (
                "“Report”: done, delivered by Bob Lind on 2026-03-02T12:00:00Z; link https://example.com/report",
                "“Interview”: done, delivered by Maya Okafor on 2026-03-02T12:00:00Z; card SPR-1 “Interview Ada”",
            ),
        ),
        (
            "Cards (1)",
            ("SPR-1 “Interview Ada”: completed by Maya Okafor on 2026-03-02T12:00:00Z",),
        ),
    ]


@pytest.mark.parametrize("body", ["[]", "{", "5", '{"bound": {}, "asItWas": {}}', '{"bound": 1, "asItWas": "x"}'])
def test_a_seal_that_was_tampered_with_says_so_and_breaks_nothing(world: World, body: str) -> None:
    record_id = approved(world)
    world.database.write(lambda tx: tx.execute("UPDATE gate_seal SET body = :body", body=body))
    found = world.ask(GetSeal(record_id=record_id))
    assert (found.matches, found.note) == (False, MISMATCH)
    assert MISMATCH in compared(world).note
    assert MISMATCH in to_markdown(gate_decisions.to_sections("P", entries(world), {record_id: found}, UTC))
    assert gate_decisions.to_parsed(found)["sealed"] == (None if body == "{" else json.loads(body))
    world.database.write(lambda tx: tx.execute("DELETE FROM gate_seal"))
    assert "not in the database any more" in world.ask(GetSeal(record_id=record_id)).note


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("by_id", "bob"),
        ("at", "2026-03-01T12:01:00Z"),
        ("reason", "All is well"),
        ("decision", "HOLD"),
        ("way", "SERVER"),
        ("through", "Robot"),
    ],
)
def test_an_entry_that_was_changed_does_not_match_its_seal_anywhere(world: World, column: str, value: str) -> None:
    record_id = approved(world)
    assert check_seals(world.database).verdict is Verdict.GOOD
    forged = world.bob.user_id if value == "bob" else value
    sql = f"UPDATE gate_record SET {column} = :value WHERE id = :id"
    world.database.write(lambda tx: tx.execute(sql, value=forged, id=record_id))
    found = world.ask(GetSeal(record_id=record_id))
    assert (found.matches, found.verdict) == (False, FORGED)
    (entry,) = (each for each in entries(world) if each.record.id == record_id)
    assert entry.seal == "The entry does not match its seal"
    for text in (to_markdown(gate_decisions.to_sections("P", [entry], {record_id: found}, UTC)), compared(world).note):
        assert FORGED in text
    assert FORGED in gate_decisions.to_csv([entry], {record_id: found})
    assert "the entry does not match its seal" in check_seals(world.database).found


def test_an_export_has_the_name_of_the_phase_at_that_time(world: World) -> None:
    decided(world, Decision.HOLD)
    world.do(EditPhase(phase_id=world.discover.id, name="Discovery"))
    decided(world, Decision.LIFT, "It is in")
    assert [each.numbered for each in entries(world)] == ["1 Discover, now Discovery", "1 Discovery"]


def test_an_approval_that_sending_back_ended_says_so(world: World) -> None:
    approved(world)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="A gap", relock=True))
    world.clock.forward(days=1)
    decided(world)
    approvals = [each.entry for each in entries(world) if each.record.decision is Decision.PASS]
    assert approvals == ["approved, ended 2 Mar", "approved, in force"]


def test_the_history_tells_no_bookkeeping_of_the_gate_record_and_what_statements_are(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    world.do(EditPhase(phase_id=world.discover.id, accepts_statements=True))
    decided(world, Decision.HOLD)
    world.do(Undo(project_id=world.project.id))
    lines = world.ask(ListHistory(project_id=world.project.id))
    assert lines[2].summary == "changed whether statements are evidence of “Discover”"
    assert [each.sentences() for each in lines[:3]] == [
        ["on hold: from “yes” to “no”"],
        ["on hold: from “no” to “yes”"],
        ["accepts statements: from “no” to “yes”"],
    ]


def test_what_changed_since_is_told_apart_from_how_it_was(world: World) -> None:
    record_id = approved(world)
    card = world.row("item", title="Interview Ada")["id"]
    assert differing(compared(world)) == []
    world.do(EditTask(task_id=card, title="Interview Bob"))
    world.do(EditPhase(phase_id=world.discover.id, name="Discovery"))
    assert differing(compared(world)) == [
        (False, "Name of the phase: Discover → Discovery"),
        (False, "SPR-1 “Interview Bob”, title: Interview Ada → Interview Bob"),
    ]
    world.do(CreateTask(phase_id=world.discover.id, title="One more", allow_lapse="A gap"))
    world.do(EditPhase(phase_id=world.discover.id, outcomes="A price."))
    assert [each for each in differing(compared(world)) if each[0]] == [
        (True, "Outcomes: none → A price."),
        (True, "SPR-2 “One more” was added"),
    ]
    later = decided(world, Decision.HOLD).id
    assert differing(compared(world)) == []
    assert len(differing(compared(world, record_id, later))) == 4
    assert differing(compared(world, until=later)) == differing(compared(world, record_id, later))
    with pytest.raises(NotFound):
        compared(world, since="nothing")


def test_what_cannot_be_compared_says_why(world: World) -> None:
    assert compared(world).note == "Nothing has been decided at this gate yet."
    record = decided(world, Decision.HOLD)
    world.database.write(lambda tx: tx.execute("DELETE FROM gate_seal"))
    world.database.write(lambda tx: tx.execute("UPDATE gate_record SET sha256 = '', way = ''"))
    assert entries(world)[-1].seal == "held before seals"
    assert "what the decision was made on is not known" in compared(world).note
    imported = replace(
        record, id="imported", at=record.at + timedelta(1), imported_by=world.maya.user_id, original_name="Ann Berg"
    )
    world.insert(imported)
    assert (entries(world)[-1].way, entries(world)[-1].by) == ("by import", "Ann Berg, imported by Maya Okafor")
    assert "nothing is compared with it" in compared(world).note


def test_more_cards_than_a_seal_lists_are_counted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.rules.gate_seals.CARDS_LISTED", 1)
    for title in ("One", "Two"):
        world.task(title)
    found = world.ask(GetSeal(record_id=decided(world, Decision.HOLD).id))
    *_, cards = in_sections(found, gate_decisions.in_utc, found.entry.words)
    assert (cards.heading, cards.lines[0][:16]) == ("Cards (2)", "too many to list")
    world.task("Three")
    assert [(each.is_bound, each.what, each.after[:20]) for each in compared(world).differences] == [
        (True, "Cards", "3, too many to list,"),
        (False, "Cards as they were", "3, too many to list,"),
    ]


def test_exports_have_their_zone_and_the_words_of_the_screens(world: World) -> None:
    record_id = approved(world)
    seals = {record_id: world.ask(GetSeal(record_id=record_id))}
    lines = entries(world)
    zone = timezone(timedelta(hours=-3, minutes=-30))
    markdown = to_markdown(gate_decisions.to_sections("Spring", lines, seals, zone))
    assert "Times are in UTC-03:30." in markdown
    assert "| 2026-03-02 08:31 | 1 Discover | approved, in force | Maya Okafor | owner; meta role Lead |" in markdown
    assert f"SHA-256 {seals[record_id].sha256}" in markdown
    assert "link <https://example.com/report>" in markdown
    text = gate_decisions.to_csv(lines, seals)
    assert '2026-03-02T12:01:00Z,1 Discover,"approved, in force",Maya Okafor,owner; meta role Lead,' in text
    assert text.splitlines()[-1].endswith(record_id)
    document = gate_decisions.to_document(lines, seals)
    assert document["data"][-1]["record"]["at"] == "2026-03-02T12:01:00Z"
    assert document["seals"][0]["sealed"]["asItWas"]["at"] == "2026-03-02T12:01:00Z"
    report = status_report.to_markdown(world.ask(GetStatusReport(project_id=world.project.id)))
    assert "Discover, approved by Maya Okafor" in report
    assert " pass by " not in report + markdown + text
    assert datetime.fromisoformat(document["data"][0]["record"]["at"]).tzinfo == UTC


def test_exports_have_the_year_and_one_zone_also_of_what_an_entry_is_about(world: World) -> None:
    approved(world)
    world.do(EditPhase(phase_id=world.discover.id, objectives="Else", allow_lapse="So", relock=True))
    world.do(Undo(project_id=world.project.id))
    zone = timezone(timedelta(hours=14))
    markdown = to_markdown(gate_decisions.to_sections("Spring", entries(world), {}, zone))
    about = "end of the approval of 2026-03-03 02:01 by Maya Okafor"
    assert f"| 2026-03-03 02:01 | 1 Discover | withdrawn: {about} | Maya Okafor |" in markdown
    assert "end of the approval of 2026-03-02T12:01:00Z by Maya Okafor" in gate_decisions.to_csv(entries(world), {})
    world.clock.forward(minutes=1)
    world.do(EditPhase(phase_id=world.discover.id, objectives="Else", allow_lapse="So", relock=True))
    markdown = to_markdown(gate_decisions.to_sections("Spring", entries(world), {}, zone))
    assert "approved, ended 2026-03-03 02:02" in markdown
    assert "- What changed: the objectives changed" in markdown


def test_an_approval_is_previewed_with_what_it_seals_and_opens(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task("Interview Ada").id)
    preview = world.ask(PreviewApproval(phase_id=world.discover.id))
    assert (preview.check.can_approve, preview.opens) == (True, ("Build",))
    approval = world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    assert preview.body == world.ask(GetSeal(record_id=approval.id)).body
