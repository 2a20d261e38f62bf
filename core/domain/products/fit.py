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
    needs: str
    add: str
    drop: str
    otherwise: str


FOR_PROJECT = FitPhrases(
    start="does not fit this project: it is for projects",
    needs="linked to {}",
    add="link {}",
    drop="unlink {}",
    otherwise=", or choose another product",
)
"""For an application in a project, whose links are the levels."""

FOR_LAUNCH = FitPhrases(
    start="is launched",
    needs="with {}",
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
    if not lacking and not extra:
        return ""
    needs, ways = [], []
    if lacking:
        needs.append(words.needs.format(levels(lacking)))
        ways.append(words.add.format(levels(lacking)))
    if extra:
        needs.append(f"without {names([f'a {level.lower()}' for level in extra], 'or')}")
        ways.append(words.drop.format(levels(extra, "the")))
    way = " and ".join(ways)
    return f"“{product}” {words.start} {' and '.join(needs)}. {way[0].upper()}{way[1:]}{words.otherwise}."


def levels(kinds: Collection[NodeKind], article: str = "a") -> str:
    """Return levels in words, from the top: "a client and a brand", or "no links"."""
    return names([f"{article} {kind.lower()}" for kind in NodeKind if kind in kinds]) or "no links"
