"""Criteria and conditions of a gate on the page of its phase, beside the deliverables: their forms and changes."""

from __future__ import annotations

from functools import partial
from typing import Any

from core.actions.fields.custom_fields import ListFields
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.gate_conditions import WaiveCondition
from core.actions.workflow.gate_criteria import (
    AddCriterion,
    EditCriterion,
    MeetCriterion,
    RemoveCriterion,
    TakeBackCriterion,
)
from core.domain.fields import FieldKind
from core.domain.gate_policy import CriterionKind
from core.domain.model import Gate, Phase
from core.errors import InvalidInput
from core.rules.gate_conditions import ConditionState
from core.rules.gate_criteria import CriterionResult
from core.text.amounts import spell_number
from tui.dialogs.fields.form_fields import ChoiceField, Field, PeopleField, PickerField, TextField
from tui.screens.framework.controller import OwnerScreen
from tui.screens.framework.dialogs import ask_reason, member_options, show_form

DELIVERABLE, YES = "", "yes"
KINDS = (
    (DELIVERABLE, "Deliverable"),
    (CriterionKind.HAND.value, "By hand"),
    (CriterionKind.CLOSED.value, "Closed cards"),
    (CriterionKind.SUM.value, "Sum"),
)
MEANINGS = (
    "A result that the phase promises, with its evidence.",
    "A criterion of the gate: a person says that it is met.",
    "A criterion of the gate: the cards of a filter are closed.",
    "A criterion of the gate: a number field adds up to a limit.",
)
NO_CARDS = ("Without a matching card it is not met.", "Without a matching card it is met.")
UNDER_WAY = "Needed: the phase is under way"


async def ask_new_promise(screen: OwnerScreen, phase: Phase, *, is_under_way: bool) -> object:
    """Ask for a deliverable, or a criterion of a review gate, and add it; None when the person gave up."""

    async def save(values: dict[str, Any]) -> object:
        text, kind = values.pop("text"), values.pop("kind", DELIVERABLE)
        if kind != DELIVERABLE:
            command = AddCriterion(phase_id=phase.id, text=text, kind=CriterionKind(kind), **_parts(values))
            return await screen.podium.send_or_ask(command)
        try:
            return await screen.podium.send_or_ask(AddDeliverable(phase_id=phase.id, name=text))
        except InvalidInput as refused:
            raise InvalidInput("text", str(refused)) from None

    fields: list[Field] = [TextField("text", "Name")]
    title = f"New deliverable of “{phase.name}”"
    if phase.gate is Gate.REVIEW:
        title = f"New deliverable or criterion of “{phase.name}”"
        fields.append(ChoiceField("kind", "Kind", KINDS, DELIVERABLE, meanings=MEANINGS))
        fields += await _fields(screen, None, is_under_way=is_under_way)
    return await show_form(screen, title, fields, save, submit="Add", about=phase.id)


async def ask_criterion(screen: OwnerScreen, result: CriterionResult, *, is_under_way: bool) -> None:
    """Ask for changes of a criterion, and save them. Its kind stays."""
    criterion = result.criterion

    async def save(values: dict[str, Any]) -> object:
        text = values.pop("text")
        del values["kind"]
        about: dict[str, Any] = {"criterion_id": criterion.id, "seen_version": criterion.version, "text": text}
        return await screen.podium.send_or_ask(EditCriterion(**about, **_parts(values)))

    kinds = tuple(each for each in KINDS if each[0] == criterion.kind)
    fields = [
        TextField("text", "Name", criterion.text),
        *await _fields(screen, result, is_under_way=is_under_way),
        ChoiceField("kind", "Kind", kinds, criterion.kind),
    ]
    await show_form(screen, "Edit the criterion", fields, save, record=criterion)


async def _fields(screen: OwnerScreen, result: CriterionResult | None, *, is_under_way: bool) -> list[Field]:
    """The fields of a criterion beside its name, of which the choice of its kind shows some."""
    selection = screen.selection()
    listed = await screen.podium.query(ListFields(project_id=selection.project_id))
    numbers = tuple((each.field.key, each.field.name) for each in listed if each.field.kind is FieldKind.NUMBER)
    given = result.criterion if result else None
    person = (given.person_id,) if given and given.person_id else ()
    field = tuple(each.field.key for each in listed if given and each.field.id == given.field_id)
    at_least, may_be_empty = (YES if given and given.at_least else "", YES if given and given.may_be_empty else "")
    filtered, summed = ("kind", CriterionKind.CLOSED, CriterionKind.SUM), ("kind", CriterionKind.SUM)
    fields: list[Field] = [
        PeopleField("person_id", "Person", member_options(selection.team), person, only=("kind", CriterionKind.HAND)),
        TextField("filter", "Filter", result.filter if result else "", "label:legal due:late", only=filtered),
        PickerField("field", "Number field", numbers, field, only=summed),
        ChoiceField("at_least", "Limit", (("", "at most"), (YES, "at least")), at_least, only=summed),
        TextField("amount", "Amount", spell_number(given.amount) if given else "", "1000", only=summed, is_amount=True),
        ChoiceField("may_be_empty", "No cards", (("", "not met"), (YES, "met")), may_be_empty, filtered, NO_CARDS),
    ]
    if is_under_way:
        fields.append(TextField("reason", "Reason", "", UNDER_WAY, only=("kind", *CriterionKind)))
    return fields


def _parts(values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a message from the answers."""
    picked = {name: next(iter(values.pop(name)), None) for name in ("person_id", "field") if name in values}
    switches = {name: values.pop(name) == YES for name in ("at_least", "may_be_empty") if name in values}
    return picked | switches | values


async def meet_or_take_back(screen: OwnerScreen, result: CriterionResult) -> None:
    """Say that a criterion by hand is met, or take that back; of the others say what they wait for."""
    criterion = result.criterion
    if criterion.kind is not CriterionKind.HAND:
        screen.podium.toast(f"{result.sentence} It follows its cards: {result.filter}")
        return
    message = TakeBackCriterion if criterion.met_at else MeetCriterion
    await screen.podium.perform(message(criterion_id=criterion.id, seen_version=criterion.version))


async def remove_criterion(screen: OwnerScreen, result: CriterionResult, *, is_under_way: bool) -> None:
    """Remove a criterion; with a reason where the phase is under way."""
    criterion = result.criterion
    make = partial(RemoveCriterion, criterion_id=criterion.id, seen_version=criterion.version)
    if is_under_way:
        await ask_reason(screen, f"Remove “{criterion.text}”", make, submit="Remove", done=criterion)
    else:
        await screen.podium.perform(make())


async def waive(screen: OwnerScreen, found: ConditionState) -> None:
    """Ask for the reason, and waive a condition."""
    make = partial(WaiveCondition, condition_id=found.condition.id)
    note = f"{found.sentence}. The gate then does not wait for it any more."
    if await ask_reason(screen, f"Waive “{found.condition.text}”", make, submit="Waive", note=note):
        screen.podium.toast(f"“{found.condition.text}” is waived. u to undo.")
