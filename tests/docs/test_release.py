"""Files of a release: lock files with every dependency, and metadata that names only tested versions."""

from __future__ import annotations

import os
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RUNTIME = ROOT / "requirements.lock"
EVERYTHING = ROOT / ".ci" / "requirements.lock"
HASHES = r"(?: \\\n    --hash=sha256:[0-9a-f]{64})+"

both = pytest.mark.parametrize("path", [RUNTIME, EVERYTHING], ids=["runtime", "everything"])


def locked(path: Path) -> dict[str, Requirement]:
    """The requirements of a lock file by name."""
    lines = [line.removesuffix("\\").strip() for line in path.read_text().splitlines() if not line.startswith(" ")]
    return {canonicalize_name(found.name): found for found in map(Requirement, lines)}


def declared(*extras: str) -> list[Requirement]:
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    return [each for each in map(Requirement, lines) if each.name != PROJECT["name"]]


@both
def test_every_line_of_a_lock_file_is_one_version_with_hashes_and_no_address(path: Path) -> None:
    text = path.read_text()
    one = re.compile(rf"^[a-z0-9-]+==[\w.]+(?: ; [^\n\\]+)?{HASHES}\n", re.MULTILINE)
    assert one.sub("", text) == ""
    assert "://" not in text


def test_the_lock_file_has_all_that_podium_declares() -> None:
    found = locked(RUNTIME)
    for each in declared("server", "web", "keyring"):
        assert found[canonicalize_name(each.name)].specifier, each
        (pin,) = found[canonicalize_name(each.name)].specifier
        assert each.specifier.contains(pin.version), f"{each} is locked as {pin.version}: run .ci/lock"


def test_the_lock_file_of_the_tests_adds_to_the_one_of_administrators() -> None:
    everything = locked(EVERYTHING)
    for each in declared("test", "release", "server", "web", "keyring"):
        (pin,) = everything[canonicalize_name(each.name)].specifier
        assert each.specifier.contains(pin.version), f"{each} is locked as {pin.version}: run .ci/lock"
    for name, pinned in locked(RUNTIME).items():
        assert everything[name].specifier == pinned.specifier, name


def test_podium_is_installed_by_locked_tools() -> None:
    found = locked(RUNTIME)
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    for each in [*map(Requirement, build), Requirement("pip>=25")]:
        (pin,) = found[each.name].specifier
        assert each.specifier.contains(pin.version)


def test_the_promised_pythons_are_those_that_ci_and_its_neighbour_run() -> None:
    promised = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    others = set(re.findall(r"\[(3\.\d+)\]=", (ROOT / ".ci" / "pythons").read_text()))
    assert promised == {"3.11", *others}
    assert all(SpecifierSet(PROJECT["requires-python"]).contains(f"{version}.0") for version in promised)


def test_the_hosted_workflow_runs_all_checks() -> None:
    workflow = import_module("yaml").safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step][-1] == ".ci/run"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert workflow["permissions"] == {"contents": "read"}


def test_the_wheel_has_all_files_of_core_and_tui_below_one_package() -> None:
    """``.ci/run`` builds it and looks (``tests/installed``)."""
    files = {Path(each.distribution_path) for each in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert {path.parts[0] for path in files} == {"podium"}
    kept = {path.relative_to(ROOT) for top in ("core", "tui") for path in (ROOT / top).rglob("*") if path.is_file()}
    expected = {path for path in kept if path.suffix != ".pyc"}
    assert {path.relative_to("podium/_app") for path in files if path.parts[1] == "_app"} == expected
    assert {path.suffix for path in expected} >= {".tcss", ".toml", ".md", ".py"}
