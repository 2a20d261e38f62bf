"""The form of the policy of a gate: who decides there, how many of them, four eyes, by when, and the secretary."""

from __future__ import annotations

from typing import Any

from core.actions.workflow.gate_policy import RemoveGatePolicy, SetGatePolicy
from core.actions.workspace.meta_roles import ListMetaRoles
from core.domain.gate_policy import Deciding, GatePolicy
from core.domain.model import Phase
from core.errors import InvalidInput
from tui.dialogs.fields.form_fields import ChoiceField, DateField, Field, PeopleField, PickerField, TextField
from tui.screens.framework.controller import OwnerScreen
from tui.screens.framework.dialogs import member_options, show_form
from tui.screens.phases.criteria import UNDER_WAY

AN_OWNER, ALL, YES = "", "all", "yes"
DECIDERS = (
    (AN_OWNER, "One owner"),
    (Deciding.OWNERS.value, "Owners"),
    (Deciding.META_ROLE.value, "A meta role"),
    (Deciding.PEOPLE.value, "People"),
)
MEANINGS = (
    "An owner approves it, without votes.",
    "The owners vote.",
    "Members with a meta role vote.",
    "The people whom you name vote.",
)
FOUR_EYES = ("The people who did the work can decide, too.", "Who did the last work on the phase cannot decide.")


async def ask_policy(screen: OwnerScreen, phase: Phase, policy: GatePolicy | None, *, is_under_way: bool) -> object:
    """Ask who decides at the gate of a phase, and set it; None when the person gave up.

    One that ``is_under_way`` has a decision or a completed card: another policy then takes a reason.
    """
    podium, members = screen.podium, member_options(screen.selection().team)
    roles = tuple((each.meta_role.id, each.meta_role.name) for each in await podium.query(ListMetaRoles()))

    async def save(values: dict[str, Any]) -> object:
        about = {"phase_id": phase.id, "reason": values.pop("reason", "")}
        if values["deciders"] == AN_OWNER:
            return await podium.send_or_ask(RemoveGatePolicy(**about)) if policy else phase
        values |= {name: next(iter(values[name]), None) for name in ("meta_role_id", "secretary_id") if name in values}
        values |= {"deciders": Deciding(values["deciders"]), "four_eyes": values["four_eyes"] == YES}
        return await podium.send_or_ask(SetGatePolicy(**about, **values | {"needed": _number(values["needed"])}))

    now = policy or GatePolicy(project_id=phase.project_id, phase_id=phase.id)
    role, secretary = ((each,) if each else () for each in (now.meta_role_id, now.secretary_id))
    only, eyes = ("deciders", *Deciding), YES if now.four_eyes else ""
    fields: list[Field] = [
        ChoiceField("deciders", "Who decides", DECIDERS, now.deciders if policy else AN_OWNER, meanings=MEANINGS),
        PickerField("meta_role_id", "Meta role", roles, role, only=("deciders", Deciding.META_ROLE)),
        PeopleField("people", "People", members, now.people, True, only=("deciders", Deciding.PEOPLE)),
        TextField("needed", "How many", str(now.needed or ALL), "2, or all", only, replaced=True),
        ChoiceField("four_eyes", "Four eyes", (("", "no"), (YES, "yes")), eyes, only, FOUR_EYES),
        DateField("decide_by", "Decide by", now.decide_by, only=only),
        PeopleField("secretary_id", "Secretary", members, secretary, note="Records meetings.", only=only),
    ]
    if is_under_way:
        fields.append(TextField("reason", "Reason", "", UNDER_WAY))
    title = f"Who decides at the gate of “{phase.name}”"
    return await show_form(screen, title, fields, save, about=phase.id)


def _number(text: str) -> int | None:
    """The number of votes, None for all. Raises InvalidInput."""
    typed = text.strip().lower()
    if typed in ("", ALL):
        return None
    if not typed.lstrip("-").isascii() or not typed.lstrip("-").isdecimal():
        raise InvalidInput("needed", f"“{text}” is no number: give one such as 2, or all.")
    return int(typed)
