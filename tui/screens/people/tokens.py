"""Access: tokens, also of products and gateways, and linked accounts of the machine; for admins those of all users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from core.actions.products.products import ListProducts
from core.actions.products.tokens import (
    CreateProductToken,
    ListProductTokens,
    NewProductToken,
    ProductTokenSummary,
    RevokeProductToken,
)
from core.actions.workspace.credentials import (
    DAYS,
    MAX_DAYS,
    CreateToken,
    CreateUserToken,
    LinkedAccountRow,
    LinkOsAccount,
    ListLinkedAccounts,
    ListTokens,
    NewToken,
    RevokeToken,
    RevokeUserToken,
    TokenState,
    TokenSummary,
    UnlinkOsAccount,
)
from core.actions.workspace.gateway_tokens import GatewayTokenSummary, ListGatewayTokens, RevokeGatewayToken
from core.actions.workspace.users import ListUsers
from core.domain.model import User
from core.domain.permissions import Permission
from core.errors import InvalidInput
from core.text.dates import in_full
from core.text.phrases import in_words
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.form_fields import Field, PeopleField, TextField
from tui.dialogs.link import LinkDialog
from tui.drawing.styles import TextRole
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.list_screen import ListScreen
from tui.widgets.columns import Column, Line, cell
from tui.wording.permissions import missing_permission_reason
from tui.wording.platform_roles import roles_of

COLUMNS = (
    Column("Kind", 7, 8),
    Column("Name", 16, 40),
    Column("Whose", 12, 48, rank=2),
    Column("State", 10, 12, rank=1),
    Column("From", 15, 15, rank=4),
    Column("Until", 15, 15, rank=3),
)

NOTHING = "No tokens yet\nPress n to create a token that lets programs act as you over the network."
PRODUCT_SHOWN_ONCE = "Shown only once: copy it now. “{}” sends the permission query with it until {}."
SHOWN_ONCE = (
    "Shown only once: copy it now. Programs that use it act as {} until {}. Store it in PODIUM_TOKEN, in the keyring,"
    " or in a file with mode 0600."
)

SignIn: TypeAlias = TokenSummary | LinkedAccountRow | ProductTokenSummary | GatewayTokenSummary
"""The record of a line."""


class AccessScreen(ListScreen[SignIn]):
    """The tokens and linked accounts with which users sign in to a server."""

    name_in_table = "access"
    title_words = "Sign-in and tokens"
    is_of_workspace = True
    columns = COLUMNS

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        tokens = sorted(await self.podium.query(ListTokens()), key=lambda each: each.state != TokenState.VALID)
        ways: list[SignIn] = [*await self.podium.query(ListLinkedAccounts()), *tokens]
        if Permission.PRODUCT_MANAGE in self.podium.me.held:
            ways += await self.podium.query(ListProductTokens())
        if self._is_admin:
            ways += await self.podium.query(ListGatewayTokens())
        self.listing.empty = NOTHING
        self.records.show((way, _account(way) if isinstance(way, LinkedAccountRow) else _token(way)) for way in ways)

    @property
    def _is_admin(self) -> bool:
        return Permission.USER_MANAGE in self.podium.me.held

    def actions(self) -> Sequence[Action]:
        return (
            Action("new_token", self.do_new_token),
            Action("new_product_token", self.do_new_product_token),
            Action("link_account", self.do_link_account),
            self.records.action("remove", self.do_remove),
        )

    @asking
    async def do_new_token(self) -> None:
        me = self.podium.me.user.id
        fields: list[Field] = [
            TextField("label", "Label", placeholder="its purpose"),
            TextField("days", "Days", str(DAYS)),
        ]
        if self._is_admin:
            fields.append(PeopleField("person", "Person", _options(await self._people()), (me,)))

        async def save(values: dict[str, Any]) -> NewToken:
            days, label = _days(values["days"]), values["label"]
            user_id = next(iter(values.get("person", ())), me)
            if user_id == me:
                return await self.podium.send(CreateToken(label=label, days=days))
            return await self.podium.send(CreateUserToken(user_id=user_id, label=label, days=days))

        made = await show_form(self, "Create a token", fields, save, submit="Create")
        if made is not None:
            self.records.go_to_new(made.token.id)
            said = SHOWN_ONCE.format(made.token.user, in_full(made.token.expires_at.astimezone().date()))
            await self.podium.ask(LinkDialog(f"Token “{made.token.label}”", said, made.secret))

    @asking
    async def do_new_product_token(self) -> None:
        products = [line.product for line in await self.podium.query(ListProducts())]
        fields: list[Field] = [
            TextField("label", "Label", placeholder="where it is stored"),
            TextField("days", "Days", str(DAYS)),
            PeopleField("product", "Product", tuple((each.id, each.name, "") for each in products), none="none"),
        ]

        async def save(values: dict[str, Any]) -> NewProductToken:
            if not values["product"]:
                raise InvalidInput("product", "Choose the product that it is for.")
            days = _days(values["days"])
            command = CreateProductToken(product_id=values["product"][0], label=values["label"], days=days)
            return await self.podium.send(command)

        made = await show_form(self, "Create a token for a product", fields, save, submit="Create")
        if made is not None:
            self.records.go_to_new(made.token.id)
            said = PRODUCT_SHOWN_ONCE.format(made.token.product, in_full(made.token.expires_at.astimezone().date()))
            await self.podium.ask(LinkDialog(f"Token “{made.token.label}”", said, made.secret))

    @asking
    async def do_link_account(self) -> None:
        async def save(values: dict[str, Any]) -> LinkedAccountRow:
            if not values["person"]:
                raise InvalidInput("person", "Say whose account it is.")
            return await self.podium.send(LinkOsAccount(os_user=values["account"], user_id=values["person"][0]))

        people = _options(await self._people())
        fields: list[Field] = [
            TextField("account", "Account", placeholder="its name on the server's machine"),
            PeopleField("person", "Person", people),
        ]
        made = await show_form(self, "Link an account", fields, save, submit="Link")
        if made is not None:
            self.records.go_to_new(_line_id(made))

    @asking
    async def do_remove(self, way: SignIn) -> None:
        """Ask first, since it cannot be undone: programs that use it are signed out at once."""
        if isinstance(way, TokenSummary | ProductTokenSummary | GatewayTokenSummary) and way.state.is_over:
            self.podium.toast(f"“{way.label}” is {in_words(way.state)}.")
        elif isinstance(way, GatewayTokenSummary):
            words = f"The gateway with “{way.label}” is refused from then on, and the sessions that it opened end."
            if await self.podium.ask(ConfirmDialog("Revoke the token", words, "Revoke")):
                await self.podium.perform(RevokeGatewayToken(gateway_token_id=way.id))
        elif isinstance(way, ProductTokenSummary):
            words = f"From then on {way.product} is refused with “{way.label}”."
            if await self.podium.ask(ConfirmDialog("Revoke the token", words, "Revoke")):
                await self.podium.perform(RevokeProductToken(product_token_id=way.id))
        elif isinstance(way, TokenSummary):
            words = f"Programs with the token “{way.label}” of {way.user} are signed out at once."
            if await self.podium.ask(ConfirmDialog("Revoke the token", words, "Revoke")):
                own = way.user_id == self.podium.me.user.id
                of_another = RevokeUserToken(user_id=way.user_id, token_id=way.id)
                await self.podium.perform(RevokeToken(token_id=way.id) if own else of_another)
        elif isinstance(way, LinkedAccountRow) and not self._is_admin:
            me = self.podium.me
            why = missing_permission_reason(Permission.USER_MANAGE, me.authority, roles_of(me.user))
            self.podium.toast(why, severity="warning")
        elif isinstance(way, LinkedAccountRow):
            words = f"The account “{way.os_user}” no longer signs in as {way.user}, and is signed out at once."
            if await self.podium.ask(ConfirmDialog("Unlink the account", words, "Unlink")):
                await self.podium.perform(UnlinkOsAccount(os_user=way.os_user, host=way.host))

    async def _people(self) -> list[User]:
        return [line.user for line in await self.podium.query(ListUsers()) if line.user.active]


def _options(people: list[User]) -> tuple[tuple[str, ...], ...]:
    return tuple((user.id, user.name, user.login) for user in people)


def _days(text: str) -> int:
    if not text.isascii() or not text.isdecimal():
        raise InvalidInput("days", f"Write the days as a number from 1 to {MAX_DAYS}.")
    return int(text[:9])


def _token(token: TokenSummary | ProductTokenSummary | GatewayTokenSummary) -> Line:
    is_valid = token.state is TokenState.VALID
    if isinstance(token, ProductTokenSummary):
        kind, whose = "product", token.product
    elif isinstance(token, GatewayTokenSummary):
        kind, whose = "gateway", f"made by {token.made_by}"
    else:
        kind, whose = "token", token.whose
    return Line(
        token.id,
        (
            cell(kind),
            cell(token.label, TextRole.TITLE if is_valid else TextRole.QUIET),
            cell(whose, TextRole.NAME),
            cell(in_words(token.state), TextRole.QUIET if is_valid else TextRole.SOON),
            cell(in_full(token.created_at.astimezone().date())),
            cell(in_full((token.revoked_at or token.expires_at).astimezone().date())),
        ),
    )


def _line_id(account: LinkedAccountRow) -> str:
    return f"account {account.host} {account.os_user}"


def _account(account: LinkedAccountRow) -> Line:
    return Line(
        _line_id(account),
        (
            cell("account"),
            cell(account.os_user, TextRole.TITLE if account.state == "valid" else TextRole.QUIET),
            cell(account.whose, TextRole.NAME),
            cell(
                account.state,
                TextRole.LATE
                if account.state == "reassigned"
                else TextRole.QUIET
                if account.state == "valid"
                else TextRole.SOON,
            ),
            cell(in_full(account.at.astimezone().date())),
            cell(""),
        ),
    )
