"""Nodes of the hierarchy as options: in the order of the tree, each with its path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.actions.workspace.hierarchy import NodeSummary
from core.domain.model import HierarchyNode, Id, NodeKind

Links = dict[NodeKind, Id | None]
"""The node that is linked at each level."""


class HierarchyTree:
    """The clients, markets and brands at one moment."""

    def __init__(self, lines: Iterable[NodeSummary]) -> None:
        self.nodes: dict[Id, HierarchyNode] = {line.node.id: line.node for line in lines}

    def at(self, *kinds: NodeKind) -> list[HierarchyNode]:
        """The nodes of these levels, in the order of the tree."""
        return [node for node in self.nodes.values() if node.kind in kinds]

    def above(self, node: HierarchyNode) -> list[HierarchyNode]:
        """The parents of a node, from the top."""
        above: list[HierarchyNode] = []
        parent = self.nodes.get(node.parent_id or "")
        while parent is not None and parent not in above:
            above.insert(0, parent)
            parent = self.nodes.get(parent.parent_id or "")
        return above

    def path(self, node: HierarchyNode) -> str:
        """The parents of a node in words: "Halden Foods / Nordics"; empty at the top."""
        return " / ".join(each.name for each in self.above(node))

    def option(self, node: HierarchyNode) -> tuple[str, str, str]:
        """A node as an option of a list."""
        return (node.id, node.name, self.path(node))

    def follow_choice(self, links: Mapping[NodeKind, Id | None], kind: NodeKind) -> Links:
        """The links after a node of level ``kind`` was chosen: with its parents, without nodes of other branches.

        The core refuses links that do not agree (``complete_links``). This keeps every choice valid.
        """
        agreed: Links = dict(links)
        chosen = self.nodes.get(agreed[kind] or "")
        for each in self.above(chosen) if chosen else ():
            agreed[each.kind] = each.id
        for level in NodeKind:
            node = self.nodes.get(agreed[level] or "")
            if level is not kind and node and any(agreed[each.kind] != each.id for each in self.above(node)):
                agreed[level] = None
        return agreed
