"""Clients, markets and brands, and what a project may be linked to."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import InvalidInput, RuleRefused
from core.messages import Command, Query
from core.model import Id, Node, NodeKind
from core.rights import Permission
from core.text import one_line
from core.work import View, Work, new_account, new_id

PARENTS = {
    NodeKind.CLIENT: frozenset[NodeKind](),
    NodeKind.MARKET: frozenset({NodeKind.CLIENT}),
    NodeKind.BRAND: frozenset({NodeKind.CLIENT, NodeKind.MARKET}),
}
"""What a node may stand under (spec, section 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNodes(Query[tuple[Node, ...]]):
    """The clients, markets and brands of the workspace."""

    route = "GET /v1/hierarchy"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: View) -> tuple[Node, ...]:
        return tuple(view.all(Node, "1 = 1 ORDER BY kind, name, id"))


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLine:
    """A client, market or brand as the Hierarchy screen shows it: in the order of the tree, with its depth."""

    node: Node
    depth: int
    children: int
    projects: int
    """How many projects, archived ones included, link it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowHierarchy(Query[tuple[NodeLine, ...]]):
    """The tree of clients, markets and brands with what uses them."""

    route = "GET /v1/hierarchy/tree"
    permission = Permission.WORKSPACE_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameNode(Command[Node]):
    """Rename a client, a market or a brand."""

    route = "PATCH /v1/hierarchy/{node_id}"
    permission = Permission.HIERARCHY_MANAGE
    node_id: Id
    name: str
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveNode(Command[Node]):
    """Put a market or a brand under another node, or under none; refused where a project's links would contradict."""

    route = "POST /v1/hierarchy/{node_id}/move"
    permission = Permission.HIERARCHY_MANAGE
    node_id: Id
    parent_id: Id | None
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveNode(Command[None]):
    """Remove a client, a market or a brand that nothing stands under and no project links."""

    route = "DELETE /v1/hierarchy/{node_id}"
    permission = Permission.HIERARCHY_MANAGE
    node_id: Id
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNode(Command[Node]):
    """Add a client, a market or a brand."""

    route = "POST /v1/hierarchy"
    permission = Permission.HIERARCHY_MANAGE
    kind: NodeKind
    name: str
    parent_id: Id | None = None

    def run(self, work: Work) -> Node:
        if self.parent_id:
            parent = work.get(Node, id=self.parent_id)
            if parent.kind not in PARENTS[self.kind]:
                raise RuleRefused(f"A {self.kind.lower()} cannot stand under a {parent.kind.lower()}.")
        name = one_line(self.name, "name", most=80)
        node = Node(id=new_id(), kind=self.kind, name=name, auth_id=new_account(), parent_id=self.parent_id)
        work.say(f"added the {self.kind.lower()} “{node.name}”")
        return work.insert(node)


def agreed_links(
    view: View, client_id: Id | None, market_id: Id | None, brand_id: Id | None
) -> dict[NodeKind, Id | None]:
    """Links of a project that agree with the tree: a brand fills in its market and client, a market its client.

    Raises InvalidInput for a node of the wrong level, RuleRefused where a link contradicts the tree.
    """
    links = {NodeKind.CLIENT: client_id, NodeKind.MARKET: market_id, NodeKind.BRAND: brand_id}
    for kind in (NodeKind.BRAND, NodeKind.MARKET, NodeKind.CLIENT):
        node_id = links[kind]
        while node_id:
            node = view.get(Node, id=node_id)
            if links[node.kind] is None:
                links[node.kind] = node.id
            if links[kind] == node_id and node.kind is not kind:
                raise InvalidInput(kind.lower(), f"“{node.name}” is a {node.kind.lower()}, not a {kind.lower()}.")
            if links[node.kind] != node.id:
                chosen = view.get(Node, id=links[node.kind])
                raise RuleRefused(
                    f"The links do not agree: “{node.name}” and “{chosen.name}” are in different branches."
                )
            node_id = node.parent_id
    return links
