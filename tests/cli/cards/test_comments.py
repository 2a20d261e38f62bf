"""Comments on the command line: their author changes and deletes them, nobody else does, and undo brings them back."""

from __future__ import annotations

from tests.cli.conftest import CommandLine

CARD = "SLO-22"


def texts(run: CommandLine) -> list[str]:
    return [each["text"] for each in run.json("comment", "list", CARD, "--all")["data"]]


def test_the_author_of_a_comment_changes_and_deletes_it_and_undo_brings_it_back(run: CommandLine) -> None:
    before = texts(run)
    made = run.json("comment", "add", CARD, "Nearly there")
    changed = run.json("comment", "edit", CARD, made["id"], "Nearly", "there, @jonas.weidmann")
    assert (changed["id"], changed["text"]) == (made["id"], "Nearly there, @jonas.weidmann")
    run("comment", "edit", CARD, made["id"], "-", stdin=b"Of two\nlines")
    assert texts(run) == [*before, "Of two\nlines"]
    shown = run("comment", "delete", CARD, made["id"], "--dry-run").stdout
    assert "Of two" in shown
    assert texts(run) == [*before, "Of two\nlines"]
    assert run.json("comment", "delete", CARD, made["id"])["text"] == "Of two\nlines"
    assert texts(run) == before
    run("undo", "slow")
    run("undo", "slow")
    assert texts(run) == [*before, "Nearly there, @jonas.weidmann"]


def test_the_comment_of_somebody_else_is_left_alone(run: CommandLine) -> None:
    made = run.json("comment", "add", CARD, "Mine")
    other = run.by("jonas.weidmann")
    for words in (("edit", CARD, made["id"], "Yours"), ("delete", CARD, made["id"])):
        assert "is by Robin Ekholm, and only its author changes" in other("comment", *words, status=1).stderr
    assert texts(run)[-1] == "Mine"
    assert "no comment" in run("comment", "edit", CARD, "nothing", "x", status=6).stderr


def test_an_edited_comment_says_so_and_one_that_undo_brought_back_does_not(run: CommandLine) -> None:
    made = run.json("comment", "add", CARD, "Nearly there")
    run("comment", "delete", CARD, made["id"])
    run("undo", "slow")
    assert not run.json("comment", "list", CARD, "--all")["data"][-1]["edited"]
    assert ", edited" not in run("comment", "list", CARD).stdout
    run("comment", "edit", CARD, made["id"], "There")
    assert run.json("comment", "list", CARD, "--all")["data"][-1]["edited"]
    assert ", edited" in run("comment", "list", CARD).stdout
    assert ", edited:" in run("task", "show", CARD).stdout
