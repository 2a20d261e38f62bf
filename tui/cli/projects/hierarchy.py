"""``podium hierarchy …``: clients, markets and brands."""

from __future__ import annotations

from core.actions.workspace.hierarchy import AddNode, GetHierarchy, MoveNode, RemoveNode, RenameNode
from tui.cli.message_command import MessageGroup
from tui.cli.records import NODE
from tui.cli.sentences import Columns

hierarchy_ = MessageGroup("hierarchy", "Clients, markets and brands: list, add, rename, move, remove.")

hierarchy_.lists(
    "list",
    GetHierarchy,
    heads=("NAME", "LEVEL", "PROJECTS", "ID"),
    row=Columns(lambda line: "· " * line.depth + line.node.name, "node.kind projects node.id"),
    empty="No clients yet. Create one with “podium hierarchy add CLIENT NAME”.",
)
hierarchy_.sends(
    "add",
    AddNode,
    [
        "kind name",
        NODE.option("--under", "The client or market that it belongs to, by name or id.", "parent_id", "none"),
    ],
    done="Added the {kind} “{name}” ({id}).",
)
hierarchy_.sends("rename", RenameNode, [NODE, "name"], done="The {node.kind} “{node.name}” is “{name}” now.")
hierarchy_.sends(
    "move",
    MoveNode,
    [
        NODE,
        NODE.option(
            "--under",
            "The client or market, by name or id; “none” for the top of the tree.",
            "parent_id",
            "none",
            required=True,
        ),
    ],
    done="Moved the {kind} “{name}”.",
)
hierarchy_.sends("remove", RemoveNode, [NODE], done="Removed the {node.kind} “{node.name}”.")
