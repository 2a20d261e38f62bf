"""Files of Podium in folders that others may write: no link is followed, and no mode of another file is set."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import UnsafeFile
from core.files.own_files import (
    check_own_file,
    is_locked,
    is_same,
    make_own,
    open_own,
    own_folder,
    put,
    write_whole,
)

SECRET = b"the key of another person\n"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_bytes(SECRET)
    path.chmod(0o600)
    return path


def plant_link(place: Path, secret: Path) -> None:
    place.symlink_to(secret)


def plant_second_name(place: Path, secret: Path) -> None:
    place.hardlink_to(secret)


def plant_dangling_link(place: Path, secret: Path) -> None:
    place.symlink_to(secret.with_name("nothing"))


def plant_pipe(place: Path, _: Path) -> None:
    os.mkfifo(place)


def plant_folder(place: Path, _: Path) -> None:
    place.mkdir()


planted = pytest.mark.parametrize(
    "plant", [plant_link, plant_second_name, plant_dangling_link, plant_pipe, plant_folder]
)


@planted
def test_what_is_no_plain_file_of_one_name_is_refused_and_named(
    plant: Callable[[Path, Path], None], tmp_path: Path, secret: Path
) -> None:
    place = tmp_path / "podium.db.lock"
    plant(place, secret)
    for refused in (open_own, check_own_file):
        with pytest.raises(UnsafeFile, match=r"podium\.db\.lock is .*so Podium does not open it"):
            refused(place)
    assert secret.read_bytes() == SECRET
    assert mode_of(secret) == 0o600
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(("asked", "made"), [(0o600, 0o600), (0o660, 0o660), (0o666, 0o660), (0o777, 0o660)])
def test_a_file_is_made_with_the_mode_that_is_asked_for_and_never_for_everybody(
    asked: int, made: int, tmp_path: Path
) -> None:
    before = os.umask(0o077)
    try:
        os.close(open_own(tmp_path / "new", asked))
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "new") == made


def test_a_file_that_is_there_is_opened_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_bytes(b"as it was")
    path.chmod(0o640)
    descriptor = open_own(path, 0o660)
    try:
        assert os.read(descriptor, 100) == b"as it was"
        assert is_same(path, descriptor)
        path.rename(tmp_path / "elsewhere")
        assert not is_same(path, descriptor)
    finally:
        os.close(descriptor)
    assert mode_of(tmp_path / "elsewhere") == 0o640
    check_own_file(path)  # where nothing is, nothing is wrong


def test_a_folder_is_made_private_and_a_link_is_none(tmp_path: Path, secret: Path) -> None:
    assert mode_of(own_folder(tmp_path / "backups")) == 0o700
    (tmp_path / "backups").chmod(0o750)
    assert mode_of(own_folder(tmp_path / "backups")) == 0o750, "one that is there keeps its mode"
    (tmp_path / "link").symlink_to(tmp_path / "backups")
    for place in (tmp_path / "link", secret):
        with pytest.raises(UnsafeFile, match="not a folder"):
            own_folder(place)


def test_a_file_is_written_privately_over_a_link_and_not_through_it(tmp_path: Path, secret: Path) -> None:
    place = tmp_path / "report.json"
    place.symlink_to(secret)
    write_whole(place, b"{}")
    assert not place.is_symlink()
    assert place.read_bytes() == b"{}"
    assert mode_of(place) == 0o600
    assert secret.read_bytes() == SECRET


@planted
def test_what_has_the_name_already_stays_unless_it_may_be_replaced(
    plant: Callable[[Path, Path], None], tmp_path: Path, secret: Path
) -> None:
    place = tmp_path / "report.json"
    plant(place, secret)
    with pytest.raises(FileExistsError):
        write_whole(place, b"{}", replace=False)
    assert secret.read_bytes() == SECRET
    assert sorted(each.name for each in tmp_path.iterdir()) == ["report.json", "secret"], "nothing unfinished is left"


def test_a_device_or_a_pipe_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError, match="not a regular file"):
        write_whole(tmp_path / "pipe", b"{}")
    assert stat.S_ISFIFO((tmp_path / "pipe").lstat().st_mode)


def test_without_second_names_a_file_is_put_in_place_by_renaming(
    tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(FileExistsError):
        write_whole(secret, b"{}", replace=False)
    os.close(make_own(tmp_path / "part"))
    put(tmp_path / "part", tmp_path / "whole", replace=False)
    assert secret.read_bytes() == SECRET
    assert (tmp_path / "whole").exists()
    assert not (tmp_path / "part").exists()


@pytest.mark.parametrize("lock", ["flock", "lockf"])
def test_a_file_that_another_program_has_locked_is_seen_until_that_ends(lock: str, tmp_path: Path) -> None:
    path = tmp_path / "p.db.part"
    os.close(make_own(path))
    code = f"import fcntl; f = open({str(path)!r}, 'r+'); fcntl.{lock}(f, fcntl.LOCK_EX); print(1, flush=True); input()"
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None
    other.stdout.readline()
    mine = open_own(path)
    try:
        assert is_locked(mine)
        other.kill()
        other.wait()
        other.stdout.close()
        assert other.stdin is not None
        other.stdin.close()
        assert not is_locked(mine)
    finally:
        os.close(mine)
