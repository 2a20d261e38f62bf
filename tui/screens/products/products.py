"""The product registry of the workspace: what can be added to projects, and launched."""

from __future__ import annotations

from collections.abc import Sequence

from core.actions.products.products import ListProducts, ProductSummary, RemoveProduct, RetireProduct
from core.domain.permissions import Permission
from core.domain.products.products import Product
from tui.drawing.styles import TextRole
from tui.launch.launch_rules import target_words
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.previews.kinds import preview_of
from tui.screens.products.forms import ask_and_launch, ask_edit_product, ask_new_product
from tui.screens.products.launch_or_open import launching
from tui.services.destinations import ToProduct
from tui.widgets.columns import Column, Line, cell
from tui.wording.platform_roles import roles_of, why_empty

COLUMNS = (
    Column("Name", 18, 40),
    Column("Kind", 8, 8, rank=2),
    Column("Requires", 21, 21, rank=1),
    Column("External", 8, 8, rank=4),
    Column("Roles", 5, 5, rank=5, right=True),
    Column("Used", 4, 4, rank=3, right=True),
    Column("", 7, 7, rank=1),
)

NO_PRODUCTS = "No products yet\nn registers one. Then projects can add applications of it to their phases."
NOBODY_ADDED = "No products yet\nA workspace admin registers them; then projects can add applications of them."


class ProductsScreen(ListScreen[Product]):
    """The products; workspace admins register and change them here."""

    name_in_table = "products"
    title_words = "Products"
    is_of_workspace = True
    columns = COLUMNS
    opens = "products.open"
    nothing_here = "No product here. Press n to register one."

    def __init__(self) -> None:
        super().__init__()
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        product = self.records.current
        return preview_of("PRODUCT", product.id, product.name) if product else None

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        lines = await self.podium.query(ListProducts())
        adds = Permission.PRODUCT_MANAGE
        self.listing.empty = why_empty(self.podium.me, "products", NOBODY_ADDED, adds, NO_PRODUCTS)
        self.records.show((each.product, _line(each)) for each in lines)

    def actions(self) -> Sequence[Action]:
        return (
            self.records.action("open", self.do_open),
            Action("new_product", self.do_new_product),
            self.records.action("edit", self.do_edit),
            self.records.action("retire", self.do_retire),
            self.records.action("remove", self.do_remove),
            self.records.action("launch", self.do_launch),
            self.records.action("copy", self.do_copy),
        )

    async def do_open(self, product: Product) -> None:
        await self.podium.open(ToProduct(product.id))

    @asking
    async def do_new_product(self) -> None:
        product = await ask_new_product(self.podium)
        if product is not None:
            await self.refresh_from_core()
            self.records.go_to_new(product.id)
            self.podium.toast(f"Registered “{product.name}”. Press enter to open it, and n there to add roles.")

    @asking
    async def do_edit(self, product: Product) -> None:
        if await ask_edit_product(self.podium, product):
            await self.refresh_from_core()

    async def do_retire(self, product: Product) -> None:
        command = RetireProduct(product_id=product.id, retired=not product.retired, seen_version=product.version)
        changed = await self.podium.perform(command)
        if changed is not None:
            retired = f"Retired “{product.name}”: its applications still launch, and no new ones can be added."
            self.podium.toast(retired if changed.retired else f"“{product.name}” can be added to projects again.")

    async def do_remove(self, product: Product) -> None:
        """Remove it without a question: Podium refuses while projects use it, and undo restores it with its roles."""
        command = RemoveProduct(product_id=product.id, seen_version=product.version)
        await self.records.remove(command, product.id, f"Removed “{product.name}” from the registry")

    @launching
    async def do_launch(self, product: Product) -> None:
        await ask_and_launch(self.podium, product)

    def do_copy(self, product: Product) -> None:
        copy_id(self, product.name, product.id)


def _line(line: ProductSummary) -> Line:
    product = line.product
    text_role = TextRole.QUIET if product.retired else TextRole.TITLE
    return Line(
        product.id,
        (
            cell(product.name, text_role),
            cell(product.kind.lower()),
            cell(", ".join(level.lower() for level in product.required_context) or "no links", TextRole.QUIET),
            cell("yes" if product.uses_external_authorization else ""),
            cell(line.roles or ""),
            cell(line.applications or "", text_role),
            cell("retired" if product.retired else "", TextRole.SOON),
        ),
        detail=target_words(product),
    )
