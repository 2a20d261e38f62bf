"""Criteria of gates: whether each is met, of several gates in one statement, and what of them a seal holds for.

They are evaluated for whole projects, with the day in UTC and without the view of any person. Cards that were archived
before they were completed do not count, as in the progress; a whole answer names them among those that left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import accumulate, chain
from typing import Any

from core.domain.fields import from_thousandths, in_thousandths
from core.domain.gate_policy import MAX_CRITERIA, CriterionKind, GateCriterion, GatePolicy
from core.domain.model import Gate, Id, Phase, PhaseState, Project, Status
from core.domain.readiness import GateNote
from core.engine.unit_of_work import Snapshot, UnitOfWork, in_workspace
from core.errors import OBSTACLES_LISTED, Blocker, InvalidInput, RuleViolation
from core.record import Record, replace
from core.rules.card_fields import THOUSANDTHS
from core.rules.dependencies import OPEN
from core.rules.gate_filters import (
    FilterNames,
    FilterSql,
    Parameters,
    StoredTerm,
    as_written,
    check_size,
    count_tests,
    find_gone,
    follow_rename,
    load_terms,
    name_arms,
    read_texts,
    readable_terms,
    show_filter,
    utc_day,
)
from core.rules.phases import read_workflow
from core.storage.database import among, placeholders
from core.text.amounts import write_amount
from core.text.dates import in_full, in_short
from core.text.phrases import count, credit_author, full_name, names, person_name
from core.text.short_keys import card_key

TESTS_AT_ONCE = 400
"""The most conditions and words in one statement: those of a gate with the most and longest criteria."""

MATCHES_KEPT = 500
"""The most matching cards that are remembered of a criterion, to name those that leave its filter."""


class CriterionResult(Record):
    """The answer about one criterion: whether it is met, and why."""

    criterion: GateCriterion
    is_met: bool
    sentence: str
    """The answer in plain words: “legal work is done”: 2 of 14 cards are open."""
    person: str = ""
    """The name of the person who meets it by hand."""
    filter: str = ""
    """Its filter, with the names of now."""
    open: int = 0
    """The matching cards that are open."""
    matching: int = 0
    """All matching cards."""
    cards: tuple[Blocker, ...] = ()
    """The first open ones, where the whole answer was asked for and the reader may see them."""
    left: tuple[GateNote, ...] = ()
    """In the whole answer, cards that left the filter since it was set or last decided on; they block nothing."""


def read_criteria(view: Snapshot, project_id: Id, phase_ids: Collection[Id] | None = None) -> list[GateCriterion]:
    """Return the criteria of phases of a project, of all for None, those of each gate in their order."""
    only, params = among("phase_id", phase_ids)
    where = f"project_id = :project_id{only} ORDER BY phase_id, rank, id"
    return view.all(GateCriterion, where, project_id=project_id, **params)


def unlocked_phases(view: Snapshot, project_id: Id) -> Collection[Id]:
    """Return the phases of a project that are not locked."""
    states = read_workflow(view, project_id).states
    return [phase_id for phase_id, state in states.items() if state != PhaseState.LOCKED]


_COUNTS = "(item.status <> 'ARCHIVED' OR item.archived_from = 'COMPLETED')"
_IS_OPEN = f"item.{OPEN}"


class GateCriteria:
    """Evaluates criteria of any number of gates and projects, in one statement if they are not very many.

    ``is:ready`` and parts of texts take a few more. A filter that cannot be evaluated is not met; nothing fails by it.
    """

    def __init__(self, view: Snapshot, criteria: Sequence[GateCriterion], *, in_one: bool = False) -> None:
        """With ``in_one`` it leaves out the criteria of the gates that do not fit into one statement any more."""
        self._view = view
        self._given = Parameters()
        self._terms: dict[Id, list[StoredTerm]] = {}
        self._where: dict[Id, str] = {}
        """The condition on the cards of each criterion that has a filter, by its id."""
        self._faults: dict[Id, str] = {}
        for each in criteria:
            if each.kind is not CriterionKind.HAND:
                with self._finding_faults(each):
                    self._terms[each.id] = load_terms(each.filter)
                    check_size(self._terms[each.id])
        self._criteria = self._first_gates(criteria) if in_one else criteria
        self._compile([each for each in self._criteria if each.id in self._terms and each.id not in self._faults])

    @contextmanager
    def _finding_faults(self, criterion: GateCriterion) -> Iterator[None]:
        try:
            yield
        except (InvalidInput, ValueError, RecursionError) as fault:
            self._faults[criterion.id] = f"its filter cannot be read: {str(fault).partition('. ')[0].rstrip('.')}"

    def _size(self, criterion: GateCriterion) -> int:
        return 0 if criterion.id in self._faults else count_tests(self._terms.get(criterion.id, ()))

    def _first_gates(self, criteria: Sequence[GateCriterion]) -> list[GateCriterion]:
        gates: dict[Id, list[GateCriterion]] = {}
        for each in criteria:
            gates.setdefault(each.phase_id, []).append(each)
        sizes = accumulate(sum(map(self._size, gate)) for gate in gates.values())
        return [
            each for gate, size in zip(gates.values(), sizes, strict=True) if size <= TESTS_AT_ONCE for each in gate
        ]

    def _compile(self, criteria: Sequence[GateCriterion]) -> None:
        texts = read_texts(
            self._view, (each.project_id for each in criteria), chain(*(self._terms[each.id] for each in criteria))
        )
        phases: dict[Id, Collection[Id]] = {}
        for each in criteria:
            with self._finding_faults(each):
                terms = self._terms[each.id]
                if any(term.field == "is" and "ready" in term.words for term in terms):
                    phases.setdefault(each.project_id, unlocked_phases(self._view, each.project_id))
                if each.kind is CriterionKind.CLOSED:
                    terms = [term for term in terms if term.field != "status"]
                unlocked = phases.get(each.project_id, ())
                sql = FilterSql(each.project_id, utc_day(self._view), unlocked, self._given, texts)
                project = self._given(each.project_id)
                self._where[each.id] = f"item.project_id = {project} AND {_COUNTS} AND {sql.compile(terms)}"

    @classmethod
    def evaluate(
        cls, view: Snapshot, criteria: Sequence[GateCriterion], *, whole: bool = False, in_one: bool = False
    ) -> dict[Id, tuple[CriterionResult, ...]]:
        """Return the results by phase; a ``whole`` answer names cards, and takes a few more statements.

        With ``in_one`` the gates that do not fit into one statement are not among them.
        """
        found: dict[Id, tuple[CriterionResult, ...]] = {}
        for each in cls(view, criteria, in_one=in_one).results(whole=whole) if criteria else ():
            phase_id = each.criterion.phase_id
            found[phase_id] = (*found.get(phase_id, ()), each)
        return found

    def results(self, *, whole: bool) -> list[CriterionResult]:
        """Return the result of each criterion."""
        terms = [term for found in self._terms.values() for term in found]
        terms += [StoredTerm("", own_id=each.field_id) for each in self._criteria if each.field_id]
        people = [person for each in self._criteria for person in (each.person_id, each.met_by)]
        rows = self._read(self._counts, (*name_arms(terms, people, self._given),))
        shown, counts = FilterNames(rows), {row[0]: row[6:9] for row in rows}
        found = [self._result(shown, each, *counts.get(at, (0, 0, 0))) for at, each in enumerate(self._criteria)]
        if not whole:
            return found
        blocking, left = self._blocking(found), self._find_left()
        return [
            replace(each, cards=tuple(blocking.get(at, ())), left=tuple(left.get(at, ())))
            for at, each in enumerate(found)
        ]

    def _read(self, select: Callable[[int, GateCriterion], str], more: Sequence[str] = ()) -> list[tuple[Any, ...]]:
        statements, size = [[*more]], 0
        for at, each in enumerate(self._criteria):
            if each.id in self._where and (arm := select(at, each)):
                size += self._size(each)
                if size > TESTS_AT_ONCE:
                    statements.append([])
                    size = self._size(each)
                statements[-1].append(arm)
        joined = [" UNION ALL ".join(arms) for arms in statements if arms]
        return [row for sql in joined for row in self._view.tx.tuples(sql, **self._given.values)]

    def _counts(self, at: int, criterion: GateCriterion) -> str:
        joined, total = "", "0"
        if criterion.field_id:
            joined = (
                " LEFT JOIN item_field ON item_field.project_id = item.project_id AND item_field.item_id = item.id"
                f" AND item_field.field_id = {self._given(criterion.field_id)}"
            )
            total = f"coalesce({THOUSANDTHS}, 0)"
        return (
            f"SELECT {at}, '', '', '', '', '', count(*) FILTER (WHERE {_IS_OPEN}), count(*), {total}"
            f" FROM item{joined} WHERE {self._where[criterion.id]}"
        )

    def _result(
        self, shown: FilterNames, criterion: GateCriterion, still_open: int, matching: int, total: int
    ) -> CriterionResult:
        gone = [*find_gone(shown, criterion.project_id, self._terms.get(criterion.id, ()))]
        if criterion.field_id:
            gone += find_gone(shown, criterion.project_id, [StoredTerm("", own_id=criterion.field_id)])
        if fault := self._faults.get(criterion.id, "") or names(list(dict.fromkeys(gone))):
            is_met, why = False, fault
        elif criterion.kind is CriterionKind.HAND:
            is_met, why = self._by_hand(shown, criterion)
        elif not matching:
            is_met, why = criterion.may_be_empty, "no card matches its filter"
        elif criterion.kind is CriterionKind.CLOSED:
            cards = f"{still_open or 'none'} of {count(matching, 'card')}"
            is_met, why = not still_open, f"{cards} {'is' if still_open < 2 else 'are'} open"
        else:
            limit, least = in_thousandths(criterion.amount), criterion.at_least
            is_met = total >= limit if least else total <= limit
            sum_of = shown.fields[criterion.field_id or ""].name
            bound = f"at {'least' if least else 'most'} {write_amount(criterion.amount)}"
            why = f"the sum of {sum_of} is {write_amount(from_thousandths(total))}, and has to be {bound}"
        return CriterionResult(
            criterion=replace(criterion, matched=()),
            is_met=is_met,
            sentence=f"“{criterion.text}” is {'' if is_met else 'not '}met: {why}.",
            person=shown.person(criterion.person_id) if criterion.person_id else "",
            filter=show_filter(shown, self._terms.get(criterion.id, ())),
            open=still_open,
            matching=matching,
        )

    def _by_hand(self, shown: FilterNames, criterion: GateCriterion) -> tuple[bool, str]:
        if criterion.met_at:
            day = in_full(self._view.day_of(criterion.met_at))  # with its year: a seal repeats it
            return True, f"{shown.person(criterion.met_by)} said so on {day}"
        if criterion.person_id is None:
            return False, "it names no person who has to say so"
        who = shown.person(criterion.person_id)
        active = shown.members.get((criterion.project_id, criterion.person_id))
        if active:
            return False, f"{who} has to say so"
        return False, f"{who}, who has to say so, {'has left the project' if active is None else 'is not active'}"

    def _blocking(self, found: Sequence[CriterionResult]) -> dict[int, list[Blocker]]:
        """The first open cards of each criterion that asks for closed ones, in the project of the message."""

        def first_open(at: int, criterion: GateCriterion) -> str:
            if found[at].is_met or criterion.kind is CriterionKind.SUM or criterion.project_id != self._view.scope:
                return ""
            return (
                f"SELECT * FROM (SELECT {at}, phase.rank AS phase_rank, item.rank, item.id, kind, title, phase.name,"
                " item.status, item.phase_id, number, key, first_name, last_name FROM item"
                " JOIN phase ON phase.project_id = item.project_id AND phase.id = item.phase_id"
                " JOIN project ON project.id = item.project_id LEFT JOIN app_user ON app_user.id = assignee_id"
                f" WHERE {self._where[criterion.id]} AND {_IS_OPEN}"
                f" ORDER BY phase.rank, item.rank, item.id LIMIT {OBSTACLES_LISTED}) AS of_{at}"
            )

        cards: dict[int, list[Blocker]] = {}
        for at, _, _, card_id, kind, title, phase, status, phase_id, number, key, *name in self._read(first_open):
            blocker = Blocker(
                card_id, kind, title, phase, status=status, phase_id=phase_id, key=card_key(key, number),
                sentence=f"“{title}” is still open, which “{found[at].criterion.text}” waits for",
                who_can=(full_name(*name),) if any(name) else (),
            )  # fmt: skip
            cards.setdefault(at, []).append(blocker)
        return cards

    def _find_left(self) -> dict[int, list[GateNote]]:
        """The cards of each criterion that matched its filter when it was set or last decided on, and no longer do."""

        def absent(at: int, criterion: GateCriterion) -> str:
            matched = self._given(json.dumps(criterion.matched))
            still = f"SELECT item.id FROM item WHERE {self._where[criterion.id]}"
            return f"SELECT {at}, value FROM json_each({matched}) WHERE value NOT IN ({still})"

        rows = sorted(self._read(absent))
        cards = _left_cards(self._view, {card_id for _, card_id in rows})
        left: dict[int, list[GateNote]] = {}
        for at, card_id in rows:
            if card_id in cards:
                name, key, what = cards[card_id]
                sentence = f"{name} no longer counts for “{self._criteria[at].text}”: {what}."
                left.setdefault(at, []).append(GateNote(sentence=sentence, card_id=card_id, key=key))
        return left

    def matches(self) -> dict[Id, tuple[Id, ...]]:
        """Return the ids of the first cards that each criterion counts, by its id."""

        def first(at: int, criterion: GateCriterion) -> str:
            where = f"{self._where[criterion.id]} ORDER BY item.id LIMIT {MATCHES_KEPT}"
            return f"SELECT * FROM (SELECT {at}, item.id FROM item WHERE {where}) AS of_{at}"

        found: dict[Id, tuple[Id, ...]] = {}
        for at, card_id in sorted(self._read(first)):
            found[self._criteria[at].id] = (*found.get(self._criteria[at].id, ()), card_id)
        return found


_LAST_CHANGE = (
    "SELECT change_record.key, before, after, at, first_name, last_name, through FROM change_record"
    " JOIN change ON change.project_id = change_record.project_id AND change.seq = change_record.seq"
    " LEFT JOIN app_user ON app_user.id = actor_id"
    " WHERE change_record.project_id = :project_id AND entity = 'item' AND change_record.key IN {}"
    " AND change_record.seq = (SELECT max(last.seq) FROM change_record AS last"
    " WHERE last.project_id = change_record.project_id AND last.key = change_record.key)"
    " ORDER BY change_record.key, position"
)
_NOW = "SELECT id, title, number, status FROM item WHERE project_id = :project_id AND id IN "


def _left_cards(view: Snapshot, card_ids: Collection[Id]) -> dict[Id, tuple[str, str, str]]:
    """The name and the key of cards of the project in view, and what became of each, by whom and when."""
    if not card_ids:
        return {}
    keys = {json.dumps({"project_id": view.scope, "id": each}): each for each in sorted(card_ids)}
    (chosen, params), (listed, of_keys) = placeholders(keys.values()), placeholders(keys, "k")
    now = {row[0]: row[1:] for row in view.tx.tuples(_NOW + chosen, project_id=view.scope, **params)}
    project_key = view.get(Project, id=view.scope).key
    found: dict[Id, tuple[str, str, str]] = {}
    changes = view.tx.tuples(_LAST_CHANGE.format(listed), project_id=view.scope, **of_keys)
    for key, before, after, at, *name, through in changes:
        was = json.loads(before or "{}")
        title, number, status = now.get(keys[key]) or (was.get("title", ""), was.get("number", 0), "")
        what = "it is archived" if status == Status.ARCHIVED else "it does not match any more"
        day = in_short(view.day_of(datetime.fromisoformat(at)), view.today)
        by = f"by {credit_author(person_name(*name), through)} on {day}"
        what = f"{what}, and was last changed {by}" if after else f"it was deleted for good {by}"
        short = card_key(project_key, number)
        found[keys[key]] = f"“{title}” ({short})", short, what
    return found


def with_matches(view: Snapshot, criterion: GateCriterion) -> GateCriterion:
    """Return a criterion with the cards that match it now."""
    return replace(criterion, matched=GateCriteria(view, [criterion]).matches().get(criterion.id, ()))


def define_criteria(view: Snapshot, criteria: Sequence[GateCriterion]) -> list[dict[str, str]]:
    """Return what each criterion asks for, as its parts in words by what they are called, with the names of now."""
    given = Parameters()
    terms = [readable_terms(each.filter) for each in criteria]
    fields = [StoredTerm("", own_id=each.field_id) for each in criteria if each.field_id]
    people = [each.person_id for each in criteria]
    arms = name_arms([*fields, *(term for found in terms for term in found)], people, given)
    shown = FilterNames(view.tx.tuples(" UNION ALL ".join(arms), **given.values) if arms else ())
    defined = []
    for each, found in zip(criteria, terms, strict=True):
        own = shown.fields.get(each.field_id or "")
        parts = {
            "text": f"“{each.text}”",
            "person": shown.person(each.person_id) if each.person_id else "",
            "filter": f"“{show_filter(shown, found)}”" if each.filter else "",
            "field": f"“{own.name}”" if own else "",
            "limit": f"at {'least' if each.at_least else 'most'} {each.amount}" if each.amount else "",
            "may be empty": "yes" if each.may_be_empty else "no" if each.filter else "",
        }
        defined.append({part: words for part, words in parts.items() if words})
    return defined


def remember_matches(work: UnitOfWork, phase: Phase) -> None:
    """Remember the cards that match the criteria of a phase now, when a decision about it falls."""
    criteria = read_criteria(work, phase.project_id, [phase.id])
    matches = GateCriteria(work, criteria).matches()
    for each in criteria:
        work.update(each, matched=matches.get(each.id, ()))


def follow_in_criteria(work: UnitOfWork, field: str, old: str, new: str, own_id: Id = "") -> None:
    """Have the filters of criteria follow a label that was merged, or a choice that was renamed; no approval ends."""
    # a label of the workspace is in the filters of all projects
    of_project = "" if in_workspace(work.scope) else "project_id = :scope AND "
    named = {"part": f"%{own_id or old}%"} | ({"scope": work.scope} if of_project else {})
    for each in work.all(GateCriterion, f"{of_project}filter LIKE :part", **named):
        followed = follow_rename(each.filter, field, old, new, own_id)
        if followed != each.filter:
            work.update(each, filter=followed)


def check_gate_rules(work: UnitOfWork, phase: Phase) -> None:
    """Raise RuleViolation if a gate has too many criteria, or criteria or a policy without a review."""
    number = len(read_criteria(work, phase.project_id, [phase.id]))
    if number > MAX_CRITERIA:
        raise RuleViolation(f"“{phase.name}” has {MAX_CRITERIA} criteria, the most for one gate. Remove one first.")
    if phase.gate is Gate.REVIEW:
        return
    if number:
        has = "a criterion" if number == 1 else f"{number} criteria"
        raise RuleViolation(f"“{phase.name}” has {has}, which only a review gate looks at. Make the gate a review.")
    if work.find(GatePolicy, project_id=phase.project_id, phase_id=phase.id):
        raise RuleViolation(
            f"“{phase.name}” has a policy, which only a review takes. Remove the policy, or make the gate a review."
        )


BOUND_OF_CRITERION = (
    "text", "kind", "person_id", "met_by", "met_at", "filter", "field_id", "at_least", "amount", "may_be_empty"
)  # fmt: skip
"""The columns that the bound part of a seal is made of."""


def bound_columns(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    """Return the bound columns in which rows of a criterion, or parts of them, differ.

    A filter that follows a label or a choice means what it did.
    """
    differing = {column for column in BOUND_OF_CRITERION if before.get(column) != after.get(column)}
    if as_written(before.get("filter") or "") == as_written(after.get("filter") or ""):
        differing.discard("filter")
    return differing


def criterion_words(first: dict[str, Any] | None, last: dict[str, Any] | None) -> str:
    """Return the change of a criterion in words, from its row before and after; empty if nothing bound changed."""
    name = f"the criterion “{(first or last or {})['text']}” was"
    if first is None or last is None:
        return f"{name} {'added' if first is None else 'removed'}"
    differing = bound_columns(first, last)
    if differing - {"met_by", "met_at"}:
        return f"{name} changed"
    return f"{name} {'met' if last['met_at'] else 'taken back'}" if differing else ""
