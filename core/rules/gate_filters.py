"""Filters of criteria: stored with ids in the place of names, shown with the names of now, and compiled to SQL.

A stored filter is JSON: a list of terms, each with the ids of what it names (of a choice, which has none, the name),
and the words of all else. So it follows when something is renamed, and misses what is removed (``find_gone``). It means
what ``core.filters.filter.Filter`` means of tasks and activities, without the view of any person.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from core.codec.decoding import decode
from core.codec.encoding import sorted_text
from core.domain.canvas import CanvasMember
from core.domain.fields import CustomField, FieldKind
from core.domain.model import Id, ItemKind, ProjectRole, User
from core.domain.project_health import AT_RISK_WITHIN
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.filters.context import FilterContext, NamedPhase, quote_if_needed
from core.filters.custom_fields import choices_named, field_named, number_bounds
from core.filters.due_values import day_bounds
from core.filters.fields import labels_named, people_named, phases_named, priorities_meant, statuses_meant
from core.filters.filter import pointing_into, read_terms
from core.filters.parser import Term, Value
from core.record import Record, replace
from core.rules.dependencies import BLOCKS, OPEN, WITH_BLOCKERS
from core.rules.fields import fields_of
from core.rules.labels import labels_for
from core.rules.phases import PHASES_IN_ORDER
from core.storage.database import placeholders
from core.text.folding import fold
from core.text.phrases import UNKNOWN, person_name

REMOVED = "(removed)"
"""Stands for the name of what is no longer there."""

MAX_TESTS = 20
"""The most terms and words of one filter, which bound the time that a statement about many takes."""

TEXTS = (FieldKind.TEXT, FieldKind.LINK)


class StoredTerm(Record, kw_only=False, omit_defaults=True):
    """One condition of a stored filter: a field of the language, or the kind of a custom field and its id.

    ``ids`` (of labels, phases or people, and names of choices) and ``words`` are alternatives. ``written`` are the ids
    that it was written with, once it follows a merge or a rename.
    """

    field: str
    negated: bool = False
    ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    own_id: Id = ""
    written: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The words that a text has to contain."""
        return tuple(each for each in self.words if each not in ("none", "any")) if self.field in TEXTS else ()


# -- written -----------------------------------------------------------------------------------------------------------


def store_filter(view: Snapshot, project_id: Id, text: str) -> str:
    """Return a filter that a person wrote as it is stored.

    Raises InvalidFilter for one that cannot be parsed, and for ``me``, free words, numbers of phases and applications,
    since it means the same for each reader and from now on; InvalidInput for an empty one.
    """
    return store_within(read_context(view, project_id), text)


def store_within(around: FilterContext, text: str) -> str:
    """Return a filter as it is stored, as ``store_filter`` does, with the ids of a context."""
    with pointing_into(text):
        found = [_store_term(term, around) for term in read_terms(text, around)]
    if not found:
        raise InvalidInput("filter", "Say which cards it is about with a filter, such as label:legal.")
    check_size(found)
    return sorted_text(found)


def count_tests(terms: Iterable[StoredTerm]) -> int:
    """Return the size of a filter: its words, and its terms without one. The names of one term are one test."""
    return sum(max(1, len(each.words)) for each in terms)


def check_size(terms: Sequence[StoredTerm]) -> None:
    """Raise InvalidInput for a filter that is too long to be evaluated in a list of gates."""
    if (number := count_tests(terms)) > MAX_TESTS:
        most = f"The filter of a criterion has at most {MAX_TESTS} conditions and words"
        raise InvalidInput("filter", f"{most}, not {number}. Shorten it.")


def read_context(view: Snapshot, project_id: Id) -> FilterContext:
    """Return what the filters of a project can name, the same for each reader."""
    members = view.all(User, "id IN (SELECT user_id FROM member WHERE project_id = :id)", id=project_id)
    phases = view.tx.tuples(f"SELECT id, name FROM phase WHERE {PHASES_IN_ORDER}", project_id=project_id)
    return FilterContext(
        me="",
        today=utc_day(view),
        columns=tuple(NamedPhase(id_, number, name) for number, (id_, name) in enumerate(phases, 1)),
        members=tuple(CanvasMember.of(each, ProjectRole.VIEWER) for each in members),
        labels=labels_for(view, project_id),
        fields=tuple(fields_of(view, project_id)),
    )


def utc_day(view: Snapshot) -> date:
    """Return the day on which criteria are evaluated: that in UTC, the same for all."""
    return view.now.astimezone(UTC).date()


def _store_term(term: Term, around: FilterContext) -> StoredTerm:
    if term.field is None:
        word = term.values[0]
        raise word.make_error(
            f"Name a field, such as label:legal: a criterion takes no free words, as {word.quoted} is."
        )
    field = field_named(term.field, around)
    assert field is not None
    own = next((each for each in around.fields if each.key == field.name), None)
    kind = own.kind.value if own else field.name
    ids, words = set[str](), set[str]()
    for value in term.values:
        named = _ids_named(kind, value, around, own)
        if named is None:
            field.test(value, around)
            words.add(value.word)
        else:
            ids |= named
    return StoredTerm(kind, term.negated, tuple(sorted(ids)), tuple(sorted(words)), own.id if own else "")


def _ids_named(kind: str, value: Value, around: FilterContext, own: CustomField | None) -> frozenset[str] | None:
    """The ids that a value names; None for a value that names nothing. Raises InvalidFilter."""
    if kind == "phase":
        if any(str(each.number) == value.word for each in around.columns):
            raise value.make_error(f"Name the phase instead of its number, {value.quoted}, which can change.")
        return phases_named(value, around)
    if kind == "type" and value.word == ItemKind.APPLICATION.lower():
        raise value.make_error("Write type:task or type:activity: an application is never open or closed.")
    if value.word in ("none", "any"):
        return None
    if kind in ("assignee", FieldKind.PERSON):
        if value.word == "me":
            raise value.make_error("Name the person instead of “me”, who is another one for each reader.")
        return people_named(value, around.members)
    if kind == "label":
        return labels_named(value, around)
    return choices_named(own, value) if own and kind == FieldKind.CHOICE else None


def load_terms(stored: str) -> list[StoredTerm]:
    """Return the terms of a stored filter. Raises ValueError for one that was changed past Podium."""
    found: list[StoredTerm] = decode(stored, list[StoredTerm])
    return found


def readable_terms(stored: str) -> list[StoredTerm]:
    """Return the terms of a stored filter; none of one that was changed past Podium."""
    try:
        return load_terms(stored) if stored else []
    except (InvalidInput, ValueError, RecursionError):
        return []


def follow_rename(stored: str, field: str, old: str, new: str, own_id: Id = "") -> str:
    """Return a stored filter with another id, or name of a choice, in its terms of a field."""
    terms = readable_terms(stored)
    for at, each in enumerate(terms):
        if (each.field, each.own_id) == (field, own_id) and old in each.ids:
            ids = tuple(sorted({new if id_ == old else id_ for id_ in each.ids}))
            terms[at] = replace(each, ids=ids, written=each.written or each.ids)
    return sorted_text(terms) if terms else stored


def as_written(stored: str) -> str:
    """Return a stored filter as it was before it followed merges and renames, which change nothing that it means."""
    if '"written":' not in stored:
        return stored
    terms = [replace(each, ids=each.written or each.ids, written=()) for each in readable_terms(stored)]
    return sorted_text(terms) if terms else stored


# -- shown -------------------------------------------------------------------------------------------------------------


class NamedField(NamedTuple):
    """The names of a custom field as they are now."""

    name: str
    key: str
    choices: Sequence[str]
    removed: bool


class FilterNames:
    """The names of now of all that criteria refer to, from the rows of ``name_arms``."""

    def __init__(self, rows: Iterable[Sequence[Any]] = ()) -> None:
        self.known: dict[tuple[str, str], str] = {}
        """The names of labels, phases and people, by the field that names them and the id."""
        self.fields: dict[Id, NamedField] = {}
        self.members: dict[tuple[Id, Id], bool] = {}
        """Whether a member is active, by project and person."""
        for _, what, id_, name, more, key, number, *_ in rows:
            if what == "member":
                self.members[name, id_] = bool(number)
            elif what == "field":
                self.fields[id_] = NamedField(name, key, json.loads(more), bool(number))
            else:
                self.known[what, id_] = person_name(name, more) if what == "assignee" else name

    def person(self, user_id: Id | None) -> str:
        """The name of a person."""
        return self.known.get(("assignee", user_id or ""), UNKNOWN)

    def name(self, term: StoredTerm, id_: str) -> str:
        """The name of what a term has by its id; empty where it is no longer there."""
        if term.field == FieldKind.CHOICE:
            return id_ if (own := self.fields.get(term.own_id)) and id_ in own.choices else ""
        return self.known.get(("assignee" if term.field == FieldKind.PERSON else term.field, id_), "")


def name_arms(terms: Iterable[StoredTerm], people: Iterable[Id | None], given: Parameters) -> list[str]:
    """Return the SELECTs that read the names of what terms refer to, and of these people."""
    found: dict[str, set[str]] = {"field": set(), "label": set(), "phase": set(), "assignee": {*filter(None, people)}}
    for term in terms:
        found["field"].add(term.own_id)
        if term.field != FieldKind.CHOICE:
            found.setdefault("assignee" if term.field == FieldKind.PERSON else term.field, set()).update(term.ids)
    arms = {
        "field": "name, choices, key, removed, 0, 0 FROM field",
        "label": "name, '', '', 0, 0, 0 FROM label",
        "phase": "name, '', '', 0, 0, 0 FROM phase",
        "assignee": "first_name, last_name, '', 0, 0, 0 FROM app_user",
    }
    chosen = {what: given.in_list(found[what] - {""}) for what in arms if found[what] - {""}}
    selects = [f"SELECT -1, '{what}', id, {arms[what]} WHERE id IN {chosen[what]}" for what in chosen]
    if "assignee" in chosen:
        selects.append(
            "SELECT -1, 'member', user_id, project_id, '', '', active, 0, 0 FROM member"
            f" JOIN app_user ON app_user.id = user_id WHERE user_id IN {chosen['assignee']}"
        )
    return selects


def show_filter(names: FilterNames, terms: Iterable[StoredTerm]) -> str:
    """Return the terms of a stored filter as a text, with the names of now."""
    return " ".join(_show_term(names, each) for each in terms)


def show_filters(view: Snapshot, stored: Iterable[str]) -> dict[str, str]:
    """Return stored filters, except for empty ones, with their texts, with the names of now, read in one statement.

    One that was changed past Podium is shown as one that names what is not there any more.
    """
    given, filters = Parameters(), {each: readable_terms(each) for each in stored if each}
    arms = name_arms([term for terms in filters.values() for term in terms], (), given)
    names = FilterNames(view.tx.tuples(" UNION ALL ".join(arms), **given.values) if arms else ())
    return {each: show_filter(names, terms) or f"label:{REMOVED}" for each, terms in filters.items()}


def _show_term(names: FilterNames, term: StoredTerm) -> str:
    field = term.field
    if term.own_id:
        own = names.fields.get(term.own_id)
        field = own.key if own and not own.removed else REMOVED
    words = [word if not set(word) & {" ", ","} else f'"{word}"' for word in term.words]
    found = [names.name(term, each) for each in term.ids] if field != REMOVED else []
    words += [quote_if_needed(name) if name else REMOVED for name in found]
    return f"{'-' * term.negated}{field}:{','.join(words)}"


_GONE = {"label": "a label", "phase": "a phase", FieldKind.CHOICE: "a choice"}


def find_gone(names: FilterNames, project_id: Id, terms: Iterable[StoredTerm]) -> Iterator[str]:
    """Yield what terms name that is no longer there, each as a clause."""
    for term in terms:
        if term.own_id and ((own := names.fields.get(term.own_id)) is None or own.removed):
            yield f"the field “{own.name}” was removed" if own else "a field of its filter was removed"
            continue
        for each in term.ids:
            if term.field in _GONE and not names.name(term, each):
                yield f"{_GONE[term.field]} of its filter was removed"
            elif term.field in ("assignee", FieldKind.PERSON) and (project_id, each) not in names.members:
                yield f"{names.person(each)} has left the project"


# -- compiled ----------------------------------------------------------------------------------------------------------


class Parameters:
    """The parameters of a statement that is put together; equal values are one."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self._names: dict[object, str] = {}

    def __call__(self, value: str | int) -> str:
        """Return the placeholder of a value."""
        name = self._names.setdefault(value, f"f{len(self._names)}")
        self.values[name] = value
        return f":{name}"

    def in_list(self, values: Iterable[str]) -> str:
        """Return an IN list of values; of none it is a list without rows."""
        return f"({', '.join(map(self, sorted(values))) or 'SELECT NULL WHERE 1 = 0'})"


_BLOCKED = f"SELECT waiting_id FROM {WITH_BLOCKERS} WHERE dependency.project_id = {{p}} AND {BLOCKS}"
_BLOCKING = (
    "SELECT blocker_id FROM dependency JOIN item AS waiting ON waiting.project_id = dependency.project_id"
    " AND waiting.id = waiting_id JOIN project ON project.id = waiting.project_id"
    f" WHERE blocker_project_id = {{p}} AND waiting.{OPEN} AND project.archived = 0 AND override_reason = ''"
)
_IS_BLOCKED = f"(item.{OPEN} AND (item.id IN ({_BLOCKED}) OR coalesce(item.activity_id, '') IN ({_BLOCKED})))"
_TESTS = {
    "has:comments": "item.id IN (SELECT item_id FROM comment WHERE project_id = {p})",
    "has:link": "item.link <> ''",
    "has:tasks": "item.id IN (SELECT task.activity_id FROM item AS task WHERE task.project_id = {p}"
    " AND task.activity_id IS NOT NULL AND (task.status <> 'ARCHIVED' OR task.archived_from = 'COMPLETED'))",
    "has:labels": "item.id IN (SELECT item_id FROM item_label WHERE project_id = {p})",
    "has:due": "item.due IS NOT NULL",
    "has:assignee": "(item.assignee_id IS NOT NULL OR item.id IN"
    " (SELECT target_id FROM assignment WHERE project_id = {p}))",
    "is:blocked": _IS_BLOCKED,
    "is:ready": f"item.status = 'TO_DO' AND item.phase_id IN {{unlocked}} AND NOT {_IS_BLOCKED}",
    "blocks:any": f"item.{OPEN} AND item.id IN ({_BLOCKING})",
    "due:late": f"item.due IS NOT NULL AND item.due < {{today}} AND item.{OPEN}",
    "due:soon": f"item.due IS NOT NULL AND item.due BETWEEN {{today}} AND {{soon}} AND item.{OPEN}",
}
_TESTS |= {f"{field.removesuffix('s')}:any": _TESTS[f"has:{field}"] for field in ("labels", "due", "assignee")}
"""The conditions of words; ``none`` is the opposite of ``any``."""


Texts: TypeAlias = Mapping[tuple[Id, str], Sequence[Id]]
"""The cards whose text of a custom field contains a word, by the field and the word."""


def read_texts(view: Snapshot, project_ids: Iterable[Id], terms: Iterable[StoredTerm]) -> Texts:
    """Return the cards with each part of a text that filters ask for, in one statement; in none if no filter does.

    The texts are compared here, since the engines fold no letters beyond ASCII.
    """
    asked = {(each.own_id, word) for each in terms for word in each.parts}
    if not asked:
        return {}
    (projects, of_projects), (chosen, params) = placeholders({*project_ids}, "project"), placeholders(dict(asked))
    sql = f"SELECT field_id, item_id, value FROM item_field WHERE project_id IN {projects} AND field_id IN {chosen}"
    texts: dict[Id, list[tuple[Id, str]]] = {}
    for field_id, item_id, value in view.tx.tuples(sql, **of_projects, **params):
        texts.setdefault(field_id, []).append((item_id, fold(value)))
    return {
        (field_id, word): [item_id for item_id, text in texts.get(field_id, ()) if fold(word) in text]
        for field_id, word in asked
    }


class FilterSql(NamedTuple):
    """Compiles the terms of stored filters of one project to conditions on ``item``, each of which is never NULL."""

    project_id: Id
    day: date
    unlocked: Collection[Id]
    """The phases that are not locked, for ``is:ready``."""
    given: Parameters
    texts: Texts
    """From ``read_texts``, of all filters."""

    def compile(self, terms: Iterable[StoredTerm]) -> str:
        """Return the condition that all terms hold. Raises InvalidInput for a day that does not exist this year."""
        return " AND ".join([f"{'NOT ' * each.negated}({self._any(each)})" for each in terms]) or "1 = 1"

    def _any(self, term: StoredTerm) -> str:
        words = [each for each in term.words if each not in term.parts]
        found = [self._own(term, word) if term.own_id else self._word(term.field, word) for word in words]
        found += [self._contains(term)] if term.parts else []
        return " OR ".join([*found, *([self._ids(term)] if term.ids else [])])

    def _ids(self, term: StoredTerm) -> str:
        chosen = self.given.in_list(term.ids)
        p = self.given(self.project_id)
        if term.own_id:
            return self._holds(term, f"{'value' if term.field == FieldKind.CHOICE else 'user_id'} IN {chosen}")
        match term.field:
            case "phase":
                return f"item.phase_id IN {chosen}"
            case "label":
                return f"item.id IN (SELECT item_id FROM item_label WHERE project_id = {p} AND label_id IN {chosen})"
        assigned = f"SELECT target_id FROM assignment WHERE project_id = {p} AND user_id IN {chosen}"
        return f"coalesce(item.assignee_id, '') IN {chosen} OR item.id IN ({assigned})"

    def _word(self, field: str, word: str) -> str:
        if word == "none":
            return f"NOT ({self._word(field, 'any')})"
        if test := _TESTS.get(f"{field}:{word}"):
            days = (self.day, self.day + AT_RISK_WITHIN)
            today, soon = (self.given(day.isoformat()) for day in days)
            unlocked = self.given.in_list(self.unlocked)
            return test.format(p=self.given(self.project_id), today=today, soon=soon, unlocked=unlocked)
        value = Value(word, 0, len(word))
        match field:
            case "status":
                return f"item.status IN {self.given.in_list(statuses_meant(value))}"
            case "priority":
                return f"item.priority IN {self.given.in_list(priorities_meant(value))}"
            case "type":
                return f"item.kind = {self.given(word.upper())}"
        return f"item.due IS NOT NULL AND {self._between('item.due', value)}"

    def _between(self, column: str, value: Value) -> str:
        bounds = day_bounds(value, self.day)
        return " AND ".join(f"{column} {sign} {self.given(day.isoformat())}" for sign, day in bounds)

    def _own(self, term: StoredTerm, word: str) -> str:
        value = Value(word, 0, len(word))
        if word in ("none", "any"):
            return f"{'NOT ' * (word == 'none')}{self._holds(term, '1 = 1')}"
        if term.field == FieldKind.DATE:
            return self._holds(term, self._between("value", value))
        number = f"CASE WHEN field_id = {self.given(term.own_id)} THEN value END"  # so that no text reaches the cast
        number = f"CAST(round(CAST({number} AS NUMERIC) * 1000) AS BIGINT)"
        bounds = [f"{number} {sign} {self.given(round(wanted * 1000))}" for sign, wanted in number_bounds(value)]
        return self._holds(term, " AND ".join(bounds))

    def _contains(self, term: StoredTerm) -> str:
        """The condition that the text of a card contains one of the words."""
        having = [*dict.fromkeys(chain.from_iterable(self.texts[term.own_id, each] for each in term.parts))]
        return f"item.id IN (SELECT value FROM json_each({self.given(json.dumps(having))}))"

    def _holds(self, term: StoredTerm, test: str) -> str:
        """The condition that a card has a value of a custom field that passes a test."""
        p, own = self.given(self.project_id), self.given(term.own_id)
        return f"item.id IN (SELECT item_id FROM item_field WHERE project_id = {p} AND field_id = {own} AND {test})"
