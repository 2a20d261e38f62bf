"""Launching products from a screen: launch, inspect the launch context, copy it.

Refusals are raised as PodiumError.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from core.actions.cards.application_lists import GetApplication
from core.actions.products.launch import GetLaunchContext, LaunchApplication, LaunchPayload, LaunchProduct
from core.actions.products.products import GetProduct
from core.domain.model import Id, NodeKind
from core.domain.products.launch_context import LaunchContext
from core.domain.products.products import LaunchKind, Product
from core.engine.messages import Command
from core.errors import CannotLaunch, PodiumError
from tui.launch.agreements import Agreements
from tui.launch.launch_rules import (
    check_launchable,
    check_unchanged,
    exit_message,
    question_of,
    run_product,
    target_words,
    url_of,
)
from tui.podium import Podium

LAUNCHES = "launches"
"""The group of workers that launch a product."""


def is_launching(podium: Podium) -> bool:
    """True from the key until the browser is open."""
    return any(worker.group == LAUNCHES and not worker.is_finished for worker in podium.workers)


async def launch(podium: Podium, application_id: Id) -> None:
    """Launch an application with its launch context, and record it in the history of the project."""
    detail = await podium.query(GetApplication(application_id=application_id))
    await _launch(podium, detail.product, detail.application.name, LaunchApplication(application_id=application_id))


async def launch_product(podium: Podium, product_id: Id, links: Mapping[NodeKind, Id | None]) -> None:
    """Launch a product outside a project, with the chosen node of each level."""
    product = (await podium.query(GetProduct(product_id=product_id))).product
    client_id, market_id, brand_id = (links.get(level) for level in NodeKind)
    command = LaunchProduct(product_id=product_id, client_id=client_id, market_id=market_id, brand_id=brand_id)
    await _launch(podium, product, product.name, command)


async def inspect(podium: Podium, application_id: Id) -> None:
    """Show the launch context of an application, from where the user can launch it."""
    from tui.dialogs.launch_context import ContextDialog

    detail = await podium.query(GetApplication(application_id=application_id))
    context = await podium.query(GetLaunchContext(application_id=application_id))
    dialog = ContextDialog(
        detail.application.name, detail.product, target_words(detail.product), context, has_code=bool(podium.public_url)
    )

    async def go_on() -> None:
        try:
            await launch(podium, application_id)
        except PodiumError as error:
            podium.show_error(error)

    def on_answer(launches: bool | None) -> None:
        if launches:
            podium.begin(go_on, group=LAUNCHES)

    podium.push_screen(dialog, on_answer)


async def copy_context(podium: Podium, application_id: Id) -> None:
    """Copy the launch context of an application to the clipboard, exactly as the product would receive it."""
    context = await podium.query(GetLaunchContext(application_id=application_id))
    podium.copy_to_clipboard(context.as_json())
    podium.toast("Copied the context.")


async def _launch(podium: Podium, product: Product, name: str, command: Command[LaunchPayload]) -> None:
    """Check, ask, record and launch. A launch that is impossible or declined is not recorded."""
    check_launchable(product, podium.via)
    if product.kind is LaunchKind.TERMINAL and not await _agrees(podium, product):
        return
    handed = await podium.send(command)
    check_unchanged(product, handed.product)
    try:
        if handed.product.kind is LaunchKind.WEB:
            words = context_words(handed.context, name, podium.me.user.name)
            podium.begin(partial(_open, podium, name, words, url_of(handed, podium.public_url)), group=LAUNCHES)
        else:
            _run(podium, name, handed, product)
    finally:
        screen = podium.visible_screen
        if screen is not None:
            await screen.refresh_from_core()


def context_words(context: LaunchContext, name: str, who: str) -> str:
    """The launch context for people, a line for each part. ``name`` is that of the application or the product."""
    hierarchy = context.hierarchy
    nodes = (("Client", hierarchy.client), ("Market", hierarchy.market), ("Brand", hierarchy.brand))
    parts = [
        *([("Project", context.project.name)] if context.project else []),
        *((level, node.name) for level, node in nodes if node is not None),
        ("Item", name),
        ("You", who),
    ]
    return "\n".join(f"{label:9}{value}" for label, value in parts)


async def _open(podium: Podium, name: str, words: str, url: str) -> None:
    from tui.dialogs.link import WITH_CODE, WITH_CONTEXT, LinkDialog
    from tui.launch.links import open_or_copy

    if await open_or_copy(podium, url):
        podium.toast(f"Launched “{name}” in the browser.")
    else:
        said = WITH_CODE if podium.public_url else WITH_CONTEXT
        podium.push_screen(LinkDialog(f"Launch of “{name}”", f"{words}\n\nThe link is copied. {said}", url))


async def _agrees(podium: Podium, product: Product) -> bool:
    """Return True if the user agreed to the command of a terminal product, now or before."""
    from tui.dialogs.confirm import ConfirmDialog

    agreements = Agreements(podium.place, podium.me.workspace.id)
    question = question_of(product, agreements)
    if not question:
        return True
    agreed = await podium.ask(ConfirmDialog(f"Run “{product.name}”", question, "Run"))
    if agreed:
        agreements.add(product)
    return agreed


def _run(podium: Podium, name: str, handed: LaunchPayload, agreed: Product) -> None:
    """Run a terminal product in place of the screen.

    It blocks the event loop on purpose: drawing meanwhile would wait for ever for the terminal.
    """
    refused: CannotLaunch | None = None
    status = 0
    with podium.suspend():
        try:
            status = run_product(handed, agreed)
        except CannotLaunch as error:  # an exception through ``suspend`` would not restore the screen
            refused = error
    if refused is not None:
        raise refused
    podium.toast(exit_message(name, status), severity="warning" if status else "information")
