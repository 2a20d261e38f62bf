"""Consent on the command line: ``--allow-lapse REASON`` for what ends an approval, and who has it."""

from __future__ import annotations

import click
import pytest

from core.record import fields
from tests.cli.conftest import CommandLine
from tui.cli.message_command import MessageCommand
from tui.cli.program import podium

ENDS = "This ends Robin Ekholm's approval of “Only” of"


@pytest.fixture
def approved(run: CommandLine) -> CommandLine:
    """A project with one phase, whose review gate is approved: no later phase can lock."""
    run("project", "create", "Solo")
    run("phase", "add", "solo", "Only", "--gate", "review")
    run("task", "add", "solo", "only", "Write")
    run("task", "move", "solo", "write", "done")
    run("gate", "approve", "solo", "only")
    return run


def record(run: CommandLine) -> list[tuple[str, str]]:
    """The decisions at the gate with their reasons, the oldest first."""
    found = [each["record"] for each in run.json("phase", "show", "solo", "only")["decisions"]]
    return [(each["decision"], each["reason"]) for each in reversed(found)]


ADD = ("task", "add", "solo", "only", "Print")


def test_a_card_for_an_approved_last_phase_takes_a_reason_and_undo_brings_the_approval_back(
    approved: CommandLine,
) -> None:
    refused = approved(*ADD, status=1)
    assert ENDS in refused.stderr
    assert "“Print” was added." in refused.stderr
    assert 'Add --allow-lapse "REASON" to do it all the same.' in refused.stderr
    assert approved.error(*ADD, "--allow-relock", status=1)["errorCode"] == "LAPSES_APPROVAL"
    empty = approved.error(*ADD, "--allow-lapse", " ", status=2)
    assert (empty["errorCode"], empty["errorMessage"]) == (
        "INVALID_INPUT",
        "--allow-lapse takes the reason for ending the approval. Say why.",
    )
    assert len(approved.json("task", "list", "solo")["data"]) == 1
    approved(*ADD, "--allow-lapse", "One more page")
    assert record(approved) == [("PASS", ""), ("LAPSE", "One more page")]
    approved("undo", "solo")
    assert approved.json("phase", "show", "solo", "only")["state"] == "COMPLETE"
    assert ("LAPSE", "One more page") in record(approved)
    again = approved("redo", "solo", status=1).stderr
    assert ENDS in again
    approved("redo", "solo", "--allow-lapse", "One more page")
    assert approved.json("phase", "show", "solo", "only")["state"] == "OPEN"


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        (("activity", "add", "solo", "only", "Print"), "“Print” was added"),
        (("task", "move", "solo", "write", "todo"), "“Write” was reopened"),
        (("task", "start", "-p", "solo", "write"), "“Write” was reopened"),
        (("phase", "edit", "solo", "only", "--objectives", "Less"), "the objectives changed"),
        (("phase", "remove", "solo", "only"), "Move or delete its cards"),
        (("run", "CreateTask", "phase_id={phase}", "title=Print"), "“Print” was added"),
    ],
)
def test_every_command_that_ends_an_approval_takes_the_reason(
    approved: CommandLine, words: tuple[str, ...], ends: str
) -> None:
    phase = approved.json("phase", "list", "solo")["data"][0]["phase"]["id"]
    words = tuple(word.format(phase=phase) for word in words)
    said = approved(*words, status=1).stderr
    if words[1] == "remove":  # a phase with cards is not removed at all
        assert "allow-lapse" not in said
        return
    assert ends in said
    option = 'allow_lapse="REASON"' if words[0] == "run" else '--allow-lapse "REASON"'
    assert f"Add {option} to do it all the same." in said
    approved(*words, *(("allow_lapse=New plan",) if words[0] == "run" else ("--allow-lapse", "New plan")))
    assert record(approved)[-1] == ("LAPSE", "New plan")


def test_one_reason_is_that_of_all_tasks_of_a_step(approved: CommandLine) -> None:
    approved("task", "add", "solo", "only", "Print", "--allow-lapse", "One more page")
    approved("task", "move", "solo", "print", "done")
    approved("gate", "approve", "solo", "only")
    assert ENDS in approved("task", "start", "-p", "solo", "write", "print", status=1).stderr
    approved("task", "start", "-p", "solo", "write", "print", "--allow-lapse", "Both again")
    assert record(approved)[-1] == ("LAPSE", "Both again")
    (lapse,) = [each["record"] for each in approved.json("phase", "show", "solo", "only")["decisions"]][:1]
    assert lapse["detail"] == "“Write” was reopened and “Print” was reopened"


def test_who_cannot_decide_is_told_who_can(approved: CommandLine) -> None:
    approved("member", "add", "solo", "jonas.weidmann", "--role", "contributor")
    for more in ((), ("--allow-lapse", "Because")):
        said = approved.by("jonas.weidmann")(*ADD, *more, status=1).stderr
        assert ENDS in said
        assert 'It takes --allow-lapse "REASON" from someone who can decide at the gate.' in said
        assert "Robin Ekholm can help." in said


def test_every_command_with_a_field_for_the_reason_has_the_option() -> None:
    context = click.Context(podium)
    groups = [podium.get_command(context, name) for name in podium.list_commands(context)]
    commands = [each for group in groups if isinstance(group, click.Group) for each in group.commands.values()]
    found = {
        f"{each.message.__name__}": any("--allow-lapse" in option.opts for option in each.params)
        for each in commands
        if isinstance(each, MessageCommand) and "allow_lapse" in fields(each.message)
    }
    assert "CreateTask" in found
    assert all(found.values()), found
