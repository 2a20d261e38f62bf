"""Clients, markets and brands: listed as a tree, added, renamed, moved, removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from core.domain.grants import PermissionQuery
from core.domain.model import HierarchyNode, Id, NodeKind
from core.domain.permissions import Permission
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_account, new_id
from core.errors import RuleViolation
from core.record import Record, replace
from core.rules.hierarchy import LINKS, check_node, check_project_links
from core.rules.visibility import asked_of_guests, keep_visible, visible_projects
from core.storage.database import placeholders
from core.text.phrases import count, names
from core.text.sanitize import one_line

MAX_IN_NAME = 80
"""The most characters in the name of a client, a market or a brand."""


class ListNodes(Query[tuple[HierarchyNode, ...]]):
    """List the clients, markets and brands of the workspace; for guests those that their projects link."""

    route = "GET /v1/hierarchy"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> tuple[HierarchyNode, ...]:
        return tuple(keep_visible(view, view.all(HierarchyNode, "1 = 1 ORDER BY kind, name, id")))


class NodeSummary(Record):
    """A client, market or brand as a line of the Hierarchy screen, in the order of the tree, with its depth."""

    node: HierarchyNode
    depth: int
    children: int
    projects: int
    """The number of projects that link it, including archived ones; for a guest, of those that the guest can see."""


class GetHierarchy(Query[tuple[NodeSummary, ...]]):
    """Show the tree of clients, markets and brands with their uses; for guests those that their projects link."""

    route = "GET /v1/hierarchy/tree"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> tuple[NodeSummary, ...]:
        nodes = sorted(keep_visible(view, view.all(HierarchyNode, "1 = 1")), key=_in_order)
        under: dict[Id | None, list[HierarchyNode]] = {}
        ids = {node.id for node in nodes}
        for node in nodes:
            under.setdefault(node.parent_id if node.parent_id in ids else None, []).append(node)
        linked = _linking_projects(view)
        return tuple(
            NodeSummary(node=node, depth=depth, children=len(under.get(node.id, ())), projects=linked[node.id])
            for depth, node in _tree(under, None)
        )


class RenameNode(Command[HierarchyNode]):
    """Rename a client, a market or a brand."""

    route = "PATCH /v1/hierarchy/{node_id}"
    permission = Permission.HIERARCHY_MANAGE
    node_id: Id
    name: str
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> HierarchyNode:
        node = work.get(HierarchyNode, id=self.node_id, seen_version=self.seen_version)
        name = one_line(self.name, "name", most=MAX_IN_NAME)
        check_node(work, replace(node, name=name))
        work.say(f"renamed the {node.kind.lower()} “{node.name}” to “{name}”")
        return work.update(node, name=name)


class MoveNode(Command[HierarchyNode]):
    """Move a market or a brand under another node or to the top; refused if a project's links would contradict it."""

    route = "POST /v1/hierarchy/{node_id}/move"
    permission = Permission.HIERARCHY_MANAGE
    node_id: Id
    parent_id: Id | None
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> HierarchyNode:
        node = work.get(HierarchyNode, id=self.node_id, seen_version=self.seen_version)
        check_node(work, replace(node, parent_id=self.parent_id))
        moved = work.update(node, parent_id=self.parent_id)
        check_project_links(work, moved)
        where = (
            f"under “{work.get(HierarchyNode, id=self.parent_id).name}”" if self.parent_id else "to the top of the tree"
        )
        work.say(f"moved the {node.kind.lower()} “{node.name}” {where}")
        return moved


class RemoveNode(Command[None]):
    """Remove a client, a market or a brand that has no children and that no project links."""

    route = "DELETE /v1/hierarchy/{node_id}"
    held_key = True
    permission = Permission.HIERARCHY_MANAGE
    node_id: Id
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> None:
        node = work.get(HierarchyNode, id=self.node_id, seen_version=self.seen_version)
        _refuse_in_use(work, node)
        work.delete(node)
        work.say(f"removed the {node.kind.lower()} “{node.name}”")


class AddNode(Command[HierarchyNode]):
    """Add a client, a market or a brand."""

    route = "POST /v1/hierarchy"
    permission = Permission.HIERARCHY_MANAGE
    creates = True
    kind: NodeKind
    name: str
    parent_id: Id | None = None

    def run(self, work: UnitOfWork) -> HierarchyNode:
        name = one_line(self.name, "name", most=MAX_IN_NAME)
        node = HierarchyNode(id=new_id(), kind=self.kind, name=name, auth_id=new_account(), parent_id=self.parent_id)
        check_node(work, node)
        work.say(f"added the {self.kind.lower()} “{node.name}”")
        return work.insert(node)


def _refuse_in_use(view: Snapshot, node: HierarchyNode) -> None:
    children = Counter(each.kind for each in view.all(HierarchyNode, "parent_id = :id", id=node.id))
    projects = view.rows(f"SELECT count(*) AS n FROM project WHERE {LINKS}", id=node.id)[0]["n"]
    if not children and not projects:
        return
    reasons, ways = [], []
    if children:
        one = children.total() == 1
        counts = names([count(children[kind], kind.lower()) for kind in children])
        reasons.append(f"{counts} {'is' if one else 'are'} under it")
        ways.append(f"move or remove {'it' if one else 'them'}")
    if projects:
        reasons.append(f"{count(projects, 'project')} {'links' if projects == 1 else 'link'} it")
        ways.append("link its projects to something else")
    way = " and ".join(ways)
    raise RuleViolation(f"“{node.name}” cannot be removed: {' and '.join(reasons)}. {way[0].upper()}{way[1:]} first.")


def _in_order(node: HierarchyNode) -> tuple[int, str, Id]:
    """The sort key among siblings: by level from the top, then by name."""
    return list(NodeKind).index(node.kind), node.name.casefold(), node.id


def _tree(
    under: Mapping[Id | None, Sequence[HierarchyNode]], parent_id: Id | None, depth: int = 0
) -> Iterator[tuple[int, HierarchyNode]]:
    for node in under.get(parent_id, ()):
        yield depth, node
        yield from _tree(under, node.id, depth + 1)


def _linking_projects(view: Snapshot) -> dict[Id, int]:
    """The number of projects that link each node; for a guest, of those that the guest can see."""
    columns = ("client_id", "market_id", "brand_id")
    chosen, params = placeholders(visible_projects(view, archived=True) if view.by_guest else ())
    only = f" AND project.id IN {chosen}" if view.by_guest else ""
    counts = " + ".join(
        f"(SELECT count(*) FROM project WHERE {column} = hierarchy_node.id{only})" for column in columns
    )
    return {
        row["id"]: row["n"]
        for row in view.rows(f"SELECT hierarchy_node.id, {counts} AS n FROM hierarchy_node", **params)
    }
