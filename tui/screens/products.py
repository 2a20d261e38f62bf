"""The product registry of the workspace: what can be added to projects, and launched."""

from __future__ import annotations

from core.actions.products import ListProducts, ProductLine
from tui.bindings import bindings
from tui.board.look import Ink
from tui.screens.list_screen import ListScreen
from tui.screens.platform_roles import roles_of
from tui.widgets.columns import Column, Line, cell

COLUMNS = (
    Column("Name", 18, 40),
    Column("Kind", 8, 8, rank=1),
)


class ProductsScreen(ListScreen):
    """The products; workspace admins register and change them here."""

    name_in_table = "products"
    BINDINGS = bindings("products", "list")
    title_words = "Products"
    columns = COLUMNS
    opens = "products.open"

    def __init__(self) -> None:
        super().__init__()
        self._products: tuple[ProductLine, ...] = ()

    async def reload(self) -> None:
        self.role_words = roles_of(self.podium.me.user)
        self._products = await self.podium.query(ListProducts())
        self.listing.show([_line(each) for each in self._products])


def _line(line: ProductLine) -> Line:
    product = line.product
    ink = Ink.QUIET if product.retired else Ink.TITLE
    return Line(product.id, (cell(product.name, ink), cell(product.kind.lower())))
