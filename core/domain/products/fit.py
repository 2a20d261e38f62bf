"""Compatibility of a product with hierarchy links.

A product fits when the linked levels are exactly the levels that it requires.
"""

from __future__ import annotations

from collections.abc import Collection

from core.domain.model import NodeKind, Project
from core.record import Record
from core.text.phrases import names


class FitPhrases(Record, kw_only=False):
    """The phrases of a refusal. ``{}`` is replaced by levels, such as "a client and a brand"."""

    start: str
    lacks: str
    extra: str
    add: str
    drop: str
    otherwise: str


FOR_PROJECT = FitPhrases(
    start="does not fit this project",
    lacks="it requires {}, which the project does not link",
    extra="the project links {}, which it does not require",
    add="link the project to {}",
    drop="take {} off its links",
    otherwise=", or choose another product",
)
"""For an application in a project, whose links are the levels."""

FOR_LAUNCH = FitPhrases(
    start="cannot be launched with this hierarchy",
    lacks="your choice lacks {}, which it requires",
    extra="your choice has {}, which it does not require",
    add="choose {}",
    drop="leave out {}",
    otherwise="",
)
"""For a launch from the product list, for which the user chooses the levels."""


def linked_levels(project: Project) -> tuple[NodeKind, ...]:
    """Return the levels at which a project is linked."""
    return tuple(level for level, node_id in project.links.items() if node_id)


def misfit(
    product: str, required: Collection[NodeKind], linked: Collection[NodeKind], words: FitPhrases = FOR_PROJECT
) -> str:
    """Return a sentence that says why a product does not fit and how to change that; empty if it fits."""
    lacking = [level for level in NodeKind if level in required and level not in linked]
    extra = [level for level in NodeKind if level in linked and level not in required]
    reasons, ways = [], []
    if lacking:
        reasons.append(words.lacks.format(levels(lacking)))
        ways.append(words.add.format(levels(lacking)))
    if extra:
        reasons.append(words.extra.format(levels(extra)))
        ways.append(words.drop.format(levels(extra, "the")))
    if not reasons:
        return ""
    way = " and ".join(ways)
    return f"“{product}” {words.start}: {'; '.join(reasons)}. {way[0].upper()}{way[1:]}{words.otherwise}."


def levels(kinds: Collection[NodeKind], article: str = "a") -> str:
    """Return levels in words, from the top: "a client and a brand", or "no level"."""
    return names([f"{article} {kind.lower()}" for kind in NodeKind if kind in kinds]) or "no level"
