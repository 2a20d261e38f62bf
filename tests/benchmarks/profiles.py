"""The rates at which people work: the load run sends it, and the forecast counts it.

everyday.py    200 people who do it, at two servers
simulation.py  as many people and servers as one likes
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.server.endpoints.event_stream import GATHER_SECONDS, GATHER_SECONDS_EACH
from tui.services.presence import BEAT_SECONDS

SCREENS = 10
"""People who have one project open, the one who changes it included."""

WORKS = MappingProxyType(
    {
        "command": "changes a card",
        "canvas": "opens a Canvas",
        "projects": "reads Projects",
        "inbox": "reads the Inbox",
        "search": "searches",
        "step": "goes to another card",
    }
)
"""The works of a person, by the names of their rates."""

READS = ("canvas", "projects", "inbox", "search")


@dataclass(frozen=True, slots=True)
class Profile:
    """The rates of one kind of hour."""

    name: str
    per_minute: Mapping[str, float]
    """How often each person does each of WORKS."""

    def count_reports(self, streams: float) -> float:
        """The reports of one person in a minute that do not come with a step, at a server with so many streams.

        One comes at each beat, and one each time that steps of others on the project were told, which are gathered.
        """
        steps = self.per_minute["step"]
        gathered = max(GATHER_SECONDS, GATHER_SECONDS_EACH * streams) / 60
        told = (1 - math.exp(-(SCREENS - 1) * steps * gathered)) / gathered if steps else 0
        return 60 / BEAT_SECONDS + told


ORDINARY = Profile(
    "an ordinary hour",
    MappingProxyType({"command": 0.5, "canvas": 0.3, "projects": 0.1, "inbox": 0.1, "search": 0.1, "step": 2.0}),
)
MONDAY = Profile(
    "a Monday morning",
    MappingProxyType({"command": 2.0, "canvas": 1.0, "projects": 0.5, "inbox": 0.5, "search": 0.5, "step": 4.0}),
)
PROFILES = (ORDINARY, MONDAY)
