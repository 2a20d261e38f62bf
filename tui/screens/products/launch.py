"""Launching a product outside of a project: first it is asked for which client, market or brand."""

from __future__ import annotations

from core.actions.workspace.hierarchy import GetHierarchy
from core.domain.model import HierarchyNode, NodeKind
from core.domain.products.fit import levels
from core.domain.products.products import Product
from tui.dialogs.menus.picker import Option, PickDialog
from tui.podium import Podium
from tui.wording.hierarchy import HierarchyTree, Links


async def ask_and_launch(app: Podium, product: Product) -> None:
    """Ask for the levels that the product requires, and launch it with them. Esc cancels."""
    links = await _ask_links(app, product)
    if links is not None:
        from tui.launch.actions import launch_product  # brings much along, and few products are launched from here

        await launch_product(app, product.id, links)


async def _ask_links(app: Podium, product: Product) -> Links | None:
    """From the lowest level up, so that a brand answers for the market and the client above it."""
    links: Links = dict.fromkeys(NodeKind)
    tree = HierarchyTree(await app.query(GetHierarchy())) if product.required_context else HierarchyTree(())
    for level in reversed(NodeKind):
        if level not in product.required_context or links[level]:
            continue
        options = [Option(*tree.option(node), _why_not(tree, node, product, links)) for node in tree.at(level)]
        options.sort(key=lambda option: bool(option.reason))
        empty = f"There is no {level.lower()} yet. A workspace admin adds one: g y."
        title = f"Launch “{product.name}” for which {level.lower()}?"
        picked = await app.ask(PickDialog(title, options, empty=empty))
        if not picked:
            return None
        links[level] = picked[0]
        links |= {each.kind: each.id for each in tree.above(tree.nodes[picked[0]])}
    return links


def _why_not(tree: HierarchyTree, node: HierarchyNode, product: Product, links: Links) -> str:
    """The reason against a node: it gives another hierarchy than the product requires, or contradicts another node."""
    for above in tree.above(node):
        if above.kind not in product.required_context:
            required = levels(product.required_context)
            return f"It is under the {above.kind.lower()} “{above.name}”, and only {required} can be passed on."
        if links[above.kind] and links[above.kind] != above.id:
            return f"It is under “{above.name}”, which is not the one that you chose."
    return ""
