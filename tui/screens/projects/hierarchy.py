"""The clients, markets and brands of the workspace as a tree, and what uses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.actions.workspace.hierarchy import AddNode, GetHierarchy, MoveNode, NodeSummary, RemoveNode, RenameNode
from core.domain.model import HierarchyNode, NodeKind
from core.domain.permissions import Permission
from core.rules.hierarchy import PARENTS
from tui.drawing.styles import Symbols, TextRole
from tui.keys.bindings import bindings
from tui.labels.hierarchy import Tree
from tui.labels.platform_roles import roles_of, why_empty
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.global_keys import copy_id
from tui.screens.framework.list_screen import ListScreen
from tui.widgets.columns import Column, Line, cell

COLUMNS = (
    Column("Name", 18, 70),
    Column("Level", 6, 6, rank=1),
    Column("Below", 5, 5, rank=3, right=True),
    Column("Projects", 8, 8, rank=2, right=True),
)

AT_THE_TOP = "top"
LETTERS = {NodeKind.CLIENT: "c", NodeKind.MARKET: "m", NodeKind.BRAND: "b"}

NO_NODES = (
    "No clients, markets or brands yet\nn adds the first one. Projects are linked to them, and products require them."
)
NOBODY_ADDED = "No clients, markets or brands yet\nA workspace admin adds them; then projects can be linked to them."


class HierarchyScreen(ListScreen):
    """The tree; workspace admins change it here."""

    name_in_table = "hierarchy"
    BINDINGS = bindings("hierarchy", "list")
    columns = COLUMNS
    opens = "hierarchy.edit"

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[NodeSummary, ...] = ()

    def place(self) -> str:
        return f"Hierarchy · {self.podium.me.workspace.name}"

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        self._entries = await self.podium.query(GetHierarchy())
        me = self.podium.me
        may_add = Permission.HIERARCHY_MANAGE in me.held
        self.listing.empty = NO_NODES if may_add else why_empty(me.user, "clients, markets and brands", NOBODY_ADDED)
        tree = self._tree
        self.listing.show([_line(each, tree, self.listing.look.signs) for each in self._entries])

    @property
    def _tree(self) -> Tree:
        return Tree(self._entries)

    @property
    def current(self) -> HierarchyNode | None:
        """The node of the cursor."""
        return next((each.node for each in self._entries if self.line and each.node.id == self.line.id), None)

    def menu_title(self) -> str:
        return self.current.name if self.current else self.place()

    # -- adding ----------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_node", self.do_new_node),
            Action("edit", self.do_edit),
            Action("move_to", self.do_move_to),
            Action("remove", self.do_remove),
            Action("copy", self.do_copy),
        )

    @asking
    async def do_new_node(self) -> None:
        """Ask for the level first, those that can stand under the cursor before the others."""
        from tui.dialogs.menus.key_menu import Entry, KeyMenu

        parents = {kind: self._nearest(kind) for kind in NodeKind}
        kinds = sorted(NodeKind, key=lambda kind: (parents[kind] is None, list(NodeKind).index(kind)))
        entries = [Entry(kind, LETTERS[kind], _named(kind, parents[kind])) for kind in kinds]
        picked = await self.podium.ask(KeyMenu("Add to the hierarchy", entries))
        if picked:
            await self._ask_node(NodeKind(picked), parents[NodeKind(picked)])

    def _nearest(self, kind: NodeKind) -> HierarchyNode | None:
        """The parent for a new node of this level: the node of the cursor, or the nearest above it."""
        node = self.current
        if node is None:
            return None
        chain = [node, *reversed(self._tree.above(node))]
        return next((each for each in chain if each.kind in PARENTS[kind]), None)

    async def _ask_node(self, kind: NodeKind, parent: HierarchyNode | None) -> None:
        from tui.dialogs.fields.form_fields import Field, Line, PickerField

        async def save(values: dict[str, Any]) -> HierarchyNode:
            under = values.get("parent") or (None,)
            return await self.podium.send(AddNode(kind=kind, name=values["name"], parent_id=under[0]))

        fields: list[Field] = [Line("name", "Name")]
        if PARENTS[kind]:
            options = tuple(self._tree.option(node) for node in self._tree.at(*PARENTS[kind]))
            fields.append(
                PickerField("parent", "Stands under", options, (parent.id,) if parent else (), none="nothing")
            )
        node = await show_form(self, f"Add a {kind.lower()}", fields, save, submit="Add")
        if node is not None:
            self.show_new(node.id)

    # -- changing --------------------------------------------------------------------------------------------

    @asking
    async def do_edit(self) -> None:
        from tui.dialogs.fields.form_fields import Line

        node = self._need_one()
        if node is None:
            return

        async def save(values: dict[str, Any]) -> HierarchyNode:
            return await self.podium.send(RenameNode(node_id=node.id, seen_version=node.version, **values))

        fields = [Line("name", "Name", node.name)]
        await show_form(self, f"Rename the {node.kind.lower()}", fields, save, submit="Rename")

    @asking
    async def do_move_to(self) -> None:
        """Offer what the node may stand under: only higher levels, so that no circle can come about."""
        from tui.dialogs.menus.picker import Option, PickDialog

        node = self._need_one()
        if node is None:
            return
        if not PARENTS[node.kind]:
            self.podium.tell(f"A {node.kind.lower()} stands at the top. Markets and brands can be moved.")
            return
        tree = self._tree
        options = [Option(*tree.option(each)) for each in tree.at(*PARENTS[node.kind])]
        options.append(Option(AT_THE_TOP, "Nothing", "at the top of the tree"))
        chosen = (node.parent_id or AT_THE_TOP,)
        picked = await self.podium.ask(PickDialog(f"Move “{node.name}” under", options, chosen=chosen))
        if picked and picked != chosen:
            parent_id = None if picked[0] == AT_THE_TOP else picked[0]
            await self.podium.perform(MoveNode(node_id=node.id, parent_id=parent_id, seen_version=node.version))

    async def do_remove(self) -> None:
        """Without asking: it is refused for what is in use, and undo brings the rest back."""
        node = self._need_one()
        if node is None:
            return
        await self.podium.perform(RemoveNode(node_id=node.id, seen_version=node.version))
        if all(each.node.id != node.id for each in self._entries):
            self.podium.tell(f"Removed “{node.name}”. u brings it back.")

    def do_copy(self) -> None:
        node = self._need_one()
        if node is not None:
            copy_id(self, node.name, node.id)

    def _need_one(self) -> HierarchyNode | None:
        if self.current is None:
            self.podium.tell("There is nothing here. n adds a client, a market or a brand.")
        return self.current


def _named(kind: NodeKind, parent: HierarchyNode | None) -> str:
    """An entry of the menu: "Market under “Halden Foods”"."""
    if parent is not None:
        return f"{kind.capitalize()} under “{parent.name}”"
    return kind.capitalize() if kind is NodeKind.CLIENT else f"{kind.capitalize()}, under what you choose"


def _line(line: NodeSummary, tree: Tree, signs: Symbols) -> Line:
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
