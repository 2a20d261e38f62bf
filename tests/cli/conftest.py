"""A fresh copy of the demo for each test, and ``podium`` as a function."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.demo import make_demo
from tui.cli.program import podium


@dataclass
class CommandLine:
    """Runs ``podium`` on one database as one person."""

    db: Path
    login: str = "robin"

    def __call__(self, *args: str, status: int = 0, stdin: bytes | None = None) -> Result:
        """The result of a command line, which must end with this exit status."""
        given = [*args, "--db", str(self.db), "--as", self.login]
        result = CliRunner().invoke(podium, given, input=stdin, catch_exceptions=False)
        assert result.exit_code == status, result.output
        return result

    def json(self, *args: str, **more: Any) -> Any:
        """The output of a command with --json, without its format version."""
        document = json.loads(self(*args, "--json", **more).stdout)
        assert document.pop("formatVersion") == 1
        return document

    def error(self, *args: str, **more: Any) -> dict[str, Any]:
        """The one error, in form A, that a command prints with --json."""
        result = self(*args, "--json", **more)
        assert result.stdout == ""
        (error,) = json.loads(result.stderr)["errors"]
        assert set(error) == {"errorCode", "errorMessage", "correlationId", "link"}
        return dict(error)

    def by(self, login: str) -> CommandLine:
        """The same for another user."""
        return CommandLine(self.db, login)

    def project(self, name: str) -> dict[str, Any]:
        """A line of ``project list``."""
        return next(
            line
            for line in self.json("project", "list", "--archived")["data"]
            if line["project"]["name"].startswith(name)
        )

    def task(self, project: str, title: str) -> dict[str, Any]:
        """A line of ``task list``."""
        tasks = self.json("task", "list", project, "--archived")["data"]
        return next(task for task in tasks if task["title"] == title)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    make_demo(path, login="robin")
    return path


@pytest.fixture(autouse=True)
def _nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("PODIUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PODIUM_CONFIG", os.devnull)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))  # of the current project, which nobody has at first


@pytest.fixture
def run(demo: Path, tmp_path: Path, request: pytest.FixtureRequest) -> CommandLine:
    return CommandLine(Path(shutil.copy(demo, tmp_path / "work.db")))


@pytest.fixture
def anywhere() -> Callable[..., Result]:
    """``podium`` with exactly the arguments given."""
    return lambda *args, **more: CliRunner().invoke(podium, args, catch_exceptions=False, **more)
