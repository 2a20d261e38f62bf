"""Policy and criteria of a gate in a template file, and the types that all parts of the file share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from core.domain.fields import FieldKind
from core.domain.gate_policy import CriterionKind, Deciding, check_needed, kept_amount
from core.domain.max_lengths import CRITERION
from core.domain.templates import TemplateCriterion, TemplatePolicy
from core.errors import InvalidImport, InvalidInput
from core.record import Record, made_from, replace
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.document_fields import FieldRule, checked_field, line

MAX_DAYS = 366 * (LAST_YEAR - FIRST_YEAR + 1)
"""The most days between the first day of a project and a due date."""


def _days(due: int) -> int:
    if abs(due) > MAX_DAYS:
        raise InvalidInput("due", f"Enter at most {MAX_DAYS:,} days, not {due:,}.")
    return due


def _roles(roles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the roles, each once, in the order in which a saved project has them."""
    return tuple(sorted({*roles}, key=str.casefold))


Days = Annotated[int, FieldRule(_days)]
Role = Annotated[str, line(noun="role", optional=True)]
Roles = Annotated[tuple[Annotated[str, line(noun="role")], ...], FieldRule(_roles)]


class TemplatePart(Record, forbid_unknown_fields=True):
    """A part of the file. It has no keys but its own, each with a value of exactly its type.

    ``normalize`` checks several of its fields together: it returns the part, or raises InvalidImport.
    """


class PlannedPolicy(TemplatePart):
    """The policy of a gate: the holders of one ``role``, the ``people`` of roles, or without either the owners.

    ``needed`` is their number, all of them if it is left out; ``by`` is a day. The ``secretary`` is a role, too.
    """

    deciders: Deciding | None = None
    role: Role = ""
    people: Roles = ()
    needed: int | None = None
    four_eyes: bool = False
    by: Days | None = None
    secretary: Role = ""

    def normalize(self) -> PlannedPolicy:
        """Return it with the deciders that it does not say. Raises InvalidImport for those that contradict."""
        said = Deciding.META_ROLE if self.role else Deciding.PEOPLE if self.people else Deciding.OWNERS
        is_open = said is Deciding.OWNERS and self.deciders is Deciding.PEOPLE  # they can be named once there are any
        if (self.role and self.people) or not (is_open or self.deciders in (None, said)):
            raise InvalidImport("", "One role decides, or the people of roles, or the owners. Name one of these.")
        checked_field("needed", check_needed, self.needed)
        return replace(self, deciders=self.deciders or said)


class PlannedCriterion(TemplatePart):
    """A criterion of a gate: met ``by`` hand, by closed cards of a ``filter``, or by the ``sum`` of a number field.

    The sum over the cards of the filter has a limit, ``most`` or ``least``. ``empty`` if no card needs to match.
    """

    text: Annotated[str, line(CRITERION)]
    by: Role = ""
    filter: str = ""
    sum: str = ""
    most: float | None = None
    least: float | None = None
    empty: bool = False

    @property
    def kind(self) -> CriterionKind:
        filtered = CriterionKind.SUM if self.sum else CriterionKind.CLOSED
        return filtered if self.filter else CriterionKind.HAND

    def normalize(self) -> PlannedCriterion:
        """Check that it is met in one way, and has what that takes."""
        if self.filter and self.by:
            raise InvalidImport("by", "A criterion is met by hand or by the cards of a filter, not by both.")
        if not self.filter and (self.sum or self.empty):
            raise InvalidImport("filter", "Say which cards it is about with a filter, such as label:legal.")
        if [self.most, self.least].count(None) != (1 if self.sum else 2):
            raise InvalidImport("sum", "A sum has a limit, “most” or “least”, and nothing else has one.")
        if self.sum:
            _amount(self)
        return self


def _amount(each: PlannedCriterion) -> str:
    """Return the limit of a sum as it is stored. Raises InvalidImport."""
    limit, name = (each.most, "most") if each.least is None else (each.least, "least")
    return checked_field(name, kept_amount, str(limit))


def check_criteria(criteria: Iterable[tuple[PlannedCriterion, ...]], fields: Mapping[str, FieldKind]) -> None:
    """Raise InvalidImport for a filter that no project can have, and for a sum of a field without numbers."""
    from core.filters.filter import check
    from core.filters.parser import terms

    for place, of_phase in enumerate(criteria):
        for at, each in enumerate(of_phase):
            where = f"phases[{place}].criteria[{at}]"
            checked_field(f"{where}.filter", check, each.filter, fields)
            if any(term.field is None for term in terms(each.filter)):
                raise InvalidImport(f"{where}.filter", "Name a field, such as label:legal: it takes no free words.")
            if each.sum and fields.get(each.sum) is not FieldKind.NUMBER:
                raise InvalidImport(f"{where}.sum", f"The file has no number field with the key “{each.sum}”.")


def policy_of(policy: PlannedPolicy) -> TemplatePolicy:
    roles = (policy.role,) if policy.role else policy.people
    return made_from(TemplatePolicy, policy, roles=roles, due_days=policy.by)


def criterion_of(each: PlannedCriterion) -> TemplateCriterion:
    return made_from(
        TemplateCriterion,
        each,
        kind=each.kind,
        slots=(each.by,) if each.by else (),
        field=each.sum,
        at_least=each.least is not None,
        amount=_amount(each) if each.sum else "",
        may_be_empty=each.empty,
    )


def planned_policy(policy: TemplatePolicy) -> PlannedPolicy:
    by_role = policy.deciders is Deciding.META_ROLE
    return made_from(
        PlannedPolicy,
        policy,
        deciders=None if policy.roles else policy.deciders,
        role=policy.roles[0] if by_role and policy.roles else "",
        people=() if by_role else policy.roles,
        by=policy.due_days,
    )


def planned_criterion(each: TemplateCriterion) -> PlannedCriterion:
    limit = float(each.amount) if each.amount else None
    shown = int(limit) if limit is not None and limit.is_integer() else limit
    return made_from(
        PlannedCriterion,
        each,
        by=next(iter(each.slots), ""),
        sum=each.field,
        most=None if each.at_least else shown,
        least=shown if each.at_least else None,
        empty=each.may_be_empty,
    )
