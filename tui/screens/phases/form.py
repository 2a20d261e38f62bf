"""The form of a phase: the same fields for a new one and for one that is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.domain.model import Gate, Id
from tui.screens.framework.controller import OwnerScreen
from tui.screens.framework.dialogs import show_form

if TYPE_CHECKING:
    from core.domain.model import Phase
    from tui.dialogs.fields.form_fields import Field

EVIDENCE, STATEMENTS = "EVIDENCE", "STATEMENTS"
GATES = (
    (Gate.AUTOMATIC.value, "Automatic"),
    (Gate.REVIEW.value, "Review"),
    (EVIDENCE, "Review with evidence"),
    (STATEMENTS, "Review with evidence or a statement"),
)
"""The options for a gate. Evidence can be required of a review only."""
GATE_MEANINGS = (
    "Completes when all its cards are done.",
    "An owner must also approve it. Its page has “who decides” in the menu (.), for a panel.",
    "Every deliverable must also be done, with a link, a file or a card.",
    "Every deliverable must also be done, with a link, a file, a card or words.",
)


async def ask_new_phase(screen: OwnerScreen, before_id: Id | None) -> object:
    """Ask for a new phase that comes before another one, or last, and add it."""
    from core.actions.workflow.phases import AddPhase

    async def save(values: dict[str, Any]) -> object:
        values |= _gate_chosen(values["gate"])
        return await screen.podium.send_or_ask(AddPhase(project_id=screen.project_id, before_id=before_id, **values))

    return await show_form(screen, "New phase", _fields(None), save, submit="Add", about=screen.project_id)


async def ask_phase(screen: OwnerScreen, phase: Phase, *, is_under_way: bool) -> object:
    """Ask for changes of a phase, and save them as one step.

    One that ``is_under_way`` has a decision or a completed card: another kind of gate then takes a reason.
    """
    from core.actions.workflow.phases import EditPhase

    async def save(values: dict[str, Any]) -> object:
        values |= _gate_chosen(values["gate"])
        no_due = phase.due is not None and values["due"] is None
        command = EditPhase(phase_id=phase.id, seen_version=phase.version, no_due=no_due, **values)
        return await screen.podium.send_or_ask(command)

    fields = _fields(phase)
    if is_under_way:
        from tui.dialogs.fields.form_fields import TextField

        fields.insert(3, TextField("reason", "Reason", "", "Needed if the gate changes"))
    return await show_form(screen, "Edit the phase", fields, save, record=phase)


def _fields(phase: Phase | None) -> list[Field]:
    from tui.dialogs.fields.form_fields import ChoiceField, DateField, MultilineField, TextField

    gate = phase.gate.value if phase else Gate.AUTOMATIC.value
    if phase and phase.evidence_required:
        gate = STATEMENTS if phase.accepts_statements else EVIDENCE
    return [
        TextField("name", "Name", phase.name if phase else "", "Discovery, Design, Launch …"),
        DateField("due", "Due", phase.due if phase else None),
        ChoiceField("gate", "Gate", GATES, gate, meanings=GATE_MEANINGS),
        MultilineField("objectives", "Objectives", phase.objectives if phase else ""),
        MultilineField("outcomes", "Outcomes", phase.outcomes if phase else ""),
    ]


def _gate_chosen(choice: str) -> dict[str, Any]:
    """Return the fields of a message for an option."""
    required = choice in (EVIDENCE, STATEMENTS)
    gate = Gate.REVIEW if required else Gate(choice)
    return {"gate": gate, "evidence_required": required, "accepts_statements": choice == STATEMENTS}
