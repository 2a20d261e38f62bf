"""Seals in words: a whole one by its parts, and the differences of two.

A stored body may be damaged, and that of an import may have been written by anyone: UnreadableSeal says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from core.domain.evidence import Evidence, evidence_words
from core.domain.gates import EvidenceKind
from core.domain.model import Gate, Phase, Status
from core.record import Record
from core.rules.gate_seals import canonical, hash_of
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
                (_add_count("Deliverables", bound["deliverables"]), _deliverables(bound, then, moment)),
                (_add_count("Cards", bound["cards"]), _cards(bound, then, moment)),
            )
        ]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableSeal(UNREADABLE) from error


def role_in(body: str) -> str:
    """Return the role at that time of the person who decided; empty of a body that cannot be read."""
    try:
        return _role(_parts(body)[1]["decider"])
    except (AttributeError, LookupError, TypeError, UnreadableSeal):
        return ""


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
        if (fact and fact_now and fact.value == fact_now.value) or not (place[0] in both or newest.is_first):
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


def _facts(
    bound: dict[str, Any], then: dict[str, Any], are_listed: bool, moment: Callable[[datetime], str]
) -> Iterator[_Fact]:
    yield _Fact(("", "gate"), "", _gate_words(bound))
    for field in ("objectives", "outcomes"):
        yield _Fact(("", field), "", bound[field] or "none")
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
    yield f"by {credit_author(decider['name'] or decider['id'], then['through'])}" + (f" ({role})" if role else "")
    yield _on(then["at"], moment)
    if then["reason"]:
        yield f"because: {then['reason']}"
    for each in then["overrides"]:
        yield f"overridden by {each['by']} {_on(each['at'], moment)}: {each['reason']}"


def _gate(bound: dict[str, Any], then: dict[str, Any]) -> Iterator[str]:
    yield _gate_words(bound)
    if then["overridden"]:
        yield "the lock of the phase was overridden"
    for heading in ("objectives", "outcomes"):
        yield f"{heading}: {bound[heading] or 'none'}"


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
