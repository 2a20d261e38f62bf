"""Peers in virtual environments of their own, in a folder that goes with the run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

WITHIN = 600.0
"""Seconds for an installation."""


class NotInstalled(Exception):
    """A peer that cannot be run here; in words, why."""


def installed(package: str, folder: Path) -> Path:
    """The folder of the programs of a Python package, installed now. Raises NotInstalled."""
    home = folder / package
    try:
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, capture_output=True, text=True)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--retries", "1", package]
        subprocess.run(pip, check=True, capture_output=True, text=True, timeout=WITHIN)
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"{package} is not measured, since pip took longer than {WITHIN:.0f} seconds.") from None
    except subprocess.CalledProcessError as failure:
        why = (failure.stderr or failure.stdout).strip().splitlines() or ["it does not say why"]
        raise NotInstalled(f"{package} is not measured, since pip cannot install it: {why[-1]}") from None
    return home / "bin"


def found(program: str) -> Path:
    """A program of the operating system. Raises NotInstalled."""
    path = shutil.which(program)
    if path is None:
        raise NotInstalled(f"{program} is not measured, since it is not installed here: apt-get install {program}")
    return Path(path)
