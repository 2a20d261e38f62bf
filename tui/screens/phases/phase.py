"""One phase: its state and gate, objectives, deliverables, outcomes, members, and what was decided at its gate."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from textual.app import ComposeResult
from textual.content import Content

from core.actions.cards.application_lists import ApplicationSummary
from core.actions.cards.details import GateDecisionSummary, GetPhase, PhaseDetail
from core.actions.workflow.gates import VERBS
from core.actions.workflow.phases import AssignPhase, EditPhase, RemovePhase, SetPhaseDueDate
from core.domain.model import Deliverable, Gate, Id, PhaseState
from core.errors import Blocker, RuleViolation
from tui.drawing.cells import plain
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.drawing.theme import QUIET
from tui.keys.bindings import bindings
from tui.labels.facts import STATE_WORDS, due_words, people_words, quiet
from tui.labels.times import when
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.phases.applications import PhaseApplications
from tui.screens.phases.deliverables import PhaseDeliverables
from tui.screens.phases.gates import GATES, gate_choice, gate_chosen
from tui.services.presence import Location
from tui.widgets.detail_page import Banner, Fact, Heading, Page, Pane, Words

GATE_WORDS = {
    Gate.AUTOMATIC: "automatic – complete when all of it is done",
    Gate.REVIEW: "review – an owner passes it as well",
}
EVIDENCE_WORDS = "; evidence required"
BAR_CELLS = 16


class PhaseScreen(PhaseDeliverables, PhaseApplications):
    """A phase in full, with a cursor on its deliverables."""

    name_in_table = "phase"
    BINDINGS = bindings("phase")

    def __init__(self, project_id: Id, phase_id: Id) -> None:
        super().__init__(project_id)
        self._phase_id = phase_id
        self._detail: PhaseDetail | None = None

    def again(self) -> PhaseScreen:
        return PhaseScreen(self.project_id, self._phase_id)

    def body(self) -> ComposeResult:
        with Page():
            with Pane(id="main"):
                yield Words(id="title")
                for label in ("State", "Progress", "Gate", "Due", "Members"):
                    yield Fact(label, id=label.lower())
                yield Banner()
                yield Heading("Objectives")
                yield Words(id="objectives", classes="prose")
                yield from self.deliverable_part()
                yield from self.application_part()
                yield Heading("Outcomes")
                yield Words(id="outcomes", classes="prose")
            with Pane(id="side"):
                yield Heading("Gate decisions")
                yield Words(id="decisions")

    def place(self) -> str:
        return f"Phase {self._detail.number} · {self._detail.phase.name}" if self._detail else "…"

    def phase(self) -> tuple[Id, str] | None:
        return (self._detail.phase.id, self._detail.phase.name) if self._detail else None

    @property
    def name_of_record(self) -> str:
        return self._detail.phase.name if self._detail else ""

    @property
    def deliverables(self) -> Sequence[Deliverable]:
        return self._detail.deliverables if self._detail else ()

    @property
    def applications(self) -> Sequence[ApplicationSummary]:
        return self._detail.applications if self._detail else ()

    @property
    def whereabouts(self) -> Location:
        return Location(self.project_id, phase_id=self._phase_id)

    async def read(self) -> None:
        self._detail = await self.podium.query(GetPhase(phase_id=self._phase_id))
        self.held = self._detail.held

    def draw(self) -> None:
        detail = self._detail
        assert detail is not None
        self.show_title(Content.assemble(f"{detail.number}  ", plain(detail.phase.name)))
        self._show_facts(detail)
        self.query_one(Banner).put(detail.gate.reason if detail.state is PhaseState.LOCKED else "")
        for name in ("objectives", "outcomes"):
            text = getattr(detail.phase, name)
            self.query_one(f"#{name}", Words).put(plain(text) or quiet("None yet · e adds them"))
        self.show_deliverables(detail.deliverables, detail.phase.evidence_required)
        self.show_applications(detail.applications)
        self._show_decisions(detail)

    # -- drawing ---------------------------------------------------------------------------------------------

    @property
    def _signs(self) -> Symbols:
        return ASCII if self.podium.ascii else UNICODE

    def _show_facts(self, detail: PhaseDetail) -> None:
        phase = detail.phase
        over = "  opened by override" if phase.overridden else ""
        complete = detail.state is PhaseState.COMPLETE
        facts = {
            "state": Content.assemble(
                f"{self._signs.state(detail.state)} {STATE_WORDS[detail.state]}",
                (over, "$text-warning"),
                ("" if detail.state is PhaseState.LOCKED else f"  {plain(detail.gate.reason).plain}", QUIET),
            ),
            "progress": self._progress(detail),
            "gate": Content(GATE_WORDS[phase.gate] + (EVIDENCE_WORDS if phase.evidence_required else "")),
            "due": due_words(phase.due, date.today(), complete) or quiet("no date · D sets one"),
            "members": people_words(detail.members) or quiet("nobody · a assigns"),
        }
        for name, words in facts.items():
            self.query_one(f"#{name}", Fact).put(words)

    def _progress(self, detail: PhaseDetail) -> Content:
        done, total = detail.tally.completed, detail.tally.total
        if not total:
            return quiet("no cards yet")
        full = BAR_CELLS * done // total
        signs = self._signs
        return Content.assemble(
            (signs.full * full, "$text-success"),
            (signs.rest * (BAR_CELLS - full), "$foreground 26%"),
            f" {done}/{total}",
        )

    def _show_decisions(self, detail: PhaseDetail) -> None:
        now = datetime.now(UTC)
        lines = [_decision(line, now) for line in detail.decisions]
        none = quiet("Nothing was decided yet · > passes, < sends back, h holds")
        self.query_one("#decisions", Words).put(Content("\n\n").join(lines) if lines else none)

    # -- the phase -------------------------------------------------------------------------------------------

    @asking
    async def do_why(self) -> None:
        detail = self._detail
        if detail is None:
            return
        gate = detail.gate
        if gate.blockers and detail.state is not PhaseState.COMPLETE:
            self.podium.show_error(RuleViolation(gate.reason, blockers=gate.blockers, who_can=gate.who_can))
        else:
            self.podium.tell(gate.reason)

    @asking
    async def do_edit(self) -> None:
        from tui.dialogs.form_fields import Choice, Field, Line, Lines

        if self._detail is None:
            return
        phase = self._detail.phase

        async def save(values: dict[str, Any]) -> object:
            values |= gate_chosen(values["gate"])
            return await self.podium.send_or_ask(EditPhase(phase_id=phase.id, seen_version=phase.version, **values))

        fields: list[Field] = [
            Line("name", "Name", phase.name),
            Choice("gate", "Gate", GATES, gate_choice(phase.gate, phase.evidence_required)),
            Lines("objectives", "Objectives", phase.objectives),
            Lines("outcomes", "Outcomes", phase.outcomes),
        ]
        await show_form(self, "Edit the phase", fields, save)

    @asking
    async def do_due(self) -> None:
        from tui.dialogs.form_fields import DateField

        if self._detail is None:
            return
        phase = self._detail.phase

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(SetPhaseDueDate(phase_id=phase.id, seen_version=phase.version, **values))

        await show_form(self, f"Due date of “{phase.name}”", [DateField("due", "Due", phase.due)], save)

    @asking
    async def do_assign(self) -> None:
        from tui.dialogs.picker import Option, PickDialog

        if self._detail is None:
            return
        phase = self._detail.phase
        options = [Option(*member) for member in member_options(self.team())]
        chosen = [user.id for user in self._detail.members]
        picked = await self.podium.ask(
            PickDialog(f"Assign members to “{phase.name}”", options, multiple=True, chosen=chosen)
        )
        if picked is not None:
            await self.podium.perform(AssignPhase(phase_id=phase.id, seen_version=phase.version, member_ids=picked))

    async def jump_to(self, blocker: Blocker) -> None:
        """What is missing of this phase itself is a deliverable: the cursor goes there."""
        if blocker.kind == "PHASE" and blocker.id == self._phase_id:
            titles = (blocker.title.startswith(f"{each.name}: ") for each in self.deliverables)
            self.rows.move(next((number for number, is_it in enumerate(titles) if is_it), 0))
        else:
            await super().jump_to(blocker)

    async def do_remove(self) -> None:
        """Remove the phase; undo brings it back, so nothing is asked."""
        if self._detail is not None:
            phase = self._detail.phase
            self.farewell = f"Removed the phase “{phase.name}”. u brings it back."
            await self.podium.perform(RemovePhase(phase_id=phase.id, seen_version=phase.version))
            self.farewell = ""


def _decision(line: GateDecisionSummary, now: datetime) -> Content:
    """One decision: what, who, when, what was complete, and why."""
    record = line.record
    what = VERBS[record.decision] + (" (withdrawn)" if record.withdrawn else "")
    counts = f"{record.completed} of {record.total} complete"
    return Content.assemble(
        (what, QUIET if record.withdrawn else "bold"),
        (" by ", QUIET),
        plain(line.by),
        (f"\n{when(record.at, now)} · {counts}", QUIET),
        Content.assemble("\n", plain(record.reason)) if record.reason else "",
    )
