"""The authorization service as a source: asked when it must be, and never believed when it is not certain.

Questions are put by an event loop in a thread of its own, so that all who ask the same at one time wait for one
answer, and nobody longer than the deadline.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError, Future
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import uuid4

from core.authorization.faults import QueryFailed
from core.authorization.grant_cache import Answer, GrantCache, elapsed
from core.authorization.remote_query import RemoteQuery
from core.domain.grants import DecisionSource, Fault, FaultKind, Grant, MaxAge, PermissionQuery
from core.domain.permissions import ALL_CODES, READ_PERMISSIONS
from core.errors import InvalidInput
from core.net.bearer_tokens import Token
from core.net.event_loop_thread import EventLoopThread, LoopClosed
from core.net.http_client import HttpClient

GRACE = 0.25
"""Seconds beyond the deadline after which whoever waits goes on without an answer, whatever the loop does."""

Outcome = Answer | Fault


class _Flight(NamedTuple):
    """A question that has been put."""

    turn: int
    task: asyncio.Task[Outcome]


class RemotePermissions:
    """Answers from the authorization service, by the rules of the specification (section 7).

    ``name`` is "remote" or "staging", which is another path; ``token`` finds the token when it is needed and may raise
    InvalidInput; times are in seconds.
    """

    def __init__(
        self,
        name: str,
        url: str,
        token: Callable[[], Token],
        *,
        deadline: float = 3.0,
        keep: float = 5.0,
        clock: Callable[[], float] = elapsed,
    ) -> None:
        self.name = name
        self.deadline = deadline
        self._find_token = token
        self._token: Token | None = None
        self._client = HttpClient(secure=url.lower().startswith("https:"))
        self._asking = RemoteQuery(self._client, name, url, deadline)
        self._grants = GrantCache(keep, clock)
        self._fault: Fault | None = None
        self._fault_lock = threading.Lock()
        self._background = EventLoopThread("permissions")
        self._flying: dict[PermissionQuery, _Flight] = {}
        self._waiting: dict[PermissionQuery, asyncio.Task[Outcome]] = {}

    def grant(self, question: PermissionQuery, freshness: MaxAge) -> Grant:
        return self.grants((question,), freshness)[question]

    def grants(self, questions: Collection[PermissionQuery], freshness: MaxAge) -> dict[PermissionQuery, Grant]:
        exact = freshness is MaxAge.EXACT
        known = {each: self._known(each, freshness) for each in questions}
        asked = {each: self._put(_wide(each), exact=exact) for each, grant in known.items() if grant is None}
        ends = time.monotonic() + self.deadline + GRACE
        return {
            each: grant or self._told(each, freshness, self._wait_for(asked[each], ends))
            for each, grant in known.items()
        }

    def forget(self) -> None:
        self._grants.forget()

    def close(self) -> None:
        self.forget()  # whoever was signed on is so no longer
        self._background.close(self._client.close)

    def _known(self, question: PermissionQuery, freshness: MaxAge) -> Grant | None:
        """What can be said without waiting for anybody, where that is new enough."""
        wide = _wide(question)
        if freshness is not MaxAge.EXACT and (kept := self._grants.new(wide)):
            return self._given(kept, question)
        if freshness in (MaxAge.AT_ONCE, MaxAge.VIEW) and (old := self._while_away(question, wide)):
            if freshness is MaxAge.VIEW:
                self._ask_meanwhile(wide)
            return old
        return Grant(frozenset(), DecisionSource(self.name, pending=True)) if freshness is MaxAge.AT_ONCE else None

    def _told(self, question: PermissionQuery, freshness: MaxAge, outcome: Outcome) -> Grant:
        """What follows from an answer that was waited for, or from there being none."""
        if isinstance(outcome, Answer):
            return self._given(outcome, question)
        old = self._while_away(question, _wide(question)) if freshness is MaxAge.VIEW and outcome.away else None
        return old or Grant(frozenset(), DecisionSource(self.name, fault=outcome))

    def _given(self, answer: Answer, question: PermissionQuery) -> Grant:
        return Grant(answer.held & question.codes, DecisionSource(self.name), self._age(answer))

    def _while_away(self, question: PermissionQuery, wide: PermissionQuery) -> Grant | None:
        """What it takes to look, from an answer of a few minutes ago, while the service is known to be away."""
        fault, old = self._fault, self._grants.recent(wide)
        if fault is None or not fault.away or old is None:
            return None
        held = old.held & question.codes & READ_PERMISSIONS
        return Grant(held, DecisionSource(self.name, fault=fault), self._age(old)) if held else None

    def _age(self, answer: Answer) -> float:
        return max(0.0, self._grants.clock() - answer.at)

    def _put(self, question: PermissionQuery, *, exact: bool) -> Future[Outcome] | None:
        """Put a question; None when this is being closed."""
        self._client.prepare()
        try:
            return self._background.start(lambda: self._outcome(question, exact))
        except LoopClosed:
            return None

    def _wait_for(self, asked: Future[Outcome] | None, ends: float) -> Outcome:
        """What comes of a question until then, on the monotonic clock."""
        try:
            if asked:
                return asked.result(max(0.0, ends - time.monotonic()))
            raise CancelledError
        except CancelledError:
            return self._faulty(
                QueryFailed("Podium is being closed, so nobody is asked any more.", FaultKind.UNASKED), ""
            )
        except TimeoutError:
            return self._faulty(
                QueryFailed("Podium had no time to ask the permission service. Try again.", FaultKind.LATE), ""
            )

    def _ask_meanwhile(self, question: PermissionQuery) -> None:
        """Ask without waiting, unless that is being done: the next one who looks profits from it."""
        if question in self._flying or question in self._waiting:
            return
        try:
            self._background.start(lambda: self._outcome(question, exact=False))
        except LoopClosed:
            return

    async def _outcome(self, question: PermissionQuery, exact: bool) -> Outcome:
        """What comes of a question: of one that has been put already, if that was not before it had to be."""
        if not exact and (kept := self._grants.new(question)):
            return kept
        flight = self._flying.get(question)
        if flight and not exact and flight.turn == self._grants.turn:
            return await flight.task
        if question not in self._waiting:
            before = flight.task if flight else None
            self._waiting[question] = asyncio.create_task(self._in_turn(question, before))
        return await self._waiting[question]

    async def _in_turn(self, question: PermissionQuery, before: asyncio.Task[Outcome] | None) -> Outcome:
        """Ask, when nobody else asks the same any more; all of that within the deadline."""
        ends = asyncio.get_running_loop().time() + self.deadline
        if before:
            await asyncio.wait({before})
        task, turn = self._waiting.pop(question), self._grants.turn
        self._flying[question] = _Flight(turn, task)
        try:
            return await self._ask(question, turn, ends)
        finally:
            del self._flying[question]

    async def _ask(self, question: PermissionQuery, turn: int, ends: float) -> Outcome:
        correlation_id, began = str(uuid4()), self._grants.clock()
        try:
            self._token = self._token or self._find_token()
            held = await self._asking.ask(question, self._token, correlation_id, ends)
        except InvalidInput as error:
            return self._faulty(QueryFailed(str(error), FaultKind.UNASKED), correlation_id)
        except QueryFailed as trouble:
            self._token = None  # it may have been the wrong one, and may have been replaced
            return self._faulty(trouble, correlation_id)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is no permission)
            unknown = (
                f"Podium failed to ask the permission service ({type(error).__name__}). This is a fault of Podium."
            )
            return self._faulty(QueryFailed(unknown, FaultKind.UNASKED), correlation_id)
        answer = Answer(held, began)
        self._grants.put(question, answer, turn)
        with self._fault_lock:
            self._fault = None
        return answer

    def _faulty(self, trouble: QueryFailed, correlation_id: str) -> Fault:
        """The fault, which began when the first one did since the last good answer."""
        named = trouble.correlation_id or correlation_id or str(uuid4())
        with self._fault_lock:
            since = self._fault.since if self._fault else datetime.now(UTC)
            self._fault = Fault(str(trouble), named, since, trouble.kind)
            return self._fault


def _wide(question: PermissionQuery) -> PermissionQuery:
    """The question that is put for it: about all of Podium's own codes, where it is about some of them."""
    return question._replace(codes=ALL_CODES) if question.codes <= ALL_CODES else question
