"""The product registry of the workspace: what can be added to projects, and launched."""

from __future__ import annotations

from collections.abc import Sequence

from core.actions.products.products import ListProducts, ProductLine, RemoveProduct, RetireProduct
from core.domain.permissions import Permission
from core.domain.products.products import Product
from tui.drawing.styles import TextRole
from tui.keys.bindings import bindings
from tui.labels.platform_roles import roles_of, why_empty
from tui.launch.handover import target_words
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.screens.framework.global_keys import copy_id
from tui.screens.framework.list_screen import ListScreen
from tui.screens.products.launch_or_open import launching
from tui.services.destinations import ToProduct
from tui.widgets.columns import Column, Line, cell

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


class ProductsScreen(ListScreen):
    """The products; workspace admins register and change them here."""

    name_in_table = "products"
    BINDINGS = bindings("products", "list")
    columns = COLUMNS
    opens = "products.open"

    def __init__(self) -> None:
        super().__init__()
        self._products: tuple[ProductLine, ...] = ()

    def place(self) -> str:
        return f"Products · {self.podium.me.workspace.name}"

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        self._products = await self.podium.query(ListProducts())
        me = self.podium.me
        may_add = Permission.PRODUCT_MANAGE in me.held
        self.listing.empty = NO_PRODUCTS if may_add else why_empty(me.user, "products", NOBODY_ADDED)
        self.listing.show([_line(each) for each in self._products])

    @property
    def current(self) -> Product | None:
        """The product of the cursor."""
        return next((each.product for each in self._products if self.line and each.product.id == self.line.id), None)

    def actions(self) -> Sequence[Action]:
        return (
            Action("open", self.do_open),
            Action("new_product", self.do_new_product),
            Action("edit", self.do_edit),
            Action("retire", self.do_retire),
            Action("remove", self.do_remove),
            Action("launch", self.do_launch),
            Action("copy", self.do_copy),
        )

    async def do_open(self) -> None:
        product = self._need_one()
        if product is not None:
            await self.podium.open(ToProduct(product.id))

    @asking
    async def do_new_product(self) -> None:
        from tui.screens.products.forms import ask_new_product

        product = await ask_new_product(self.podium)
        if product is not None:
            await self.refresh_from_core()
            self.show_new(product.id)
            self.podium.tell(f"Registered “{product.name}”. enter opens it, n gives it roles there.")

    @asking
    async def do_edit(self) -> None:
        from tui.screens.products.forms import ask_edit_product

        product = self._need_one()
        if product is not None and await ask_edit_product(self.podium, product):
            await self.refresh_from_core()

    async def do_retire(self) -> None:
        product = self._need_one()
        if product is None:
            return
        command = RetireProduct(product_id=product.id, retired=not product.retired, seen_version=product.version)
        changed = await self.podium.perform(command)
        if changed is not None:
            retired = f"Retired “{product.name}”: what there is of it launches as before, nothing new is added."
            self.podium.tell(retired if changed.retired else f"“{product.name}” can be added to projects again.")

    async def do_remove(self) -> None:
        """Without asking: it is refused while projects use it, and undo brings it back with its roles."""
        product = self._need_one()
        if product is None:
            return
        await self.podium.perform(RemoveProduct(product_id=product.id, seen_version=product.version))
        if all(each.product.id != product.id for each in self._products):
            self.podium.tell(f"Removed “{product.name}” from the registry. u brings it back.")

    @launching
    async def do_launch(self) -> None:
        from tui.screens.products.launch import ask_and_launch

        product = self._need_one()
        if product is not None:
            await ask_and_launch(self.podium, product)

    def do_copy(self) -> None:
        product = self._need_one()
        if product is not None:
            copy_id(self, product.name, product.id)

    def _need_one(self) -> Product | None:
        if self.current is None:
            self.podium.tell("There is no product here. n registers one.")
        return self.current


def _line(line: ProductLine) -> Line:
    product = line.product
    ink = TextRole.QUIET if product.retired else TextRole.TITLE
    return Line(
        product.id,
        (
            cell(product.name, ink),
            cell(product.kind.lower()),
            cell(", ".join(level.lower() for level in product.required_context) or "no level", TextRole.QUIET),
            cell("yes" if product.uses_external_authorization else ""),
            cell(line.roles or ""),
            cell(line.applications or "", ink),
            cell("retired" if product.retired else "", TextRole.SOON),
        ),
        detail=target_words(product),
    )
