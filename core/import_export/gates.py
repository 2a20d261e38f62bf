"""Policies, criteria and conditions of gates in a document: out of records, and into records.

A filter is a text with names, as it is shown; ``label:(removed)`` stands for one that names what is not there any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from core.domain.canvas import CanvasMember
from core.domain.fields import CustomField, FieldKind
from core.domain.gate_policy import GateCondition, GateCriterion, GatePolicy
from core.domain.labels import Label, LabelColour
from core.domain.model import WORKSPACE, Id, ProjectRole
from core.domain.products.products import MetaRole
from core.engine.unit_of_work import Snapshot, new_id
from core.filters.context import FilterContext, NamedPhase
from core.filters.parser import QUOTE
from core.import_export.document import ConditionEntry, CriterionEntry, PersonEntry, PhaseEntry, PolicyEntry
from core.record import made_from
from core.rules.fields import fields_of
from core.rules.gate_filters import REMOVED, readable_terms, show_filters

Names = Mapping[Id, str]
Numbers = Mapping[Id, int]
"""The numbers of phases or of decisions, from 1, by their ids."""


class ExportedGates:
    """The policies, criteria and conditions of a project, as entries of a document."""

    def __init__(self, view: Snapshot, project_id: Id) -> None:
        where = {"id": project_id}
        self._policies = {each.phase_id: each for each in view.all(GatePolicy, "project_id = :id", **where)}
        self._criteria = view.all(GateCriterion, "project_id = :id ORDER BY rank, id", **where)
        self._conditions = {each.vote_id: each for each in view.all(GateCondition, "project_id = :id", **where)}
        self._meta_roles: Names = {each.id: each.name for each in view.all(MetaRole, "1 = 1")}
        self._fields: Names = {each.id: each.key for each in fields_of(view, project_id)}
        self._filters = show_filters(view, (each.filter for each in self._criteria))

    @property
    def people(self) -> set[Id]:
        """All people whom they name, also in filters."""
        terms = (term for each in self._filters for term in readable_terms(each))
        found: Iterable[Id | None] = (
            *(person for each in self._policies.values() for person in (*each.people, each.secretary_id)),
            *(person for each in self._criteria for person in (each.person_id, each.met_by)),
            *(person for each in self._conditions.values() for person in (each.person_id, each.met_by, each.waived_by)),
            *(id_ for term in terms if term.field in ("assignee", FieldKind.PERSON) for id_ in term.ids),
        )
        return {person for person in found if person}

    def policy(self, phase_id: Id, logins: Names) -> PolicyEntry | None:
        if (policy := self._policies.get(phase_id)) is None:
            return None
        return made_from(
            PolicyEntry,
            policy,
            meta_role=self._meta_roles.get(policy.meta_role_id or ""),
            people=tuple(logins[each] for each in policy.people if each in logins),
            secretary=logins.get(policy.secretary_id or ""),
        )

    def criteria(self, phase_id: Id, logins: Names, items: Names) -> tuple[CriterionEntry, ...]:
        return tuple(
            made_from(
                CriterionEntry,
                each,
                person=logins.get(each.person_id or ""),
                met_by=logins.get(each.met_by or ""),
                filter=f"label:{REMOVED}" if REMOVED in (shown := self._filters.get(each.filter, "")) else shown,
                field=self._fields.get(each.field_id or "", ""),
                matched=tuple(items[item] for item in each.matched if item in items),
            )
            for each in self._criteria
            if each.phase_id == phase_id
        )

    def condition(
        self, vote_id: Id, logins: Names, items: Names, phases: Numbers, numbers: Numbers
    ) -> ConditionEntry | None:
        if (condition := self._conditions.get(vote_id)) is None:
            return None
        return made_from(
            ConditionEntry,
            condition,
            person=logins.get(condition.person_id),
            decision=numbers.get(condition.decision_id or ""),
            item=items.get(condition.item_id or ""),
            next_phase=phases.get(condition.next_phase_id or ""),
            met_by=logins.get(condition.met_by or ""),
            waived_by=logins.get(condition.waived_by or ""),
        )


def filter_context(
    phases: Iterable[tuple[Id, PhaseEntry]],
    people: Iterable[tuple[Id, PersonEntry]],
    labels: Mapping[str, Id],
    fields: Iterable[CustomField],
) -> FilterContext:
    """Return what the filters of a document name. Quotes have no meaning in the names of a filter."""
    named = [*labels.items(), (REMOVED, new_id())]
    return FilterContext(
        me="",
        today=date(2028, 1, 1),  # a leap year, so that 29feb is a day
        columns=tuple(NamedPhase(id_, 0, _without_quotes(phase.name)) for id_, phase in phases),
        members=tuple(
            CanvasMember(
                user_id=id_, name=_without_quotes(each.name), login=each.login, role=ProjectRole.VIEWER, active=True
            )
            for id_, each in people
        ),
        labels=tuple(
            Label(id=id_, project_id=WORKSPACE, name=name, colour=LabelColour.GREY, sign="") for name, id_ in named
        ),
        fields=tuple(fields),
    )


def _without_quotes(name: str) -> str:
    return name.replace(QUOTE, "")
