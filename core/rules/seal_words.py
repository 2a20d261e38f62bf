"""Seals in words: a whole one by its parts, and the differences of two.

A stored body may be damaged, and that of an import may have been written by anyone: UnreadableSeal says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from core.domain.evidence import Evidence, evidence_words
from core.domain.gates import Decision, EvidenceKind
from core.domain.model import Gate, Phase, Status
from core.record import Record
from core.rules.gate_seals import canonical, hash_of
from core.text.dates import in_full
from core.text.phrases import credit_author, in_words, names

UNREADABLE = "It cannot be read."
TOO_MANY = "too many to list: the seal has their number and the hash of the list, {}"


class UnreadableSeal(Exception):
    """A body that is not that of a seal."""


class SealSection(Record):
    """A part of a seal in words."""

    heading: str
    lines: tuple[str, ...]


class SealDifference(Record, kw_only=False):
    """One difference between two seals, or between a seal and the phase as it is."""

    is_bound: bool
    """True for what an approval holds for; False for how it was, which ends none."""
    what: str
    """A card, a deliverable or the phase, by its newest name, and the field that differs."""
    before: str
    """The value in words; empty where it was not there."""
    after: str

    @property
    def sentence(self) -> str:
        """The difference as one line."""
        if not self.before or not self.after:
            return f"{self.what} {'is not there any more' if self.before else 'was added'}"
        return f"{self.what}: {self.before} → {self.after}"


def describe_seal(body: str, decided: str, moment: Callable[[datetime], str]) -> list[SealSection]:
    """Return a whole seal in words; ``decided`` is the decision in words. Raises UnreadableSeal."""
    bound, then = _parts(body)
    try:
        return [
            SealSection(heading=heading, lines=tuple(lines))
            for heading, lines in (
                ("Decision", _decision(then, decided, moment)),
                ("Gate", _gate(bound, then)),
                *([("Criteria", _criteria(then))] if "criteria" in then else []),
                *([("Votes", _votes(then, moment))] if "votes" in then else []),
                (_add_count("Deliverables", bound["deliverables"]), _deliverables(bound, then, moment)),
                (_add_count("Cards", bound["cards"]), _cards(bound, then, moment)),
            )
        ]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableSeal(UNREADABLE) from error


def read_role_and_votes(body: str) -> tuple[str, frozenset[str] | None]:
    """Return the role at that time of the person who decided, and the ids of the votes that counted.

    The role is empty where a meeting or several votes decided, and both are of a body that cannot be read: then the
    votes are None.
    """
    try:
        then = _parts(body)[1]
        votes = frozenset(str(each["id"]) for each in then.get("votes", ()) if each["counted"])
        is_shared = "meeting" in then or (then["decision"] == Decision.PASS and "votes" in then)
        return "" if is_shared else _role(then["decider"]), votes
    except (AttributeError, LookupError, TypeError, UnreadableSeal):
        return "", None


def compare_seals(before: str, after: str, *, moment: Callable[[datetime], str]) -> tuple[SealDifference, ...]:
    """Return what differs, first in the bound part, then in how it was. Raises UnreadableSeal."""
    parts = _parts(before), _parts(after)
    try:
        are_listed = all(isinstance(bound["cards"], list) for bound, _ in parts)
        cards = parts[0][1]["evidenceCards"] | parts[1][1]["evidenceCards"]
        for _, then in parts:
            then["evidenceCards"] = cards  # so that another name of a card is no other evidence
        was, now = ({each.place: each for each in _facts(*each_part, are_listed, moment)} for each_part in parts)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableSeal(UNREADABLE) from error
    both = {id_ for id_, _ in was} & {id_ for id_, _ in now}
    differences: list[SealDifference] = []
    for place in was | now:
        fact, fact_now = was.get(place), now.get(place)
        newest = fact_now or was[place]
        if (fact and fact_now and fact.basis == fact_now.basis) or not (place[0] in both or newest.is_first):
            continue
        field = place[1] if place[0] in both else ""
        what = f"{newest.what}, {field}" if newest.what and field else newest.what or field.capitalize()
        values = (each.value if each else "" for each in (fact, fact_now))
        differences.append(SealDifference(newest.is_bound, what, *values))
    return tuple(sorted(differences, key=lambda each: not each.is_bound))


class _Fact(NamedTuple):
    """A value in a seal, in words, with its place: the id of its card or deliverable, and the field."""

    place: tuple[str, str]
    what: str
    value: str
    is_bound: bool = True
    is_first: bool = False
    as_sealed: Any = None
    """The bound value, where its words have names, which can change."""

    @property
    def basis(self) -> Any:
        """The value by which two facts are compared."""
        return self.value if self.as_sealed is None else self.as_sealed


def _facts(
    bound: dict[str, Any], then: dict[str, Any], are_listed: bool, moment: Callable[[datetime], str]
) -> Iterator[_Fact]:
    yield _Fact(("", "gate"), "", _gate_words(bound))
    if "policy" in bound:
        yield _Fact(("", "policy"), "", then["policy"], as_sealed=bound["policy"])  # its words count the panel
    for field in ("objectives", "outcomes"):
        yield _Fact(("", field), "", bound[field] or "none")
    defined = {each["id"]: each["definition"] for each in then.get("criteria", ())}
    for each in bound.get("criteria", ()):
        id_, what = each["id"], f"The criterion “{each['text']}”"
        yield _Fact((id_, "text"), what, each["text"], is_first=True)
        for called, columns in _OF_CRITERION.items():
            asked = [each[column] for column in columns]
            yield _Fact((id_, called), what, defined[id_].get(called, "none"), as_sealed=asked)
        if each["kind"] == "HAND":
            yield _Fact((id_, "state"), what, f"met {_on(each['metAt'], moment)}" if each["metAt"] else "not met")
    for each in bound["deliverables"]:
        id_, what, who = each["id"], f"The deliverable “{each['name']}”", then["delivered"].get(each["id"], "")
        done = "done" + (f", delivered {_on(each['deliveredAt'], moment)}" if each["deliveredAt"] else "")
        yield _Fact((id_, "name"), what, each["name"], is_first=True)
        yield _Fact((id_, "evidence"), what, _evidence(each, then["evidenceCards"]))
        yield _Fact((id_, "state"), what, done if each["done"] else "not done")
        yield _Fact((id_, "delivered by"), what, who or "nobody", is_bound=False)
    for name in ("phase", "project"):
        yield _Fact(("", f"name of the {name}"), "", then[name], is_bound=False)
    yield _Fact(("", "lock"), "", "overridden" if then["overridden"] else "not overridden", is_bound=False)
    if not are_listed:
        for number, part in enumerate((bound, then)):
            cards = part["cards"]
            digest = cards["sha256"] if isinstance(cards, dict) else hash_of(canonical(cards))
            words = f"{_number(cards)}, too many to list, with the SHA-256 {digest}"
            yield _Fact(("", ("cards", "cards as they were")[number]), "", words, is_bound=not number)
        return
    for card in _by_id(bound, then).values():
        id_, what = card["id"], f"{card['key']} “{card['title']}”"
        yield _Fact((id_, "state"), what, card["state"], is_first=True)
        for field, value in (("key", card["key"]), ("title", card["title"]), ("status", in_words(card["status"]))):
            yield _Fact((id_, field), what, value, is_bound=False)
        yield _Fact((id_, "completed by"), what, card["completedBy"] or "nobody", is_bound=False)


_OF_CRITERION = {
    "person": ("personId",),
    "filter": ("filter",),
    "field": ("fieldId",),
    "limit": ("atLeast", "amount"),
    "may be empty": ("mayBeEmpty",),
}
"""The names in the bound part of each part of the definition of a criterion."""


def _parts(body: str) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        parsed = json.loads(body)
        return dict(parsed["bound"]), dict(parsed["asItWas"])
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        raise UnreadableSeal(UNREADABLE) from error


def _add_count(heading: str, listed: Any) -> str:
    return f"{heading} ({_number(listed)})"


def _number(listed: Any) -> int:
    return int(listed["count"] if isinstance(listed, dict) else len(listed))


def _decision(then: dict[str, Any], decided: str, moment: Callable[[datetime], str]) -> Iterator[str]:
    decider = then["decider"]
    role = _role(decider)
    yield f"“{then['phase']}” of “{then['project']}”: {decided}"
    if "meeting" in then:
        secretary = credit_author(then["recordedBy"], then["through"])
        apart = "" if then["recordedBy"] in _who_voted(then) else ", who did not vote"
        yield f"by the meeting of {in_full(date.fromisoformat(then['meeting']))}, recorded by {secretary}{apart}"
    else:
        voted = _LAST.get(then["decision"], "") if then.get("votes") else ""
        decided_by = credit_author(decider["name"] or decider["id"], then["through"])
        yield f"by {voted}{decided_by}" + (f" ({role})" if role else "")
    yield _on(then["at"], moment)
    if then["reason"]:
        yield f"because: {then['reason']}"
    for each in then["overrides"]:
        yield f"overridden by {each['by']} {_on(each['at'], moment)}: {each['reason']}"


_LAST = {
    Decision.PASS: "the votes below, the last of them by ",
    Decision.STOP: "the votes below, carried out by ",
}
"""The part of the person whom a seal names as the one who decided, where a panel did."""


def _gate(bound: dict[str, Any], then: dict[str, Any]) -> Iterator[str]:
    yield _gate_words(bound)
    if then["overridden"]:
        yield "the lock of the phase was overridden"
    for heading in ("objectives", "outcomes"):
        yield f"{heading}: {bound[heading] or 'none'}"


def _votes(then: dict[str, Any], moment: Callable[[datetime], str]) -> Iterator[str]:
    """The policy, and each person of the panel with the vote, also with one that did not count."""
    yield then["policy"]
    for each in then["votes"]:
        at = f" {_on(each['at'], moment)}" if each["at"] else ""
        why = f"; it did not count: {each['why']}" if each["why"] and each["id"] else each["why"] and f"; {each['why']}"
        reason = f": {each['reason']}" if each["reason"] else ""
        condition = f": {each['condition']}" if each["condition"] else ""
        yield f"{credit_author(each['name'], each['through'])}: {each['vote']}{condition}{at}{reason}{why}"


def _who_voted(then: dict[str, Any]) -> list[str]:
    return [each["name"] for each in then.get("votes", ()) if each["id"]]


def _criteria(then: dict[str, Any]) -> Iterator[str]:
    for each in then["criteria"]:
        asked = ", ".join(f"{part}: {each['definition'][part]}" for part in _OF_CRITERION if part in each["definition"])
        yield f"{each['sentence']} It asks for {asked}."


def _gate_words(bound: dict[str, Any]) -> str:
    evidence = {"evidence_required": bound["evidenceRequired"], "accepts_statements": bound["acceptsStatements"]}
    return Phase(project_id="", id="", rank="", name="", gate=Gate(bound["gate"]), **evidence).gate_words


def _deliverables(bound: dict[str, Any], then: dict[str, Any], moment: Callable[[datetime], str]) -> Iterator[str]:
    for each in bound["deliverables"]:
        who, at = then["delivered"].get(each["id"], ""), each["deliveredAt"]
        done = "done" if each["done"] else "not done"
        by = f", delivered{f' by {who}' if who else ''} {_on(at, moment)}" if at else ""
        yield f"“{each['name']}”: {done}{by}; {_evidence(each, then['evidenceCards'])}"


def _evidence(each: dict[str, Any], cards: Mapping[str, str]) -> str:
    evidence = Evidence(EvidenceKind(each["kind"]), each["evidence"], each["size"], each["sha256"])
    return evidence_words(evidence, cards.get(evidence.text, ""), whole=True) or "no evidence"


def _cards(bound: dict[str, Any], then: dict[str, Any], moment: Callable[[datetime], str]) -> Iterator[str]:
    if isinstance(bound["cards"], dict):
        yield TOO_MANY.format(bound["cards"]["sha256"])
        return
    for card in _by_id(bound, then).values():
        state = [] if card["status"] == Status.COMPLETED else [in_words(card["status"])]
        if card["done"]:
            by = f" by {card['completedBy']}" if card["completedBy"] else ""
            at = f" {_on(card['completedAt'], moment)}" if card["completedAt"] else ""
            state.append(f"completed{by}{at}")
        yield f"{card['key']} “{card['title']}”: {', '.join(state)}"


def _on(at: str, moment: Callable[[datetime], str]) -> str:
    words = moment(datetime.fromisoformat(at))
    return words if words.startswith(("today", "yesterday")) else f"on {words}"


def _role(decider: Mapping[str, Any]) -> str:
    """The role in the project, and the meta roles: "owner; meta role Lead"."""
    held = decider["metaRoles"]
    meta = f"meta role{'s' * (len(held) > 1)} {names(held)}" if held else ""
    return "; ".join(filter(None, (in_words(decider["role"]), meta)))


def _by_id(bound: dict[str, Any], then: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The cards, each with what both parts have of it: both list them in the same order."""
    return {one["id"]: one | other for one, other in zip(bound["cards"], then["cards"], strict=True)}
