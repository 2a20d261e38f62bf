"""The checks of sign-in on a server: linked accounts, tokens, and the socket.

An account name that no longer exists, or a uid that now belongs to another account, cannot sign in; the findings tell
the user why.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.domain.credentials import GatewayToken, LinkedAccount, ProductToken, Token, uid_matches
from core.domain.finding import Finding, Verdict
from core.domain.model import WORKSPACE
from core.domain.products.products import Product
from core.engine.unit_of_work import Snapshot
from core.net.server_address import listens
from core.net.this_host import host_id
from core.sign_in.local import NOBODY
from core.storage.database import Database
from core.storage.row_mapper import encode_value

WARNING = timedelta(days=14)
"""The time before and after the end of the last token of a gateway or a product, in which a finding warns of it."""


def check_sign_in_paths(database: Database) -> Iterator[Finding]:
    """Yield findings about linked accounts and valid tokens; none without any."""
    now = datetime.now(UTC)

    def read(tx: object) -> tuple[list[LinkedAccount], list[Token], list[tuple[str, datetime]]]:
        view = Snapshot(tx, NOBODY, now, WORKSPACE)  # type: ignore[arg-type]
        alive = view.all(
            Token, "revoked_at IS NULL AND expires_at > :now ORDER BY expires_at, id", now=encode_value(now)
        )
        lately, since = "revoked_at IS NULL AND expires_at > :since ORDER BY expires_at", encode_value(now - WARNING)
        names = {each.id: f"“{each.name}”" for each in view.all(Product, "1 = 1")}
        programs = [("gateways", each.expires_at) for each in view.all(GatewayToken, lately, since=since)]
        of_products = view.all(ProductToken, f"product_id IN (SELECT id FROM product) AND {lately}", since=since)
        programs += [(names[each.product_id], each.expires_at) for each in of_products]
        return view.all(LinkedAccount, "1 = 1 ORDER BY os_user"), alive, programs

    linked_accounts, tokens, programs = database.read(read)
    if linked_accounts:
        yield _accounts(linked_accounts)
    if tokens:
        first = tokens[0].expires_at.astimezone()
        yield Finding("Tokens", f"{len(tokens)} valid; the first ends on {first:%Y-%m-%d}")
    if programs:
        yield _programs(programs, now)


def _programs(ends: Sequence[tuple[str, datetime]], now: datetime) -> Finding:
    """Warn of gateways and products without a valid token soon, or since lately. ``ends`` of each are in order."""
    last = sorted(dict(ends).items(), key=lambda each: each[1])
    soon = sum(end < now + WARNING for _, end in last)
    said = [f"{whose} until {end.astimezone():%Y-%m-%d}" for whose, end in last[: soon or 1]]
    more = ". Create new tokens, then revoke the old ones by id." if soon else ""
    words = f"{sum(end > now for _, end in ends)} valid; {', '.join(said)}{more}"
    return Finding("Gateways, products", words, Verdict.NOTE if soon else Verdict.GOOD)


def _accounts(linked_accounts: list[LinkedAccount]) -> Finding:
    """Check that each linked account of this machine still has the uid that was linked."""
    here = [each for each in linked_accounts if each.host == host_id()]
    elsewhere = len(linked_accounts) - len(here)
    gone = [each.os_user for each in here if not uid_matches(each.os_user, each.uid)]
    if gone:
        names = ", ".join(gone)
        return Finding(
            "Accounts", f"{names}: gone from this machine, or another account now. Link it again.", Verdict.BAD
        )
    if not here:
        return Finding(
            "Accounts",
            f"{elsewhere} linked, all on other machines. If the workspace was moved here, link the accounts of this "
            "machine: “podium os-account link OSUSER LOGIN”.",
            Verdict.NOTE,
        )
    return Finding("Accounts", f"{len(here)} linked on this machine{f', {elsewhere} on others' if elsewhere else ''}")


def socket_of(path: Path) -> Iterator[Finding]:
    """Yield findings about the Unix socket of a server: that it is one, its permissions, and that a server listens."""
    try:
        found = path.stat()
    except OSError as error:
        yield Finding("Socket", f"{path}: {error.strerror}. Is the server running?", Verdict.BAD)
        return
    if not stat.S_ISSOCK(found.st_mode):
        yield Finding("Socket", f"{path} is not a socket", Verdict.BAD)
        return
    mode = f"{path}, {stat.S_IMODE(found.st_mode):04o} {_owner(found.st_uid, found.st_gid)}"
    try:
        listens(path)
    except PermissionError:
        words = f"{mode}; this account has no permission to connect, so nothing more can be checked."
        yield Finding("Socket", words, Verdict.NOTE)
    except OSError as error:
        yield Finding("Socket", f"{mode}: {error.strerror}", Verdict.BAD)
    else:
        yield Finding("Socket", f"{mode}, with a server behind it")


def _owner(uid: int, gid: int) -> str:
    """Return the names of an owner and a group, or their numbers."""
    try:
        import grp
        import pwd

        return f"{pwd.getpwuid(uid).pw_name}:{grp.getgrgid(gid).gr_name}"
    except (ImportError, KeyError):
        return f"{uid}:{gid}"
