"""The history of a project or of the workspace: by day, the newest first, more of it at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from textual import on, work

from core.actions.history.entries import PAGE, HistoryEntry
from core.actions.history.history import ListHistory, ListWorkspaceHistory
from core.actions.permissions.permissions import GetMyPermissions
from core.actions.projects.last_visit import ListChangesSinceLastVisit, SetLastSeen
from core.actions.projects.lists import GetProject
from core.domain.model import WORKSPACE, ChangeKind, Id
from core.errors import Blocker, Forbidden, PodiumError
from core.text.dates import in_full
from tui.drawing.preview_rows import PreviewPage, prose
from tui.drawing.styles import Styles, TextRole
from tui.screens.framework.controller import Action, while_open
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.previews.kinds import preview_of
from tui.screens.previews.lines import facts
from tui.services.host import Host
from tui.widgets.columns import Cell, Column, Line, cell
from tui.widgets.list_view import ListView
from tui.wording.times import when

COLUMNS = (
    Column("Time", 5, 5, rank=1),
    Column("Who", 20, 24, rank=2),
    Column("What", 20, 160),
)

NOTHING = "No changes yet\nAll changes are listed here. Press u to undo your own."
NOTHING_NEW = "Nothing new\nNo changes by others since your last visit. Press g h for the whole history."


class ProjectHistory:
    """The changes that the screen lists: all of a project or of the workspace."""

    is_whole: bool = False
    """Whether there are no older changes than those read."""
    nothing = NOTHING
    """The text of an empty list."""

    def __init__(self, project_id: Id) -> None:
        self.project_id = project_id

    def again(self) -> ProjectHistory:
        """The same changes, to be read from the newest again."""
        return type(self)(self.project_id)

    def place(self, name: str) -> str:
        """The title, with the name of the project or the workspace."""
        return f"History · {name}"

    async def page(self, podium: Host, before: int | None) -> tuple[HistoryEntry, ...]:
        """A page of changes older than ``before``, the newest first. Raises PodiumError."""
        if self.project_id == WORKSPACE:
            page = await podium.query(ListWorkspaceHistory(before=before))
        else:
            page = await podium.query(ListHistory(project_id=self.project_id, before=before))
        self.is_whole = self.is_whole or len(page) < PAGE
        return page

    def detail_of(self, change: HistoryEntry) -> str:
        """More about a change than its line says."""
        return ""

    async def leave(self, podium: Host) -> None:
        """Called when the list is left."""


class HistoryScreen(ListScreen[HistoryEntry]):
    """A list of changes: who did what, and when."""

    name_in_table = "history"
    columns = COLUMNS
    opens = "history.open"

    def __init__(self, source: ProjectHistory) -> None:
        super().__init__()
        self.project_id = source.project_id
        self.source = source
        """The changes that are listed."""
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        change = self.records.current
        return _preview_of_change(change, self.source.detail_of(change)) if change else None

    def again(self) -> HistoryScreen:
        return HistoryScreen(self.source.again())

    def place(self) -> str:
        return self.source.place(self.project_name or self.podium.me.workspace.name)

    async def reload(self) -> None:
        """Read the newest page again; older ones do not change, since the history is only added to."""
        await self._read_name()
        try:
            page = await self.source.page(self.podium, None)
        except Forbidden as error:
            self.listing.empty = f"The history of the workspace is not yours to see\n{error}"
            self._show(())
            return
        self.listing.empty = self.source.nothing
        oldest = page[-1].seq if page else 0
        self._show([*page, *(change for change in self.records.by_id.values() if change.seq < oldest)])

    async def on_unmount(self) -> None:
        await self.source.leave(self.podium)

    async def _read_name(self) -> None:
        if self.project_id != WORKSPACE:
            self.project_name = (await self.podium.query(GetProject(project_id=self.project_id))).project.name
            self.access.take(await self.podium.query(GetMyPermissions(project_id=self.project_id)))

    def _show(self, changes: Sequence[HistoryEntry]) -> None:
        undone, today, look = undone_seqs(changes), date.today(), self.listing.look
        detail_of = self.source.detail_of
        self.records.show((each, _line(each, each.seq in undone, today, look, detail_of(each))) for each in changes)

    @on(ListView.EndReached)
    @work(exclusive=True, group="more")
    async def _read_more(self) -> None:
        read = [*self.records.by_id.values()]
        if self.source.is_whole or not read:
            return
        try:
            page = await self.source.page(self.podium, read[-1].seq)
        except PodiumError as error:
            self.podium.show_error(error)
            return
        with while_open(self):
            self._show([*self.records.by_id.values(), *page])

    def actions(self) -> Sequence[Action]:
        return (self.records.action("open", self.do_open),)

    async def do_open(self, change: HistoryEntry) -> None:
        if change.about is not None:
            await self.jump_to(Blocker(change.about.id, change.about.kind, change.summary, ""))
        else:
            self.podium.toast("This change is not about one card or phase, so there is nothing to open.")


def _preview_of_change(change: HistoryEntry, detail: str) -> Previewed:
    """The card, the phase or the application of a change, after the change in full; ``detail`` is said of it.

    The change in full is its summary with the old and the new values.
    """
    about, at = change.about, when(change.at, datetime.now(UTC))
    words = change.kind.describe(change.summary)
    detail = "\n".join(filter(None, (*change.sentences(), detail)))
    said = prose(f"{change.actor} · {at}", f"{words}\n{detail}")
    if about is None:
        page = PreviewPage(words, facts=facts(change.actor, at), parts=(prose("", detail),) if detail else ())
        return Previewed(id=str(change.seq), title=change.summary, query=None, draw=lambda *_: page)
    return preview_of(about.kind, about.id, change.summary, said)


def undone_seqs(changes: Sequence[HistoryEntry]) -> set[int]:
    """The seqs of what is undone at present; ``changes`` are the newest first."""
    reverted = {change.seq: change.reverts for change in changes}
    undone: set[int] = set()
    for change in reversed(changes):
        seq = change.reverts
        while seq is not None:  # to undo a redo, which undid an undo, undoes the change again
            undone ^= {seq}
            seq = reverted.get(seq)
    return undone


def day_words(day: date, today: date) -> str:
    """The heading of a day: "today", "yesterday", "Fri 20 Nov", with the year where it is another one."""
    if day in (today, today - timedelta(days=1)):
        return "today" if day == today else "yesterday"
    words = in_full(day)
    return words.removesuffix(f" {today.year}")


def _line(change: HistoryEntry, is_undone: bool, today: date, look: Styles, detail: str) -> Line:
    at = change.at.astimezone()
    return Line(
        str(change.seq),
        (cell(f"{at.hour:02}:{at.minute:02}"), cell(change.actor), _what(change, is_undone, look)),
        section=day_words(at.date(), today),
        detail=" · ".join(filter(None, (*change.sentences(3), detail))),
    )


def _what(change: HistoryEntry, is_undone: bool, look: Styles) -> Cell:
    """The summary of a change. An undone change, and an undo, have a sign and a word."""
    if change.kind is ChangeKind.UNDO:
        return ((f"{look.signs.left} undone: ", TextRole.SOON), *cell(change.summary))
    if change.kind is ChangeKind.REDO:
        return ((f"{look.signs.right} redone: ", TextRole.SOON), *cell(change.summary, TextRole.TITLE))
    if is_undone:
        return (*cell(change.summary), (f"  {look.signs.left} undone since", TextRole.SOON))
    return cell(change.summary, TextRole.TITLE)


class OthersChanges(ProjectHistory):
    """The changes of others since the last visit; reading them ends it. Only their authors can undo them."""

    nothing = NOTHING_NEW
    is_whole = True

    def __init__(self, project_id: Id, after: int | None = None) -> None:
        """``after`` is the last change that was seen before; None asks for it."""
        super().__init__(project_id)
        self._after = after
        self._since: datetime | None = None
        self._seq: int | None = None

    def again(self) -> OthersChanges:
        return OthersChanges(self.project_id, self._after)

    def place(self, name: str) -> str:
        since = f" since {when(self._since, datetime.now(UTC))}" if self._since else ""
        return f"Changes by others{since} · {name}"

    def detail_of(self, change: HistoryEntry) -> str:
        return f"{change.actor or 'Its author'} can undo it with u"

    async def page(self, podium: Host, before: int | None) -> tuple[HistoryEntry, ...]:
        answer = await podium.query(ListChangesSinceLastVisit(project_id=self.project_id, after=self._after))
        self._after, self._since, self._seq = answer.seen_seq, self._since or answer.since, answer.seq
        return answer.lines

    async def leave(self, podium: Host) -> None:
        """Remember that the changes were seen; after a failure they are new again at the next visit."""
        if self._seq is not None:
            with contextlib.suppress(PodiumError):
                await podium.backend.execute(SetLastSeen(project_id=self.project_id, seq=self._seq))
