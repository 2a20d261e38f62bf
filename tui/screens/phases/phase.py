"""One phase: its state and gate, objectives, deliverables, outcomes, members, and what was decided at its gate."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.content import Content

from core.actions.cards.details import GetPhase, PhaseDetail
from core.actions.workflow.phases import AssignPhase, EditPhase, ListPhases, RemovePhase, SetPhaseDueDate
from core.domain.model import Gate, GateState, Id, PhaseState
from core.domain.readiness import ReadinessState
from core.errors import Blocker
from core.text.phrases import count
from tui.dialogs.fields.form_fields import DateField, MultilineField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.cells import plain
from tui.drawing.people import PersonColours
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.drawing.theme import QUIET
from tui.screens.framework.blocked import refusal_of
from tui.screens.framework.controller import Action, Controller, PhaseRef, Selection, why_if_locked
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.framework.long_texts import LongTexts, edit_long_text, tick_boxes
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.project_record import ProjectRecord
from tui.screens.phases.contents import ApplicationRows, CardRows, PhaseApplications, PhaseCards
from tui.screens.phases.deliverables import PhaseDeliverables, is_under_way
from tui.screens.phases.form import ask_phase
from tui.screens.phases.gate_record import PhaseRecord
from tui.screens.phases.gates import PhaseGates
from tui.services.destinations import ToApplication, ToCard, ToPhase
from tui.services.host import Location
from tui.widgets.detail_page import Banner, Fact, Heading, Page, Pane, TextBlock
from tui.widgets.markdown_text import MarkdownText
from tui.widgets.option_list import Rows
from tui.wording.facts import due_words, people_words, quiet


class PhaseEditing(Controller):
    """Edit, date, assign and remove the phase, explain what blocks it, and go to its neighbours."""

    screen: PageScreen[PhaseDetail]

    def actions(self) -> Sequence[Action]:
        with_detail = self.screen.with_detail
        return (
            Action("edit", with_detail(self.do_edit)),
            Action("due", with_detail(self.do_due)),
            Action("assign", with_detail(self.do_assign)),
            Action("remove", with_detail(self.do_remove)),
            Action("edit_text", with_detail(self.do_edit_text)),
            Action("tick", with_detail(self.do_tick)),
            Action("policy", with_detail(self.do_policy)),
            Action("previous_phase", lambda: self._go(-1)),
            Action("next_phase", lambda: self._go(+1)),
            Action("why", with_detail(self.do_why), offer=lambda: why_if_locked(self.selection)),
        )

    @asking
    async def do_why(self, detail: PhaseDetail) -> None:
        gate = detail.gate
        if gate.state is ReadinessState.NOT_READY:
            self.podium.explain(refusal_of(gate, detail.phase.id, detail.state), "Why is this phase not complete?")
        else:
            self.podium.toast(gate.reason)

    @asking
    async def do_edit(self, detail: PhaseDetail) -> None:
        await ask_phase(self.screen, detail.phase, is_under_way=is_under_way(detail))

    @asking
    async def do_policy(self, detail: PhaseDetail) -> None:
        from tui.screens.phases.policy import ask_policy

        if detail.phase.gate is not Gate.REVIEW:
            self.podium.toast(NO_REVIEW, severity="warning")
            return
        policy = detail.gate.panel.policy
        await ask_policy(self.screen, detail.phase, policy, is_under_way=is_under_way(detail))

    @asking
    async def do_due(self, detail: PhaseDetail) -> None:
        phase = detail.phase

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(SetPhaseDueDate(phase_id=phase.id, seen_version=phase.version, **values))

        title, fields = f"Due date of “{phase.name}”", [DateField("due", "Due", phase.due)]
        await show_form(self.screen, title, fields, save, record=phase)

    @asking
    async def do_assign(self, detail: PhaseDetail) -> None:
        phase = detail.phase
        options = [Option(*member) for member in member_options(self.selection.team)]
        chosen = [user.id for user in detail.members]
        picked = await self.podium.ask(
            PickDialog(f"Assign members to “{phase.name}”", options, multiple=True, chosen=chosen)
        )
        if picked is not None:
            await self.podium.perform(AssignPhase(phase_id=phase.id, seen_version=phase.version, member_ids=picked))

    async def do_remove(self, detail: PhaseDetail) -> None:
        """Remove the phase without a question, because undo restores it."""
        phase = detail.phase
        self.screen.farewell = f"Removed the phase “{phase.name}”. u to undo."
        await self.podium.perform(RemovePhase(phase_id=phase.id, seen_version=phase.version))
        self.screen.farewell = ""

    @asking
    async def do_edit_text(self, detail: PhaseDetail) -> None:
        await edit_long_text(self.screen, texts_of(detail))

    @asking
    async def do_tick(self, detail: PhaseDetail) -> None:
        await tick_boxes(self.screen, texts_of(detail))

    async def _go(self, step: int) -> None:
        """Open the neighbouring phase, which takes the place of this screen."""
        phase = self.selection.phase
        phases = [each.phase.id for each in await self.podium.query(ListPhases(project_id=self.screen.project_id))]
        at = phases.index(phase.id) + step if phase and phase.id in phases else -1
        if 0 <= at < len(phases):
            await self.podium.visit(ToPhase(self.screen.project_id, phases[at]))
        else:
            self.podium.toast("This is the first phase." if step < 0 else "This is the last phase.")


def texts_of(detail: PhaseDetail) -> LongTexts:
    """Objectives and outcomes of a phase, to change them."""
    phase = detail.phase
    fields = (
        MultilineField("objectives", "Objectives", phase.objectives),
        MultilineField("outcomes", "Outcomes", phase.outcomes),
    )
    return LongTexts(phase, phase.name, fields, partial(EditPhase, phase_id=phase.id, seen_version=phase.version))


GATE_WORDS = {
    Gate.AUTOMATIC: "automatic – completes when every card is done",
    Gate.REVIEW: "review – an owner must approve it",
}
NO_REVIEW = "Its gate is automatic, so it is decided by its cards. Press e, and make it a review."
BAR_CELLS = 16


class PhaseScreen(PageScreen[PhaseDetail]):
    """A phase in full, with a cursor on its deliverables."""

    name_in_table = "phase"

    def __init__(self, project_id: Id, phase_id: Id, deliverable_id: Id = "") -> None:
        super().__init__()
        self.project_id = project_id
        self._phase_id = phase_id
        self._go_to = deliverable_id
        """The deliverable to which the cursor goes when the screen is drawn first."""
        self._project = ProjectRecord(self)
        self._deliverables = self.add(PhaseDeliverables(self))
        self._cards = self.add(PhaseCards(self))
        self._applications = self.add(PhaseApplications(self))
        self._record = self.add(PhaseRecord(self))
        self.add(PhaseGates(self))
        self.add(PhaseEditing(self))

    def again(self) -> PhaseScreen:
        return PhaseScreen(self.project_id, self._phase_id)

    def body(self) -> ComposeResult:
        with Page():
            with Pane(id="main"):
                yield TextBlock(id="title")
                for label in ("State", "Progress", "Gate", "Due", "Members"):
                    yield Fact(label, id=label.lower())
                yield Banner()
                yield Heading("Objectives")
                yield MarkdownText(id="objectives")
                yield from self._deliverables.widgets()
                yield from self._cards.widgets()
                yield from self._applications.widgets()
                yield Heading("Outcomes")
                yield MarkdownText(id="outcomes")
            with Pane(id="side"):
                yield Heading("At the gate", id="at-gate")
                yield TextBlock(id="missing")
                yield from self._record.widgets()

    def place(self) -> str:
        detail = self.detail
        return f"{self.project_name} · {detail.number} {detail.phase.name}" if detail else "…"

    @property
    def name_of_record(self) -> str:
        return self.detail.phase.name if self.detail else ""

    @property
    def rows(self) -> Rows:
        """The deliverables; the cursor is among them."""
        return self._deliverables.rows

    @property
    def location(self) -> Location:
        return Location(self.project_id, phase_id=self._phase_id)

    def show_people(self) -> None:
        super().show_people()
        self._project.show_title()

    async def read(self) -> None:
        await self._project.read()
        self.detail = await self.podium.query(GetPhase(phase_id=self._phase_id))
        self.access.held = self.detail.held

    def draw(self) -> None:
        detail = self.detail
        assert detail is not None
        self._project.show_title(Content.assemble(f"{detail.number}  ", plain(detail.phase.name)))
        self._show_facts(detail)
        self.query_one(Banner).put(detail.gate.reason if detail.state is PhaseState.LOCKED else "")
        for name in ("objectives", "outcomes"):
            text = getattr(detail.phase, name)
            self.query_one(f"#{name}", MarkdownText).put_text(text, quiet("None yet · e to add them"))
        self._deliverables.show(detail)
        if self._go_to:
            self._deliverables.go_to(self._go_to)
            self._go_to = ""
        self._show_missing(detail)
        self._cards.show(detail, self._project.team)
        self._applications.show(detail.applications)
        self._record.show(detail)

    # -- drawing ---------------------------------------------------------------------------------------------

    @property
    def _signs(self) -> Symbols:
        return ASCII if self.podium.ascii else UNICODE

    def _show_facts(self, detail: PhaseDetail) -> None:
        phase = detail.phase
        over = "  overridden" if phase.overridden else ""
        complete = detail.state is PhaseState.COMPLETE
        colours = PersonColours((each.user_id for each in self._project.team), self.podium.me.user.id)
        facts = {
            "state": Content.assemble(
                f"{self._signs.state(detail.state)} {detail.state.lower()}",
                (over, "$text-warning"),
                ("" if detail.state is PhaseState.LOCKED else f"  {plain(detail.gate.reason).plain}", QUIET),
            ),
            "progress": self._progress(detail),
            "gate": Content(_gate_words(detail)),
            "due": due_words(phase.due, date.today(), complete) or quiet("no date · D to set one"),
            "members": people_words(detail.members, colours) or quiet("nobody · a to say who works in this phase"),
        }
        for name, words in facts.items():
            self.query_one(f"#{name}", Fact).put(words)

    def _progress(self, detail: PhaseDetail) -> Content:
        done, total = detail.tally.done, detail.tally.total
        if not total:
            return quiet("no cards yet")
        full = BAR_CELLS * done // total
        signs = self._signs
        return Content.assemble(
            (signs.full * full, "$text-success"),
            (signs.rest * (BAR_CELLS - full), "$foreground 26%"),
            f" {done}/{total}",
        )

    def _show_missing(self, detail: PhaseDetail) -> None:
        """All that is missing at the gate, and the cards that left the phase."""
        gate = detail.gate
        is_more = gate.state is ReadinessState.NOT_READY
        lines = [each.sentence for each in gate.blockers] if is_more else []
        if is_more and gate.missing > len(lines):
            lines.append(f"{gate.missing - len(lines)} more")
        notes = [each.sentence for each in gate.notes]
        shown = [*(plain(each) for each in lines), *(quiet(plain(each).plain) for each in notes)]
        self.query_one("#at-gate", Heading).put(f"{count(gate.missing, 'point')} missing" if is_more else "")
        none = quiet(f"Nothing {'' if gate.state is ReadinessState.COMPLETE else 'else '}is missing.")
        votes = ["", *gate.panel.lines] if gate.panel.policy else []
        votes += [f"{each.sentence}." for each in gate.conditions if not each.is_dropped]
        self.query_one("#missing", TextBlock).put(Content("\n").join([*(shown or [none]), *map(plain, votes)]))

    # -- the keys --------------------------------------------------------------------------------------------

    def selection(self) -> Selection:
        detail = self.detail
        phase = None
        if detail is not None:
            waits = detail.gate.state is ReadinessState.READY and (detail.tally.any or detail.phase.evidence_required)
            panel, me = detail.gate.panel, self.podium.me.user.id
            is_due = not panel.stuck and any(each.user_id == me for each in panel.waiting)
            is_mine = panel.policy is None or is_due
            facts = waits and detail.gate.can_approve and is_mine, panel.policy is not None, detail.phase.on_hold
            phase = PhaseRef(detail.phase.id, detail.phase.name, detail.state, *facts)
        return Selection(self.project_id, phase=phase, team=self._project.team, permissions=self.access.held)

    async def jump_to(self, blocker: Blocker) -> None:
        """The cursor goes to a deliverable of this phase."""
        if blocker.kind == "DELIVERABLE" and blocker.phase_id == self._phase_id:
            self._deliverables.go_to(blocker.id)
        else:
            await super().jump_to(blocker)

    async def open_row(self) -> None:
        await self.action_do("phase.edit_deliverable")

    @on(CardRows.Opened)
    async def _open_card(self, event: CardRows.Opened) -> None:
        if self.detail is not None:
            await self.podium.open(ToCard(self.project_id, self.detail.open_cards[event.index].id))

    @on(ApplicationRows.Opened)
    async def _open_application(self, event: ApplicationRows.Opened) -> None:
        if self.detail is not None:
            application = self.detail.applications[event.index].application
            await self.podium.open(ToApplication(self.project_id, application.id))


def _gate_words(detail: PhaseDetail) -> str:
    """The condition that completes the phase, and the evidence that its gate takes."""
    phase, panel = detail.phase, detail.gate.panel
    if phase.gate_state is GateState.UNDECIDED:
        return phase.gate_now
    evidence = "; evidence required" + (", a statement in words counts" if phase.accepts_statements else "")
    words = f"review – votes of {panel.who}" if panel.policy else GATE_WORDS[phase.gate]
    return words + (evidence if phase.evidence_required else "")
