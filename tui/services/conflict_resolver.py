"""Version conflicts: the user sees both versions and chooses one, so that nothing is lost.

The fields of a command that differ from the record as the user saw it are the user's changes. All other fields take
the current values, so sending the command again does not revert changes by others.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from textual.worker import NoActiveWorker, get_current_worker

from core.domain.model import Id
from core.engine.messages import Command
from core.errors import ConcurrentChange, PodiumError, VersionConflict
from core.record import defaults, fields, replace
from core.text.dates import in_full
from core.text.phrases import in_words, shorten
from tui.dialogs.conflict_choice import ConflictChoice, ConflictResolved, Versions
from tui.services.host import Host
from tui.wording.times import when

if TYPE_CHECKING:
    from tui.dialogs.form import FormDialog
    from tui.services.host import Host

R = TypeVar("R")

NOT_SHOWN = {"version", "rank", "project_id", "id"}
"""Fields of records that users never see."""

MAX_OF_A_VALUE = 400
"""Most characters of a value in the dialog; the form keeps the whole text."""

MAX_LISTED = 3
"""Most changes by others that are listed."""


def values_sent(command: Command[Any], error: VersionConflict) -> dict[str, Any]:
    """The fields of the record that the command sets, with their values. A field that is left out has its default.

    The field by which it names the record is none of them: ``activity_id`` of an activity is the activity of a task.
    """
    current = cast(Any, error.current)
    known = set(fields(current)) - NOT_SHOWN
    own_id = getattr(current, "id", "")
    values = {name: getattr(command, name) for name in fields(command) if name in known}
    values = {name: value for name, value in values.items() if value != own_id}
    usual = defaults(command)
    return {name: value for name, value in values.items() if value is not None or usual.get(name, ...) is not None}


def my_changes(command: Command[Any], error: VersionConflict) -> dict[str, Any]:
    """The fields that the user changed and that have another value now; all of these, if the base is unknown."""
    changed = _changed_values(command, error)
    return {name: value for name, value in changed.items() if value != getattr(error.current, name)}


def _changed_values(command: Command[Any], error: VersionConflict) -> dict[str, Any]:
    values = values_sent(command, error)
    if error.base is None:
        return values
    return {name: value for name, value in values.items() if value != getattr(error.base, name)}


def their_changes(error: VersionConflict) -> dict[str, Any]:
    """The fields that others changed meanwhile, with their current values."""
    if error.base is None:
        return {}
    found = {name: getattr(error.current, name) for name in fields(cast(Any, error.current))}
    return {n: value for n, value in found.items() if n not in NOT_SHOWN and value != getattr(error.base, n)}


def merge(command: Command[R], error: VersionConflict) -> Command[R]:
    """The command with the user's changes on top of the current record."""
    untouched = values_sent(command, error).keys() - my_changes(command, error).keys()
    current = cast(Any, error.current)
    values = {name: getattr(current, name) for name in untouched}
    return cast("Command[R]", replace(cast(Any, command), seen_version=current.version, **values))


def can_merge(command: Command[Any], error: VersionConflict) -> bool:
    """True if the user and the others changed different fields."""
    mine = my_changes(command, error)
    return error.base is not None and bool(mine) and not mine.keys() & their_changes(error).keys()


def is_done(command: Command[Any], error: VersionConflict) -> bool:
    """True if the record already has all values of the user's changes."""
    return bool(_changed_values(command, error)) and not my_changes(command, error)


def _is_of(command: Command[Any], record: Any) -> bool:
    """True if a command changes the record and the version that a form was opened with."""
    ids = {getattr(command, name) for name in fields(command) if name.endswith("id")}
    return record.id in ids and getattr(command, "seen_version", None) == record.version


def is_about(command: Command[Any], error: VersionConflict) -> bool:
    """True if a command changes the record and the version of this conflict."""
    was, current = cast(Any, error.base), cast(Any, error.current)
    key = getattr(current, "id", None) or getattr(current, "user_id", None)
    ids = {getattr(command, name) for name in fields(command) if name.endswith("id")}
    return key in ids and was is not None and getattr(command, "seen_version", None) == was.version


def versions(command: Command[Any], error: VersionConflict, names: Mapping[str, str]) -> list[Versions]:
    """The fields that the user or others changed, with both versions, for the dialog.

    ``names`` has names by id. Fields whose values have no words are left out: the history describes their change.
    """
    mine, theirs = my_changes(command, error), their_changes(error)
    found: list[Versions] = []
    for name in dict.fromkeys([*mine, *theirs]):
        now = getattr(error.current, name)
        words = [in_plain_words(value, names) for value in (mine.get(name, now), now)]
        if None not in words:
            shown = cast("list[str]", words)
            touched = shorten(shown[0], MAX_OF_A_VALUE) if name in mine else ""
            found.append(Versions(name, label_of(name), touched, shorten(shown[1], MAX_OF_A_VALUE), name in theirs))
    return found


def label_of(name: str) -> str:
    """The label of a field."""
    return in_words(name.removesuffix("_ids").removesuffix("_id")).capitalize()


def in_plain_words(value: Any, names: Mapping[str, str]) -> str | None:
    """A value of a record in words; None for an id without a name."""
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


def _is_id(value: str) -> bool:
    return len(value) == 26 and value.isalnum() and value.isupper()


def change_lines(since: tuple[ConcurrentChange, ...], now: datetime) -> list[str]:
    """The changes by others as lines, the newest first."""
    lines = [f"{each.by}, {when(each.at, now)}: {each.summary}" for each in since[:MAX_LISTED]]
    left = len(since) - MAX_LISTED
    return [*lines, f"and {left} more"] if left > 0 else lines


Names = dict[Id, str]


async def labels_for(app: Host, record: Any, changed: Collection[str]) -> Names:
    """Names by id of all records to which the ``changed`` fields can refer, without those that cannot be read.

    Never raises.
    """
    names: Names = {}
    for their_fields, read in _SOURCES:
        if their_fields & set(fields(record)) & set(changed):
            with contextlib.suppress(PodiumError):
                names |= await read(app, record)
    return names


async def _of_project(app: Host, record: Any) -> Names:
    """The phases, cards and people of the project."""
    from core.actions.workflow.canvas import GetCanvas

    canvas = await app.query(GetCanvas(project_id=record.project_id))
    cards = {card.id: card.title for card in canvas.cards}
    people = {member.user_id: member.name for member in canvas.head.members}
    return cards | people | {column.id: column.name for column in canvas.head.columns}


async def _of_hierarchy(app: Host, _record: object) -> Names:
    from core.actions.workspace.hierarchy import ListNodes

    return {node.id: node.name for node in await app.query(ListNodes())}


async def _of_products(app: Host, _record: object) -> Names:
    from core.actions.products.products import ListProducts

    return {line.product.id: line.product.name for line in await app.query(ListProducts())}


async def _of_meta_roles(app: Host, _record: object) -> Names:
    from core.actions.workspace.meta_roles import ListMetaRoles

    return {line.meta_role.id: line.meta_role.name for line in await app.query(ListMetaRoles())}


_SOURCES: tuple[tuple[frozenset[str], Callable[[Host, Any], Awaitable[Names]]], ...] = (
    (frozenset({"phase_id", "activity_id", "assignee_id", "assignee_ids", "user_id"}), _of_project),
    (frozenset({"client_id", "market_id", "brand_id", "parent_id"}), _of_hierarchy),
    (frozenset({"product_id"}), _of_products),
    (frozenset({"meta_role_ids"}), _of_meta_roles),
)
"""Fields with ids, and the function that reads the names for them."""


class ConflictResolver:
    """Asks the user about version conflicts."""

    def __init__(self, app: Host) -> None:
        self._app = app

    def merge_seen(self, command: Command[R]) -> Command[R]:
        """The command, merged with the newer versions that the user has seen since the form was opened.

        A restored draft was typed on an older version, from which the conflict is found.
        """
        form = self._form
        if form and form.seen_version is not None and _is_of(command, form.record):
            command = cast("Command[R]", replace(cast(Any, command), seen_version=form.seen_version))
        for error in form.conflicts if form else ():
            if is_about(command, error):
                command = merge(command, error)
        return command

    async def settle(self, command: Command[R], error: VersionConflict) -> R:
        """Ask the user which version to keep, and send the command again if they keep theirs.

        Raises ConflictResolved if they do not, and ``error`` itself if there is no record to compare. A key handler
        cannot wait for an answer, so the question moves to a worker and ConflictResolved is raised at once.
        """
        if error.current is None or not hasattr(command, "seen_version"):
            raise error
        if not _may_ask():
            self._app.begin(partial(self.perform, command, error))
            raise ConflictResolved(ConflictChoice.AGAIN)
        if is_done(command, error):
            self._app.toast(
                "\n".join(["Already done by someone else.", *change_lines(error.since[:1], datetime.now(UTC))])
            )
            raise ConflictResolved(ConflictChoice.THEIRS)
        changed = {*my_changes(command, error), *their_changes(error)}
        shown = versions(command, error, await labels_for(self._app, error.current, changed))
        choice = await self._ask(shown, error, fit=can_merge(command, error))
        if choice is not ConflictChoice.MINE:
            if choice is ConflictChoice.AGAIN and self._form:
                self._form.compare(error, shown)
            raise ConflictResolved(choice)
        if self._form:
            self._form.draft.version = None  # the newer version was seen
        again: Any = merge(command, error)
        return cast(R, await self._app.send_or_ask(again))

    async def perform(self, command: Command[Any], error: VersionConflict) -> None:
        """Settle the conflict of a key's command, in a worker."""
        try:
            await self.settle(command, error)
        except PodiumError as refused:
            self._app.show_error(refused)
        screen = self._app.visible_screen
        if screen is not None:
            await screen.refresh_from_core()

    async def _ask(self, shown: Sequence[Versions], error: VersionConflict, *, fit: bool) -> ConflictChoice:
        from tui.dialogs.conflict import ConflictDialog

        happened = change_lines(error.since, datetime.now(UTC))
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
