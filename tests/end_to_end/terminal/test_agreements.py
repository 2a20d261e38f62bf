"""A terminal product runs only a command that the person was shown and agreed to, and that has not changed since."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from core.actions.products.products import EditProduct
from core.domain.products.products import LaunchKind
from tests.support.terminal.launches import QUESTION, agree, assert_at_work, on_application, read, run, terminal_product
from tests.support.terminal.podium import opened
from tests.support.waiting import wait_until
from tests.support.workspace import World


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """The file in which the product records its environment."""
    return tmp_path / "seen.json"


def state_of(world: World) -> Path:
    """The path of Maya's file of agreements in these tests."""
    return Path(world.database.path).parent / ".local" / "state" / "podium" / "agreed_commands.json"


def test_the_command_is_shown_in_full_and_nothing_is_run_without_a_yes(world: World, seen: Path) -> None:
    terminal_product(world, seen, "0", "x" * 300, "the-end-of-it")
    with on_application(world) as session:
        session.send("o")
        session.wait_for(QUESTION)
        session.wait_for("Run “Sketchbook”")
        session.wait_for("the-end-of-it")
        wait_until(lambda: sum(map(len, re.findall(r"x{20,}", session.text))) == 300)
        session.send("<esc>")
        session.wait_until_gone(QUESTION)
        assert_at_work(session)
    assert (seen.exists(), world.rows("SELECT * FROM launch"), state_of(world).exists()) == (False, [], False)


def test_who_agreed_is_not_asked_again_until_the_command_changes(world: World, seen: Path) -> None:
    terminal_product(world, seen, "0")
    product = world.row("product")
    with on_application(world) as session:
        run(session)
        session.wait_for("“Sketch” ended.")
        kept = state_of(world)
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert str(seen) not in kept.read_text(), "only a hash is kept"
    read(seen)
    seen.unlink()
    with on_application(world) as session:
        session.send("o")
        session.wait_for("“Sketch” ended.")
        read(seen)
        seen.unlink()
        world.do(EditProduct(product_id=product["id"], command=("touch", str(seen))))
        session.send("o")
        session.wait_for("changed since you agreed")
        session.send("n")
        session.wait_until_gone(QUESTION)
    assert not seen.exists()


def test_what_was_agreed_to_in_one_workspace_says_nothing_in_another(world: World, seen: Path, tmp_path: Path) -> None:
    terminal_product(world, seen, "0")
    with on_application(world) as session:
        run(session)
        session.wait_for("“Sketch” ended.")
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(world.database.path)) as db:
        db.execute("VACUUM INTO ?", (str(other),))
    with opened(other) as session:
        session.wait_for("Discover")
        session.send("o")
        session.wait_for(QUESTION)


@pytest.mark.parametrize("change", ["command", "kind"])
def test_what_changes_while_it_is_shown_is_not_run(world: World, seen: Path, change: str) -> None:
    terminal_product(world, seen, "0")
    changes: dict[str, Any] = {"command": ("touch", str(seen))}
    if change == "kind":
        changes = {"kind": LaunchKind.WEB, "url": "https://page.example/"}
    with on_application(world) as session:
        session.send("o")
        session.wait_for(QUESTION)
        world.do(EditProduct(product_id=world.row("product")["id"], **changes))
        session.send("y")
        session.wait_for("was changed at this very moment")
        assert_at_work(session)
    assert not seen.exists()


def test_agreements_that_others_could_have_written_count_for_nothing(world: World, seen: Path) -> None:
    terminal_product(world, seen, "0")
    with on_application(world) as session:
        run(session)
        session.wait_for("“Sketch” ended.")
        state_of(world).chmod(0o666)
        session.send("o")
        agree(session)
        wait_until(lambda: len(world.rows("SELECT 1 FROM launch")) == 2, "it is not launched")
        session.wait_for("“Sketch” ended.")
    assert stat.S_IMODE(state_of(world).stat().st_mode) == 0o600
