"""Dialogs that actions open: the worker they run in, and the form that every screen shows alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from textual.worker import Worker, get_current_worker

from core.errors import PodiumError
from tui.screens.framework.controller import OwnerScreen, while_open

if TYPE_CHECKING:
    from textual.screen import ModalScreen

    from core.domain.canvas import CanvasMember
    from core.domain.model import Id
    from core.engine.messages import Command
    from tui.dialogs.fields.form_fields import Field

R = TypeVar("R")

CARDS = "cards of all fields"
"""The option of ``choose_sum`` for cards, which is the key of no field."""


def asking(handler: Callable[..., Awaitable[None]]) -> Callable[..., Worker[None]]:
    """Decorate a handler that opens dialogs: it runs as a worker of its screen, and a refusal of the core is shown.

    Without it a refusal would end the program, as every error of a worker does. Keys typed meanwhile wait for the
    dialog. The handler is a method of a screen or of a controller.
    """

    @wraps(handler)
    async def run(owner: Any, *arguments: Any) -> None:
        podium = owner.podium
        try:
            with while_open(owner.screen):
                await handler(owner, *arguments)
        except PodiumError as error:
            podium.show_error(error)
        finally:
            podium.type_ahead.release(get_current_worker())

    @wraps(handler)
    def ask(owner: Any, *arguments: Any) -> Worker[None]:
        worker: Worker[None] = owner.screen.run_worker(partial(run, owner, *arguments), name=handler.__name__)
        owner.podium.type_ahead.hold(worker)
        return worker

    return ask


async def show_form(
    screen: OwnerScreen,
    title: str,
    fields: Sequence[Field],
    save: Callable[[dict[str, Any]], Awaitable[R | None]],
    *,
    submit: str = "Save",
    note: str = "",
    hints: str = "",
    about: Id = "",
    record: Any = None,
) -> R | None:
    """Ask a form, whose ``save`` sends the command, and have the screen read again; None when the person gave up.

    ``hints``, ``about`` and ``record`` are as in ``FormDialog``.
    """
    from tui.dialogs.form import FormDialog

    dialog = FormDialog(title, fields, save, submit=submit, note=note, hints=hints, about=about, record=record)
    return await show_dialog(screen, dialog)


async def ask_reason(
    screen: OwnerScreen, title: str, make: Callable[..., Command[Any]], *, submit: str, note: str = "", done: Any = None
) -> Any:
    """Ask for the reason of a command, and send it. Return its result, or ``done`` in place of None.

    Return None when the person gave up.
    """
    from tui.dialogs.fields.form_fields import TextField

    async def save(values: dict[str, Any]) -> Any:
        return await screen.podium.send_or_ask(make(reason=values["reason"])) or done

    return await show_form(screen, title, [TextField("reason", "Reason (needed)")], save, submit=submit, note=note)


async def show_dialog(screen: OwnerScreen, dialog: ModalScreen[R | None]) -> R | None:
    """Open a dialog whose result is of a change, and have the screen read again unless the result is None."""
    result = await screen.podium.ask(dialog)
    if result is not None:
        await screen.refresh_from_core()
    return result


def member_options(team: Iterable[CanvasMember]) -> tuple[tuple[str, str, str], ...]:
    """Those whom something can be assigned to, as options of a list: id, name and project role."""
    return tuple((member.user_id, member.name, member.role.lower()) for member in team if member.active)


async def choose_sum(screen: OwnerScreen, fields: Mapping[str, str], chosen: str) -> str | None:
    """Ask what to count: cards ("") or one of these fields, names by key; None when the person gave up."""
    from tui.dialogs.menus.picker import Option, PickDialog

    options = [Option(CARDS, "Cards"), *(Option(key, name) for key, name in fields.items())]
    picked = await screen.podium.ask(PickDialog("Count", options, chosen=(chosen or CARDS,)))
    return None if not picked else "" if picked[0] == CARDS else picked[0]
