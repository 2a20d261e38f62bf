"""Programs that the tests run are named in ``tests/support/system_programs.py``, and a run says what it skipped."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.system_programs import PACKAGES, missing_packages, needs

STARTS = {"run", "Popen", "check_output", "check_call", "create_subprocess_exec"}
TOOLS = {"tests/support/system_programs.py", "tests/docs/screenshots.py"}
"""No tests: the table itself, and what draws the pictures of the pages."""


def started_by_name(source: str) -> list[str]:
    """The programs that a source starts by a bare name, such as ``subprocess.run(["curl"])``."""
    found = []
    if not any(f".{name}(" in source for name in STARTS):
        return []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) in STARTS and node.args:
            argv = node.args[0]
            first = argv.elts[0] if isinstance(argv, ast.List) and argv.elts else argv
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.append(first.value)
    return found


def test_every_program_that_a_test_starts_is_asked_for() -> None:
    sources = {path.relative_to(ROOT).as_posix(): path.read_text() for path in (ROOT / "tests").rglob("*.py")}
    assert started_by_name('import subprocess\nsubprocess.run(["curl", "-s"])') == ["curl"]
    found = {name: started_by_name(text) for name, text in sources.items() if name not in TOOLS}
    assert {name: programs for name, programs in found.items() if programs} == {}


def test_a_program_has_a_package_to_install_it_from() -> None:
    with pytest.raises(KeyError):
        needs("a-program-that-no-table-has")
    assert needs("sh").endswith("/sh")
    assert all(package.islower() for package in PACKAGES.values())


def test_the_packages_of_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.support.system_programs.FOLDERS", str(tmp_path))
    assert {"curl", "nginx", "openssh-server"} <= set(missing_packages())


def test_a_run_without_a_program_skips_the_test_and_gives_the_reason_at_its_end(tmp_path: Path) -> None:
    test = "from tests.support.system_programs import needs\n\n\ndef test_nginx():\n    needs('nginx')\n"
    (tmp_path / "test_one.py").write_text(test)
    code = (
        "import sys, pytest, tests.support.system_programs; tests.support.system_programs.FOLDERS = ''\n"
        "sys.exit(pytest.main(['-p', 'no:cacheprovider', '-c', 'pyproject.toml', '-n', '0', sys.argv[1]]))"
    )
    env = {key: value for key, value in os.environ.items() if key != "CI" and not key.startswith("PYTEST")}
    command = [sys.executable, "-c", code, str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (run.returncode, "1 skipped" in run.stdout) == (0, True), run.stdout
    assert "nginx is missing: apt-get install nginx" in run.stdout
