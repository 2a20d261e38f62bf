"""Asking for a new application, alike on the Canvas, the Card and the Phase screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.actions.cards.application_lists import ListProductOptions
from core.actions.cards.applications import AddApplication
from core.domain.canvas import CanvasMember
from core.domain.model import Id
from core.domain.products.products import Application, Product
from tui.dialogs.fields.form_fields import DateField, Field, PeopleField, TextField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.screens.framework.dialogs import member_options, show_form
from tui.screens.framework.screen import PodiumScreen

NO_PRODUCTS = "There is no product yet. A workspace admin registers one: g o."


async def ask_new_application(
    screen: PodiumScreen, team: Sequence[CanvasMember], *, phase_id: Id | None = None, activity_id: Id | None = None
) -> Application | None:
    """Ask for a product and the rest, add the application and have the screen read again; None when one gives up.

    Exactly one of ``phase_id`` and ``activity_id`` says where it comes.
    """
    product = await _ask_product(screen)
    if product is None:
        return None
    return await _ask_rest(screen, product, team, {"phase_id": phase_id, "activity_id": activity_id})


async def _ask_product(screen: PodiumScreen) -> Product | None:
    """A product that fits the project; those that do not are shown dimmed, and answer with the reason."""
    choices = await screen.podium.query(ListProductOptions(project_id=screen.project_id))
    products = {choice.product.id: choice.product for choice in choices}
    options = [Option(each.product.id, each.product.name, _hint(each.product), each.refusal) for each in choices]
    dialog = PickDialog("Add an application of which product?", options, empty=NO_PRODUCTS)
    picked = await screen.podium.ask(dialog)
    return products[picked[0]] if picked else None


def _hint(product: Product) -> str:
    """Its kind and what it is for: the filter finds both."""
    return f"{product.kind.lower()} · {product.description}" if product.description else product.kind.lower()


async def _ask_rest(
    screen: PodiumScreen, product: Product, team: Sequence[CanvasMember], place: dict[str, Any]
) -> Application | None:
    async def save(values: dict[str, Any]) -> Application | None:
        command = AddApplication(project_id=screen.project_id, product_id=product.id, **place, **values)
        return await screen.podium.send(command)

    fields: list[Field] = [
        TextField("name", "Name", product.name),
        DateField("due", "Due"),
        PeopleField("member_ids", "Assigned to", member_options(team), multiple=True),
    ]
    title = f"New application of “{product.name}”"
    return await show_form(screen, title, fields, save, submit="Add", about=f"{screen.project_id} {product.id}")
