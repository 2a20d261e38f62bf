"""The one question of authorization: which of these codes does this user hold on this account?"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from core.model import Id
from core.rights import Permission


class Question(NamedTuple):
    """The filters of a permission query (source document, section 4.1), without its paging."""

    user_id: Id
    account_id: str
    """A project's ``auth_id``, or the id of the workspace."""
    codes: frozenset[Permission]


class PermissionSource(Protocol):
    """Answers questions: computed from the database, or asked of the authorization service."""

    def held(self, question: Question) -> frozenset[Permission]:
        """The codes, of those asked for, that the user holds. What is not certain is not held."""
