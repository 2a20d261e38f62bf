"""A change that came too late: both versions are shown to the person, who chooses (spec, section 9: nothing is lost).

What a command says that differs from the record as the person saw it is theirs; all else in it follows what others
have written meanwhile. So sending it again takes nothing back that the person never touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from textual.worker import NoActiveWorker, get_current_worker

from core.engine.messages import Command
from core.errors import ConcurrentChange, PodiumError, VersionConflict
from core.text.dates import in_full
from core.text.phrases import in_words
from tui.dialogs.conflict_choice import ConflictChoice, ConflictResolved, Versions
from tui.labels.times import when
from tui.services.conflict_labels import labels_for

if TYPE_CHECKING:
    from tui.dialogs.form import FormDialog
    from tui.services.host import Host

R = TypeVar("R")

NOT_SHOWN = {"version", "rank", "project_id", "id"}
"""Fields of records that say nothing to people."""

MAX_OF_A_VALUE = 400
"""Characters of a value that are shown; the form still has all that was typed."""

MAX_TOLD = 3
"""How many of the changes that were made meanwhile are told."""


def said(command: Command[Any], error: VersionConflict) -> dict[str, Any]:
    """What the command says of the record, by field; what is left out is not said."""
    known = {field.name for field in fields(cast(Any, error.current))} - NOT_SHOWN
    given = {field.name: field.default for field in fields(cast(Any, command)) if field.name in known}
    values = {name: getattr(command, name) for name in given}
    return {name: value for name, value in values.items() if value is not None or given[name] is not None}


def my_changes(command: Command[Any], error: VersionConflict) -> dict[str, Any]:
    """Of that, what the person changed; all of it where nobody knows what they saw."""
    values = said(command, error)
    if error.base is None:
        return values
    return {name: value for name, value in values.items() if value != getattr(error.base, name)}


def their_changes(error: VersionConflict) -> dict[str, Any]:
    """What others changed meanwhile."""
    if error.base is None:
        return {}
    found = {field.name: getattr(error.current, field.name) for field in fields(cast(Any, error.current))}
    return {n: value for n, value in found.items() if n not in NOT_SHOWN and value != getattr(error.base, n)}


def merged(command: Command[R], error: VersionConflict) -> Command[R]:
    """The command as it would be had the person begun with the record as it is now."""
    untouched = said(command, error).keys() - my_changes(command, error).keys()
    current = cast(Any, error.current)
    values = {name: getattr(current, name) for name in untouched}
    return cast("Command[R]", replace(cast(Any, command), seen_version=current.version, **values))


def can_merge(command: Command[Any], error: VersionConflict) -> bool:
    """Whether both changes fit together: the person and the others touched different fields."""
    mine = my_changes(command, error)
    return error.base is not None and bool(mine) and not mine.keys() & their_changes(error).keys()


def is_done(command: Command[Any], error: VersionConflict) -> bool:
    """Whether others did the very same already."""
    mine = my_changes(command, error)
    return bool(mine) and all(getattr(error.current, name) == value for name, value in mine.items())


def is_about(command: Command[Any], error: VersionConflict) -> bool:
    """Whether a command is about the version of the record that this conflict was about."""
    was, current = cast(Any, error.base), cast(Any, error.current)
    key = getattr(current, "id", None) or getattr(current, "user_id", None)
    ids = {getattr(command, field.name) for field in fields(cast(Any, command)) if field.name.endswith("id")}
    return key in ids and was is not None and getattr(command, "seen_version", None) == was.version


def versions(command: Command[Any], error: VersionConflict, names: Mapping[str, str]) -> list[Versions]:
    """The fields that the person or others changed, with both versions. ``names`` are those of ids; what
    has no words is left to the sentences that the history has for it."""
    mine, theirs = my_changes(command, error), their_changes(error)
    found: list[Versions] = []
    for name in dict.fromkeys([*mine, *theirs]):
        now = getattr(error.current, name)
        words = [in_plain_words(value, names) for value in (mine.get(name, now), now)]
        if None not in words:
            shown = cast("list[str]", words)
            touched = _cut(shown[0]) if name in mine else ""
            found.append(Versions(name, label_of(name), touched, _cut(shown[1]), name in theirs))
    return found


def label_of(name: str) -> str:
    """The name of a field as people read it."""
    return in_words(name.removesuffix("_ids").removesuffix("_id")).capitalize()


def in_plain_words(value: Any, names: Mapping[str, str]) -> str | None:
    """A value of a record as people read it; None where it has no words."""
    match value:
        case None | "" | ():
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case StrEnum():
            return in_words(value.value)
        case date():
            return in_full(value)
        case tuple():
            parts = [in_plain_words(each, names) for each in value]
            return None if None in parts else ", ".join(cast("list[str]", parts))
        case str() if _is_id(value):
            return names.get(value)
    return str(value)


def _cut(value: str) -> str:
    return value if len(value) <= MAX_OF_A_VALUE else f"{value[: MAX_OF_A_VALUE - 1]}…"


def _is_id(value: str) -> bool:
    return len(value) == 26 and value.isalnum() and value.isupper()


def told(since: tuple[ConcurrentChange, ...], now: datetime) -> list[str]:
    """What was done meanwhile, a line for each change, the newest first."""
    lines = [f"{each.by}, {when(each.at, now)}: {each.summary}" for each in since[:MAX_TOLD]]
    left = len(since) - MAX_TOLD
    return [*lines, f"and {left} more"] if left > 0 else lines


class ConflictResolver:
    """Puts conflicts to the person; the one place where that is done."""

    def __init__(self, app: Host) -> None:
        self._app = app

    def prepared(self, command: Command[R]) -> Command[R]:
        """A command of a form whose person has seen newer versions since the form opened."""
        form = self._form
        for error in form.conflicts if form else ():
            if is_about(command, error):
                command = merged(command, error)
        return command

    async def settle(self, command: Command[R], error: VersionConflict) -> R:
        """Ask what becomes of a command, and send it again where the person wants that.

        Raises ConflictResolved when they do not, and ``error`` itself where nothing can be compared. A key cannot wait
        for the person: its deed ends here, and goes on by itself if the person wants that.
        """
        if error.current is None or not hasattr(command, "seen_version"):
            raise error
        if not _may_ask():
            self._app.begin(partial(self.perform, command, error))
            raise ConflictResolved(ConflictChoice.AGAIN)
        if is_done(command, error):
            self._app.tell("\n".join(["That was done already.", *told(error.since[:1], datetime.now(UTC))]))
            raise ConflictResolved(ConflictChoice.THEIRS)
        changed = {*my_changes(command, error), *their_changes(error)}
        shown = versions(command, error, await labels_for(self._app, error.current, changed))
        choice = await self._ask(shown, error, fit=can_merge(command, error))
        if choice is not ConflictChoice.MINE:
            if choice is ConflictChoice.AGAIN and self._form:
                self._form.compare(error, shown)
            raise ConflictResolved(choice)
        again: Any = merged(command, error)
        send = self._app.send_or_ask if hasattr(again, "relock") else self._app.send
        return cast(R, await send(again))

    async def perform(self, command: Command[Any], error: VersionConflict) -> None:
        """The same for a key, in a worker of its own."""
        try:
            await self.settle(command, error)
        except PodiumError as refused:
            self._app.show_error(refused)
        screen = self._app.visible_screen
        if screen is not None:
            await screen.refresh_from_core()

    async def _ask(self, shown: Sequence[Versions], error: VersionConflict, *, fit: bool) -> ConflictChoice:
        from tui.dialogs.conflict import ConflictDialog

        happened = told(error.since, datetime.now(UTC))
        return await self._app.ask(ConflictDialog(happened, shown, fit=fit, from_form=self._form is not None))

    @property
    def _form(self) -> FormDialog[Any] | None:
        from tui.dialogs.form import FormDialog

        return self._app.screen if isinstance(self._app.screen, FormDialog) else None


def _may_ask() -> bool:
    try:
        get_current_worker()
    except NoActiveWorker:
        return False
    return True
