"""What lets a person in through a server: tokens, and the accounts of the operating system that are theirs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.model import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Something secret that stands for a person where no operating system vouches for them.

    Only its hash is kept: 256 random bits need no slower one.
    """

    id: Id
    user_id: Id
    label: str
    """What it is for, in the words of whoever made it."""
    hash: str
    """SHA-256 of the whole token, in hexadecimal."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """An account of the operating system on the server's machine that is a person's."""

    os_user: str
    uid: int
    """Both are kept, so that a number that was given to somebody else since lets nobody in."""
    user_id: Id
    at: datetime
    version: int = 1
