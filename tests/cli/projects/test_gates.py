"""``podium gate``, and a phase that is locked by one."""

from __future__ import annotations

from tests.cli.conftest import CommandLine


def test_gate_check_says_why_and_its_status_says_whether(run: CommandLine) -> None:
    assert run.json("gate", "check", "torq", "readiness")["canApprove"] is True
    answer = run.json("gate", "check", "torq", "launch week", status=1)
    assert (answer["state"], answer["phaseState"], answer["canApprove"]) == ("NOT_READY", "LOCKED", False)
    assert answer["blockers"][0]["kind"] == "PHASE"
    assert answer["whoCan"] == ["Priya Raman", "Robin Ekholm"]
    refused = run("gate", "check", "slow", "production", status=1).stdout
    assert "still open in it" in refused
    assert "Edit the 45″ film" in refused


def test_gates_are_decided_on_the_command_line(run: CommandLine) -> None:
    run("gate", "hold", "torq", "readiness", "--reason", "One more day")
    run("gate", "lift", "torq", "readiness", "--reason", "It is over")
    assert run("gate", "approve", "torq", "readiness").stdout == "“Readiness” is approved.\n"
    assert run.json("phase", "list", "torq")["data"][2]["state"] == "OPEN"
    assert run.error("gate", "back", "torq", "readiness", "--allow-relock", status=2)["errorCode"] == "INVALID_INPUT"
    assert run.error("gate", "back", "torq", "readiness", "--reason", "No", status=1)["errorCode"] == "RELOCKS_PHASES"
    assert "Add --allow-relock" in run("gate", "back", "torq", "readiness", "--reason", "No", status=1).stderr
    run("gate", "back", "torq", "readiness", "--reason", "No", "--allow-relock")
    run("gate", "override", "torq", "launch week", "--reason", "The shops are open")
    assert "open, overridden" in run("phase", "list", "torq").stdout
    decisions = run.json("phase", "show", "torq", "readiness")["decisions"]
    assert [line["record"]["decision"] for line in decisions][:5] == ["SEND_BACK", "PASS", "VOTE_GO", "LIFT", "HOLD"]


def test_a_locked_phase_refuses_with_the_items_in_the_way_and_who_can_help(run: CommandLine) -> None:
    refused = run("task", "move", "slow", "book television", "IN_PROGRESS", status=1).stderr
    assert "locked until “Production” is complete" in refused
    assert "  - Edit the 45″ film (task in Production)" in refused
    assert "Mara Oduya and Robin Ekholm can help." in refused


def test_gate_check_tells_complete_ready_and_not_ready_apart(run: CommandLine) -> None:
    run("project", "create", "Small", "--key", "SML")
    run("phase", "add", "sml", "Sign", "--gate", "review", "--evidence-required")
    lacking = run.json("gate", "check", "sml", "sign", status=1)
    assert (lacking["state"], lacking["phaseState"], lacking["canApprove"]) == ("NOT_READY", "OPEN", False)
    assert "It has no deliverable yet" in run("gate", "check", "sml", "sign", status=1).stdout
    run("phase", "edit", "sml", "sign", "--no-evidence-required", "--reason", "Nothing to show")
    ready = run.json("gate", "check", "sml", "sign")
    assert (ready["state"], ready["canApprove"]) == ("READY", True)
    run("gate", "hold", "sml", "sign", "--reason", "Wait for legal")
    assert "held by Robin Ekholm since" in run("gate", "check", "sml", "sign", status=1).stdout
    run("gate", "lift", "sml", "sign", "--reason", "Legal is in")
    run("gate", "approve", "sml", "sign")
    complete = run.json("gate", "check", "sml", "sign")
    assert (complete["state"], complete["canApprove"], complete["blockers"]) == ("COMPLETE", False, [])
