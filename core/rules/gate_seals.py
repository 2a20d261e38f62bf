"""Seals: what a decision at a gate was made on, as canonical JSON whose hash stands in the record of the gate.

The bound part is what the decision holds for: if it changes, an approval ends (``core.rules.approvals``). It has ids in
place of the keys and names of cards and people, so that renaming something changes nothing. The other part says how it
was, for readers. Canonical JSON is that of RFC 8785, here of texts and integers only: both engines give the same bytes.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any, TypeAlias

from core.codec.encoding import camel, sorted_text
from core.domain.gate_policy import GateCriterion, GatePolicy
from core.domain.gates import DECISIONS, Deliverable, GateRecord, GateSeal
from core.domain.model import Phase, ProjectRole, Status
from core.domain.products.products import MetaRole, RoleMapping
from core.domain.products.roles import held_meta_roles
from core.engine.project_guard import names_of
from core.engine.unit_of_work import Snapshot, UnitOfWork, select
from core.record import Record, replace
from core.rules.gate_conditions import conditions_of
from core.rules.gate_criteria import BOUND_OF_CRITERION, GateCriteria, define_criteria
from core.rules.gate_filters import as_written
from core.rules.gate_panel import Panel, read_panel
from core.storage.database import Statement
from core.storage.row_mapper import encode_value
from core.text.phrases import full_name
from core.text.short_keys import card_key

CARDS_LISTED = 500
"""The most cards that a seal lists. Of more it has the number, and the hash of the list."""

Value: TypeAlias = str | int | Sequence[Any] | Mapping[str, Any]

_CARDS = (
    "SELECT id, number, title, status, CASE WHEN status = 'COMPLETED' OR archived_from = 'COMPLETED' THEN 1 ELSE 0 END,"
    " completed_by, completed_at FROM item"
    " WHERE project_id = :project_id AND phase_id = :phase_id ORDER BY id"
)

_PROOFS = (
    "SELECT id, number, title FROM item WHERE project_id = :project_id AND id IN (SELECT evidence FROM deliverable"
    " WHERE project_id = :project_id AND phase_id = :phase_id AND evidence_kind = 'CARD') ORDER BY id"
)

_OVERRIDES = (
    "SELECT at, reason, first_name, last_name FROM gate_record LEFT JOIN app_user ON app_user.id = by_id"
    " WHERE project_id = :project_id AND phase_id = :phase_id AND decision = 'OVERRIDE' AND withdrawn = 0"
    " ORDER BY at, gate_record.id"
)


class SealedPhase(Record, kw_only=False):
    """The rows that a seal is made of."""

    phase: Phase
    deliverables: Sequence[Deliverable]
    cards: Sequence[tuple[Any, ...]]
    policy: GatePolicy | None = None
    criteria: Sequence[GateCriterion] = ()

    @classmethod
    def load(cls, view: Snapshot, phase: Phase, rows: Sequence[Sequence[tuple[Any, ...]]]) -> SealedPhase:
        """Make it from the rows of ``_statements``."""
        deliverables, cards, policies, criteria = rows
        of_phase = view.load_records(Deliverable, deliverables)
        policy = next(iter(view.load_records(GatePolicy, policies)), None)
        return cls(phase, of_phase, cards, policy, view.load_records(GateCriterion, criteria))


def canonical(value: Value) -> str:
    """Return a value as canonical JSON, its texts in Unicode's form NFC.

    >>> canonical({"b": [1, "e\u0301"], "a": "x"})
    '{"a":"x","b":[1,"é"]}'
    """
    text = sorted_text(value)
    return text if text.isascii() else sorted_text(_compose(value))


def _compose(value: Value) -> Value:
    """The value with its texts in NFC. Of the whole JSON an escape could join the mark after it."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {key: _compose(each) for key, each in value.items()}
    return value if isinstance(value, int) else [_compose(each) for each in value]


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return sha256(text.encode()).hexdigest()


def read_sealed(view: Snapshot, phase: Phase) -> SealedPhase:
    """Read what the seal of a phase is made of, in one round trip."""
    return SealedPhase.load(view, phase, view.tx.tuples_all(_statements(phase)))


def _statements(phase: Phase) -> list[Statement]:
    where = {"project_id": phase.project_id, "phase_id": phase.id}
    mine = "project_id = :project_id AND phase_id = :phase_id"
    return [
        (select(Deliverable, f"{mine} ORDER BY id"), where),
        (_CARDS, where),
        (select(GatePolicy, mine), where),
        (select(GateCriterion, f"{mine} ORDER BY id"), where),
    ]


BOUND_OF_PHASE = ("objectives", "outcomes", "gate", "evidence_required", "accepts_statements")
EVIDENCE = {"evidence", "evidence_kind", "file_size", "file_sha256"}
DELIVERY = {"done", "delivered_by", "delivered_at"}
BOUND_OF_DELIVERABLE = {"name"} | EVIDENCE | DELIVERY
BOUND_OF_CARD = {"status", "phase_id"}
"""The columns that the bound part is made of; ``core.rules.approvals`` has the words for a change of each."""


def bound_part(sealed: SealedPhase) -> dict[str, Any]:
    """Return the part of a seal that a decision holds for."""
    policy, criteria = sealed.policy, [replace(each, filter=as_written(each.filter)) for each in sealed.criteria]
    listed = {"people": [*policy.people], "needed": policy.needed or 0} if policy else {}
    return {
        **_columns(sealed.phase, BOUND_OF_PHASE),
        "deliverables": [
            {
                "id": each.id,
                "name": each.name,
                "kind": each.evidence_kind.value,
                "evidence": each.evidence,
                "size": each.file_size,
                "sha256": each.file_sha256,
                "done": int(each.done),
                "deliveredBy": each.delivered_by or "",
                "deliveredAt": _in_seconds(each.delivered_at),
            }
            for each in sealed.deliverables
        ],
        "cards": _list_or_hash([{"id": row[0], "state": _CLOSED.get(row[3], "open")} for row in sealed.cards]),
        # without a policy and criteria a seal is as it was before there were any
        **({"policy": _columns(policy, policy.chosen) | listed} if policy else {}),
        **({"criteria": [_columns(each, ("id", *BOUND_OF_CRITERION)) for each in criteria]} if criteria else {}),
    }


def _columns(record: Record, columns: Iterable[str]) -> dict[str, Any]:
    """Columns of a record by their names in JSON: times to the second, and what is not there as an empty text."""
    values = {camel(column): getattr(record, column) for column in columns}
    return {
        name: _in_seconds(each) if isinstance(each, datetime) else "" if each is None else encode_value(each)
        for name, each in values.items()
    }


_CLOSED = {Status.COMPLETED.value: "closed", Status.ARCHIVED.value: "closed"}
"""A completed card that is archived keeps its state, since archiving it takes nothing away."""


def hash_of_ground(view: Snapshot, phase: Phase) -> str:
    """Return the hash of what a decision about a phase would be made on now: its bound part."""
    return hash_of(_ground_of(view, phase))


def _ground_of(view: Snapshot, phase: Phase) -> str:
    return canonical(bound_part(read_sealed(view, phase)))


def is_as_sealed(view: Snapshot, phase: Phase, seal: GateSeal) -> bool:
    """Return whether the bound part of a phase is still that of a seal."""
    try:
        sealed = canonical(json.loads(seal.body)["bound"])
    except (ValueError, LookupError, TypeError):  # a seal that was changed in the database holds for nothing
        return False
    return sealed == _ground_of(view, phase)


LOST = "The seal is not in the database any more: it was removed past Podium."
MISMATCH = "The stored seal does not match its hash: it was changed past Podium."
FORGED = "The entry does not match its seal: it was changed past Podium."


def fault_of_seal(record: GateRecord, body: str) -> str:
    """Return what is wrong with an entry and its stored seal; empty if nothing is, or it has none by right.

    The seal of an import is about another workspace: its entry has other ids, so only its hash is checked.
    """
    if not body:
        made_here = record.sha256 or (record.way and record.decision in DECISIONS)
        return LOST if made_here and not record.imported_by else ""
    if hash_of(body) != record.sha256:
        return MISMATCH
    if record.imported_by:
        return ""
    try:
        then = json.loads(body)["asItWas"]
        entry = {"reason": record.reason, "decision": record.decision.value, "way": record.way.value}
        entry |= {"at": _in_seconds(record.at), "through": record.through}
        if record.meeting or "meeting" in then:  # seals from before there were any have no word of it
            entry["meeting"] = record.meeting.isoformat() if record.meeting else ""
        is_same = canonical(entry) == canonical({name: then[name] for name in entry})
        return "" if is_same and then["decider"]["id"] == record.by_id else FORGED
    except (LookupError, RecursionError, TypeError, ValueError):
        return FORGED


def seal_decision(work: UnitOfWork, record: GateRecord, phase: Phase) -> GateRecord:
    """Store the seal of a decision, and return its record with the hash. Nothing of it is undone or changed.

    The history does not repeat the seal, since its own table never changes.
    """
    text = canonical(describe_sealed(work, record, phase))
    work.tx.execute(
        "INSERT INTO gate_seal (project_id, record_id, body, version) VALUES (:project_id, :record_id, :body, 1)",
        project_id=record.project_id,
        record_id=record.id,
        body=text,
    )
    work.beside += len(text)
    return replace(record, sha256=hash_of(text))


def describe_sealed(view: Snapshot, record: GateRecord, phase: Phase) -> dict[str, Any]:
    """Return both parts of the seal that a decision gets now."""
    of_project, of_phase = {"project_id": phase.project_id}, {"project_id": phase.project_id, "phase_id": phase.id}
    mine = "project_id = :project_id AND user_id = :user_id"
    decider = of_project | {"user_id": record.by_id}
    *of_seal, proofs, projects, members, mapping, meta_roles, given, overrides = view.tx.tuples_all(
        [
            *_statements(phase),
            (_PROOFS, of_phase),
            ("SELECT name, key FROM project WHERE id = :project_id", of_project),
            (f"SELECT role FROM member WHERE {mine}", decider),
            (select(RoleMapping, "1 = 1"), {}),
            (select(MetaRole, "1 = 1"), {}),
            (f"SELECT meta_role_id FROM member_meta_role WHERE {mine}", decider),
            (_OVERRIDES, of_phase),
        ]
    )
    sealed = SealedPhase.load(view, phase, of_seal)
    people = {
        record.by_id,
        record.recorded_by,
        *(row[5] for row in sealed.cards),
        *(each.delivered_by for each in sealed.deliverables),
    }
    known = names_of(view, {each for each in people if each})
    [(project, key)] = projects
    role = ProjectRole(members[0][0]) if members else None
    held = (
        held_meta_roles(
            role,
            [row[0] for row in given],
            view.load_records(RoleMapping, mapping),
            view.load_records(MetaRole, meta_roles),
        )
        if role
        else ()
    )
    as_it_was = {
        "project": project,
        "phase": phase.name,
        "decision": record.decision.value,
        "reason": record.reason,
        "decider": {
            "id": record.by_id,
            "name": known.get(record.by_id, ""),
            "role": role.value if role else "",
            "metaRoles": [each.meta_role.name for each in held],
        },
        "at": _in_seconds(record.at),
        "way": record.way.value,
        "through": record.through,
        "overridden": int(phase.overridden),
        "overrides": [
            {"at": at[:19] + "Z", "by": full_name(first, last), "reason": reason}
            for at, reason, first, last in overrides
        ],
        "delivered": {each.id: known.get(each.delivered_by or "", "") for each in sealed.deliverables},
        "evidenceCards": {card_id: f"{card_key(key, number)} “{title}”" for card_id, number, title in proofs},
        "cards": _list_or_hash(
            [
                {
                    "key": card_key(key, number),
                    "title": title,
                    "status": status,
                    "done": done,
                    "completedBy": known.get(by, ""),
                    "completedAt": f"{at[:19]}Z" if at else "",
                }
                for _, number, title, status, done, by, at in sealed.cards
            ]
        ),
    }
    if sealed.policy:
        as_it_was |= _describe_panel(view, read_panel(view, phase), record.meeting)
    if record.meeting:
        as_it_was |= {"meeting": record.meeting.isoformat(), "recordedBy": known.get(record.recorded_by or "", "")}
    if sealed.criteria:
        results = GateCriteria.evaluate(view, sealed.criteria)[phase.id]
        asked = define_criteria(view, sealed.criteria)
        as_it_was["criteria"] = [
            {
                "id": each.criterion.id,
                "met": int(each.is_met),
                "sentence": each.sentence,
                "definition": definition,
            }
            for each, definition in zip(results, asked, strict=True)
        ]
    return {"bound": bound_part(sealed), "asItWas": as_it_was}


def _describe_panel(view: Snapshot, panel: Panel, meeting: date | None) -> dict[str, Any]:
    """The policy, the votes and their conditions in words, as they were. A vote in a meeting has no time of its own."""
    votes = [each.vote.id for each in panel.members if each.vote]
    conditions = {
        each.condition.vote_id: f"{each.condition.text} ({each.person}, until {each.condition.due})"
        for each in conditions_of(view, view.scope, "vote_id", votes)
    }
    return {
        "policy": panel.who,
        "votes": [
            {
                "id": vote.id if vote else "",
                "name": each.name,
                "vote": each.words_at(meeting),
                "counted": int(each.counts is not None),
                "why": each.why_not,
                "reason": vote.reason if vote else "",
                "at": _in_seconds(vote.at) if vote and not vote.meeting else "",
                "through": vote.through if vote and not vote.meeting else "",
                "condition": conditions.get(vote.id, "") if vote else "",
            }
            for each in panel.members
            for vote in (each.vote,)
        ],
    }


def _list_or_hash(cards: list[dict[str, str | int]]) -> Value:
    if len(cards) <= CARDS_LISTED:
        return cards
    return {"count": len(cards), "sha256": hash_of(canonical(cards))}


def _in_seconds(at: datetime | None) -> str:
    """A time in UTC, to the second; empty for None."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""
