"""``podium task link``, ``unlink``, ``override`` and ``links``: cards that wait for each other, by their keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.actions.dependencies.links import LinkCards
from tests.cli.conftest import CommandLine
from tests.support.workspace import World


def added(run: CommandLine, title: str, project: str = "slow") -> str:
    """The key of a new task in the open phase of a project."""
    task = run.json("task", "add", project, "production", title)
    return f"{run.json('project', 'show', project)['project']['key']}-{task['number']}"


def test_a_card_waits_until_its_blocker_is_done(run: CommandLine) -> None:
    printing, proof = added(run, "Print"), added(run, "Proof")
    assert run("task", "link", printing, proof, "--lag", "2").stdout == "“Print” waits for “Proof”.\n"
    refused = run("task", "start", printing, status=1)
    assert "“Print” cannot start: it waits for “Proof”." in refused.stderr
    assert run.error("task", "done", printing, status=1)["errorCode"] == "CARD_BLOCKED"
    assert f"Waits for: {proof} Proof (to do)" in run("task", "show", printing).stdout
    [line] = [line for line in run.json("task", "links", "slow")["data"] if line["waiting"] == printing]
    assert (line["blocker"]["key"], line["lagDays"], line["open"]) == (proof, 2, True)
    blocked = run.json("task", "list", "slow", "--filter", "is:blocked Print")["data"]
    assert [task["title"] for task in blocked] == ["Print"]
    assert run.json("task", "list", "slow", "--filter", "is:ready blocks:any Proof")["data"][0]["title"] == "Proof"
    run("task", "done", proof)
    run("task", "start", printing)
    refused = run("task", "move", "slow", proof, "todo", status=1)
    assert "“Print” waits for this and would be blocked again, 1 in progress." in refused.stderr
    assert "Add --allow-relock to do it all the same." in refused.stderr
    sent = run("run", "MoveCard", f"card_id={run.task('slow', 'Proof')['id']}", "status=TO_DO", status=1)
    assert "Add relock=true to do it all the same." in sent.stderr
    run("task", "move", "slow", proof, "todo", "--allow-relock")


def test_cycles_are_named_links_removed_and_blockers_overridden(run: CommandLine) -> None:
    printing, proof = added(run, "Print"), added(run, "Proof")
    run("task", "link", printing, proof)
    assert "“Proof” would wait for itself" in run("task", "link", proof, printing, status=1).stderr
    assert run("task", "override", printing, "The client insists").stdout == "“Print” can start.\n"
    run("task", "start", printing)
    assert "overridden by Robin Ekholm: The client insists" in run("task", "show", printing).stdout
    run("task", "unlink", printing, proof)
    assert "Waits for" not in run("task", "show", printing).stdout


def test_my_ready_work_leaves_out_what_waits(run: CommandLine) -> None:
    for title in ("Print", "Proof"):
        run("task", "add", "slow", "production", title, "--assignee", "robin")
    run("use", "slow")
    run("task", "link", "Print", "Proof")
    titles = [line["title"] for line in run.json("my-work", "--ready")["data"]]
    assert "Proof" in titles
    assert "Print" not in titles
    assert "waits for 1" in run("my-work").stdout


@pytest.mark.parametrize("group", ["task", "activity"])
def test_due_dates_follow_if_asked(run: CommandLine, group: str) -> None:
    first = run.json(group, "add", "slow", "production", "Print", "--due", "2026-12-01")
    waiting = run.json("task", "add", "slow", "production", "Pack", "--due", "2026-12-02")
    run("task", "link", waiting["id"], first["id"], "--lag", "1")
    run(group, "due", "slow", first["id"], "2026-12-04")
    assert run.json("task", "show", waiting["id"])["data"][0]["item"]["due"] == "2026-12-02"
    run(group, "due", "slow", first["id"], "2026-12-08", "--follow")
    assert run.json("task", "show", waiting["id"])["data"][0]["item"]["due"] == "2026-12-09"


def test_waits_for_cards_that_one_cannot_see_are_removed_without_their_names(world: World) -> None:
    card, seen = world.task("Print"), world.task("Proof")
    for blocker in (world.task(phase=world.phase("Design", world.new_project("Vault").id)), seen):
        world.do(LinkCards(waiting_id=card.id, blocker_id=blocker.id))
    bob = CommandLine(Path(world.database.path), "bob")
    assert "1 card that you cannot see" in bob("task", "show", card.id).stdout
    assert (
        bob("task", "unlink", card.id, "--unseen").stdout == "“Print” no longer waits for 1 card that you cannot see.\n"
    )
    assert bob("task", "unlink", card.id, "--unseen", status=1).stderr.endswith("a card that you cannot see.\n")
    assert "Name the card" in bob("task", "unlink", card.id, status=2).stderr
    assert "Name the card" in bob("task", "unlink", card.id, seen.id, "--unseen", status=2).stderr
    assert bob.json("task", "unlink", card.id, seen.id) == {"removed": 1}
