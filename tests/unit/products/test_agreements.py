"""Agreements and the commands that a host allows, on normal and on manipulated files."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import cast

import pytest

from core.actions.cards.applications import AddApplication
from core.actions.history.history import Undo
from core.actions.personal.inbox import ListInbox
from core.actions.products.products import EditProduct
from core.config import load
from core.domain.model import WORKSPACE
from core.domain.products.products import LaunchKind, Product
from core.errors import CannotLaunch
from core.files.config_file import config_file
from tests.support.workspace import World
from tui.launch import launch_rules
from tui.launch.agreements import MAX_PLACES, Agreements, agreements_file
from tui.launch.launch_rules import VARIABLE, check_listed

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of root")


def product(*command: str, id: str = "P") -> Product:
    return Product(id=id, name="Viewer", kind=LaunchKind.TERMINAL, command=command)


def host_file() -> Path:
    """The settings of the host, in the folder of the test."""
    return cast(Path, vars(launch_rules)["HOST_FILE"])


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(launch_rules, "HOST_FILE", tmp_path / "host.toml")
    monkeypatch.delenv(VARIABLE, raising=False)


# -- agreements ----------------------------------------------------------------------------------------------------


def test_an_agreement_is_for_one_command_of_one_product_in_one_workspace() -> None:
    agreements = Agreements("unix:/run/podium.sock", "W")
    agreements.add(product("viewer", "--now"))
    assert agreements.covers(product("viewer", "--now"))
    for other in (product("viewer"), product("viewer", "--now", id="Q"), product("viewer --now")):
        assert not agreements.covers(other)
    assert not Agreements("https://hostile.example", "W").covers(product("viewer", "--now"))
    assert not Agreements("unix:/run/podium.sock", "V").covers(product("viewer", "--now"))
    assert agreements.has_older(product("viewer"))
    assert not agreements.has_older(product("viewer", id="Q"))
    agreements.add(product("viewer"))
    assert not agreements.covers(product("viewer", "--now")), "the newest alone is kept"


def test_they_are_kept_as_hashes_in_a_file_of_one_s_own_and_those_of_old_workspaces_go() -> None:
    for number in range(MAX_PLACES + 5):
        Agreements(f"/tmp/demo-{number}.db", "W").add(product("viewer", "--secret"))
    assert stat.S_IMODE(agreements_file().stat().st_mode) == 0o600
    assert stat.S_IMODE(agreements_file().parent.stat().st_mode) == 0o700
    assert "secret" not in agreements_file().read_text()
    assert len(json.loads(agreements_file().read_text())) == MAX_PLACES
    assert not Agreements("/tmp/demo-0.db", "W").covers(product("viewer", "--secret"))
    assert os.listdir(agreements_file().parent) == [agreements_file().name]


@pytest.mark.parametrize("text", [b"", b"[", b"[]", b'{"/p.db W": 5}', b"[" * 100_000, b"\xed\xa0\x80"])
def test_a_damaged_file_is_as_good_as_none(text: bytes) -> None:
    agreements_file().parent.mkdir(parents=True)
    agreements_file().write_bytes(text)
    agreements = Agreements("/p.db", "W")
    assert not agreements.covers(product("viewer"))
    agreements.add(product("viewer"))
    assert agreements.covers(product("viewer"))


def test_where_nothing_can_be_kept_one_is_asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/nowhere")
    agreements = Agreements("/p.db", "W")
    agreements.add(product("viewer"))
    assert not agreements.covers(product("viewer"))


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("{}")
    agreements_file().parent.mkdir(parents=True)
    agreements_file().symlink_to(mine)
    Agreements("/p.db", "W").add(product("viewer"))
    assert mine.read_text() == "{}"
    assert not agreements_file().is_symlink()


# -- what a host allows --------------------------------------------------------------------------------------------


def refused(command: tuple[str, ...], **environ: str) -> str:
    try:
        check_listed(product(*command), environ)
    except CannotLaunch as error:
        return str(error)
    return ""


def test_without_a_list_the_person_decides(tmp_path: Path) -> None:
    assert refused(("viewer",)) == ""
    host_file().write_text('public_url = "https://podium.example"\n')
    assert refused(("viewer",)) == ""


def test_where_the_variable_names_a_file_no_list_is_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "named.toml"
    assert "its administrator allows" in refused(("viewer",), **{VARIABLE: str(path)})
    path.write_text("")
    assert f"“terminal_products” in {path}: viewer --now" in refused(("viewer", "--now"), **{VARIABLE: str(path)})


@needs_root
def test_only_whole_commands_of_the_list_are_run() -> None:
    host_file().write_text('terminal_products = ["viewer --now \\"a b\\"", ["less", "/etc/motd"]]\n')
    assert refused(("viewer", "--now", "a b")) == refused(("less", "/etc/motd")) == ""
    for command in (("viewer",), ("viewer", "--now", "a", "b"), ("less",), ("less", "/etc/motd", "-f")):
        assert "its administrator allows" in refused(command)


@needs_root
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("terminal_products = 5", "not a list of commands"),
        ("terminal_products = [5]", "not a list of commands"),
        ("terminal_products = ['a \"b']", "not a list of commands"),
        ("terminal_products", "cannot be read"),
    ],
)
def test_a_list_that_cannot_be_read_allows_nothing(text: str, words: str) -> None:
    host_file().write_text(text)
    assert words in refused(("viewer",))


@needs_root
def test_a_list_that_others_than_root_can_write_allows_nothing() -> None:
    host_file().write_text('terminal_products = ["viewer"]\n')
    for mode in (0o664, 0o646):
        host_file().chmod(mode)
        assert "does not belong to root alone" in refused(("viewer",))
    host_file().chmod(0o644)
    assert refused(("viewer",)) == ""
    os.chown(host_file(), 1, 1)
    assert "does not belong to root alone" in refused(("viewer",))


def test_the_list_may_stand_among_the_settings_of_a_server(tmp_path: Path) -> None:
    environ = {"PODIUM_CONFIG": str(tmp_path / "config.toml")}
    config_file(environ).write_text("terminal_products = []\nidle_timeout_minutes = 5\n")
    assert load(environ=environ).idle_timeout_minutes == 5


# -- a change notifies the users whom it concerns ------------------------------------------------------------------


def test_members_are_told_once_that_a_command_changed_and_no_more_when_it_is_undone(world: World) -> None:
    viewer = world.product("Viewer", kind=LaunchKind.TERMINAL, url="", command=("viewer",))
    other = world.new_project("Autumn")
    world.add_application(viewer)
    world.add_application(viewer, name="Again")
    phase = world.phase("Discover", other.id)
    world.do(AddApplication(project_id=other.id, product_id=viewer.id, phase_id=phase.id))
    world.do(EditProduct(product_id=viewer.id, description="Shows."))
    assert world.ask(ListInbox(), world.bob).lines == ()
    world.do(EditProduct(product_id=viewer.id, command=("viewer", "--evil")))
    for person in (world.bob, world.vera):
        (line,) = world.ask(ListInbox(), person).lines
        assert (line.concern, line.title, line.target_kind, line.unread) == ("COMMAND", "Viewer", "APPLICATION", True)
        assert line.words.startswith("Maya Okafor changed the command that it runs")
    assert world.ask(ListInbox(), world.maya).lines == world.ask(ListInbox(), world.gus).lines == ()
    world.do(Undo(project_id=WORKSPACE))
    assert world.ask(ListInbox(), world.bob).lines == ()
