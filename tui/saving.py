"""The honest state of one's own changes: saved, saving, or not saved and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Saving:
    """What the title line says. A change counts as saved only when it is on disk."""

    waiting: int = 0
    fault: str = ""

    def begin(self) -> None:
        self.waiting += 1

    def end(self, fault: str = "") -> None:
        self.waiting -= 1
        self.fault = fault

    @property
    def is_saved(self) -> bool:
        """Whether all is on disk."""
        return not (self.fault or self.waiting)

    def words(self) -> tuple[str, str]:
        """The words, with a sign that does not need colour, and their style."""
        if self.fault:
            return "✗ not saved", "bold $error"
        if self.waiting:
            return "… saving", "$warning"
        return "✓ saved", "$success"
