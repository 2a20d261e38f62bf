"""The clients, markets and brands of the workspace as a tree, and what uses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.actions.workspace.hierarchy import AddNode, GetHierarchy, MoveNode, NodeSummary, RemoveNode, RenameNode
from core.domain.model import HierarchyNode, NodeKind
from core.domain.permissions import Permission
from core.rules.hierarchy import PARENTS
from tui.dialogs.fields.form_fields import Field, PickerField, TextField
from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.styles import Symbols, TextRole
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.list_screen import ListScreen
from tui.widgets.columns import Column, Line, cell
from tui.wording.hierarchy import HierarchyTree
from tui.wording.platform_roles import roles_of, why_empty

COLUMNS = (
    Column("Name", 18, 70),
    Column("Level", 6, 6, rank=1),
    Column("Below", 5, 5, rank=3, right=True),
    Column("Projects", 8, 8, rank=2, right=True),
)

AT_THE_TOP = "top"
LETTERS = {NodeKind.CLIENT: "c", NodeKind.MARKET: "m", NodeKind.BRAND: "b"}

NO_NODES = (
    "No clients, markets or brands yet\nPress n to add the first one. Projects link to them, products require them."
)
NOBODY_ADDED = "No clients, markets or brands yet\nA workspace admin adds them; then projects can be linked to them."


class HierarchyScreen(ListScreen[HierarchyNode]):
    """The tree; workspace admins change it here."""

    name_in_table = "hierarchy"
    title_words = "Clients, markets and brands"
    is_of_workspace = True
    columns = COLUMNS
    opens = "hierarchy.edit"
    nothing_here = "Nothing here yet. Press n to add a client, a market or a brand."

    def __init__(self) -> None:
        super().__init__()
        self._tree = HierarchyTree(())

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        lines = await self.podium.query(GetHierarchy())
        adds = Permission.HIERARCHY_MANAGE
        self.listing.empty = why_empty(self.podium.me, "clients, markets and brands", NOBODY_ADDED, adds, NO_NODES)
        self._tree = HierarchyTree(lines)
        self.records.show((each.node, _line(each, self._tree, self.listing.look.signs)) for each in lines)

    def menu_title(self) -> str:
        return self.records.current.name if self.records.current else self.place()

    # -- adding ----------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_node", self.do_new_node),
            self.records.action("edit", self.do_edit),
            self.records.action("move_to", self.do_move_to),
            self.records.action("remove", self.do_remove),
            self.records.action("copy", self.do_copy),
        )

    @asking
    async def do_new_node(self) -> None:
        """Ask for the level first, those that can stand under the cursor before the others."""
        parents = {kind: self._nearest(kind) for kind in NodeKind}
        kinds = sorted(NodeKind, key=lambda kind: (parents[kind] is None, list(NodeKind).index(kind)))
        entries = [MenuEntry(kind, LETTERS[kind], _describe_entry(kind, parents[kind])) for kind in kinds]
        picked = await self.podium.ask(KeyMenu("Add to the hierarchy", entries))
        if picked:
            await self._ask_node(NodeKind(picked), parents[NodeKind(picked)])

    def _nearest(self, kind: NodeKind) -> HierarchyNode | None:
        """The parent for a new node of this level: the node of the cursor, or the nearest above it."""
        node = self.records.current
        if node is None:
            return None
        chain = [node, *reversed(self._tree.above(node))]
        return next((each for each in chain if each.kind in PARENTS[kind]), None)

    async def _ask_node(self, kind: NodeKind, parent: HierarchyNode | None) -> None:
        async def save(values: dict[str, Any]) -> HierarchyNode:
            under = values.get("parent") or (None,)
            return await self.podium.send(AddNode(kind=kind, name=values["name"], parent_id=under[0]))

        fields: list[Field] = [TextField("name", "Name")]
        if PARENTS[kind]:
            options = tuple(self._tree.option(node) for node in self._tree.at(*PARENTS[kind]))
            fields.append(
                PickerField("parent", "Stands under", options, (parent.id,) if parent else (), none="nothing")
            )
        node = await show_form(self, f"Add a {kind.lower()}", fields, save, submit="Add", about=kind)
        if node is not None:
            self.records.go_to_new(node.id)

    # -- changing --------------------------------------------------------------------------------------------

    @asking
    async def do_edit(self, node: HierarchyNode) -> None:
        async def save(values: dict[str, Any]) -> HierarchyNode:
            return await self.podium.send(RenameNode(node_id=node.id, seen_version=node.version, **values))

        fields = [TextField("name", "Name", node.name)]
        await show_form(self, f"Rename the {node.kind.lower()}", fields, save, submit="Rename", record=node)

    @asking
    async def do_move_to(self, node: HierarchyNode) -> None:
        """Offer what the node may stand under: only higher levels, so that no circle can come about."""
        if not PARENTS[node.kind]:
            self.podium.toast(f"A {node.kind.lower()} is always at the top. Only markets and brands can be moved.")
            return
        tree = self._tree
        options = [Option(*tree.option(each)) for each in tree.at(*PARENTS[node.kind])]
        options.append(Option(AT_THE_TOP, "Nothing", "at the top of the tree"))
        chosen = (node.parent_id or AT_THE_TOP,)
        picked = await self.podium.ask(PickDialog(f"Move “{node.name}” under", options, chosen=chosen))
        if picked and picked != chosen:
            parent_id = None if picked[0] == AT_THE_TOP else picked[0]
            await self.podium.perform(MoveNode(node_id=node.id, parent_id=parent_id, seen_version=node.version))

    async def do_remove(self, node: HierarchyNode) -> None:
        """Remove it without a question: Podium refuses if it is in use, and undo restores it."""
        command = RemoveNode(node_id=node.id, seen_version=node.version)
        await self.records.remove(command, node.id, f"Removed “{node.name}”")

    def do_copy(self, node: HierarchyNode) -> None:
        copy_id(self, node.name, node.id)


def _describe_entry(kind: NodeKind, parent: HierarchyNode | None) -> str:
    """An entry of the menu: "Market under “Halden Foods”"."""
    if parent is not None:
        return f"{kind.capitalize()} under “{parent.name}”"
    return kind.capitalize() if kind is NodeKind.CLIENT else f"{kind.capitalize()}, under what you choose"


def _line(line: NodeSummary, tree: HierarchyTree, signs: Symbols) -> Line:
    node, path = line.node, tree.path(line.node)
    lead = f"{'  ' * (line.depth - 1)}{signs.sub} " if line.depth else ""
    name = cell(node.name, TextRole.NAME if node.kind is NodeKind.CLIENT else TextRole.TITLE)
    return Line(
        node.id,
        (
            ((lead, TextRole.FAINT), *name),
            cell(node.kind.lower()),
            cell(line.children or ""),
            cell(line.projects or "", TextRole.TITLE),
        ),
        detail=f"in {path}" if path else "",
    )
