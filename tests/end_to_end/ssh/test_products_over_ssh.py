"""Terminal products under the block for sshd: what runs on the host is for its administrator to say."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.actions.cards.applications import RemoveApplication
from core.actions.products.products import EditProduct, RemoveProduct
from core.domain.products.products import Application, LaunchKind
from tests.support.ssh.accounts import end_all
from tests.support.ssh.shared_host import SharedHost
from tests.support.terminal.launches import QUESTION
from tests.support.terminal.session import TerminalSession


@pytest.fixture(autouse=True)
def _nobody_stays(host: SharedHost) -> Iterator[None]:
    yield
    end_all(host.maya.pw_name)


@pytest.fixture
def touched(host: SharedHost) -> Path:
    """The file that the product creates, as only Maya's account can."""
    return Path(host.maya.pw_dir, "touched")


@pytest.fixture
def command(touched: Path) -> tuple[str, ...]:
    return ("touch", str(touched))


@pytest.fixture
def held(host: SharedHost, command: tuple[str, ...]) -> Iterator[Application]:
    """An application of a terminal product, alone on Discover."""
    product = host.world.product("Sketchbook", kind=LaunchKind.TERMINAL, url="", command=command)
    held = host.world.add_application(product, name="Sketch")
    yield held
    host.world.do(RemoveApplication(application_id=held.id))
    host.world.do(RemoveProduct(product_id=product.id))


@pytest.fixture
def listed(host: SharedHost, command: tuple[str, ...]) -> Iterator[Path]:
    """The list of the administrator, with the command."""
    path = host.folder / "etc" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"terminal_products = ['{shlex.join(command)}']\n")
    path.chmod(0o644)
    yield path
    path.unlink()


def launch_it(session: TerminalSession) -> None:
    """Go to the phase of the application, and launch it from there."""
    session.send("p")
    session.wait_for("Gate record")
    session.send("o")


def test_no_terminal_product_runs_on_the_host_unless_its_administrator_lists_it(
    host: SharedHost, held: Application, touched: Path
) -> None:
    with host.opened(host.maya) as maya:
        launch_it(maya)
        maya.wait_for("cannot be run here")
    assert not touched.exists()
    assert host.world.rows("SELECT 1 FROM launch WHERE application_id = :id", id=held.id) == []


def test_what_is_listed_is_asked_for_and_what_was_changed_is_refused(
    host: SharedHost, held: Application, touched: Path, listed: Path
) -> None:
    with host.opened(host.maya) as maya:
        launch_it(maya)
        maya.wait_for(QUESTION)
        assert not touched.exists()
        maya.send("y")
        maya.wait_for("“Sketch” ended.")
        assert touched.stat().st_uid == host.maya.pw_uid
        touched.unlink()
        host.world.do(EditProduct(product_id=held.product_id, command=("touch", "-a", str(touched))))
        maya.send("o")
        maya.wait_for("cannot be run here")
    assert not touched.exists()


def test_a_variable_that_a_client_sends_changes_nothing(host: SharedHost, held: Application, touched: Path) -> None:
    sent = "-oSetEnv=PODIUM_TERMINAL_PRODUCTS=/nowhere XDG_STATE_HOME=/tmp"
    with host.opened(host.maya, options=[sent]) as maya:
        launch_it(maya)
        maya.wait_for("cannot be run here")
    assert not touched.exists()
