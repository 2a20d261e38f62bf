"""Products that are really launched from Podium on a real terminal, whatever they do to it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.cards.applications import EditApplication
from core.engine.engine import Engine
from core.storage.sqlite.database import SqliteDatabase
from tests.support.sample_products.web import Exchange, WebProduct
from tests.support.sweeps import sweep
from tests.support.terminal.launches import FOLDER, assert_at_work, on_application, read, run, terminal_product
from tests.support.terminal.podium import UNHURRIED
from tests.support.waiting import PATIENCE, wait_until
from tests.support.workspace import World

BROWSER_BY = {"DISPLAY": ":99", "SSH_CONNECTION": None}
"""What a desktop of one's own looks like to Podium."""


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """The file in which the product records its environment."""
    return tmp_path / "seen.json"


def web_product(world: World, url: str) -> None:
    world.add_application(world.product("Web product", url=url), name="Page")


def test_a_terminal_product_sees_its_context_and_nothing_that_is_not_its_business(world: World, seen: Path) -> None:
    terminal_product(world, seen, "0")
    secrets = {"PODIUM_AUTH_TOKEN": "s3cret", "AWS_SECRET_ACCESS_KEY": "k", "SSH_AUTH_SOCK": "/x", "LC_TIME": "C.UTF-8"}
    with on_application(world, env=secrets) as session:
        run(session)
        session.wait_for("“Sketch” ended.")
        assert_at_work(session)
    noted = read(seen)
    launch = world.row("launch")
    handed = ("PODIUM_LAUNCH_CONTEXT", "PODIUM_USER_ID")
    assert [noted["environ"][name] for name in handed] == [launch["context"], world.maya.user_id]
    context = json.loads(launch["context"])
    assert context["project"]["name"] == "Spring launch"
    assert launch["user_id"] == world.maya.user_id
    assert noted["argv"] == [str(seen), "0"]
    assert noted["folder"] == noted["environ"]["HOME"]
    assert set(noted["environ"]).isdisjoint(set(secrets) - {"LC_TIME"})
    assert noted["environ"]["LC_TIME"] == "C.UTF-8"
    assert not [name for name in noted["environ"] if name.startswith("PODIUM_") and name not in handed]
    assert noted["alone_in_front"]
    assert noted["interrupts"]
    assert world.last_change()["summary"] == "launched “Sketch”"


def test_the_question_about_a_long_command_shows_its_beginning_and_scrolls_to_its_end(world: World, seen: Path) -> None:
    terminal_product(world, seen, "0", "x" * 3_000)
    with on_application(world) as session:
        session.resize(80, 24)
        session.wait_until_gone("Launches and changes")
        session.send("o")
        session.wait_for("“Sketchbook” runs this command on this machine")
        session.wait_for("y yes · n no")
        assert "You are asked again" not in session.text
        session.send("<pagedown*20>")
        session.wait_for("You are asked again")
        session.send("<pageup*20>")
        session.wait_for("“Sketchbook” runs this command on this machine")
        session.send("y")
        session.wait_for("“Sketch” ended.")
    assert read(seen)["argv"][-1] == "x" * 3_000


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (("3",), "“Sketch” ended with status 3."),
        (("die",), "“Sketch” was killed (SIGKILL)."),
        (("litter", "die"), "“Sketch” was killed (SIGKILL)."),
        (("litter", "0"), "“Sketch” ended."),
        (("stop", "0"), "“Sketch” ended."),
    ],
)
def test_whatever_the_product_does_the_screen_comes_back(
    world: World, seen: Path, steps: tuple[str, ...], words: str
) -> None:
    terminal_product(world, seen, *steps)
    with on_application(world) as session:
        run(session)
        session.wait_for(words.replace("(", r"\(").replace(")", r"\)"))
        assert_at_work(session)
        before = len(session.raw)
        session.send("<click:5,5>")
        session.settle()
        session.send("q")
        session.settle()
        session.send("qq")
        assert session.exit_status() == 0
        assert b"garbage" not in session.raw[before:]
    assert len(world.rows("SELECT * FROM launch")) == 1


def test_what_is_typed_for_the_product_is_never_a_key_of_podium(world: World, seen: Path) -> None:
    terminal_product(world, seen, "ask")
    with on_application(world) as session:
        run(session)
        session.wait_for(r"name\?")
        session.send("Ada<enter>dddqqq")
        session.wait_for("“Sketch” ended.")
        assert read(seen, "answer")["answer"] == "Ada"
        assert_at_work(session)
        assert world.row("application", name="Sketch")


def test_ctrl_c_goes_to_the_product_alone(world: World, seen: Path) -> None:
    terminal_product(world, seen, "wait")
    with on_application(world) as session:
        run(session)
        session.wait_for("doing wait")
        session.send("<ctrl+c>")
        session.wait_for(r"“Sketch” (was interrupted|ended with status)")
        assert_at_work(session)


def test_a_product_that_ignores_ctrl_c_goes_on_and_so_does_podium_after_it(world: World, seen: Path) -> None:
    terminal_product(world, seen, "ignore", "ask")
    with on_application(world) as session:
        run(session)
        session.wait_for(r"name\?")
        session.send("<ctrl+c>")
        session.wait_for("interrupted")
        session.send("Ada<enter>")
        session.wait_for("“Sketch” ended.")
        assert_at_work(session)


def test_ctrl_z_does_not_freeze_anything(world: World, seen: Path) -> None:
    terminal_product(world, seen, "ask")
    with on_application(world) as session:
        run(session)
        session.wait_for(r"name\?")
        session.send("<ctrl+z>")
        session.wait_for(r"\^Z")
        session.send("Ada<enter>")
        session.wait_for("“Sketch” ended.")
        assert read(seen, "answer")["answer"] == "Ada"
        assert_at_work(session)


def test_a_mouse_that_was_released_stays_released(world: World, seen: Path) -> None:
    terminal_product(world, seen, "litter", "0")
    with on_application(world) as session:
        session.send("%")
        session.wait_for("Select text with the mouse")
        run(session)
        session.wait_for("“Sketch” ended.")
        wait_until(lambda: session.raw.rindex(b"\x1b[?1000l") > session.raw.rindex(b"\x1b[?1000h"))
        session.settle()
        assert session.raw.rindex(b"\x1b[?1000l") > session.raw.rindex(b"\x1b[?1000h")


def test_another_size_of_the_window_meanwhile_is_known_afterwards(world: World, seen: Path) -> None:
    terminal_product(world, seen, "ask")
    with on_application(world) as session:
        run(session)
        session.wait_for(r"name\?")
        session.resize(90, 30)
        session.send("Ada<enter>")
        session.wait_for("“Sketch” ended.")
        wait_until(lambda: "? help" in session.screen[-1], "the line of keys does not come")
        assert len(session.screen) == 30


def test_others_can_write_while_a_product_runs_and_it_shows_afterwards(world: World, seen: Path) -> None:
    terminal_product(world, seen, "ask")
    with on_application(world) as session:
        run(session)
        session.wait_for(r"name\?")
        world.do(EditApplication(application_id=world.row("application")["id"], name="Renamed"))
        with contextlib.closing(sqlite3.connect(world.database.path, timeout=PATIENCE)) as db:
            assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, "a program still reads"
        session.send("Ada<enter>")
        session.wait_for("Renamed")


@pytest.mark.parametrize(
    ("steps", "number", "status"),
    sweep(
        [
            (steps, *ended)
            for steps in (("wait",), ("deaf", "wait"))
            for ended in ((signal.SIGHUP, 129), (signal.SIGTERM, 143))
        ],
        lambda case: (case[0] == ("wait",)) == (case[1] == signal.SIGHUP),
    ),
)
def test_a_hang_up_meanwhile_ends_the_product_and_podium(
    world: World, seen: Path, number: int, status: int, steps: tuple[str, ...]
) -> None:
    terminal_product(world, seen, *steps)
    with on_application(world, code=UNHURRIED) as session:
        run(session)
        session.wait_for("doing wait")
        session.signal(number)
        assert session.exit_status() == status
        with pytest.raises(ProcessLookupError):
            os.kill(read(seen)["pid"], 0)


@pytest.mark.parametrize(
    ("command", "words"),
    [(["/nowhere/sketchbook"], "there is no program"), (["no-such-program-here"], "no-such-program-here")],
)
def test_a_program_that_does_not_exist_is_refused_and_no_launch_recorded(
    world: World, seen: Path, command: list[str], words: str
) -> None:
    terminal_product(world, seen)
    world.database.write(lambda tx: tx.execute("UPDATE product SET command = :it", it=json.dumps(command)))
    with on_application(world) as session:
        session.send("o")
        session.wait_for(words)
        assert not world.rows("SELECT * FROM launch")


def test_that_a_program_cannot_be_started_is_said(world: World, seen: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/nowhere/interpreter\n")
    broken.chmod(0o755)
    terminal_product(world, seen)
    world.database.write(lambda tx: tx.execute("UPDATE product SET command = :it", it=json.dumps([str(broken)])))
    with on_application(world) as session:
        run(session)
        session.wait_for("could not be started")
        assert_at_work(session)


# -- web products ----------------------------------------------------------------------------------------------


@pytest.fixture
def browser(tmp_path: Path, seen: Path) -> dict[str, str | None]:
    """A desktop whose browser is ours."""
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FOLDER / "browser.py"}" "{seen}" "$1"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {**BROWSER_BY, "BROWSER": str(script)}


def test_without_a_server_the_page_gets_the_context_from_the_fragment_which_no_server_sees(
    world: World, seen: Path, browser: dict[str, str | None]
) -> None:
    with WebProduct() as product:
        web_product(world, f"{product.url}/app?view=plan")
        with on_application(world, env=browser | {"PODIUM_AUTH_TOKEN": "s3cret"}) as session:
            session.send("o")
            session.wait_for("Launched “Page” in the browser.")
            noted = read(seen)
            assert_at_work(session)
        assert product.asked == ["/app?view=plan"]
        assert product.contexts == [json.loads(world.row("launch")["context"])]
    assert noted["url"].startswith(f"{product.url}/app?view=plan#context=")
    assert "PODIUM_AUTH_TOKEN" not in noted["environ"]


def test_with_a_server_the_page_exchanges_a_code_that_counts_once(
    world: World, seen: Path, browser: dict[str, str | None]
) -> None:
    own = Engine(SqliteDatabase(Path(world.database.path)), load_catalog)
    with Exchange(own) as api, WebProduct(lambda: api.url) as product:
        web_product(world, f"{product.url}/app")
        with on_application(world, env=browser | {"PODIUM_PUBLIC_URL": api.url}) as session:
            session.send("o")
            session.wait_for("Launched “Page” in the browser.")
            url = read(seen)["url"]
        assert url.startswith(f"{product.url}/app?launch=")
        assert "#" not in url
        launch = world.row("launch")
        assert product.contexts == [json.loads(launch["context"]) | {"userId": launch["user_id"]}]
        assert world.row("launch")["exchanged_at"] is not None
        assert product.get(url.removeprefix(product.url)) == (403, b"This launch is over.")


@pytest.mark.parametrize("env", [{"SSH_CONNECTION": "a 1 b 2"}, {"DISPLAY": None}])
def test_over_ssh_and_without_a_desktop_the_link_is_shown_whole_and_copied_not_opened(
    world: World, seen: Path, browser: dict[str, str | None], env: dict[str, str | None]
) -> None:
    web_product(world, "https://page.example/app")
    with on_application(world, env=browser | env) as session:
        session.send("o")
        session.wait_for("Paste it into your browser")
        session.wait_for_bytes(b"\x1b]52;c;")
        text = "".join(line.strip() for line in session.screen)
        assert "https://page.example/app#context=" in text
        session.send("<esc>")
        session.wait_until_gone("Paste it into")
        assert_at_work(session)
    assert world.row("launch")
    assert not seen.exists()


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "https://me:pw@page.example/", "http://page.example/"]
)
def test_an_address_that_was_tampered_with_is_refused_and_no_launch_recorded(
    world: World, seen: Path, browser: dict[str, str | None], url: str
) -> None:
    web_product(world, "https://page.example/")
    world.database.write(lambda tx: tx.execute("UPDATE product SET url = :url", url=url))
    with on_application(world, env=browser) as session:
        session.send("o")
        session.wait_for("“Web product” cannot be opened")
        assert not world.rows("SELECT * FROM launch")
    assert not seen.exists()


def test_a_hostile_name_does_nothing_to_the_terminal(world: World, seen: Path) -> None:
    terminal_product(world, seen, "3")
    evil = "Sketch\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07[@click=app.exit]"
    world.database.write(lambda tx: tx.execute("UPDATE application SET name = :evil", evil=evil))
    with on_application(world) as session:
        session.send("O")
        session.wait_for("Launch context of")
        run(session)
        session.wait_for(r"status\s+3\.")
        session.settle()
        raw = session.raw
    assert b"\x1b]0;owned" not in raw
    assert b"\x1b]52;c;b3duZWQ=" not in raw
