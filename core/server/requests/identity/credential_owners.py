"""The owners of known credentials, so that the owner of a request is known before the database is read."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from starlette.requests import Request

from core.domain.model import Id

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
    """The hash of the Authorization header, of 32 bytes, and the account at the other end of the connection."""
    peer = request.scope["state"]["peer"]
    sent = [value for name, value in request.scope["headers"] if name == b"authorization"]
    return hashlib.sha256(b"\n".join(sent)).digest() if sent else b"", peer and peer.uid
