"""``podium deliverable``: delivered with evidence on the command line, and files compared with their hashes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

PHASE = ("slow", "production")


def shown(run: CommandLine, name: str) -> tuple[str, bool]:
    lines = run.json("deliverable", "list", *PHASE)["data"]
    (line,) = (line for line in lines if line["deliverable"]["name"] == name)
    return line["shown"], line["deliverable"]["done"]


def test_deliverables_are_added_delivered_taken_back_renamed_and_removed(run: CommandLine) -> None:
    assert "Added the deliverable “Subtitles”" in run("deliverable", "add", *PHASE, "Subtitles").stdout
    key = run.project("Slow")["project"]["key"]
    for evidence, words in (
        (("--link", "https://example.com/1"), "link https://example.com/1"),
        (("--card", f"{key}-3"), f"card {key}-3 Read two years of panel data"),
        (("--card", "edit the 45"), "Edit the 45″ film"),
        (("--statement", "Checked by two readers"), "statement “Checked by two readers”"),
    ):
        said = run("deliverable", "deliver", *PHASE, "Subtitles", *evidence).stdout
        assert said.startswith("Delivered “Subtitles”: ")
        assert words in said
        assert words in shown(run, "Subtitles")[0]
    assert "yes" in run("deliverable", "list", *PHASE).stdout
    assert "[x] Subtitles  statement “Checked by two readers”" in run("phase", "show", *PHASE).stdout
    run("deliverable", "take-back", *PHASE, "Subtitles")
    assert shown(run, "Subtitles") == ("statement “Checked by two readers”", False)
    run("deliverable", "take-back", *PHASE, "Subtitles", "--no-evidence")
    run("deliverable", "edit", *PHASE, "Subtitles", "Captions")
    assert shown(run, "Captions") == ("", False)
    assert run("deliverable", "remove", *PHASE, "Captions").stdout == "Removed “Captions”.\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--link", "status:todo"), "The link must start with https:// or http://."),
        (("--statement", ""), "Enter a statement."),
        (("--card", "TOR-1"), "There is no such card in this project."),
        (("--card", "nothing like it"), "There is no card “nothing like it”"),
        (("--file", "/dev/zero"), "/dev/zero is no regular file"),
        (("--file", "."), ". is a folder"),
        (("--file", "none.pdf"), "The file none.pdf cannot be read: No such file or directory."),
        (("--file", __file__, "--link", "https://example.com"), "Evidence is one thing"),
    ],
)
def test_what_is_no_evidence_is_refused_in_one_sentence(run: CommandLine, given: tuple[str, ...], said: str) -> None:
    status = 6 if "There is no card" in said else 2
    assert said in run("deliverable", "deliver", *PHASE, "film masters", *given, status=status).stderr
    assert shown(run, "Film masters 45″ and 20″") == ("", False)


def test_files_are_verified_by_their_hashes(run: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    run("deliverable", "remove", *PHASE, "usage rights")
    assert "No deliverable of this phase" in run("deliverable", "verify", *PHASE, "--dir", str(folder)).stdout
    for name, file in (("Film masters", "film  45.mp4"), ("Poster set", "poster.pdf")):
        (folder / file).write_text(name)
        run("deliverable", "deliver", *PHASE, name, "--file", str(folder / file))
    assert shown(run, "Poster set, twelve motifs")[0].startswith("file poster.pdf, 10 bytes, SHA-256 ")

    def verified(status: int) -> dict[str, str]:
        lines = run.json("deliverable", "verify", *PHASE, "--dir", str(folder), status=status)["data"]
        return {line["file"]: line["state"] for line in lines}

    assert verified(0) == {"film 45.mp4": "SAME", "poster.pdf": "SAME"}
    (folder / "poster.pdf").write_text("Poster se7")
    assert verified(1) == {"film 45.mp4": "SAME", "poster.pdf": "DIFFERS"}
    (folder / "film  45.mp4").unlink()
    (folder / "poster.pdf").unlink()
    os.mkfifo(folder / "poster.pdf")
    assert verified(1) == {"film 45.mp4": "MISSING", "poster.pdf": "UNREADABLE"}
    printed = run("deliverable", "verify", *PHASE, "--dir", str(folder), status=1).stdout
    assert "poster.pdf   unreadable" in printed
    missing = run("deliverable", "verify", *PHASE, "--dir", str(folder / "none"), status=2).stderr
    assert "The folder" in missing


def test_an_approval_is_ended_only_with_a_reason(run: CommandLine) -> None:
    refused = run.error("deliverable", "take-back", "slow", "concept", "test report", status=1)
    assert refused["errorCode"] == "LAPSES_APPROVAL"
    run("deliverable", "take-back", "slow", "concept", "test report", "--allow-lapse", "It was the wrong report")
    assert run.json("phase", "list", "slow")["data"][1]["state"] == "OPEN"


def test_a_gate_says_whether_a_statement_counts(run: CommandLine) -> None:
    run("phase", "add", "slow", "Sign-off", "--gate", "review", "--evidence-required")
    assert "review with evidence " in run("phase", "list", "slow").stdout
    run("phase", "edit", "slow", "sign-off", "--accepts-statements")
    assert "review with evidence or a statement" in run("phase", "list", "slow").stdout
    refused = run("phase", "edit", "slow", "learn", "--accepts-statements", status=2).stderr
    assert "Only a gate that requires evidence can accept statements" in refused
