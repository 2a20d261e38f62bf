"""The legend: every sign of the screens in words."""

from __future__ import annotations

from collections.abc import Iterator

from core.domain.model import Health
from core.domain.project_health import HEALTH_WORDS
from tui.drawing.styles import Symbols

DRAWN = frozenset({"bar", "full", "rest", "rail", "thumb", "left", "right", "dot"})
"""The symbols that lines, bars and edges are drawn with, which the legend leaves out."""


def legend(signs: Symbols) -> Iterator[tuple[str, str]]:
    """Each sign, or several that belong together, with its meaning."""
    yield " ".join(signs.task), "task: to do, in progress, completed, archived"
    yield " ".join(signs.activity), "activity: to do, in progress, completed, archived"
    yield signs.application, "application"
    yield signs.sub, "task of an activity"
    yield " ".join((signs.locked, signs.open, signs.complete)), "phase: locked, open, complete"
    yield f"{signs.locked}2", "card: waits for 2 open cards"
    yield " ".join(signs.delivered), "deliverable: open, done"
    yield signs.comment, "has comments"
    yield signs.link, "has a link"
    yield signs.mark, "marked"
    yield signs.here, "another person is here; in the inbox: unread"
    yield " ".join(signs.health), f"health: {', '.join(HEALTH_WORDS[each] for each in HEALTH_ORDER)}"
    yield signs.favourite, "favourite"
    yield signs.folded, "folded: tab unfolds the activity, Z the phase"


HEALTH_ORDER = (Health.ON_TRACK, Health.AT_RISK, Health.OVERDUE)
"""The order of ``Symbols.health``."""
