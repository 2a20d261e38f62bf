"""The contents of the wheel, and its installations beside packages of someone else that have the same names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from core import VERSION
from tests.support.paths import ROOT
from tests.support.terminal.session import TerminalSession
from tests.support.waiting import wait_until

WHEELS = Path(os.environ["PODIUM_TEST_WHEELS"])
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"].keys()
STRANGER = "raise SystemExit('a package of someone else was imported')\n"

PIP = [sys.executable, "-m", "pip", "--python"]
UV = [sys.executable, "-m", "uv", "--quiet", "pip"]
OFFLINE = ["--no-index", "--find-links", str(WHEELS)]


class Environment:
    """A virtual environment that has nothing but packages of someone else, which are called ``core`` and ``tui``."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
        self.folder = folder
        self.bin = folder / "env" / "bin"
        (self.packages,) = (folder / "env" / "lib").glob("python*/site-packages")
        for place in (self.packages, folder):
            for name in ("core", "tui"):
                (place / name).mkdir()
                (place / name / "__init__.py").write_text(STRANGER)
        self.env = {"PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8"}

    def files_of_podium(self) -> set[Path]:
        places = [*self.packages.rglob("*"), *self.bin.iterdir()]
        return {path for path in places if "podium" in str(path.relative_to(self.bin.parent))}

    def output(self, program: str, *words: str, status: int = 0) -> str:
        """Run a program in a folder that has a ``core`` and a ``tui`` too; all that it prints."""
        argv = [str(self.bin / program), *words]
        done = subprocess.run(argv, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr


def install(tool: str, environment: Environment, extra: str) -> None:
    python = str(environment.bin / "python")
    wanted = f"podium-tui[{extra}]" if extra else "podium-tui"
    start = [*PIP, python, "install", "--quiet"] if tool == "pip" else [*UV, "install", "--python", python]
    subprocess.run([*start, *OFFLINE, wanted], check=True)


def uninstall(tool: str, environment: Environment) -> None:
    python = str(environment.bin / "python")
    start = [*PIP, python, "uninstall", "--yes", "--quiet"] if tool == "pip" else [*UV, "uninstall", "--python", python]
    subprocess.run([*start, "podium-tui"], check=True)


def test_the_wheel_has_one_top_level_package_with_all_of_core_and_tui() -> None:
    (wheel,) = WHEELS.glob("podium_tui-*.whl")
    names = ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"podium", f"podium_tui-{VERSION}.dist-info"}
    files = {path.relative_to(ROOT) for top in ("core", "tui") for path in (ROOT / top).rglob("*") if path.is_file()}
    expected = {str(path) for path in files if path.suffix != ".pyc"}
    assert {name.removeprefix("podium/_app/") for name in names if "_app" in name} == expected


@pytest.mark.parametrize("tool", ["pip", "uv"])
@pytest.mark.parametrize("extra", ["", *(extra for extra in EXTRAS if extra not in ("test", "release"))])
def test_an_installation_runs_and_leaves_nothing(tool: str, extra: str, tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    install(tool, environment, extra)
    for program in (["podium"], ["podium-tui"], ["python", "-m", "podium"], ["python", "-I", "-m", "podium"]):
        assert environment.output(*program, "--version") == f"podium, version {VERSION}\n"
    environment.output("podium", "init", "--db", "own.db", "--name", "Own", "--login", "ci")
    assert VERSION in environment.output("podium", "doctor", "--db", "own.db")
    shows_the_demo(environment)
    serves(environment, extra)
    assert environment.files_of_podium() > {environment.packages / "podium", environment.bin / "podium-tui"}
    uninstall(tool, environment)
    assert environment.files_of_podium() == set()


def shows_the_demo(environment: Environment) -> None:
    argv = ["/usr/bin/env", "-C", str(environment.folder), str(environment.bin / "podium-tui"), "demo"]
    with TerminalSession(argv, env=environment.env) as terminal:
        terminal.wait_for("Try first")
        terminal.send("qq")
        assert terminal.exit_status() == 0


def serves(environment: Environment, extra: str) -> None:
    """With the extra the server answers until it is stopped; without it, one sentence names the extra."""
    words = ["serve", "--db", "own.db", "--socket", str(environment.folder / "s")]
    if extra != "server":
        assert "podium-tui[server]" in environment.output("podium", *words, status=2)
        return
    argv = [str(environment.bin / "python"), "-I", "-m", "podium", *words]
    socket = environment.folder / "s"
    with subprocess.Popen(argv, cwd=environment.folder, env=environment.env, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(socket.exists)
            with httpx.Client(transport=httpx.HTTPTransport(uds=str(socket))) as client:
                assert client.get("http://podium/ready").json()["version"] == VERSION
            server.send_signal(signal.SIGTERM)
            assert server.wait(30) == 0
        finally:
            server.kill()
