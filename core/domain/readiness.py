"""The points that are missing at the gate of a phase, in the short form of heads, footers and lines of lists.

``core.rules.gate_readiness`` finds it out. Who reads it decides the words: nobody is told that a phase is ready unless
their own approval would be taken, or the words name whose would be.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from core.domain.model import Id
from core.domain.permissions import Permission
from core.record import Record
from core.text.phrases import count, some

DECIDES = Permission.GATE_DECIDE
"""The permission to approve a phase, to hold it and to send it back."""

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
    """True if the approval of the person who reads this would be."""
    names: tuple[str, ...] = ()
    """All of them, by name."""

    @classmethod
    def of(cls, held: Collection[str], owners: Sequence[str], archived: bool) -> Deciders:
        """Return them for a person who holds these permissions; nobody decides in an archived project."""
        return cls() if archived else cls(DECIDES in held, tuple(owners))

    @property
    def who(self) -> str:
        """The people as the subject of a sentence: "you", "Maya Okafor or Bob Lind"; empty if there is nobody."""
        return "you" if self.me else some(self.names, NAMED, last="or")


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
    at_gate: bool = False
    """True if the phase is open, all its cards are done, or without cards all the evidence that it asks for is there,
    and it does not complete by that alone. A phase with neither is not: those of a new project would fill every list.
    """

    def is_ready(self, deciders: Deciders) -> bool:
        """Return whether the reader's approval would be taken now, of a phase that waits for one."""
        return self.at_gate and self.state is ReadinessState.READY and deciders.me

    def forms(self, deciders: Deciders) -> tuple[str, ...]:
        """Return the words, the longest form first; the shorter ones are for places without the room. None if
        nothing is missing."""
        if self.state is ReadinessState.COMPLETE:
            return ()
        if self.state is ReadinessState.NOT_READY:
            points = f"{count(self.missing, 'point')} missing"
            return (
                *([f"{points}: {self.first} · {self.hold}"] if self.hold else []),
                f"{points}: {self.first}",
                points,
            )
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
