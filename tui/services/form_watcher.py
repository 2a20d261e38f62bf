"""Watching the record that an open form edits: another user has changed it, or it can no longer be saved.

The form says so in its message line at once. Nothing that was typed is touched, and saving finds the conflict as
ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from core.actions.history.versions import RECORDS, CheckVersion, RecordKind
from core.domain.canvas import PhaseColumn
from core.domain.model import ItemKind
from core.errors import ConcurrentChange, Forbidden, NotFound, PodiumError, RuleViolation, VersionConflict
from core.text.sanitize import visible_line
from tui.services.conflict_resolver import Names, in_plain_words, label_of, labels_for, their_changes
from tui.wording.times import format_day, now

if TYPE_CHECKING:
    from tui.dialogs.form import FormDialog
    from tui.services.host import Host

KINDS = {record: kind for kind, record in RECORDS.items()} | {PhaseColumn: RecordKind.PHASE}

JUST = timedelta(minutes=2)
"""The age of a change that was made just now."""

DELETED = "This was deleted while the form was open. It cannot be saved."


class FormWatcher:
    """Looks after the open form of the app."""

    def __init__(self, app: Host) -> None:
        self._app = app

    async def check(self) -> None:
        """Ask whether the record of the open form is as the user saw it, and show in the form if not. Never raises."""
        form = self._form
        kind = _kind_of(form.record) if form else None
        if form is None or kind is None or form.is_saving or form.seen_version is None:
            return
        words = await self._words(
            form, CheckVersion(record_id=form.record.id, kind=kind, seen_version=form.seen_version)
        )
        if words is not None and form.is_open and not form.is_saving:
            form.show_change(words)

    async def _words(self, form: FormDialog[Any], question: CheckVersion) -> str | None:
        """The change in one line; empty for none, and None if it is unknown."""
        try:
            await self._app.query(question)
        except VersionConflict as error:
            return await self._of_conflict(error, [row.field.name for row in form.rows])
        except NotFound:
            return DELETED
        except (Forbidden, RuleViolation) as error:
            return str(error)
        except PodiumError:
            return None
        return ""

    async def _of_conflict(self, error: VersionConflict, names: list[str]) -> str:
        theirs = {name: value for name, value in their_changes(error).items() if name in names}
        labels = await labels_for(self._app, error.current, theirs)
        return in_one_line(error.since, theirs, labels, now())

    @property
    def _form(self) -> FormDialog[Any] | None:
        from tui.dialogs.form import FormDialog

        return next((each for each in reversed(self._app.screen_stack) if isinstance(each, FormDialog)), None)


def in_one_line(since: Sequence[ConcurrentChange], theirs: Mapping[str, Any], labels: Names, now: datetime) -> str:
    """The last change by another user in one line: the new values of the fields of the form, else its summary.

    ``theirs`` are the changed fields of the form with their values now, ``labels`` names by id.
    """
    shown = [(label_of(name), in_plain_words(value, labels)) for name, value in theirs.items()]
    values = ", ".join(f"{label} to “{words}”" for label, words in shown if words)
    if not since:
        return visible_line(f"Someone else changed {values or 'this'}")
    last = since[0]
    lead = f"{last.by} just" if now - last.at < JUST else f"{last.by}, {format_day(last.at, now)}:"
    more = f" (and {len(since) - 1} more)" if len(since) > 1 else ""
    return visible_line(f"{lead} {f'changed {values}' if values else last.summary}{more}")


def _kind_of(record: Any) -> RecordKind | None:
    """The kind of a record, of a card or of a column of a view; None for no record."""
    kind = getattr(record, "kind", None)
    if isinstance(kind, ItemKind):
        return RecordKind.APPLICATION if kind is ItemKind.APPLICATION else RecordKind.ITEM
    return KINDS.get(type(record))
