"""A small reference of who decides at a gate, from the words of the rules: it shares nothing with the product.

A person decides who is an active owner or contributor, on the panel, and not barred by four eyes. Votes count only
while their person decides. A number is met by as many votes, and all by the votes of all who are on the panel and
there; an empty panel meets nothing.
"""

from __future__ import annotations

from typing import NamedTuple

GOES = ("GO", "GO_IF")


class Person(NamedTuple):
    """A person, as a table of a case has them. ``role`` is "" for a person who is no member."""

    name: str
    role: str
    is_active: bool = True
    did_work: bool = False
    """True if they were the last to complete a card or to deliver, since the round began."""
    vote: str = ""
    """The vote that is in; empty for none."""

    @property
    def is_there(self) -> bool:
        return self.is_active and self.role in ("OWNER", "CONTRIBUTOR")


class Gate(NamedTuple):
    """A gate with a policy. ``named`` are the people who are on the panel, None where that is the owners."""

    people: tuple[Person, ...]
    named: frozenset[str] | None
    needed: int | None
    """The number of votes; None for all."""
    four_eyes: bool

    @property
    def panel(self) -> tuple[Person, ...]:
        """Those on the panel who are there."""
        if self.named is None:
            return tuple(each for each in self.people if each.is_there and each.role == "OWNER")
        return tuple(each for each in self.people if each.is_there and each.name in self.named)

    @property
    def able(self) -> frozenset[str]:
        """Those who can decide."""
        return frozenset(each.name for each in self.panel if not (self.four_eyes and each.did_work))

    @property
    def number(self) -> int:
        """The number of votes that it takes."""
        return len(self.panel) if self.needed is None else self.needed

    def counted(self, *votes: str) -> frozenset[str]:
        """Those with one of these votes, which counts."""
        return frozenset(each.name for each in self.people if each.name in self.able and each.vote in votes)

    def is_met(self, *votes: str) -> bool:
        return bool(self.panel) and len(self.counted(*votes)) >= self.number

    @property
    def is_stuck(self) -> bool:
        """True if those who can decide are too few, whatever they vote."""
        return not self.panel or len(self.able) < self.number

    def after(self, name: str, vote: str) -> Gate:
        """The gate after a vote of a person."""
        return self._replace(
            people=tuple(each._replace(vote=vote) if each.name == name else each for each in self.people)
        )

    def falls(self, name: str, vote: str) -> bool:
        """Return whether an approval, or for a vote to stop the end of the project, falls with this vote."""
        votes = GOES if vote in GOES else ("STOP",)
        return vote != "NO" and self.after(name, vote).is_met(*votes)

    @property
    def tally(self) -> str:
        """The votes in words; without anyone on the panel, the first words of that."""
        if not self.panel:
            return "no one is "
        noes, stops = len(self.counted("NO")), len(self.counted("STOP"))
        more = [*([f"{noes} no"] if noes else []), *([f"{stops} to stop"] if stops else [])]
        return ", ".join(
            [f"{len(self.counted(*GOES))} of {self.number} vote{'' if self.number == 1 else 's'} go", *more]
        )
