"""Types of values on the command line: members of an enumeration as people type them, and whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import click

from core.domain.model import Status
from core.domain.statuses import SHORT_STATUSES, status_meant
from core.text.naming import did_you_mean
from core.text.phrases import in_words, names


class EnumChoice(click.ParamType[str]):
    """A member of an enumeration, in any case, with "_", "-" or a space between its words; the value is its text."""

    name = "choice"

    def __init__(self, members: Iterable[StrEnum]) -> None:
        self.members = tuple(members)
        self.words = {self.word(each): each for each in self.members}

    def word(self, member: StrEnum) -> str:
        """The word for a member in the usage."""
        return SHORT_STATUSES[member] if isinstance(member, Status) else str(member.value).lower().replace("_", "-")

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"{{{'|'.join(self.words)}}}" if isinstance(param, click.Argument) else f"[{'|'.join(self.words)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        typed = " ".join(str(value).replace("_", " ").replace("-", " ").casefold().split())
        spoken = {in_words(each): each for each in self.members} | {self.word(each): each for each in self.members}
        found = spoken.get(typed)
        if found is None and isinstance(self.members[0], Status):
            found = status_meant(typed)
        if found not in self.members:
            known = names([f"“{word}”" for word in self.words])
            hint = did_you_mean(typed, self.words)
            self.fail(f"“{value}” is not one of {known}.{hint}", param, ctx)
        return str(found)


class Number(click.ParamType[int]):
    """A whole number from ``least`` to ``most``; without them, one that a database and JSON can hold."""

    name = "number"

    def __init__(self, least: int = 1 - 2**53, most: int = 2**53 - 1) -> None:
        self.least, self.most = least, most

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "NUMBER" if self.most == 2**53 - 1 else f"{self.least}..{self.most}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"“{value}” is not a whole number.", param, ctx)
        if not self.least <= number <= self.most:
            self.fail(f"{value} is not between {self.least} and {self.most}.", param, ctx)
        return number
