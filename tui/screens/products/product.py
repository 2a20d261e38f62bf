"""One product: how it is launched, what it requires, and its application roles with the meta roles that give them."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content

from core.actions.products.products import ApplicationRoleSummary, GetProduct, ProductDetail, RemoveApplicationRole
from core.actions.workspace.meta_roles import ListMetaRoles
from core.domain.model import Id
from core.domain.products.fit import levels
from core.domain.products.products import ApplicationRole, MetaRole, Product
from core.text.phrases import count, names
from tui.drawing.cells import plain
from tui.drawing.theme import QUIET
from tui.launch.launch_rules import target_words
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.page_screen import PageScreen
from tui.screens.products.forms import ask_and_launch, ask_edit_product, ask_edit_role, ask_new_role
from tui.screens.products.launch_or_open import launching
from tui.widgets.detail_page import Fact, Heading, Page, Pane, TextBlock
from tui.widgets.markdown_text import MarkdownText
from tui.widgets.option_list import Row, Rows
from tui.wording.facts import authorization_words, quiet
from tui.wording.platform_roles import roles_of

NOTHING_GRANTED = "Nothing is granted by them: the product does not use external authorization."
NO_ROLES = "No roles yet · n to add one, which meta roles then grant"


class ProductScreen(PageScreen[ProductDetail]):
    """A product in full, with a cursor on its application roles."""

    name_in_table = "product"

    def __init__(self, product_id: Id) -> None:
        super().__init__()
        self._product_id = product_id
        self._role_keys = self.add(ApplicationRoleActions(self))

    def again(self) -> ProductScreen:
        return ProductScreen(self._product_id)

    def body(self) -> ComposeResult:
        with Page():
            with Pane(id="main"):
                yield TextBlock(id="title")
                for label in ("Kind", "Launches", "Requires", "Permissions", "Codes", "Used"):
                    yield Fact(label, id=label.lower())
                yield Heading("Description")
                yield MarkdownText(id="description")
                yield Heading("Application roles", id="roles")
                yield TextBlock(id="no-roles")
                yield Rows(on_page=True)
            with Pane(id="side"):
                yield Heading("Roles, their permissions, and the meta roles that give them")
                yield TextBlock(id="holdings")

    def place(self) -> str:
        return f"Products · {self.detail.product.name}" if self.detail else "…"

    @property
    def name_of_record(self) -> str:
        return self.detail.product.name if self.detail else ""

    async def read(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        self.detail = await self.podium.query(GetProduct(product_id=self._product_id))

    def draw(self) -> None:
        detail = self.detail
        assert detail is not None
        product = detail.product
        retired = ("  retired", "$text-warning") if product.retired else ""
        self.query_one("#title", TextBlock).put(Content.assemble(plain(product.name), retired))
        for name, words in _facts(detail).items():
            self.query_one(f"#{name}", Fact).put(words)
        self.query_one("#description", MarkdownText).put_text(product.description, quiet("None yet · e to add one"))
        self.query_one("#roles", Heading).put(str(len(detail.roles)) if detail.roles else "")
        self.query_one("#no-roles", TextBlock).put(_said_of_roles(detail))
        self.rows.show([_row(line) for line in detail.roles])
        holdings = [_holding(line) for line in detail.roles]
        self.query_one("#holdings", TextBlock).put(Content("\n\n").join(holdings) if holdings else quiet("No roles"))

    # -- keys ------------------------------------------------------------------------------------------------

    def menu_title(self) -> str:
        role = self._role_keys.current
        return role.name if role else self.place()

    async def open_row(self) -> None:
        await self.action_do("product.edit_role")

    def actions(self) -> Sequence[Action]:
        return (
            Action("edit", with_found(self.product, self.do_edit)),
            Action("launch", with_found(self.product, self.do_launch)),
            Action("copy", with_found(self.product, self.do_copy)),
        )

    def product(self) -> Product | None:
        """The product as last read."""
        return self.detail.product if self.detail else None

    @asking
    async def do_edit(self, product: Product) -> None:
        if await ask_edit_product(self.podium, product):
            await self.refresh_from_core()

    @launching
    async def do_launch(self, product: Product) -> None:
        await ask_and_launch(self.podium, product)

    def do_copy(self, product: Product) -> None:
        copy_id(self, product.name, product.id)


class ApplicationRoleActions(Controller):
    """Add, edit and remove roles of the product."""

    screen: ProductScreen

    def actions(self) -> Sequence[Action]:
        product = self.screen.product
        return (
            Action("new_role", with_found(product, self.do_new_role)),
            Action("edit_role", with_found(self._need_role, self.do_edit_role)),
            Action("remove_role", with_found(self._need_role, self.do_remove_role)),
        )

    @property
    def current(self) -> ApplicationRole | None:
        """The role of the cursor."""
        if self.screen.detail is None or not 0 <= self.screen.rows.cursor < len(self.screen.detail.roles):
            return None
        return self.screen.detail.roles[self.screen.rows.cursor].role

    def _need_role(self) -> ApplicationRole | None:
        if self.current is None:
            some = self.screen.detail is not None and bool(self.screen.detail.roles)
            self.podium.toast("Go to a role first: j." if some else "No role here. Press n to add one.")
        return self.current

    @asking
    async def do_new_role(self, product: Product) -> None:
        role = await ask_new_role(self.podium, product, await self._meta_roles())
        if role is not None and self.screen.detail is not None:
            await self.screen.refresh_from_core()
            self.screen.rows.move([line.role.id for line in self.screen.detail.roles].index(role.id))

    @asking
    async def do_edit_role(self, role: ApplicationRole) -> None:
        product = self.screen.product()
        if product and await ask_edit_role(self.podium, product, await self._meta_roles(), role):
            await self.screen.refresh_from_core()

    async def _meta_roles(self) -> list[MetaRole]:
        return [line.meta_role for line in await self.podium.query(ListMetaRoles())]

    async def do_remove_role(self, role: ApplicationRole) -> None:
        """Remove it without a question, because undo restores it."""
        await self.podium.perform(RemoveApplicationRole(application_role_id=role.id, seen_version=role.version))
        if self.screen.detail and all(line.role.id != role.id for line in self.screen.detail.roles):
            await self.podium.undoing.report_removed(f"Removed the role “{role.name}”", self.screen.undo_scope)


def _facts(detail: ProductDetail) -> dict[str, Content]:
    product = detail.product
    return {
        "kind": Content(product.kind.lower()),
        "launches": plain(target_words(product)),
        "requires": _requires(product),
        "permissions": Content(authorization_words(product)),
        "codes": plain(" ".join(product.permission_codes)) or quiet("none"),
        "used": Content(count(detail.applications, "application")) if detail.applications else quiet("in no project"),
    }


def _requires(product: Product) -> Content:
    if not product.required_context:
        return Content.assemble(levels(()), ("  only for projects without links", QUIET))
    exactly = "  only for projects linked to exactly these"
    return Content.assemble(levels(product.required_context), (exactly, QUIET))


def _said_of_roles(detail: ProductDetail) -> Content:
    if not detail.roles:
        return quiet(NO_ROLES)
    return quiet("" if detail.product.uses_external_authorization else NOTHING_GRANTED)


def _row(line: ApplicationRoleSummary) -> Row:
    codes = count(len(line.role.permission_codes), "code")
    return Row(line.role.name, " · ".join([codes, *([_given_by(line)] if line.meta_roles else [])]))


def _given_by(line: ApplicationRoleSummary) -> str:
    return names([each.name for each in line.meta_roles])


def _holding(line: ApplicationRoleSummary) -> Content:
    """A role with its codes and the meta roles that give it, in full."""
    brought = f"granted by {_given_by(line)}" if line.meta_roles else "granted by no meta role"
    return Content.assemble(
        Content.styled(plain(line.role.name).plain, "bold"),
        "\n",
        plain(" ".join(line.role.permission_codes)) or quiet("no codes"),
        "\n",
        Content.styled(plain(brought).plain, QUIET),
    )
