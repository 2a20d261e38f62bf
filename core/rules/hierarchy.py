"""Rules of the hierarchy of clients, markets and brands: the tree itself, and its agreement with projects' links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.domain.model import HierarchyNode, Id, NodeKind
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput, RuleViolation
from core.text.phrases import count, some

PARENTS = {
    NodeKind.CLIENT: frozenset[NodeKind](),
    NodeKind.MARKET: frozenset({NodeKind.CLIENT}),
    NodeKind.BRAND: frozenset({NodeKind.CLIENT, NodeKind.MARKET}),
}
"""The levels that a node can be directly under."""

NAMED = 3
"""The most projects of the sender that a refusal names."""

LINKS = "project.client_id = :id OR project.market_id = :id OR project.brand_id = :id"
"""The condition that a project links the node ``:id``. A project that links a node also links the nodes above it."""


def complete_links(
    view: Snapshot, client_id: Id | None, market_id: Id | None, brand_id: Id | None
) -> dict[NodeKind, Id | None]:
    """Complete the links of a project by the tree: a brand implies its market and client, a market its client.

    Raises InvalidInput for a node of the wrong level, RuleViolation where a link contradicts the tree.
    """
    links = {NodeKind.CLIENT: client_id or None, NodeKind.MARKET: market_id or None, NodeKind.BRAND: brand_id or None}
    for kind in (NodeKind.BRAND, NodeKind.MARKET, NodeKind.CLIENT):
        node_id = links[kind]
        while node_id:
            node = view.get(HierarchyNode, id=node_id)
            if links[node.kind] is None:
                links[node.kind] = node.id
            if links[kind] == node_id and node.kind is not kind:
                field, it = f"{kind.lower()}_id", f"“{node.name}” is a {node.kind.lower()}"
                raise InvalidInput(field, f"{it}, not a {kind.lower()}.")
            if links[node.kind] != node.id:
                chosen = view.get(HierarchyNode, id=links[node.kind])
                raise RuleViolation(
                    f"The links do not agree: “{node.name}” and “{chosen.name}” are in different branches."
                )
            node_id = node.parent_id
    return links


def check_node(view: Snapshot, node: HierarchyNode) -> None:
    """Check the place of a node in the tree, and that its name is unique among its siblings.

    Raises RuleViolation for the place, InvalidInput for a name that is taken.
    """
    kind = node.kind.lower()
    if node.parent_id is not None:
        parent = view.get(HierarchyNode, id=node.parent_id)
        if any(above.id == node.id for above in _upwards(view, parent)):
            raise RuleViolation(f"“{node.name}” cannot be under itself or under a node below it.")
        if parent.kind not in PARENTS[node.kind]:
            raise RuleViolation(f"A {kind} cannot be under a {parent.kind.lower()}. {_places(node.kind)}")
    place = "parent_id IS NULL" if node.parent_id is None else "parent_id = :parent_id"
    for other in view.all(HierarchyNode, f"kind = :kind AND {place}", kind=node.kind, parent_id=node.parent_id):
        if other.id != node.id and other.name.casefold() == node.name.casefold():
            raise InvalidInput("name", f"There is a {kind} “{other.name}” in this place already. Choose another name.")


def _upwards(view: Snapshot, node: HierarchyNode | None) -> Iterator[HierarchyNode]:
    """A node and its ancestors; never more than there are levels, even if the table contained a cycle."""
    for _ in NodeKind:
        if node:
            yield node
            node = view.find(HierarchyNode, id=node.parent_id)


def _places(kind: NodeKind) -> str:
    above = " or ".join(f"a {each.lower()}" for each in NodeKind if each in PARENTS[kind])
    return f"A {kind.lower()} is under {above}, or at the top." if above else "A client is at the top."


def check_project_links(view: Snapshot, node: HierarchyNode) -> None:
    """Check that the links of projects agree with the tree after a node has moved. Raises RuleViolation.

    It names only the sender's projects, since the sender may not know of the others.
    """
    rows = view.rows(
        "SELECT id, name, client_id, market_id, brand_id,"
        " EXISTS (SELECT 1 FROM member WHERE project_id = project.id AND user_id = :me) AS mine"
        f" FROM project WHERE {LINKS} ORDER BY name, id",
        id=node.id,
        me=view.actor.user_id,
    )
    links = {(row["client_id"], row["market_id"], row["brand_id"]) for row in rows}
    wrong = {each for each in links if not _agree(view, *each)}
    hit = [row for row in rows if (row["client_id"], row["market_id"], row["brand_id"]) in wrong]
    if hit:
        one = len(hit) == 1
        raise RuleViolation(
            f"“{node.name}” cannot be moved there: the links of {count(len(hit), 'project')} would contradict the tree"
            f"{_mine(row['name'] for row in hit if row['mine'])}. Link {'it' if one else 'them'} differently first."
        )


def _agree(view: Snapshot, client_id: Id | None, market_id: Id | None, brand_id: Id | None) -> bool:
    try:
        agreed = complete_links(view, client_id, market_id, brand_id)
    except RuleViolation:
        return False
    return tuple(agreed.values()) == (client_id, market_id, brand_id)


def _mine(projects: Iterable[str]) -> str:
    """The first projects of the sender, in brackets."""
    mine = [f"“{name}”" for name in projects]
    return f" ({some(mine, NAMED, 'more of yours')})" if mine else ""
