"""Consent to the end of an approval: the reason of someone who can give it, and the request of anyone else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from core.errors import InvalidInput
from core.text.phrases import names, some
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.form_fields import TextField
from tui.dialogs.form import FormDialog

NAMED = 2
"""The most people whose names stand on the button to ask them; all of them are asked."""


class ReasonDialog(FormDialog[str]):
    """Asks why an approval may end. Dismissed with the reason, or with None."""

    def __init__(self, title: str, words: str, people: Sequence[str]) -> None:
        field = TextField("reason", "Why?", "", "The reason stands in the gate record")
        super().__init__(title, [field], _reason, submit="End the approval", note=f"{words}\n\n{_who_can(people)}")


class AskDialog(ConfirmDialog):
    """Offers to ask those who can agree. Dismissed with True to ask them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("C", "answer(True)", show=False)]

    def __init__(self, title: str, words: str, people: Sequence[str]) -> None:
        super().__init__(title, f"{words}\n\n{_who_can(people)}", f"Ask {some(people, NAMED)}")
        self._hints = "C ask · esc cancel"


async def _reason(values: dict[str, Any]) -> str:
    reason = str(values["reason"]).strip()
    if not reason:
        raise InvalidInput("reason", "Say why: the reason stands in the gate record.")
    return reason


def _who_can(people: Sequence[str]) -> str:
    return f"{names(people)} can agree to it." if people else ""
