"""What lets a person in through a server: tokens, and the accounts of the operating system that are theirs."""

from __future__ import annotations

import hashlib
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from core.domain.model import Id, User

PREFIX: Final = "podium_"
"""What every token begins with, so that programs that look for secrets in the wrong places find it."""

CHECKED: Final = 8
"""The hexadecimal digits of the checksum at its end, by which a typing mistake is noticed before anybody is asked."""

OVERFLOW: Final = 65534
"""The number that the kernel gives for accounts it cannot tell, those of other user namespaces among them."""

OVERFLOW_FILE = Path("/proc/sys/kernel/overflowuid")
"""Where Linux says which number that is here, if an administrator chose another."""

OVERFLOW_ACCOUNTS: Final = ("nobody", "nfsnobody")


class Revocable:
    """A token, whoever it stands for: it ends by itself, or when it is revoked."""

    __slots__ = ()
    expires_at: datetime
    revoked_at: datetime | None

    def is_valid(self, now: datetime) -> bool:
        """Whether it is accepted."""
        return self.revoked_at is None and now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(Revocable):
    """Something secret that stands for a person where no operating system vouches for them.

    Only its hash is kept: 256 random bits need no slower one. When it was last used is not kept: every
    request would have to write for it, and a token that nobody uses ends by itself.
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
    made_by: Id | None = None
    """The account that made it; None where the history does not say."""
    through: str = ""
    """How another person may have it, in words for what is done with it: “with a token made by Adam Ito”."""
    gateway_id: Id | None = None
    """The token of the gateway that opened it as a session, and with which it ends; None for one that a person made."""
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayToken(Revocable):
    """Something secret by which a gateway opens sessions for people, and nothing else. Only its hash is kept."""

    id: Id
    label: str
    hash: str
    """SHA-256 of the whole token, in hexadecimal."""
    made_by: Id
    """The person who made it."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductToken(Revocable):
    """Something secret by which a product asks the permission query, and nothing else. Only its hash is kept."""

    id: Id
    product_id: Id
    label: str
    hash: str
    """SHA-256 of the whole token, in hexadecimal."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedAccount:
    """An account of the operating system on the server's machine that is a person's."""

    os_user: str
    uid: int
    """Both are kept, so that a number that was given to somebody else since lets nobody in."""
    user_id: Id
    at: datetime
    made_by: Id | None = None
    """The account that enrolled it; None where the history does not say."""
    version: int = 1


def new_secret() -> str:
    """A token: its prefix, 256 random bits, and a checksum of them."""
    body = secrets.token_urlsafe(32)
    return PREFIX + body + _checksum(body)


def has_bad_checksum(secret: str) -> bool:
    """Whether a text was meant to be a token of Podium's and cannot be one."""
    body, given = secret.removeprefix(PREFIX)[:-CHECKED], secret[-CHECKED:]
    return secret.startswith(PREFIX) and _checksum(body) != given


def token_hash(secret: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def through_account(os_user: str, user: User) -> str:
    """How one acts through an account of the machine, in words for the history; empty where the account is named like
    the person's login, as most are."""
    return "" if os_user.lower() == user.login else f"through the account “{os_user}”"


def is_overflow_account(uid: int, os_user: str) -> bool:
    """Whether an account stands for all whom the kernel cannot tell apart, and so for no person."""
    return uid in (OVERFLOW, _overflow_here()) or os_user in OVERFLOW_ACCOUNTS


def uid_matches(os_user: str, uid: int) -> bool:
    """Whether a number is that of this account on this machine."""
    try:
        import pwd

        return pwd.getpwuid(uid).pw_name == os_user
    except (ImportError, KeyError):  # some systems have no such accounts
        return False


def _overflow_here() -> int:
    try:
        return int(OVERFLOW_FILE.read_text())
    except (OSError, ValueError):
        return OVERFLOW


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode(errors='surrogatepass')):0{CHECKED}x}"
