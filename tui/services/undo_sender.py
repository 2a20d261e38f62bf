"""Undo and redo by a key, and back to a step of the list: one command for each change, and a message about them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, cast

from core.domain.model import WORKSPACE, Change, ChangeKind, Id
from core.errors import NothingToUndo, PodiumError, RuleViolation, UndoTooOld, WouldRelockPhases
from core.record import replace
from core.text.phrases import count
from tui.services.command_sender import CommandSender
from tui.services.host import Host
from tui.wording.times import now, when

if TYPE_CHECKING:
    from core.actions.history.history import RevertCommand
    from core.actions.history.undo_steps import UndoStep

SOON_AGAIN = 2.0
"""Seconds within which a key may still be held down, also behind a slow server."""

JUST_NOW = timedelta(minutes=10)
"""The time in which users remember their last change, so its time is not shown."""


class UndoSender:
    """Undoes my last change: in a project that of the project, on other screens the last one anywhere."""

    def __init__(self, app: Host, sending: CommandSender) -> None:
        self._app, self._sending = app, sending
        self._removed_at = 0.0
        """The monotonic time at which a record was last archived or removed."""

    async def undo(self, project_id: Id) -> None:
        """Undo the last step in a project, or anywhere for WORKSPACE; ask first if it is an old one."""
        from core.actions.history.history import Undo

        await self._last(Undo, project_id)

    async def redo(self, project_id: Id) -> None:
        """Redo the step that the user undid last."""
        from core.actions.history.history import Redo

        await self._last(Redo, project_id)

    async def report_removed(self, words: str, project_id: Id, other_key: str = "", left_out: str = "") -> None:
        """Say that a record was archived or removed, and how many of them u brings back if a held key did it.

        ``other_key`` is what another key does now, ``left_out`` a sentence about records that stayed.
        """
        from core.actions.history.undo_steps import ListUndoSteps

        since, self._removed_at = self._removed_at, monotonic()
        held = 1
        if self._removed_at - since < SOON_AGAIN:
            with suppress(PodiumError):
                steps = await self._app.query(ListUndoSteps(project_id=_scope(project_id), most=1))
                held = len(steps[0].changes) if steps else 1
        undo = f"u to undo all {held}" if held > 1 else "u to undo"
        more = f" and {held - 1} more" if held > 1 else ""
        keys = ", ".join(filter(None, (undo, other_key)))
        self._app.toast(f"{words}{more}. {keys}. {left_out}".rstrip())

    async def choose(self, project_id: Id) -> None:
        """List the last steps, and undo from the newest down to the one that the user picks."""
        from core.actions.history.history import Undo
        from core.actions.history.undo_steps import ListUndoSteps
        from tui.dialogs.menus.undo_steps import UndoDialog

        app = self._app
        try:
            found = await app.query(ListUndoSteps(project_id=_scope(project_id)))
        except PodiumError as error:
            app.show_error(error)
            return
        if not any(step.undoable for step in found):
            app.show_error(NothingToUndo(Undo.nothing))
            return
        picked = await app.ask(UndoDialog(found, names_projects=project_id == WORKSPACE))
        if picked is not None:
            steps = [step for step in found[: picked + 1] if step.undoable]
            await self._carry_out(Undo, steps, project_id)

    async def _last(self, kind: type[RevertCommand], project_id: Id) -> None:
        from core.actions.history.history import Redo
        from core.actions.history.undo_steps import ListUndoSteps

        try:
            steps = await self._app.query(ListUndoSteps(project_id=_scope(project_id), redo=kind is Redo, most=1))
        except PodiumError as error:
            self._app.show_error(error)
            return
        if steps:
            await self._carry_out(kind, steps, project_id, recent=True)
        else:
            self._app.show_error(NothingToUndo(kind.nothing))

    async def _carry_out(
        self, kind: type[RevertCommand], steps: Sequence[UndoStep], project_id: Id, *, recent: bool = False
    ) -> None:
        """Send one command for each change, until one is refused. ``recent`` asks about an old or final change."""
        sending, undone = self._sending, self._sending.undone
        done: list[Change] = []
        refused: PodiumError | None = None
        follower = self._app.visible_screen.cursor_return if self._app.visible_screen else None
        if follower is not None:
            follower.before_undo()
        try:
            for ref in (ref for step in steps for ref in step.changes):
                by_key = recent and not done
                command = kind(project_id=ref.project_id, seq=None if by_key else ref.seq, recent=by_key)
                change = await self._send(command)
                if change is None:
                    break
                done.append(change)
                if by_key and change.seq != ref.seq:  # another one was agreed on
                    break
        except PodiumError as error:
            refused = error
        sending.undone = undone + len(done) if kind.reverting is ChangeKind.UNDO else max(0, undone - len(done))
        screen = self._app.visible_screen
        if screen is not None and (done or refused is not None):
            await screen.refresh_from_core()
            if follower is not None and follower is screen.cursor_return:
                follower.after_undo()
        self._say(kind, steps, done, refused, project_id)

    async def _send(self, command: RevertCommand) -> Change | None:
        """Send a command, with the user's consent where it needs that; None if they decline. Raises PodiumError."""
        from core.actions.history.history import Redo
        from tui.dialogs.confirm import ConfirmDialog

        while True:
            try:
                return await self._sending.send_once(command)
            except UndoTooOld as error:
                verb = "Redo it" if isinstance(command, Redo) else "Undo it"
                agreed = await self._app.ask(ConfirmDialog(error.title, str(error), verb))
                if not agreed:
                    return None
                command = replace(command, seq=error.seq)
            except WouldRelockPhases as error:
                again = await self._sending.obtain_consent(command, error)
                if again is None:
                    return None
                command = cast("RevertCommand", again)

    def _say(
        self,
        kind: type[RevertCommand],
        steps: Sequence[UndoStep],
        done: Sequence[Change],
        refused: PodiumError | None,
        project_id: Id,
    ) -> None:
        from core.actions.history.history import Undo

        verb, way_back = ("Undone", "U to redo") if kind is Undo else ("Redone", "u to undo")
        if refused is not None and not done:
            self._app.show_error(refused)
        elif refused is not None:
            words = f"{verb} {count(len(done), 'change')}, then stopped: {refused}"
            if isinstance(refused, RuleViolation) and refused.blockers:
                self._app.explain(RuleViolation(words, blockers=refused.blockers, who_can=refused.who_can))
            else:
                self._app.toast(words, severity="warning")
        elif done:
            first = steps[0]
            is_whole = len(steps) == 1 and [each.seq for each in done] == [each.seq for each in first.changes]
            what = done[0].summary if len(done) == 1 else first.summary if is_whole else count(len(done), "change")
            is_new = is_whole and first.creates_project
            project = f"“{first.project}”" if is_whole and first.project and project_id == WORKSPACE else ""
            place = f" in {project}" if project and project not in what else ""
            note = "It is in the archive now. " if is_new and kind is Undo else ""
            said = f"{verb}{place}: {what}{_time(done[0])}".removesuffix(".")
            self._app.toast(f"{said}. {note}{way_back}.")


def _scope(project_id: Id) -> Id | None:
    return None if project_id == WORKSPACE else project_id


def _time(change: Change) -> str:
    """The time of a change, unless it is recent."""
    return f" ({when(change.at, now())})" if now() - change.at > JUST_NOW else ""
