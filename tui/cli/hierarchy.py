"""``podium hierarchy …``: clients, markets and brands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from core.actions.hierarchy import AddNode, ListNodes
from core.model import Id, Node, NodeKind
from tui.cli import finding
from tui.cli.output import words
from tui.cli.session import Session, in_workspace

KINDS = click.Choice([kind.value for kind in NodeKind], case_sensitive=False)


@click.group("hierarchy")
def hierarchy_() -> None:
    """Clients, markets and brands: list, add."""


@hierarchy_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """The tree of clients, markets and brands."""
    tree = list(_tree(session.query(ListNodes()), None))
    depths = {node.id: depth for depth, node in tree}
    session.list(
        [node for _, node in tree],
        ("NAME", "LEVEL", "ID"),
        lambda node: ("· " * depths[node.id] + node.name, words(node.kind), node.id),
        "No clients yet. “podium hierarchy add CLIENT NAME” makes one.",
    )


def _tree(nodes: Sequence[Node], parent: Id | None, depth: int = 0) -> Iterator[tuple[int, Node]]:
    for node in nodes:
        if node.parent_id == parent:
            yield depth, node
            yield from _tree(nodes, node.id, depth + 1)


@hierarchy_.command("add")
@click.argument("kind", type=KINDS)
@click.argument("name")
@click.option("--under", help="The client or market that it belongs to, by name or id.")
@in_workspace
def add(session: Session, kind: str, name: str, under: str | None) -> None:
    """Add a client, a market or a brand."""
    parent_id = finding.node(session, under).id if under else None
    node = session.execute(AddNode(kind=NodeKind(kind), name=name, parent_id=parent_id))
    session.done(node, f"Added the {words(node.kind)} “{node.name}” ({node.id}).")
