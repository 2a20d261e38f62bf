"""Policies of gates, with the people who decide; criteria, votes, and the conditions that a decision made.

A gate without a policy is decided by one owner. Votes are entries of the gate's record (``core.domain.gates``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from core.domain.fields import read_kept_number, read_number
from core.domain.gates import Decision
from core.domain.model import Id
from core.errors import InvalidInput
from core.record import Record, fields

MAX_PANEL = 50
"""The most people whom a policy names."""

MAX_NEEDED = 1_000
"""The most votes that a policy asks for; all can be more."""

MAX_CRITERIA = 20
"""The most criteria of one gate."""


class Deciding(StrEnum):
    """The people who decide at a gate: the owners, the holders of a meta role, or named people."""

    OWNERS = "OWNERS"
    META_ROLE = "META_ROLE"
    PEOPLE = "PEOPLE"


class GatePolicy(Record, table="gate_policy", key=("project_id", "phase_id")):
    """The policy of a gate: the people who decide there, and how many of them.

    ``needed`` is the number of votes for it, None for all of the panel. With ``four_eyes``, the people who were the
    last to complete a card of the phase, or to deliver for it, cannot decide. ``decide_by`` is only shown. The
    secretary can record the decision of a meeting.
    """

    project_id: Id
    phase_id: Id
    deciders: Deciding = Deciding.OWNERS
    meta_role_id: Id | None = None
    people: tuple[Id, ...] = ()
    needed: int | None = None
    four_eyes: bool = False
    decide_by: date | None = None
    secretary_id: Id | None = None
    version: int = 1

    @property
    def chosen(self) -> dict[str, Any]:
        """All that was chosen, by the names of the fields."""
        return {name: getattr(self, name) for name in fields(self) if name not in ("project_id", "phase_id", "version")}


def check_needed(needed: int | None) -> None:
    """Raise InvalidInput for a number of votes that no gate can take."""
    if needed is not None and not 1 <= needed <= MAX_NEEDED:
        raise InvalidInput("needed", f"It takes 1 vote or more, at most {MAX_NEEDED:,}, or all, not {needed:,}.")


class CriterionKind(StrEnum):
    """The way in which a criterion is met: by a named person, by closed cards, or by the sum of a number field."""

    HAND = "HAND"
    CLOSED = "CLOSED"
    SUM = "SUM"


def checked_amount(typed: str) -> str:
    """Return the limit of a sum that someone typed, as it is kept. Raises InvalidInput."""
    return _check_limit(read_number, typed)


def kept_amount(text: str) -> str:
    """Return the limit of a sum in a file, as it is kept. Raises InvalidInput."""
    return _check_limit(read_kept_number, text)


def _check_limit(read: Callable[[str], str], text: str) -> str:
    try:
        amount = read(text)
    except InvalidInput as refused:
        raise InvalidInput("amount", str(refused)) from refused
    if amount.startswith("-"):
        raise InvalidInput("amount", "The limit cannot be below 0.")
    return amount


class GateCriterion(Record, table="gate_criterion", key=("project_id", "id")):
    """A condition on the project that has to be met before its gate can be approved.

    HAND is met by ``person_id`` (``met_by``, ``met_at``). CLOSED is met if a card matches ``filter``, and none of those
    that do is open. SUM adds up a number field of the matching cards, which is at most, or ``at_least``, ``amount``,
    a number as a text. ``filter`` has ids in the place of names. Without a matching card, CLOSED and SUM are met only
    if they ``may_be_empty``. ``matched`` are the ids of the cards that matched when it was set or last decided.
    """

    project_id: Id
    id: Id
    phase_id: Id
    rank: str
    text: str
    kind: CriterionKind
    person_id: Id | None = None
    met_by: Id | None = None
    met_at: datetime | None = None
    filter: str = ""
    field_id: Id | None = None
    at_least: bool = False
    amount: str = ""
    may_be_empty: bool = False
    matched: tuple[Id, ...] = ()
    version: int = 1


class GateCondition(Record, table="gate_condition", key=("project_id", "id")):
    """A condition of a vote “go if”: made into a card when the decision falls, if the vote counts then.

    ``phase_id`` is the gate of the vote. ``item_id`` is the card, in the phase ``next_phase_id``, whose gate waits for
    it. ``met_by`` and ``met_at`` are known once the completed card was deleted. A decider can waive it with a reason.
    """

    project_id: Id
    id: Id
    phase_id: Id
    vote_id: Id
    text: str
    person_id: Id
    due: date
    decision_id: Id | None = None
    item_id: Id | None = None
    next_phase_id: Id | None = None
    met_by: Id | None = None
    met_at: datetime | None = None
    waived_by: Id | None = None
    waived_at: datetime | None = None
    waiver: str = ""
    version: int = 1


class Vote(StrEnum):
    """A vote at a gate with a policy. GO_IF counts as GO, and carries a condition; STOP ends the project."""

    GO = "GO"
    GO_IF = "GO_IF"
    NO = "NO"
    STOP = "STOP"

    @property
    def entry(self) -> Decision:
        """Its entry in the record of the gate."""
        return Decision(f"VOTE_{self.value}")


VOTE_WORDS: Mapping[Vote, str] = {Vote.GO: "go", Vote.GO_IF: "go if", Vote.NO: "no", Vote.STOP: "stop"}
NO_VOTE = "–"
"""Stands for the vote of a person who has not voted yet."""
ABSENT = "absent"
"""Stands for the vote of a person of whom a meeting recorded none."""

VOTES: Mapping[Decision, Vote] = {vote.entry: vote for vote in Vote}
"""The votes by their entries in the record."""

ROUNDS = (Decision.PASS, Decision.SEND_BACK, Decision.STOP, Decision.LAPSE)
"""The entries with which a round begins. A hold and its lift look at nothing, so they begin none."""

ENDINGS = (*ROUNDS, Decision.VOTES_ENDED, Decision.POLICY_CHANGE)
"""The entries that end the votes before them."""
