"""Gates: deliverables with their evidence, decisions, the record of both, and its seals."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum

from core.domain.model import Id
from core.record import Record


class Decision(StrEnum):
    """An entry in the record of a gate: a decision, or what became of one.

    People decide PASS, HOLD, LIFT (of a hold), SEND_BACK, OVERRIDE and STOP (of the project). LAPSE ends an approval
    whose ground has changed, KIND_CHANGE is another kind of gate, WITHDRAWAL the undo of a decision, and RESTORATION
    the redo of one. VOTE_GO and its like are votes at a gate with a policy, which VOTES_ENDED, POLICY_CHANGE and each
    decision end. WAIVER drops a condition, and REOPENING restores a stopped project.
    """

    PASS = "PASS"  # noqa: S105
    HOLD = "HOLD"
    SEND_BACK = "SEND_BACK"
    OVERRIDE = "OVERRIDE"
    LIFT = "LIFT"
    STOP = "STOP"
    LAPSE = "LAPSE"
    KIND_CHANGE = "KIND_CHANGE"
    WITHDRAWAL = "WITHDRAWAL"
    RESTORATION = "RESTORATION"
    VOTE_GO = "VOTE_GO"
    VOTE_GO_IF = "VOTE_GO_IF"
    VOTE_NO = "VOTE_NO"
    VOTE_STOP = "VOTE_STOP"
    VOTES_ENDED = "VOTES_ENDED"
    POLICY_CHANGE = "POLICY_CHANGE"
    WAIVER = "WAIVER"
    REOPENING = "REOPENING"


DECISIONS = (Decision.PASS, Decision.HOLD, Decision.SEND_BACK, Decision.OVERRIDE, Decision.LIFT, Decision.STOP)
"""The entries that a person decides; the others follow from changes."""

UNDO_ENTRIES = frozenset({Decision.WITHDRAWAL, Decision.RESTORATION})
"""Entries about an undo or a redo. They stay, and reverting that adds another."""


DECISION_WORDS: Mapping[Decision, str] = {
    Decision.PASS: "approved",
    Decision.HOLD: "held",
    Decision.SEND_BACK: "sent back",
    Decision.OVERRIDE: "overridden",
    Decision.LAPSE: "approval ended",
    Decision.KIND_CHANGE: "gate changed",
    Decision.WITHDRAWAL: "withdrawn",
    Decision.RESTORATION: "restored",
    Decision.LIFT: "hold lifted",
    Decision.STOP: "stopped",
    Decision.VOTE_GO: "voted go",
    Decision.VOTE_GO_IF: "voted go if",
    Decision.VOTE_NO: "voted no",
    Decision.VOTE_STOP: "voted stop",
    Decision.VOTES_ENDED: "votes ended",
    Decision.POLICY_CHANGE: "rules changed",
    Decision.WAIVER: "condition waived",
    Decision.REOPENING: "project restored",
}
"""The decisions as words for people, who approve a gate; the stored decision is PASS."""


class Way(StrEnum):
    """The way by which a decision came. On a FILE without a server, everybody who can write it can act as anyone."""

    FILE = "FILE"
    SERVER = "SERVER"
    BROWSER = "BROWSER"
    UNKNOWN = ""


class EvidenceKind(StrEnum):
    """The kind of the evidence of a deliverable."""

    NONE = "NONE"
    LINK = "LINK"
    FILE = "FILE"
    CARD = "CARD"
    STATEMENT = "STATEMENT"


class Deliverable(Record, table="deliverable", key=("project_id", "id")):
    """A result that a phase promises, with its evidence.

    ``evidence`` is the address of a link, the name of a file, the id of a card of the project, or a statement in words.
    No file is stored: its size in bytes and its SHA-256 identify it. ``delivered_by`` marked it as done, at
    ``delivered_at``; both are None while it is not done, and where it is not known.
    """

    project_id: Id
    id: Id
    phase_id: Id
    rank: str
    name: str
    evidence: str = ""
    done: bool = False
    evidence_kind: EvidenceKind = EvidenceKind.NONE
    file_size: int = 0
    file_sha256: str = ""
    delivered_by: Id | None = None
    delivered_at: datetime | None = None
    version: int = 1


class GateRecord(Record, table="gate_record", key=("project_id", "id")):
    """One entry in the record of a gate, kept for good: the user, the time, the reason, and what was complete.

    Undoing a decision keeps its entry, marks it as ``withdrawn``, and adds a WITHDRAWAL. ``of_id`` is the decision that
    a LAPSE, a WITHDRAWAL or a RESTORATION is about, and ``detail`` what changed. ``phase_name`` is the name of the
    phase at that time, and of a removed phase its last one. ``sha256`` is the hash of its ``GateSeal``, empty where
    there is none, and ``seq`` the last change of the project before it. An imported entry has the fields of an imported
    ``Comment``. ``ground`` is the hash of the bound part that a vote was given on. Of a meeting, ``meeting`` is the
    day, and ``recorded_by`` the secretary, in the decision and in the votes, which the people gave there.
    """

    project_id: Id
    id: Id
    phase_id: Id
    decision: Decision
    by_id: Id
    at: datetime
    reason: str = ""
    completed: int = 0
    total: int = 0
    withdrawn: bool = False
    imported_by: Id | None = None
    imported_at: datetime | None = None
    original_login: str = ""
    original_name: str = ""
    through: str = ""
    """As in ``Change``."""
    phase_name: str = ""
    detail: str = ""
    of_id: Id | None = None
    seq: int = 0
    sha256: str = ""
    way: Way = Way.UNKNOWN
    ground: str = ""
    meeting: date | None = None
    recorded_by: Id | None = None
    version: int = 1


class GateSeal(Record, table="gate_seal", key=("project_id", "record_id")):
    """The basis of a decision: canonical JSON, whose hash is ``GateRecord.sha256`` (``core.rules.gate_seals``)."""

    project_id: Id
    record_id: Id
    body: str
    version: int = 1
