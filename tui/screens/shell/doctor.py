"""Doctor: whether SQLite, the file of the workspace and this terminal are well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.diagnostics.workspace import diagnose_workspace
from core.domain.finding import Finding, Verdict
from tui.drawing.styles import ASCII, Styles, TextRole
from tui.screens.framework.controller import Action, while_open
from tui.screens.framework.list_screen import ListScreen
from tui.terminal.workers import start_worker
from tui.widgets.columns import Column, Line, cell
from tui.wording.permissions import is_certain, who_decides

COLUMNS = (
    Column("Check", 12, 26),
    Column("", 6, 6, rank=1),
    Column("Result", 16, 200, rank=2),
)

SIGNS = {
    Verdict.GOOD: ("✓ ok", "x ok", TextRole.DONE),
    Verdict.NOTE: ("▲ note", "^ note", TextRole.SOON),
    Verdict.BAD: ("■ bad", "! bad", TextRole.LATE),
}
"""Symbol and word, the same in ASCII, and the text role."""


class DoctorScreen(ListScreen[Finding]):
    """The same findings as ``podium doctor``, and what only a screen knows of its terminal."""

    name_in_table = "doctor"
    title_words = "Check of this installation"
    shows_data = False
    columns = COLUMNS
    opens = "doctor.read"

    async def reload(self) -> None:
        """Examine once; the check of a large file takes a while, and R asks for another one."""
        if not self.records.by_id:
            self.listing.empty = "Looking…\nA file is read whole for this."
            start_worker(self, self._examine, exclusive=True)

    async def _examine(self) -> None:
        findings = await diagnose_workspace(self.podium.backend)
        with while_open(self):
            self._show((self._permissions(), *findings, *self._screen_findings()))

    def _show(self, findings: Iterable[Finding]) -> None:
        look = self.listing.look
        self.records.show((finding, _line(finding, look)) for finding in findings)

    def show_titles(self) -> None:
        """Called whenever the source of permissions was asked, too: its state is one of the findings."""
        super().show_titles()
        findings = [*self.records.by_id.values()]
        if findings and findings[0] != self._permissions():
            self._show((self._permissions(), *findings[1:]))

    def _permissions(self) -> Finding:
        verdict = Verdict.GOOD if is_certain(self.access.authority) else Verdict.NOTE
        return Finding("Who decides", who_decides(self.access.authority), verdict)

    def _screen_findings(self) -> Iterator[Finding]:
        yield Finding("Screen", f"{self.size.width} by {self.size.height}, {self._colours()}")
        yield Finding("Connection", self.podium.via)
        mouse = "clicks, wheel and drag reach Podium; % lets the terminal select text instead"
        yield Finding("Mouse", mouse)
        yield Finding("Clipboard", "y copies through the terminal (OSC 52); tmux needs “set -g set-clipboard on”")

    def _colours(self) -> str:
        names = {"truecolor": "16 million colours", "256": "256 colours", "standard": "16 colours"}
        return names.get(self.app.console.color_system or "", "no colours")

    def actions(self) -> Sequence[Action]:
        return (self.records.action("read", self.do_read), Action("refresh", self.do_refresh))

    def do_read(self, finding: Finding) -> None:
        self.podium.toast(f"{finding.what}: {finding.found}")

    async def do_refresh(self) -> None:
        self.records.by_id = {}
        await self.reading.read_again()


def _line(finding: Finding, look: Styles) -> Line:
    sign, plain_sign, text_role = SIGNS[finding.verdict]
    said = cell(plain_sign if look.signs is ASCII else sign, text_role)
    quiet = TextRole.QUIET if finding.verdict is Verdict.GOOD else TextRole.TITLE
    return Line(finding.what, (cell(finding.what, TextRole.TITLE), said, cell(finding.found, quiet)))
