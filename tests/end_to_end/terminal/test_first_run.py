"""The first run in a real terminal: every field changed, typed in one burst and pasted, and signing on afterwards."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.sign_in.local import os_login
from tests.support.terminal.podium import podium
from tests.support.terminal.screen import Screen

FIELDS = (
    "Studio North<enter>"
    "wrong<ctrl+u>I<paste>nes Duar<endpaste>te<tab><enter><tab>"
    "<ctrl+u>i<paste>ne<endpaste>s<tab>"
    "ines@exa<paste>mple.org<endpaste>"
)
"""What a quick hand, a slow line or a password manager sends, with the login changed too."""


def database_of(home: Path) -> Path:
    return home / ".local" / "share" / "podium" / "podium.db"


def rows(home: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database_of(home))) as database:
        return database.execute(sql).fetchall()


def command(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command line of the same person, who names nobody with ``--as``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "XDG_"))}
    argv = [sys.executable, "-m", "tui", *arguments]
    return subprocess.run(argv, env=kept | {"HOME": str(home)}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("cols", "rows_"), [(80, 24), (120, 40)])
def test_each_field_has_what_was_typed_and_pasted_into_it_in_one_burst(tmp_path: Path, cols: int, rows_: int) -> None:
    with podium(home=tmp_path, cols=cols, rows=rows_) as terminal:
        terminal.wait_for("Welcome to Podium")
        terminal.send(FIELDS)
        terminal.wait_for(r"ines@example.org *│?$")
        terminal.send("<ctrl+s>")
        terminal.wait_for("No projects yet")
        terminal.send("q")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT login, first_name, last_name, email FROM app_user") == [
        ("ines", "Ines", "Duarte", "ines@example.org")
    ]
    assert rows(tmp_path, "SELECT name FROM workspace") == [("Studio North",)]


@pytest.mark.parametrize(
    "login", ["nora", "<paste>nora<endpaste>", "n<paste>or<endpaste>a"], ids=["typed", "pasted", "both"]
)
def test_what_is_typed_into_the_login_replaces_the_one_proposed(tmp_path: Path, login: str) -> None:
    with podium(home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Welcome to Podium")
        terminal.send(f"Studio North<tab>Nora Berg<tab><enter><tab>{login}")
        terminal.wait_for(r"Login +nora\b")
        terminal.send("<ctrl+s>")
        terminal.wait_for("No projects yet")
        terminal.send("q")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT login, first_name, last_name FROM app_user") == [("nora", "Nora", "Berg")]


def test_the_proposed_login_is_kept_by_whom_it_suits(tmp_path: Path) -> None:
    with podium(home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Welcome to Podium")
        terminal.send("Studio North<enter>Nora Berg<enter>")
        terminal.wait_for("No projects yet")
        terminal.send("q")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT login FROM app_user") == [(os_login(),)]


@pytest.mark.parametrize(("cols", "rows_"), [(80, 24), (50, 40), (120, 40)])
def test_the_form_is_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cols: int, rows_: int) -> None:
    pictures: list[str] = []
    publish = Screen._publish

    def kept(screen: Screen) -> bool:
        is_changed = publish(screen)
        pictures.append(screen.text)
        return is_changed

    monkeypatch.setattr(Screen, "_publish", kept)
    with podium(home=tmp_path, cols=cols, rows=rows_) as terminal:
        terminal.wait_for("esc cancel")
        terminal.send("x<tab><tab>")
        terminal.wait_for("│ .*x ")
        terminal.send("<ctrl+q>")
        terminal.exit_status()
    whole = [picture for picture in pictures if "esc cancel ─╯" in picture and "Your studio" in picture]
    assert len(set(whole)) == 1, "\n".join(dict.fromkeys(whole))


def test_what_is_typed_before_the_page_is_drawn_goes_into_its_first_field(tmp_path: Path) -> None:
    with podium(home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1004h")  # the first bytes after the terminal hands ctrl+s on
        terminal.send("Studio North<tab>Ines Duarte<ctrl+s>")
        terminal.wait_for("No projects yet")
        terminal.send("q")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT name FROM workspace") == [("Studio North",)]
    assert rows(tmp_path, "SELECT first_name, last_name FROM app_user") == [("Ines", "Duarte")]


def test_a_founder_with_another_login_signs_on_again_and_still_does_beside_others(tmp_path: Path) -> None:
    with podium(home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Welcome to Podium")
        terminal.send(FIELDS + "<ctrl+s>")
        terminal.wait_for("No projects yet")
        terminal.send("q")
        assert terminal.exit_status() == 0
    me = () if os.getuid() else ("--as", "ines")  # root is not linked by the way
    bob = ("user", "add", "Bob", "Lind", "bob@example.org", "--role", "internal")
    assert command(tmp_path, *bob, *me).returncode == 0
    made = command(tmp_path, "project", "create", "Spring launch", "--json", *me)
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["name"] == "Spring launch"
    assert rows(tmp_path, "SELECT u.login FROM member m JOIN app_user u ON u.id = m.user_id") == [("ines",)]
    with podium("open", "Spring launch", *me, home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Spring launch")
        terminal.send("q")


def test_a_founder_by_command_line_signs_on_again(tmp_path: Path) -> None:
    words = ("init", "--name", "X", "--first-name", "Ann", "--last-name", "Lee", "--login", "ann", "--allow-root")
    founded = command(tmp_path, *words)
    assert founded.returncode == 0, founded.stderr
    assert command(tmp_path, "project", "create", "Spring launch").returncode == 0
    assert rows(tmp_path, "SELECT u.login FROM linked_account e JOIN app_user u ON u.id = e.user_id") == [("ann",)]
    assert rows(tmp_path, "SELECT u.login FROM member m JOIN app_user u ON u.id = m.user_id") == [("ann",)]


def test_a_founder_with_the_login_of_the_account_needs_no_linked_account(tmp_path: Path) -> None:
    assert command(tmp_path, "init", "--name", "X").returncode == 0
    assert rows(tmp_path, "SELECT * FROM linked_account") == []
    assert command(tmp_path, "project", "list").returncode == 0


def test_what_is_typed_after_the_page_in_the_same_burst_goes_to_the_next_one(tmp_path: Path) -> None:
    with podium(home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Welcome to Podium")
        terminal.send("Studio North<enter>Ines Duarte<enter>3Spr<paste>ing launch<endpaste><ctrl+s>NBrief<ctrl+s>")
        terminal.wait_for("1 Brief")
        terminal.send("qq")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT name FROM project") == [("Spring launch",)]
    assert rows(tmp_path, "SELECT name FROM phase") == [("Brief",)]


def test_a_pasted_page_of_text_stays_in_its_line(tmp_path: Path) -> None:
    with podium(home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Welcome to Podium")
        terminal.send("<paste>Studio\nNorth<endpaste><enter><paste>Ines\tDuarte\n<endpaste><enter>")
        terminal.wait_for("No projects yet")
        terminal.send("q")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT name FROM workspace") == [("Studio North",)]
    assert rows(tmp_path, "SELECT first_name, last_name FROM app_user") == [("Ines", "Duarte")]


def test_wrong_input_is_told_all_at_once_and_mended_in_place(tmp_path: Path) -> None:
    with podium(home=tmp_path, cols=80, rows=30) as terminal:
        terminal.wait_for("Welcome to Podium")
        terminal.send("<tab><tab><enter><tab><ctrl+u>In es<tab>nowhere<ctrl+s>")
        for fault in (
            "Enter a name for the",
            "Enter your first and last",
            "Enter a login of 1 to 64",
            "is not an address",
        ):
            terminal.wait_for(fault)
        assert not database_of(tmp_path).exists()
        terminal.send("Studio North<tab>Ines Duarte<tab><tab><ctrl+u>ines<tab><ctrl+u><ctrl+s>")
        terminal.wait_for("No projects yet")
        terminal.send("q")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT login, first_name, last_name FROM app_user") == [("ines", "Ines", "Duarte")]


@pytest.mark.parametrize(("cols", "rows_"), [(80, 24), (40, 12)])
def test_the_whole_way_works_in_a_small_terminal(tmp_path: Path, cols: int, rows_: int) -> None:
    with podium(home=tmp_path, cols=cols, rows=rows_) as terminal:
        terminal.wait_for("Your name")
        terminal.send("Studio North<enter>Ines Duarte<enter>")
        terminal.wait_for("Empty project")
        terminal.send("<down><down><enter>Spring launch<ctrl+s>")
        terminal.wait_for("This project has no")
        terminal.send("qq")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT name FROM project") == [("Spring launch",)]
