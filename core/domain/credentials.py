"""Credentials for a server: tokens and linked OS accounts."""

from __future__ import annotations

import zlib
from datetime import datetime
from pathlib import Path
from typing import Final

from core.domain.model import Id, User
from core.errors import RuleViolation
from core.record import Record
from core.text.phrases import add_means

PREFIX: Final = "podium_"
"""The beginning of every token, by which scanners for leaked secrets recognize one."""

CHECKED: Final = 8
"""The length of the checksum at the end of a token, in hexadecimal digits. A mistyped token is detected by it without a
request."""

OVERFLOW: Final = 65534
"""The default uid that the kernel reports for accounts it cannot map, such as those of other user namespaces."""

OVERFLOW_FILE = Path("/proc/sys/kernel/overflowuid")
"""The file in which Linux states that uid, since administrators can change it."""

OVERFLOW_ACCOUNTS: Final = ("nobody", "nfsnobody")


class Revocable(Record):
    """A token of any kind: valid until it expires or is revoked. Only its hash is stored."""

    id: Id
    label: str
    """The purpose, in the words of the user who made it."""
    hash: str
    """SHA-256 of the whole token, in hexadecimal; a fast hash is enough for 256 random bits."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    version: int = 1

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at


class Token(Revocable, table="token"):
    """A secret with which a program signs in as a user.

    The time of last use is not stored, because every request would have to write it, and an unused token expires
    anyway.
    """

    user_id: Id
    made_by: Id | None = None
    """The user who made it; None if the history does not say."""
    through: str = ""
    """A phrase that names how another user can have it, for the history: “with a token made by Adam Ito”."""
    gateway_id: Id | None = None
    """The token of the gateway that opened it as a session; the session ends with it. None for a token made by a
    user."""

    def is_in_force(self, opener: GatewayToken | None, now: datetime) -> bool:
        """Return whether it still signs its user in; ``opener`` is the token of its gateway."""
        return self.is_valid(now) and (self.gateway_id is None or (opener is not None and opener.is_valid(now)))


class GatewayToken(Revocable, table="gateway_token"):
    """A secret with which a gateway opens sessions for users, and does nothing else."""

    made_by: Id
    """The user who made it."""
    through: str = ""
    """How that user was signed in, as in the history; empty where only they could act as themselves."""


class ProductToken(Revocable, table="product_token"):
    """A secret with which a product sends permission queries, and does nothing else."""

    product_id: Id


class LinkedAccount(Record, table="linked_account", key=("host", "os_user")):
    """An account of the operating system of a server, and the user it signs in as."""

    host: str
    """The id of the machine (``core.net.this_host``). The same account of another machine can be another person's."""
    os_user: str
    uid: int
    """Checked together with the name, so that a uid that now belongs to another account does not sign in."""
    user_id: Id
    at: datetime
    made_by: Id | None = None
    """The user who linked it; None if the history does not say."""
    through: str = ""
    """How that user was signed in, as in the history; empty where only they could act as themselves."""
    version: int = 1


def new_secret() -> str:
    """Return a new token: the prefix, 256 random bits, and a checksum of them."""
    import secrets

    body = secrets.token_urlsafe(32)
    return PREFIX + body + _checksum(body)


def has_bad_checksum(secret: str) -> bool:
    """Return True for a token of Podium that was copied incompletely or mistyped."""
    body, given = secret.removeprefix(PREFIX)[:-CHECKED], secret[-CHECKED:]
    return secret.startswith(PREFIX) and _checksum(body) != given


def token_hash(secret: str) -> str:
    """Return the SHA-256 of a token, in hexadecimal; only this is stored."""
    import hashlib

    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def through_account(account: LinkedAccount, user: User, maker: User | None) -> str:
    """Return a phrase for the history that names the linked account and the other user who linked it.

    It is empty if the account is named like the user's login, unless another user could act as the one who linked it.
    """
    if account.os_user.lower() == user.login and not account.through:
        return ""
    return f"through the account “{account.os_user}”{_by_another('linked', user, maker, account.through)}"


def through_gateway(gateway: GatewayToken, user: User, maker: User | None) -> str:
    """Return a phrase for the history that names the gateway of a session and the other user who made its token."""
    return f"through the gateway “{gateway.label}”{_by_another('made', user, maker, gateway.through)}"


def check_not_root(os_user: str, uid: int) -> None:
    """Raise RuleViolation for the account with the number 0, which can act as every account of its machine."""
    if uid == 0:
        raise RuleViolation(
            f"“{os_user}” is root, who can act as every account on that machine. Link the account of a person, "
            "or add --allow-root."
        )


def is_overflow_account(uid: int, os_user: str) -> bool:
    """Return True for an account that the kernel reports for many, and which therefore identifies no user."""
    return uid in (OVERFLOW, _overflow_here()) or os_user in OVERFLOW_ACCOUNTS


def uid_matches(os_user: str, uid: int) -> bool:
    """Return True if this account of this machine has the uid."""
    try:
        import pwd

        return pwd.getpwuid(uid).pw_name == os_user
    except (ImportError, KeyError):  # some systems have no such accounts
        return False


def _by_another(how: str, user: User, maker: User | None, means: str) -> str:
    return f", {how} by {add_means(maker.name, means)}" if maker and (maker.id != user.id or means) else ""


def _overflow_here() -> int:
    try:
        return int(OVERFLOW_FILE.read_text())
    except (OSError, ValueError):
        return OVERFLOW


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode(errors='surrogatepass')):0{CHECKED}x}"
