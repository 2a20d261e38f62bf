"""Renewal: a new token in the place of one that is about to end, or that may have leaked."""

from __future__ import annotations

from datetime import timedelta

from core.actions.workspace.credentials import MAX_DAYS, NewToken, new_token
from core.domain.credentials import Token
from core.domain.model import Id
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.text.phrases import count

KEEP_DAYS = 7
"""The days for which the old token stays valid by default."""


class RenewToken(Command[NewToken]):
    """Make a new token in the place of one, with its label, person and number of days. Its secret is shown once.

    The old one stays valid for ``keep_days``, but no longer than before; 0 revokes it now. ``user_id`` is the person of
    the token, if not me: that takes USER_MANAGE.
    """

    route = "POST /v1/tokens/{token_id}/renew"
    permission = Permission.WORKSPACE_VIEW
    either = frozenset({Permission.WORKSPACE_VIEW, Permission.USER_MANAGE})
    creates = True
    gives_access = True
    undoable = False
    returns_secret = True
    token_id: Id
    user_id: Id | None = None
    keep_days: int = KEEP_DAYS

    def needs(self, view: Snapshot) -> Permission:
        is_mine = self.user_id in (None, view.actor.user_id)
        return Permission.WORKSPACE_VIEW if is_mine else Permission.USER_MANAGE

    def run(self, work: UnitOfWork) -> NewToken:
        user_id = self.user_id or work.actor.user_id
        old = work.get(Token, user_id=user_id, id=self.token_id)
        if not 0 <= self.keep_days <= MAX_DAYS:
            raise InvalidInput("keep_days", f"The old token stays valid for 0 to {MAX_DAYS} days.")
        if old.gateway_id or not old.is_valid(work.now):
            raise RuleViolation("Only a token that is valid can be renewed, and no session. Create a new one.")
        days = max(1, round((old.expires_at - old.created_at) / timedelta(days=1)))
        until = min(old.expires_at, work.now.replace(microsecond=0) + timedelta(days=self.keep_days))
        work.update(old, **({"expires_at": until} if self.keep_days else {"revoked_at": work.now}))
        made = new_token(work, user_id, old.label, days)  # after the old one has ended, which counts in the quota
        days_left = count(self.keep_days, "day")
        work.say(f"renewed the token “{old.label}” of {made.token.user}, and left {days_left} to the old one")
        return made
