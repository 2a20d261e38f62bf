"""The gate record of a project or of a phase, the newest entry first, with the seals and what changed since one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from textual.content import Content
from textual.widget import Widget

from core.actions.cards.details import PhaseDetail
from core.actions.permissions.permissions import GetMyPermissions
from core.actions.projects.lists import GetProject
from core.actions.workflow.gate_record import (
    CompareWithSeal,
    DecisionSummary,
    GetSeal,
    ListGateDecisions,
    SealDetail,
    describe_comparison,
    in_sections,
)
from core.domain.gates import DECISIONS
from core.domain.model import Id
from core.text.phrases import count
from tui.dialogs.text import TextDialog
from tui.drawing.cells import plain
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart
from tui.drawing.styles import TextRole
from tui.drawing.theme import QUIET
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.previews.lines import facts
from tui.services.destinations import ToGateRecord, ToPhase
from tui.services.host import Host
from tui.widgets.columns import Column, Line, cell
from tui.widgets.detail_page import Heading, TextBlock
from tui.wording.facts import quiet
from tui.wording.times import format_day, now, when_now

COLUMNS = (
    Column("Entry", 26, 26),
    Column("When", 11, 11, rank=1),
    Column("Who", 12, 30, rank=2),
    Column("Phase", 10, 30, rank=3),
    Column("Reason", 12, 60, rank=4),
    Column("Seal", 14, 24, rank=5),
)

NOTHING = "No gate decisions yet\nEach decision and each vote is recorded here, decisions with their seals."
REMOVED = "Its phase was removed, so there is nothing to compare it with."
NO_PAGE = "Its phase was removed, so there is no page of it to open."
NO_SEAL = "Only a decision has a seal to compare with."


class GateRecordScreen(ListScreen[DecisionSummary]):
    """Every decision at the gates, and what became of it."""

    name_in_table = "gate_record"
    title_words = "Gate record"
    columns = COLUMNS
    opens = "gate_record.open"
    nothing_here = "There is no entry here."

    def __init__(self, project_id: Id, phase_id: Id | None = None) -> None:
        super().__init__()
        self.project_id, self._phase_id = project_id, phase_id
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        """The entry with its seal."""
        entry = self.records.current
        if entry is None:
            return None
        query = GetSeal(record_id=entry.record.id)
        return Previewed(id=entry.record.id, title=entry.entry, query=query, draw=lambda seal, *_: _page(seal))

    def again(self) -> GateRecordScreen:
        return GateRecordScreen(self.project_id, self._phase_id)

    def place(self) -> str:
        entries = [*self.records.by_id.values()]
        phase = entries[0].phase if self._phase_id and entries else ""
        return " · ".join(filter(None, (self.title_words, self.project_name, phase)))

    async def reload(self) -> None:
        self.project_name = (await self.podium.query(GetProject(project_id=self.project_id))).project.name
        self.access.take(await self.podium.query(GetMyPermissions(project_id=self.project_id)))
        query = ListGateDecisions(project_id=self.project_id, phase_id=self._phase_id)
        entries = await self.podium.query(query)
        self.listing.empty = NOTHING
        moment = now()
        self.records.show((each, _line(each, moment)) for each in reversed(entries))
        self.show_titles()

    def actions(self) -> Sequence[Action]:
        return (
            self.records.action("open", self.do_open),
            self.records.action("since_decision", self.do_since_decision, _not_compared),
            self.records.action("phase", self.do_phase, lambda each: "" if each.number else NO_PAGE),
        )

    @asking
    async def do_open(self, entry: DecisionSummary) -> None:
        """Show the seal whole."""
        seal = await self.podium.query(GetSeal(record_id=entry.record.id))
        lines = [*_facts(entry), seal.verdict]
        sections = [Content("\n").join(map(plain, lines))]
        for each in in_sections(seal, when_now, seal.entry.words):
            heading = Content.styled(each.heading, "bold $text-primary")
            sections.append(Content("\n").join([heading, *(plain(f"  {line}") for line in each.lines)]))
        await self.podium.ask(TextDialog(f"{entry.phase}: {entry.entry}", Content("\n\n").join(sections)))

    @asking
    async def do_since_decision(self, entry: DecisionSummary) -> None:
        await show_changes(self.podium, entry.record.phase_id, entry.phase, entry.record.id)

    async def do_phase(self, entry: DecisionSummary) -> None:
        await self.podium.open(ToPhase(self.project_id, entry.record.phase_id))


class PhaseRecord(Controller):
    """The record on the page of a phase, and the keys that lead to all of it."""

    screen: PageScreen[PhaseDetail]

    def actions(self) -> Sequence[Action]:
        return (Action("gate_record", self.do_gate_record), Action("since_decision", self.do_since_decision))

    def widgets(self) -> Iterator[Widget]:
        """The entries under their heading."""
        yield Heading("Gate record", id="gate-record")
        yield TextBlock(id="decisions")

    def show(self, detail: PhaseDetail) -> None:
        """Draw the entries. The deliverables of an approval in force are those of now: another one would end it."""
        deliverables = count(len(detail.deliverables), "deliverable")
        lines = [_entry(line, deliverables) for line in detail.decisions]
        if detail.older_decisions:
            lines.append(quiet(f"… older entries: {detail.older_decisions} · g G lists all"))
        none = quiet("No gate decisions yet · > approves, < sends back")
        self.screen.query_one("#gate-record", Heading).put("W what changed" if lines else "")
        self.screen.query_one("#decisions", TextBlock).put(Content("\n\n").join(lines) if lines else none)

    async def do_gate_record(self) -> None:
        phase = self.selection.phase
        await self.podium.open(ToGateRecord(self.screen.project_id, phase.id if phase else None))

    @asking
    async def do_since_decision(self) -> None:
        if phase := self.selection.phase:
            await show_changes(self.podium, phase.id, phase.name)


def _entry(line: DecisionSummary, deliverables: str) -> Content:
    """One entry: what, who, when, what was complete, its seal, what changed, and why."""
    record = line.record
    is_decision = record.decision in DECISIONS
    counts = f" · {record.completed} of {record.total} complete" if is_decision else ""
    seal = [line.seal, *([deliverables] if line.in_force and record.sha256 else [])]
    more = (line.about, f"{when_now(record.at)}{counts}", " · ".join(filter(None, seal)), record.detail)
    return Content.assemble(
        (line.words, QUIET if record.withdrawn else "bold"),
        (" by ", QUIET),
        plain(f"{line.by}, {line.state}" if line.state else line.by),
        *(Content.styled(plain(f"\n{each}").plain, QUIET) for each in more if each),
        Content.assemble("\n", plain(record.reason)) if record.reason else "",
    )


async def show_changes(podium: Host, phase_id: Id, name: str, since: Id | None = None) -> None:
    """Show what has changed in a phase since a decision at its gate; without one, since the last."""
    found = await podium.query(CompareWithSeal(phase_id=phase_id, since=since))
    decision = found.since
    head = [f"Since: {decision.sentence}, {when_now(decision.record.at)}", ""] if decision else []
    text = Content("\n").join(map(plain, [*head, *describe_comparison(found)]))
    await podium.ask(TextDialog(f"What changed in “{name}”", text))


def _not_compared(entry: DecisionSummary) -> str:
    if entry.record.decision not in DECISIONS:
        return NO_SEAL
    return "" if entry.number else REMOVED


def _line(entry: DecisionSummary, moment: datetime) -> Line:
    record = entry.record
    return Line(
        record.id,
        (
            cell(entry.entry, TextRole.TITLE),
            cell(format_day(record.at, moment)),
            cell(entry.by),
            cell(entry.numbered),
            cell(record.reason),
            cell(entry.seal.removeprefix("sealed ")),
        ),
        detail=" · ".join(_facts(entry)),
    )


def _facts(entry: DecisionSummary) -> Iterable[str]:
    """The entry in full, beside its seal."""
    record = entry.record
    why = f"because {record.reason}" if record.reason else ""
    return filter(None, (entry.sentence, when_now(record.at), record.detail, why, entry.way))


def _page(seal: SealDetail) -> PreviewPage:
    parts = (
        PreviewPart(each.heading, tuple(PreviewLine(line) for line in each.lines))
        for each in in_sections(seal, when_now, seal.entry.words)
    )
    return PreviewPage(seal.entry.entry, (), facts(*_facts(seal.entry), seal.note or seal.entry.seal), tuple(parts))
