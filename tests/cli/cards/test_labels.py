"""``podium label …``, and labels and priority of tasks and activities: as one step, by names, with clear refusals."""

from __future__ import annotations

from tests.cli.conftest import CommandLine


def labels(run: CommandLine, *words: str) -> dict[str, int]:
    return {each["label"]["name"]: each["cards"] for each in run.json("label", "list", *words)["data"]}


def test_a_task_is_added_and_edited_with_labels_and_a_priority(run: CommandLine) -> None:
    run(
        "task",
        "add",
        "slow",
        "production",
        "Fold the flyers",
        "--label",
        "Paper",
        "--label",
        "print",
        "--priority",
        "high",
    )
    task = run.task("slow", "Fold the flyers")
    assert (task["priority"], task["labels"]) == ("HIGH", ["Paper", "print"])
    said = run("task", "edit", "slow", "Fold the flyers", "--unlabel", "paper", "--label", "Shops", "--priority", "low")
    assert said.stdout == "Changed “Fold the flyers”.\n"
    task = run.task("slow", "Fold the flyers")
    assert (task["priority"], task["labels"]) == ("LOW", ["print", "Shops"])
    run("undo", "slow")
    assert run.task("slow", "Fold the flyers")["labels"] == ["Paper", "print"]


def test_an_edit_that_is_refused_in_part_changes_nothing(run: CommandLine) -> None:
    run("task", "add", "slow", "production", "Fold the flyers")
    refused = run("task", "edit", "slow", "Fold the flyers", "--title", "Fold", "--unlabel", "nope", status=6)
    assert "There is no label “nope” here" in refused.stderr
    assert run.task("slow", "Fold the flyers")["priority"] == "NORMAL"
    refused = run("task", "edit", "slow", "Fold the flyers", status=2)
    assert "Nothing is to be changed" in refused.stderr


def test_a_captured_task_says_which_labels_and_priority_it_got(run: CommandLine) -> None:
    said = run("add", "Fold the flyers #print !urgent", "-p", "slow").stdout
    assert ", #print, urgent priority." in said
    assert run.task("slow", "Fold the flyers")["priority"] == "URGENT"


def test_lists_have_columns_for_both_and_filters_find_them(run: CommandLine) -> None:
    found = run("task", "list", "slow", "--filter", "priority:>=high label:film").stdout
    head, *lines = found.splitlines()
    assert head.split() == ["PHASE", "TASK", "STATUS", "PRIORITY", "LABELS", "ASSIGNEE", "DUE", "KEY"]
    assert len(lines) == 1
    assert "Clear the music for the Nordics" in lines[0]
    assert "urgent" in lines[0]
    assert "film, legal" in lines[0]


def test_a_label_of_a_project_is_merged_into_the_one_of_the_workspace_with_its_name(run: CommandLine) -> None:
    run("label", "add", "paper", "--workspace")
    run("label", "add", "Paper", "-p", "slow")
    run("task", "add", "slow", "production", "Fold the flyers", "--label", "paper")
    assert labels(run, "-p", "slow")["Paper"] == 1
    said = run("label", "merge", "paper", "Paper", "-p", "slow").stdout
    assert said == "Merged the label “Paper” into “paper”.\n"
    found = labels(run, "-p", "slow")
    assert (found["paper"], "Paper" in found) == (1, False)


def test_labels_are_added_edited_merged_and_removed(run: CommandLine) -> None:
    assert (
        "Added the label “Paper” (pink, Pa)."
        in run("label", "add", "Paper", "-p", "slow", "--colour", "pink", "--sign", "Pa").stdout
    )
    before = labels(run, "-p", "slow")
    run("label", "merge", "film", "Paper", "-p", "slow")
    assert labels(run, "-p", "slow")["Paper"] == before["film"] > 0
    assert run("label", "edit", "paper", "-p", "slow", "--name", "Film").stdout.startswith("Changed the label “Film”")
    run("label", "remove", "Film", "-p", "slow")
    assert "Film" not in labels(run, "-p", "slow")
    for _ in range(3):
        run("undo", "slow")
    assert labels(run, "-p", "slow") == before
    refused = run("label", "add", "PRINT", "-p", "slow", status=2)
    assert "There is a label “print” already" in refused.stderr


def test_labels_of_the_workspace_are_named_without_a_project(run: CommandLine) -> None:
    run("label", "add", "Brand", "--workspace")
    assert set(labels(run, "--workspace")) == {"Brand", "legal"}
    run("label", "edit", "Brand", "--workspace", "--colour", "grey")
    assert "Brand" in labels(run, "-p", "slow")
    run("label", "remove", "Brand", "--workspace", "--dry-run")
    assert "Brand" in labels(run, "--workspace")
