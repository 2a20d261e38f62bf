"""The owners of credentials that were seen before, so that a request has an owner before the database is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from starlette.requests import Request

from core.domain.model import Id

MAX_KNOWN = 10_000
"""Credentials whose owners are remembered; then all are forgotten, and found out again."""


class CredentialOwners:
    """The user, product or gateway of each credential."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Id] = {}

    def owner(self, request: Request) -> Hashable:
        """The owner of the credential, whichever of their tokens it is; for an unknown one the account or address that
        the request comes from, so that made-up tokens make one sender no crowd."""
        known = self._known.get(credential_of(request))
        peer, client = request.scope["state"]["peer"], request.client
        return known or (peer.uid if peer else client and client.host,)

    def is_new(self, request: Request) -> bool:
        """True for a request with an Authorization header that is unknown or no longer valid."""
        header, _ = credential = credential_of(request)
        return bool(header) and credential not in self._known

    def learn(self, request: Request, owner_id: Id | None) -> None:
        """Remember the owner of the credential of a request; None forgets one that is not valid. From any thread."""
        if owner_id is None:
            self._known.pop(credential_of(request), None)
            return
        if len(self._known) >= MAX_KNOWN:
            self._known = {}
        self._known[credential_of(request)] = owner_id


def credential_of(request: Request) -> tuple[bytes, int | None]:
    """A hash of the Authorization header, which takes 32 bytes whatever was sent, and the account at the other end."""
    peer = request.scope["state"]["peer"]
    sent = [value for name, value in request.scope["headers"] if name == b"authorization"]
    return hashlib.sha256(b"\n".join(sent)).digest() if sent else b"", peer and peer.uid
