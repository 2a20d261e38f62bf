"""The honest state of one's own changes: saved, saving, not saved, or nobody there who could say."""

from __future__ import annotations

from dataclasses import dataclass

OFFLINE = "✗ offline, trying again"


@dataclass(slots=True)
class Saving:
    """What the title line says. A change counts as saved only when it is on disk."""

    waiting: int = 0
    fault: str = ""
    online: bool = True
    """Whether what has the data can be reached."""

    def begin(self) -> None:
        self.waiting += 1

    def end(self, fault: str = "") -> None:
        self.waiting -= 1
        self.fault = fault

    def hear(self, *, online: bool) -> None:
        """Take news of the connection. What failed before it was lost is seen anew when it is back."""
        self.online = online
        if online:
            self.fault = ""

    @property
    def is_saved(self) -> bool:
        """Whether all is known to be on disk."""
        return self.online and not (self.fault or self.waiting)

    def words(self) -> tuple[str, str]:
        """The words, with a sign that does not need colour, and their style."""
        if not self.online:
            return OFFLINE, "bold $error"
        if self.fault:
            return "✗ not saved", "bold $error"
        if self.waiting:
            return "… saving", "$warning"
        return "✓ saved", "$success"
