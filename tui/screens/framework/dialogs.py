"""Keys that ask the person something on the way, and what they ask in the same way on every screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from textual import work
from textual.worker import Worker, get_current_worker

from core.errors import PodiumError

if TYPE_CHECKING:
    from core.domain.canvas import CanvasMember
    from tui.dialogs.form_fields import Field
    from tui.screens.framework.screen import PodiumScreen

R = TypeVar("R")


def asking(deed: Callable[..., Awaitable[None]]) -> Callable[..., Worker[None]]:
    """For a ``do_…`` method that opens dialogs: it runs as a worker, and what the core refuses is shown.

    Without it a refusal would end the program, as what a worker raises does. Keys typed meanwhile wait for the dialog.
    """

    @wraps(deed)
    async def run(screen: Any, *arguments: Any) -> None:
        try:
            with screen.while_it_stands():
                await deed(screen, *arguments)
        except PodiumError as error:
            screen.podium.show_error(error)
        finally:
            screen.podium.type_ahead.release(get_current_worker())

    begin: Callable[..., Worker[None]] = work(run)

    @wraps(deed)
    def ask(screen: Any, *arguments: Any) -> Worker[None]:
        worker = begin(screen, *arguments)
        screen.podium.type_ahead.hold(worker)
        return worker

    return ask


async def show_form(
    screen: PodiumScreen,
    title: str,
    fields: Sequence[Field],
    save: Callable[[dict[str, Any]], Awaitable[R | None]],
    *,
    submit: str = "Save",
    note: str = "",
) -> R | None:
    """Ask a form, whose ``save`` sends the command, and have the screen read again; None when the person gave up."""
    from tui.dialogs.form import FormDialog

    result = await screen.podium.ask(FormDialog(title, fields, save, submit=submit, note=note))
    if result is not None:
        await screen.refresh_from_core()
    return result


def member_options(team: Iterable[CanvasMember]) -> tuple[tuple[str, str, str], ...]:
    """Those whom something can be assigned to, as options of a list: id, name and project role."""
    return tuple((member.user_id, member.name, member.role.lower()) for member in team if member.active)
