"""The points that are missing at the gate of a phase, in the short form of heads, footers and lines of lists.

``core.rules.gate_readiness`` finds it out. Who reads it decides the words: nobody is told that a phase is ready unless
their own approval would be taken, or the words name whose would be.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from core.domain.model import Id, ProjectRole
from core.domain.permissions import Permission
from core.record import Record
from core.text.phrases import count, some

DECIDES = Permission.GATE_DECIDE
"""The permission to approve a phase, to hold it and to send it back."""

STOPS = Permission.PROJECT_UPDATE
"""The permission to carry out the votes to stop a project, beside that to decide."""

TO_STOP = "the votes are to stop the project: an owner carries it out"
TO_STOP_SENTENCE = f"{TO_STOP[:1].upper()}{TO_STOP[1:]}."

NAMED = 3
"""The most people who are named; the others are counted."""


class ReadinessState(StrEnum):
    """The answer of a gate: the phase is complete, only the decision is missing, or more than that is."""

    COMPLETE = "COMPLETE"
    READY = "READY"
    NOT_READY = "NOT_READY"


class Deciders(Record, kw_only=False):
    """The people whose approval would be taken now, as far as the state of the phase allows it."""

    me: bool = False
    """True if the approval of the person who reads this would be, at a gate without a policy."""
    names: tuple[str, ...] = ()
    """All of them, by name."""
    user_id: Id = ""
    """The person who reads this."""
    may: bool = False
    """True if that person holds the permission to decide; at a gate with a policy the panel has a say, too."""
    may_stop: bool = False
    """True if that person can carry out the votes to stop the project."""

    @classmethod
    def of(
        cls,
        held: Collection[str],
        owners: Sequence[str],
        archived: bool,
        *,
        user_id: Id,
        role: ProjectRole | None,
        source: str,
    ) -> Deciders:
        """Return those of a gate without a policy, for a person who holds these permissions.

        In the ``source`` “local”, contributors hold GATE_DECIDE for gates whose policy names them, and for no others.
        In an archived project no one decides.
        """
        if archived:
            return cls()
        may = DECIDES in held
        me = may and (role is ProjectRole.OWNER or source != "local")
        return cls(me, tuple(owners), user_id, may, may and STOPS in held)

    @property
    def who(self) -> str:
        """The people as the subject of a sentence: "you", "Maya Okafor or Bob Lind"; empty if there is nobody."""
        return "you" if self.me else some(self.names, NAMED, last="or")


class VotesDue(Record, kw_only=False):
    """The votes at a gate with a policy, where nothing else is missing; the same for all who read it."""

    waiting: Mapping[Id, str]
    """The people whose vote would count now, and is not in, by id and name."""
    tally: str
    """The votes that are in, and the number that it takes: "1 of 2 votes go"."""
    stuck: str = ""
    """Why no decision can fall, with the ways out."""
    to_stop: bool = False
    """True if as many votes as it takes are to stop the project."""

    def is_for(self, deciders: Deciders) -> bool:
        """Return whether the reader's vote would count now, and is not in; or whether they can carry out the stop."""
        if self.to_stop:
            return deciders.may_stop
        return deciders.may and deciders.user_id in self.waiting

    def forms(self, deciders: Deciders) -> tuple[str, ...]:
        """Return the words, the longest form first."""
        if self.to_stop:
            return TO_STOP, "votes to stop"
        if self.stuck:
            return f"cannot be decided: {self.stuck}", "cannot be decided"
        if self.is_for(deciders):
            return f"ready for your vote: {self.tally}", "ready for your vote"
        if self.waiting:
            people = some([*self.waiting.values()], NAMED, last="or")
            return f"waits for the vote of {people}: {self.tally}", "waits for votes"
        return f"not decided: {self.tally}", "not decided"


class GateNote(Record, kw_only=False):
    """A card that left the phase since its last decision. It blocks nothing; those who decide are told."""

    sentence: str
    card_id: Id
    key: str


class GateSummary(Record, kw_only=False):
    """The short form: the number of points that are missing, and the first of them."""

    state: ReadinessState = ReadinessState.NOT_READY
    missing: int = 0
    """The number of points."""
    first: str = ""
    """The first point, as a clause."""
    hold: str = ""
    """The hold, if that was the last decision: "held by Ines Keller since 27 Nov: waiting for legal"."""
    on_hold: bool = False
    """True if the hold is in force: the first point. One from before holds were binding binds nobody."""
    unchecked: int = 0
    """The number of criteria that were not evaluated for this answer."""
    votes: VotesDue | None = None
    """The votes, of a gate with a policy where nothing else is missing."""
    at_gate: bool = False
    """True if the phase is open, all its cards are done, or without cards all the evidence that it asks for is there,
    and it does not complete by that alone. A phase with neither is not: those of a new project would fill every list.
    """

    def is_for(self, deciders: Deciders) -> bool:
        """Return whether the reader can decide here, or vote, or has to find a way out where no decision can fall."""
        return deciders.me if self.votes is None or self.votes.stuck else self.votes.is_for(deciders)

    def is_ready(self, deciders: Deciders) -> bool:
        """Return whether the reader's approval, vote or stop would be taken now, of a phase that waits for one."""
        ready = self.at_gate and self.state is ReadinessState.READY and not self.unchecked
        return ready and self.is_for(deciders) and not (self.votes and self.votes.stuck)

    def forms(self, deciders: Deciders) -> tuple[str, ...]:
        """Return the words, the longest form first; the shorter ones are for places without the room. None if
        nothing is missing."""
        if self.state is ReadinessState.COMPLETE:
            return ()
        criteria = f"{self.unchecked} criteri{'on' if self.unchecked == 1 else 'a'}, not checked yet"
        if self.votes and self.votes.to_stop:
            return self.votes.forms(deciders)
        if self.state is ReadinessState.NOT_READY:
            points = f"{count(self.missing, 'point')} missing"
            first = f"{points}: {self.first}"
            return (
                *([f"{first}, and {criteria}"] if self.unchecked else []),
                *([f"{first} · {self.hold}"] if self.hold and not self.on_hold else []),
                first,
                *(["on hold"] if self.on_hold else []),
                points,
            )
        if self.unchecked:
            return f"waits for {criteria}", criteria
        if self.votes:
            return self.votes.forms(deciders)
        if self.hold:
            who = deciders.who
            return (*([f"{self.hold} · {who} can approve it"] if who else []), self.hold, "on hold")
        if deciders.me:
            return ("ready for approval",)
        waits = "waits for approval"
        return (f"ready for approval by {deciders.who}", waits) if deciders.names else (waits,)

    def words(self, deciders: Deciders) -> str:
        """Return the longest form; empty if nothing is missing."""
        return next(iter(self.forms(deciders)), "")
