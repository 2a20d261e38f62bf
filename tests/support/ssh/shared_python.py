"""A Python with Podium in it that every account of this machine may run, as /opt/podium is on a real host.

The one that runs the tests is often in a folder that is its owner's alone. Its files are linked into an open folder
then, which takes a second and no room; only the files of Podium are copied.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.paths import ROOT

AS_NOBODY: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []}
UNUSED = shutil.ignore_patterns(
    "site-packages", "test", "tests", "idlelib", "tkinter", "lib2to3", "ensurepip", "*.opt-?.pyc"
)


def shared_python(folder: Path) -> Path:
    """Make ``folder`` a virtual environment with Podium and what it needs; its Python."""
    base = Path(sys._base_executable)  # type: ignore[attr-defined]
    libraries = ""
    if not _open_to_all(base):
        base, libraries = _linked(folder / "base"), str(folder / "base" / "lib")
    env = {**os.environ, "LD_LIBRARY_PATH": libraries}
    subprocess.run([base, "-m", "venv", "--without-pip", folder / "venv"], check=True, env=env)
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    _link_packages(packages)
    python = folder / "venv" / "bin" / "python"
    if libraries:
        python.unlink()
        python.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {python}3 "$@"\n')
        python.chmod(0o755)
    subprocess.run([python, "-m", "compileall", "-q", "-j", "0", packages / "podium"], check=True)
    assert _open_to_all(python), f"{python} cannot be run by everybody"
    return python


def _open_to_all(python: Path) -> bool:
    try:
        subprocess.run([python, "-c", "import json"], check=True, capture_output=True, cwd="/", **AS_NOBODY)
    except (PermissionError, subprocess.CalledProcessError):
        return False
    return True


def _linked(folder: Path) -> Path:
    """The interpreter that the tests run in, with its library, in an open folder."""
    original = Path(sys.base_prefix)
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    executable = folder / "bin" / f"python{sysconfig.get_python_version()}"
    _link(Path(sys._base_executable).resolve(), executable)  # type: ignore[attr-defined]
    for library in original.glob("lib/libpython*.so*"):
        _link(library.resolve(), folder / "lib" / library.name)
    standard = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(standard, folder / "lib" / standard.name, copy_function=_link, ignore=UNUSED)
    return executable


def _link_packages(packages: Path) -> None:
    """Podium as a wheel of it would be installed, what it says of itself, and all that it needs to serve."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for source, target in data["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"].items():
        shutil.copytree(ROOT / source, packages / target, ignore=shutil.ignore_patterns("__pycache__"))
    project = data["project"]
    _link_package(distribution(project["name"]), packages, only=".dist-info")
    for needed in _needed([*project["dependencies"], *project["optional-dependencies"]["server"]], set(), set()):
        _link_package(needed, packages)


def _needed(lines: Iterable[str], extras: set[str], seen: set[str]) -> Iterator[Distribution]:
    """The distributions that are required, and what these require."""
    for required in map(Requirement, lines):
        marked = required.marker is None or any(required.marker.evaluate({"extra": each}) for each in {"", *extras})
        if marked and canonicalize_name(required.name) not in seen:
            seen.add(canonicalize_name(required.name))
            found = distribution(required.name)
            yield found
            yield from _needed(found.requires or (), required.extras, seen)


def _link_package(package: Distribution, packages: Path, only: str = "") -> None:
    for file in package.files or ():
        if ".." not in file.parts and only in file.parts[0]:
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(Path(str(package.locate_file(file))), target)


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another disk
        shutil.copy2(source, target)
