"""``podium hierarchy …``: clients, markets and brands."""

from __future__ import annotations

import click

from core.actions.workspace.hierarchy import AddNode, GetHierarchy, MoveNode, RemoveNode, RenameNode
from core.domain.model import Id, NodeKind
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.session import Session, in_workspace

KINDS = click.Choice([kind.value for kind in NodeKind], case_sensitive=False)


@click.group("hierarchy")
def hierarchy_() -> None:
    """Clients, markets and brands: list, add, rename, move, remove."""


@hierarchy_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """The tree of clients, markets and brands, and how many projects link each."""
    session.list(
        session.query(GetHierarchy()),
        ("NAME", "LEVEL", "PROJECTS", "ID"),
        lambda line: ("· " * line.depth + line.node.name, in_words(line.node.kind), line.projects, line.node.id),
        "No clients yet. “podium hierarchy add CLIENT NAME” makes one.",
    )


@hierarchy_.command("add")
@click.argument("kind", type=KINDS)
@click.argument("name")
@click.option("--under", help="The client or market that it belongs to, by name or id.")
@in_workspace
def add(session: Session, kind: str, name: str, under: str | None) -> None:
    """Add a client, a market or a brand."""
    node = session.execute(AddNode(kind=NodeKind(kind), name=name, parent_id=_parent(session, under)))
    session.done(node, f"Added the {in_words(node.kind)} “{node.name}” ({node.id}).")


@hierarchy_.command("rename")
@click.argument("node")
@click.argument("name")
@in_workspace
def rename(session: Session, node: str, name: str) -> None:
    """Rename a client, a market or a brand."""
    found = resolve.node(session, node)
    renamed = session.execute(RenameNode(node_id=found.id, name=name))
    session.done(renamed, f"The {in_words(found.kind)} “{found.name}” is “{renamed.name}” now.")


@hierarchy_.command("move")
@click.argument("node")
@click.option("--under", required=True, help="The client or market, by name or id; “none” for the top of the tree.")
@in_workspace
def move(session: Session, node: str, under: str) -> None:
    """Put a market or a brand under another client or market, or under none."""
    found = resolve.node(session, node)
    moved = session.execute(MoveNode(node_id=found.id, parent_id=_parent(session, under)))
    session.done(moved, f"Moved the {in_words(moved.kind)} “{moved.name}”.")


@hierarchy_.command("remove")
@click.argument("node")
@in_workspace
def remove(session: Session, node: str) -> None:
    """Remove a client, a market or a brand that nothing stands under and no project links."""
    found = resolve.node(session, node)
    session.execute(RemoveNode(node_id=found.id))
    session.done(None, f"Removed the {in_words(found.kind)} “{found.name}”.")


def _parent(session: Session, wanted: str | None) -> Id | None:
    return None if wanted in (None, "", "none") else resolve.node(session, str(wanted)).id
