"""Authenticate and admit: the sender of a request, by a token or by the account at the other end of a Unix socket, and
the permission, as far as the head of the request shows it.

Each request is authenticated again, so that a removed user loses access at once, on open connections too. If the system
does not name the account at the other end, as on TCP and on systems other than Linux, only a token authenticates.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

from starlette.requests import Request

from core.domain.credentials import (
    GatewayToken,
    LinkedAccount,
    ProductToken,
    Token,
    is_overflow_account,
    through_account,
    token_hash,
    uid_matches,
)
from core.domain.model import Id, User
from core.domain.products.products import Product
from core.engine.engine import Engine
from core.engine.messages import Message
from core.engine.unit_of_work import Actor, Snapshot
from core.errors import Forbidden, Unauthenticated
from core.files.own_files import account_name
from core.net.peer_credentials import Peer
from core.net.this_host import host_id
from core.record import Record, replace
from core.sign_in.gateway_sessions import ONLY_SESSIONS
from core.sign_in.local import NOBODY
from core.text.dates import TODAY, day_and_zone
from core.wire.routes import BODILESS, SEEN, head_of, route_of

ONLY_THIS = (
    "A product may ask the permission query for its own codes, on the account of a project that has an application of"
    " it, and nothing else."
)

SEND_ONE = "Send one token, as “Authorization: Bearer TOKEN”, with one space between."
_ONE = re.compile(r"Bearer ([!-~]+)")
"""A token has one spelling, so that quotas which count by this header see one sender."""

MAX_TOKEN = 200
"""The most characters of a token; valid ones have less than a third of it."""

OF_ANOTHER_HOST = "An account signs in only on the machine where it was linked. "
"""For an account whose number is that of a linked account of another machine."""

MAX_DIGITS = 18
"""The most digits of a number of commits."""

UNKNOWN_TOKEN = "This token is not valid. Ask for a new one: “podium token create”."  # noqa: S105
"""For a token that is unknown, expired, revoked, or of a deactivated user; the difference would help a thief."""


class ProductSender(Record, kw_only=False):
    """A product with its own token. It may send the permission query, and nothing else."""

    product_id: Id


class GatewaySender(Record, kw_only=False):
    """A gateway with its own token. It may open sessions, and nothing else."""

    gateway_id: Id


Sender = Actor | ProductSender | GatewaySender


class Authenticator:
    """Authenticates requests, and remembers the owners of credentials for the fair queue. Safe in any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.owners = CredentialOwners()

    def user(self, request: Request) -> Actor:
        """The user who sends a request. Raises Unauthenticated, or Forbidden for a product or a gateway."""
        sender = self.sender(request)
        if isinstance(sender, Actor):
            today, zone = day_and_zone(request.headers.get(TODAY, ""), self._engine.clock())
            return replace(sender, today=today, zone=zone)
        raise Forbidden(ONLY_THIS if isinstance(sender, ProductSender) else ONLY_SESSIONS)

    def admit(self, kind: type[Message[Any]], request: Request) -> Actor:
        """Return the sender of a message, after checking the permission that its route and path need.

        So a message is refused before its body is read or parsed; a permission that depends on the body is checked with
        the whole message. Raises PodiumError.
        """
        actor = self.user(request)
        state = request.scope["state"]
        state["message"] = kind.__name__  # for the log
        if route_of(kind).method not in BODILESS:
            state["project"] = self._engine.authorizer.admit(head_of(kind, request.path_params), actor)
        return actor

    def gateway(self, request: Request) -> Id:
        """The id of the gateway that sends a request. Raises Unauthenticated, or Forbidden for any other sender."""
        sender = self.sender(request)
        if isinstance(sender, GatewaySender):
            return sender.gateway_id
        raise Forbidden("Only a gateway opens sessions, with a token of its own: “podium token gateway create”.")

    def sender(self, request: Request) -> Sender:
        """The user, product or gateway that sends a request, who may have seen commits that this server has not.

        Raises Unauthenticated, or StorageError.
        """
        if seen := _commits(request.headers.get(SEEN, "")):
            self._engine.database.commits_seen(seen)
        sent = request.headers.getlist("authorization")
        try:
            sender = authenticate(self._engine, sent, request.scope["state"]["peer"])
        except Unauthenticated:
            self.owners.learn(request, None)
            raise
        self.owners.learn(request, _id_of(sender))
        if isinstance(sender, Actor):  # for the log
            request.scope["state"] |= {"user_id": sender.user_id, "login": sender.login}
        return sender


def _commits(seen: str) -> int:
    """The number in a header; 0 for anything else."""
    return int(seen) if seen.isascii() and seen.isdecimal() and len(seen) <= MAX_DIGITS else 0


def _id_of(sender: Sender) -> Id:
    if isinstance(sender, Actor):
        return sender.user_id
    return sender.product_id if isinstance(sender, ProductSender) else sender.gateway_id


def authenticate(engine: Engine, authorization: Sequence[str], peer: Peer | None) -> Sender:
    """The user, product or gateway that sends a request, by its Authorization headers and the peer of its connection.

    If there is a header, the peer is ignored: a gateway sends requests for others, never for itself.
    Raises Unauthenticated.
    """
    if authorization:
        return engine.read(NOBODY, partial(_by_token, _secret(authorization)))
    if peer is not None:
        return engine.read(NOBODY, partial(_by_account, peer))
    raise Unauthenticated(SEND_ONE)


def _secret(authorization: Sequence[str]) -> str:
    if len(authorization) > 1 or not (sent := _ONE.fullmatch(authorization[0])):
        raise Unauthenticated(SEND_ONE)
    return sent[1]


def _by_token(secret: str, view: Snapshot) -> Sender:
    sent = token_hash(secret)
    token = view.find(Token, hash=sent) or view.find(ProductToken, hash=sent) or view.find(GatewayToken, hash=sent)
    if (
        token is None
        or len(secret) > MAX_TOKEN
        or not hmac.compare_digest(token.hash, sent)
        or not token.is_valid(view.now)
    ):
        raise Unauthenticated(UNKNOWN_TOKEN)
    if isinstance(token, GatewayToken):
        return GatewaySender(token.id)
    if isinstance(token, Token):
        opener = view.find(GatewayToken, id=token.gateway_id) if token.gateway_id else None
        if not token.is_in_force(opener, view.now):
            raise Unauthenticated(UNKNOWN_TOKEN)
        actor = _active(view, token.user_id, UNKNOWN_TOKEN, token.through)
        return replace(actor, in_session=token.gateway_id is not None, sign_in=token.id)
    if view.find(Product, id=token.product_id) is None:
        raise Unauthenticated(UNKNOWN_TOKEN)
    return ProductSender(token.product_id)


def _by_account(peer: Peer, view: Snapshot) -> Actor:
    linked_account = view.find(LinkedAccount, host=host_id(), uid=peer.uid)
    if (
        linked_account is None
        or is_overflow_account(peer.uid, linked_account.os_user)
        or not uid_matches(linked_account.os_user, peer.uid)
    ):
        raise _not_linked(peer.uid, view)
    actor = _active(
        view, linked_account.user_id, "Your account is not active in this workspace. Ask a workspace admin."
    )
    maker = view.find(User, id=linked_account.made_by) if linked_account.made_by else None
    through = through_account(linked_account, view.get(User, id=actor.user_id), maker)
    return replace(actor, through=through, sign_in=f"{linked_account.host}:{peer.uid}")


def _not_linked(uid: int, view: Snapshot) -> Unauthenticated:
    others = "SELECT 1 FROM linked_account WHERE uid = :uid AND host <> :host"
    is_elsewhere = view.rows(others, uid=uid, host=host_id())
    name = account_name(uid)
    return Unauthenticated(
        f"No user of this workspace is linked to the account “{name}” of this machine. "
        f"{OF_ANOTHER_HOST if is_elsewhere else ''}"
        f"Ask a workspace admin to link it: “podium os-account link {name} LOGIN”."
    )


def _active(view: Snapshot, user_id: str, otherwise: str, through: str = "") -> Actor:
    found = view.rows("SELECT login FROM app_user WHERE id = :id AND active = 1", id=user_id)
    if not found:
        raise Unauthenticated(otherwise)
    return Actor(user_id, "server", through, login=found[0]["login"])


MAX_KNOWN = 10_000
"""The most credentials that are remembered; at that number all are dropped."""


class CredentialOwners:
    """The user, product or gateway of each known credential."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Id] = {}

    def owner(self, request: Request) -> Hashable:
        """The owner of the credential, the same for all tokens of a user; for an unknown credential the account or
        address of the sender, so that a sender with many invented tokens counts as one."""
        known = self._known.get(credential_of(request))
        peer, client = request.scope["state"]["peer"], request.client
        return known or (peer.uid if peer else client and client.host,)

    def is_new(self, request: Request) -> bool:
        """True for a request with an Authorization header that is unknown or not valid any more."""
        header, _ = credential = credential_of(request)
        return bool(header) and credential not in self._known

    def learn(self, request: Request, owner_id: Id | None) -> None:
        """Remember the owner of a request's credential; None forgets an invalid one. Safe in any thread."""
        if owner_id is None:
            self._known.pop(credential_of(request), None)
            return
        if len(self._known) >= MAX_KNOWN:
            self._known = {}
        self._known[credential_of(request)] = owner_id


def credential_of(request: Request) -> tuple[bytes, int | None]:
    """The hash of the Authorization header, of 32 bytes, and the account at the other end of the connection.

    It is kept with the request, which is asked for it several times.
    """
    state = request.scope["state"]
    found: tuple[bytes, int | None] | None = state.get("credential")
    if found is None:
        peer, headers = state["peer"], request.scope["headers"]
        sent = [value for name, value in headers if name == b"authorization"]
        found = hashlib.sha256(b"\n".join(sent)).digest() if sent else b"", peer and peer.uid
        state["credential"] = found
    return found
