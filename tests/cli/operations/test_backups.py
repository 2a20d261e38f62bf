"""Backups from the command line: their messages, and how to restore a workspace that is lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.storage.sqlite.backup_folder import list_daily_backups
from tests.cli.conftest import CommandLine
from tui.cli.program import podium


def doctor(run: CommandLine) -> tuple[str, str]:
    """The verdict on the backups, and what is said of them."""
    result = CliRunner().invoke(podium, ["doctor", "--json", "--db", str(run.db)], catch_exceptions=False)
    finding = next(each for each in json.loads(result.stdout)["data"] if each["what"] == "Backups")
    assert (result.exit_code == 5) >= (finding["verdict"] == "BAD")
    return finding["verdict"], finding["found"]


def dated(path: Path, age: timedelta) -> Path:
    """The backup as if it had been made so long ago."""
    at = datetime.now(UTC) - age
    old = path.with_name(f"work-{at:%Y%m%dT%H%M%S}.db")
    path.rename(old)
    os.utime(old, (at.timestamp(), at.timestamp()))
    return old


def test_the_first_change_of_a_day_makes_a_backup_unless_they_are_off(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODIUM_DAILY_BACKUP", "false")
    run("project", "favourite", "torq")
    assert not (run.db.parent / "backups").exists()
    assert doctor(run)[0] == "NOTE"
    assert "is off" in doctor(run)[1]
    monkeypatch.delenv("PODIUM_DAILY_BACKUP")
    run("project", "list")
    assert not (run.db.parent / "backups").exists()
    run("project", "favourite", "torq", "--off")
    run("project", "favourite", "slow", "--off")
    assert len(list((run.db.parent / "backups").iterdir())) == 1


def test_the_doctor_reads_the_newest_backup_back(run: CommandLine) -> None:
    assert doctor(run) == ("NOTE", "none yet; the next change makes one")
    run("project", "favourite", "torq")
    (backup,) = list_daily_backups(run.db)
    assert doctor(run) == ("GOOD", f"1, the newest {backup.path.name}")
    os.truncate(backup.path, backup.path.stat().st_size // 2)
    verdict, said = doctor(run)
    assert verdict == "BAD"
    assert f"{backup.path.name}, cannot be read back" in said


@pytest.mark.parametrize(("age", "said"), [(timedelta(days=9), "is 9 days old"), (-timedelta(days=9), "the clock")])
def test_the_doctor_says_when_the_newest_is_old_or_from_the_future_and_the_next_change_makes_another(
    run: CommandLine, age: timedelta, said: str
) -> None:
    run("project", "favourite", "torq")
    dated(list_daily_backups(run.db)[0].path, age)
    verdict, found = doctor(run)
    assert verdict == "BAD"
    assert said in found
    run("project", "favourite", "slow")
    assert doctor(run)[0] == "GOOD"
    assert len(list_daily_backups(run.db)) == 2


def test_a_backup_that_fails_is_told_after_the_command_and_by_the_doctor(run: CommandLine) -> None:
    (run.db.parent / "backups").write_text("no folder")
    result = run("project", "favourite", "torq")
    assert "Warning: the backup of the day was not made." in result.stderr
    assert "is a file, not a folder" in result.stderr
    assert doctor(run)[0] == "BAD"
    (run.db.parent / "backups").unlink()
    assert run("project", "favourite", "slow").stderr == ""
    assert doctor(run)[0] == "GOOD"


def test_a_damaged_workspace_has_no_good_backup_and_the_doctor_says_so(run: CommandLine) -> None:
    with closing(sqlite3.connect(run.db)) as database:
        database.execute("INSERT INTO favourite VALUES ('gone', 'x', 1)")
        database.commit()
    assert "refers to a missing row of project" in run("project", "favourite", "torq").stderr
    verdict, said = doctor(run)
    assert verdict == "BAD"
    assert "The last one failed" in said
    assert run("project", "favourite", "slow").stderr == "", "it is not copied again at each command"


# -- a workspace that is lost --------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_empty", [False, True])
def test_where_backups_are_no_new_workspace_is_made_and_the_newest_is_named(run: CommandLine, is_empty: bool) -> None:
    run("project", "favourite", "torq")
    dated(list_daily_backups(run.db)[0].path, timedelta(days=3))
    run("project", "favourite", "slow")
    newest = list_daily_backups(run.db)[-1].path
    for each in run.db.parent.glob("work.db*"):
        each.unlink()
    if is_empty:
        run.db.touch()
    for words in (("project", "list"), ("init", "--name", "New"), ("serve", "--socket", "s"), ("demo",)):
        error = run.error(*words, status=5)
        assert error["errorCode"] == "DATABASE_LOST"
        assert f"podium restore {newest} --db {run.db}" in error["errorMessage"]
        assert run(*words, status=5).stderr.count("there are backups of it") == 1
    doctor_says = CliRunner().invoke(podium, ["doctor", "--db", str(run.db)], catch_exceptions=False)
    assert doctor_says.exit_code == 5
    assert str(newest) in doctor_says.stdout
    assert run.db.exists() == is_empty
    assert not is_empty or run.db.stat().st_size == 0
    run("restore", str(newest))
    assert run.project("Slow")
    assert sorted(each.name for each in newest.parent.iterdir()) == [
        each.path.name for each in list_daily_backups(run.db)
    ]


# -- files that are named ------------------------------------------------------------------------------------------


def test_a_backup_is_restored_and_what_stood_there_is_kept(run: CommandLine, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    run("backup", str(copy))
    assert run.error("backup", str(copy), status=2)["errorCode"] == "INVALID_INPUT"
    run("backup", str(copy), "--force")
    run("project", "archive", "slow")
    (kept_at,) = run.json("restore", str(copy))["kept"]
    assert not run.project("Slow")["project"]["archived"]
    assert CommandLine(Path(kept_at)).project("Slow")["project"]["archived"]
    assert run.error("restore", str(tmp_path / "none.db"), status=2)["errorCode"] == "INVALID_INPUT"
    run("restore", str(run.db), status=2)


WRITERS = [
    ("backup",),
    ("project", "export", "slow", "--format", "json", "-o"),
    ("preset", "export", "slow", "overview", "-o"),
]


@pytest.mark.parametrize("words", WRITERS)
@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal", ".lock", ".server", ".podium-part"])
@pytest.mark.parametrize("stem", ["work.db", "another.db"])
def test_no_file_takes_a_name_that_is_kept_for_files_beside_a_database(
    run: CommandLine, words: tuple[str, ...], stem: str, suffix: str
) -> None:
    place = run.db.with_name(f"{stem}{suffix}")
    error = run.error(*words, str(place), "--force", status=2)
    assert f"ends in {suffix}, which is reserved for files beside a database" in error["errorMessage"]
    assert stem == "work.db" or not place.exists()


@pytest.mark.parametrize("words", WRITERS)
@pytest.mark.parametrize("name", ["work.db", "second-name.db", "link/work.db", "another.db"])
def test_no_file_replaces_a_workspace_even_by_force(
    run: CommandLine, demo: Path, words: tuple[str, ...], name: str
) -> None:
    (run.db.parent / "link").symlink_to(run.db.parent)
    if name == "second-name.db":
        (run.db.parent / name).hardlink_to(run.db)
    another = Path(shutil.copy(demo, run.db.with_name("another.db")))
    with closing(sqlite3.connect(another)) as opened:
        opened.execute("PRAGMA journal_mode = WAL")
    before = (run.db.parent / name).stat().st_ino
    if name == "second-name.db":  # the workspace itself is refused, by all of its names
        assert run.error(*words, str(run.db.parent / name), "--force", status=5)["errorCode"] == "UNSAFE_FILE"
        assert (run.db.parent / name).stat().st_ino == before
        (run.db.parent / name).unlink()
    else:
        assert run.error(*words, str(run.db.parent / name), "--force", status=2)["errorCode"] == "INVALID_INPUT"
        assert (run.db.parent / name).stat().st_ino == before
    assert run.project("Slow")


def test_an_export_replaces_no_backup_and_a_backup_does_by_force(run: CommandLine, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.db")
    run("backup", copy)
    refused = run.error("project", "export", "slow", "--format", "json", "-o", copy, "--force", status=2)
    assert "is a database of Podium and is not replaced" in refused["errorMessage"]
    run("backup", copy, "--force")


@pytest.mark.parametrize("words", WRITERS)
def test_a_file_in_a_folder_that_is_not_there_is_refused_and_no_folder_is_made(
    run: CommandLine, tmp_path: Path, words: tuple[str, ...]
) -> None:
    error = run.error(*words, str(tmp_path / "no" / "such" / "file"), status=2)
    assert f"There is no folder {tmp_path / 'no' / 'such'}. Create it first" in error["errorMessage"]
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("words", WRITERS)
def test_files_are_private_and_written_through_no_link_beside_them(
    run: CommandLine, tmp_path: Path, words: tuple[str, ...]
) -> None:
    mine = tmp_path / "mine"
    mine.write_text("as it was")
    file = tmp_path / "file"
    file.write_text("replaced")
    for name in ("file.part", ".file.part", ".file.podium-part"):
        (tmp_path / name).symlink_to(mine)
    assert "add --force" in run.error(*words, str(file), status=2)["errorMessage"]
    run(*words, str(file), "--force")
    assert mine.read_text() == "as it was"
    assert not file.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.unlink()
    (tmp_path / "pipe").mkdir()
    os.mkfifo(file)
    assert "there already" in run.error(*words, str(file), status=2)["errorMessage"]
    run.error(*words, str(file), "--force", status=2)
    assert stat.S_ISFIFO(file.stat().st_mode)
    shutil.rmtree(tmp_path / "pipe")


LEADS_TO: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a plain file": Path.touch,
    "a link to a device": lambda place: place.symlink_to("/dev/null"),
    "nothing": lambda place: None,
}


@pytest.mark.parametrize("words", WRITERS)
@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "by force"])
@pytest.mark.parametrize("kind", LEADS_TO)
def test_no_link_is_replaced_or_written_through_wherever_it_leads(
    run: CommandLine, tmp_path: Path, words: tuple[str, ...], force: tuple[str, ...], kind: str
) -> None:
    LEADS_TO[kind](there := tmp_path / "there")
    (link := tmp_path / "link").symlink_to(there)
    error = run.error(*words, str(link), *force, status=2)
    assert f"{link} is a link to {there}. Podium does not write through links" in error["errorMessage"]
    assert os.readlink(link) == str(there)
    assert os.path.lexists(there) == (kind != "nothing")
    assert kind != "a plain file" or there.read_bytes() == b""


@pytest.mark.parametrize("place", ["pipe", "folder", "link"])
def test_a_restore_puts_no_file_in_the_place_of_a_pipe_or_folder(run: CommandLine, tmp_path: Path, place: str) -> None:
    run("backup", str(tmp_path / "copy.db"))
    (within := tmp_path / "within").mkdir()
    (within / "folder").mkdir()
    os.mkfifo(within / "pipe")
    (within / "link").symlink_to(within / "pipe")
    error = CommandLine(within / place).error("restore", str(tmp_path / "copy.db"), status=2)
    assert "is not a file, so nothing is restored there" in error["errorMessage"]
    assert sorted(each.name for each in within.iterdir()) == ["folder", "link", "pipe"]
    assert stat.S_ISFIFO((within / "pipe").lstat().st_mode)


BAD_NAMES = ["", ".", "/", "..", "n" * 300, "n" * 250, "n/" * 2500 + "n"]


@pytest.mark.parametrize("words", [*WRITERS, ("restore",)])
@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "by force"])
@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda each: each[:8] + str(len(each)))
def test_what_is_no_name_of_a_file_is_refused_in_a_sentence(
    run: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    force: tuple[str, ...],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    error = run.error(*words, name, *(() if words == ("restore",) else force), status=2)
    assert error["errorCode"] == "INVALID_INPUT"


@pytest.mark.parametrize("name", BAD_NAMES[:6], ids=lambda each: each[:8] + str(len(each)))
def test_no_workspace_is_made_or_restored_under_what_is_no_name_of_a_file(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    run("backup", str(tmp_path / "copy.db"))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for words in (("init", "--name", "X", "--login", "z"), ("restore", str(tmp_path / "copy.db"))):
        result = CliRunner().invoke(podium, [*words, "--db", name, "--json"])
        assert result.exit_code == 2, result.output
        assert json.loads(result.stderr)["errors"][0]["errorCode"] == "INVALID_INPUT"
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize("words", WRITERS)
def test_no_file_of_a_person_has_a_name_of_the_daily_backups(run: CommandLine, words: tuple[str, ...]) -> None:
    run("project", "favourite", "torq")
    folder = run.db.parent / "backups"
    before = sorted(folder.iterdir())
    for name in ("work-20261122T120000.db", "other-20261122T120000.sqlite", "other-20261122T120000"):
        error = run.error(*words, str(folder / name), status=2)
        assert "is named like a daily backup" in error["errorMessage"]
    assert sorted(folder.iterdir()) == before
    run(*words, str(folder / "before-the-fair.db"))
    run(*words, str(run.db.parent / "work-20261122T120000.db"))
