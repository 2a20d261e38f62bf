"""The configuration: file, environment, flags; each wrong value is named with where it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.config import Config, config_file, default_db, load, settings
from core.errors import InvalidInput


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"PODIUM_CONFIG": str(tmp_path / "config.toml")}


def write(environ: dict[str, str], text: str | bytes) -> None:
    Path(environ["PODIUM_CONFIG"]).write_bytes(text.encode() if isinstance(text, str) else text)


def test_without_anything_the_defaults_hold(environ: dict[str, str]) -> None:
    assert load(environ=environ) == Config(db=default_db(), synchronous="NORMAL", backups=True)
    assert default_db().name == "podium.db"
    assert config_file({}).name == "config.toml"


def test_the_environment_wins_over_the_file_and_a_flag_over_both(environ: dict[str, str]) -> None:
    write(environ, 'db = "/file.db"\nsynchronous = "FULL"\nbackups = false\n')
    environ |= {"PODIUM_DB": "/environment.db", "PODIUM_BACKUPS": "yes"}
    found = settings({"db": Path("/flag.db")}, environ)
    assert (found["db"].value, found["db"].source) == (Path("/flag.db"), "--db")
    assert (found["backups"].value, found["backups"].source) == (True, "PODIUM_BACKUPS")
    assert (found["synchronous"].value, found["synchronous"].source) == ("FULL", environ["PODIUM_CONFIG"])
    assert load(environ=environ).db == Path("/environment.db")


def test_a_tilde_is_the_home_folder_and_an_empty_variable_is_none(environ: dict[str, str]) -> None:
    write(environ, 'db = "~/work.db"')
    environ["PODIUM_DB"] = ""
    assert load(environ=environ).db == Path.home() / "work.db"


def test_lower_case_is_understood(environ: dict[str, str]) -> None:
    assert load(environ=environ | {"PODIUM_SYNCHRONOUS": "full"}).synchronous == "FULL"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('synchronous = "OFF"', ["config.toml", "synchronous", "'OFF'", "NORMAL or FULL"]),
        ("backups = 7", ["config.toml", "backups", "true or false"]),
        ("db = 5", ["config.toml", "db", "path"]),
        ('db = ""', ["config.toml", "db"]),
        ("colour = 1", ["config.toml", "colour", "db, synchronous, backups"]),
        ("db = ", ["config.toml", "TOML"]),
        (b"db = '\xff'", ["config.toml", "UTF-8"]),
    ],
)
def test_what_is_wrong_in_the_file_is_named(environ: dict[str, str], text: str | bytes, words: list[str]) -> None:
    write(environ, text)
    with pytest.raises(InvalidInput) as refused:
        load(environ=environ)
    assert all(word in str(refused.value) for word in words)


def test_what_is_wrong_in_the_environment_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=r"PODIUM_BACKUPS sets “backups” to 'maybe'.*true or false"):
        load(environ=environ | {"PODIUM_BACKUPS": "maybe"})


def test_a_folder_in_the_place_of_the_file_is_said(environ: dict[str, str]) -> None:
    Path(environ["PODIUM_CONFIG"]).mkdir()
    with pytest.raises(InvalidInput, match="cannot be read"):
        load(environ=environ)


def test_values_of_the_right_type_need_no_pydantic(environ: dict[str, str]) -> None:
    write(environ, 'db = "/a.db"\nsynchronous = "FULL"\nbackups = false')
    code = "import core.config, sys; core.config.load(); assert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], env={**environ, "PODIUM_SYNCHRONOUS": "FULL"}, check=True)
