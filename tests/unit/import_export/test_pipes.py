"""A pipe where a file is expected is refused: nobody waits for what may never be written into it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from core.config import default_db, load
from core.errors import CannotLaunch, InvalidInput
from core.net.bearer_tokens import SERVER, find_token
from core.server.transport.tls import tls_of
from core.storage import backups
from core.storage.sqlite import backup_folder
from core.storage.sqlite.database import SqliteDatabase
from tests.unit.products.test_agreements import product
from tui.launch.launch_rules import check_listed

ENOUGH = 20
"""Seconds after which a call is taken for one that waits for the pipe."""


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(place := tmp_path / "pipe", 0o600)
    return place


def refusal_of(call: Callable[[], object], pipe: Path) -> str:
    """The error of a call, which must not wait for a writer."""
    said: list[str] = []

    def attempt() -> None:
        try:
            call()
        except (InvalidInput, CannotLaunch) as error:
            said.append(str(error))
        else:
            said.append("")

    thread = Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(ENOUGH)
    if thread.is_alive():
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))  # lets it go on
        pytest.fail("it waits for the pipe")
    return said[0]


def test_a_pipe_is_no_configuration(pipe: Path) -> None:
    assert f"{pipe} is not a file" in refusal_of(lambda: load(environ={"PODIUM_CONFIG": str(pipe)}), pipe)


def test_the_null_device_is_an_empty_configuration() -> None:
    assert load(environ={"PODIUM_CONFIG": os.devnull}).db == default_db()


@pytest.mark.parametrize("which", ["certificate", "key"])
def test_a_pipe_is_no_certificate_and_no_key(pipe: Path, tmp_path: Path, which: str) -> None:
    (file := tmp_path / "file.pem").touch(0o600)
    certificate, key = (pipe, file) if which == "certificate" else (file, pipe)
    assert f"{pipe} is not a file" in refusal_of(lambda: tls_of(certificate, key), pipe)


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_a_pipe_or_a_folder_is_no_token_file(pipe: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "folder").mkdir()
    said = refusal_of(lambda: find_token(SERVER, "https://podium.invalid", tmp_path / kind, {}), pipe)
    assert f"The token file {tmp_path / kind}" in said


def test_a_pipe_is_no_list_of_terminal_products(pipe: Path) -> None:
    environ = {"PODIUM_TERMINAL_PRODUCTS": str(pipe)}
    assert f"{pipe} is not a file" in refusal_of(lambda: check_listed(product("viewer"), environ), pipe)


def test_a_list_of_terminal_products_with_too_many_brackets_allows_none(tmp_path: Path) -> None:
    (place := tmp_path / "products.toml").write_text("x = " + "[" * 3000)
    with pytest.raises(CannotLaunch, match="cannot be read"):
        check_listed(product("viewer"), {"PODIUM_TERMINAL_PRODUCTS": str(place)})


def test_a_pipe_in_the_place_of_the_last_failure_keeps_no_backup_from_being_made(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    SqliteDatabase(path, create=True).close()
    (tmp_path / "backups").mkdir()
    os.mkfifo(place := tmp_path / "backups" / ".work.db.podium-failed")

    def rotate() -> None:
        database = SqliteDatabase(path)
        try:
            backups.rotate(database)
        finally:
            database.close()

    assert refusal_of(rotate, place) == ""
    assert len(backup_folder.list_daily_backups(path)) == 1
