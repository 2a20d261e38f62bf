"""Measurements by name: "hello key", "10000 move". Times are in milliseconds, memory in MiB."""

from __future__ import annotations

import json
import math
import statistics
from collections import defaultdict
from pathlib import Path


class NotMeasured(Exception):
    """A figure was asked for that no run noted."""


class Notes:
    """Samples by name."""

    def __init__(self) -> None:
        self._samples: defaultdict[str, list[float]] = defaultdict(list)
        self._largest: dict[str, tuple[float, str]] = {}

    def add(self, name: str, *values: float) -> None:
        self._samples[name].extend(values)

    def add_named(self, name: str, value: float, what: str) -> None:
        """Add a sample, and keep what it was measured of if it is the largest so far."""
        self.add(name, value)
        self._largest[name] = max(self._largest.get(name, (value, what)), (value, what))

    def largest(self, name: str) -> str:
        """The label of the largest sample; empty if it has none."""
        return self._largest.get(name, (0.0, ""))[1]

    def of(self, name: str) -> list[float]:
        """All samples, in order of size. Raises NotMeasured."""
        if not self._samples.get(name):
            raise NotMeasured(name)
        return sorted(self._samples[name])

    def median(self, name: str) -> float:
        return statistics.median(self.of(name))

    def p95(self, name: str) -> float:
        """The smallest sample that is not below 95 of 100."""
        samples = self.of(name)
        return samples[math.ceil(0.95 * len(samples)) - 1]

    def ratio(self, name: str, to: str) -> float:
        """Median to median."""
        return self.median(name) / self.median(to)

    @classmethod
    def from_file(cls, path: str) -> Notes:
        """The samples that ``--json`` wrote to a file."""
        notes = cls()
        for name, samples in json.loads(Path(path).read_text()).items():
            notes.add(name, *samples)
        return notes

    def listed(self) -> dict[str, list[float]]:
        return dict(sorted(self._samples.items()))
