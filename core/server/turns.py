"""Each person's turn in the threads of the server: whoever sends much at once waits for themselves, others do not.

A turn is had before a thread is, so that what waits for its sender's own turn keeps no thread and nobody's place.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Hashable
from weakref import WeakValueDictionary

from starlette.requests import Request

from core.model import Id

MOST_KNOWN = 10_000
"""Proofs of who somebody is whose people are remembered; then all are forgotten, and found out again."""


class People:
    """Whose a request is, as far as that is known before the database is asked."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Id] = {}

    def whose(self, request: Request) -> Hashable:
        """The person who came by this proof before, whichever of their tokens it is; else the account or address that
        it comes from, so that made-up tokens make nobody many."""
        known = self._known.get(proof_of(request))
        peer, client = request.scope["state"]["peer"], request.client
        return known or (peer.uid if peer else client and client.host,)

    def is_new(self, request: Request) -> bool:
        """Whether it comes with a header that is not known, or is not valid."""
        sent, _ = proof = proof_of(request)
        return bool(sent) and proof not in self._known

    def learn(self, request: Request, user_id: Id | None) -> None:
        """Note whose the proof was that came with a request; nobody's, if it is not valid any more. From any thread."""
        if user_id is None:
            self._known.pop(proof_of(request), None)
            return
        if len(self._known) >= MOST_KNOWN:
            self._known = {}
        self._known[proof_of(request)] = user_id


class Turns:
    """Of one pool of threads: how many pieces of work of one person are in it at one time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, whose: Hashable) -> asyncio.Semaphore:
        """To be held as long as work of theirs is in a thread, or waits for one; they come in their order."""
        if (turns := self._of.get(whose)) is None:
            turns = self._of[whose] = asyncio.Semaphore(self._most)
        return turns


def proof_of(request: Request) -> tuple[bytes, int | None]:
    """What shows who sends a request: a hash of its header, which takes 32 bytes whatever was sent, or else the account
    at the other end."""
    peer = request.scope["state"]["peer"]
    sent = [value for name, value in request.scope["headers"] if name == b"authorization"]
    return hashlib.sha256(b"\n".join(sent)).digest() if sent else b"", peer and peer.uid
