"""Memory and processor time of one process, as Linux tells them."""

from __future__ import annotations

import os
from pathlib import Path


def memory(pid: int) -> tuple[float, float]:
    """Unique and resident set size in MiB: what would be free again without it, and all that it touches."""
    unique = resident = 0
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in ("Private_Clean", "Private_Dirty"):
            unique += int(rest.split()[0])
        elif name == "Rss":
            resident = int(rest.split()[0])
    return unique / 1024, resident / 1024


def processor(pid: int) -> float:
    """Seconds on a processor so far, of all threads that still run; to the nanosecond, unlike ``/proc/PID/stat``."""
    threads = Path(f"/proc/{pid}/task")
    return sum(int((threads / name / "schedstat").read_text().split()[0]) for name in os.listdir(threads)) / 1e9


def is_waiting(pid: int) -> bool:
    """True if a thread runs, waits for a processor or for a disk: without any used so far it is not at rest."""
    threads = Path(f"/proc/{pid}/task")
    states = ((threads / name / "stat").read_text().rpartition(")")[2].split()[0] for name in os.listdir(threads))
    return any(state in "RD" for state in states)
