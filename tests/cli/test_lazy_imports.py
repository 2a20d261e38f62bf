"""Lazy imports, which the entry of the program switches on where Python has them (3.15 and later)."""

from __future__ import annotations

import subprocess
import sys

TOLD = """
import sys
sys.set_lazy_imports = lambda mode: print("lazy:", mode)
sys.set_lazy_imports_filter = lambda _: None
sys.argv[:] = ["podium", "--help"]
from tui.__main__ import main
main()
"""


def test_the_entry_switches_lazy_imports_on_before_anything_else_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", TOLD], capture_output=True, text=True, check=True)
    first, second, *_ = done.stdout.splitlines()
    assert first == "lazy: all"
    assert second.startswith("Usage: podium")


def test_every_python_runs_podium_with_and_without_them() -> None:
    done = subprocess.run([sys.executable, "-m", "tui", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: podium")
