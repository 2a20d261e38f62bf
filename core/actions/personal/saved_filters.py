"""Saved filters: filters that a user keeps under a name."""

from __future__ import annotations

from core.domain.permissions import Permission
from core.domain.presets import SavedFilter
from core.engine.messages import PersonalCommand, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import NotFound, RuleViolation
from core.filters.filter import check
from core.rules.card_fields import my_field_keys
from core.text.sanitize import one_line, quote_value

MAX_NAME_LENGTH, MAX_TEXT_LENGTH, MAX_FILTERS = 40, 500, 50
"""The most characters of a name, which must fit into a menu, and of a filter; and the most filters of one user."""


class ListSavedFilters(Query[tuple[SavedFilter, ...]]):
    """List my saved filters, by name."""

    route = "GET /v1/me/filters"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: Snapshot) -> tuple[SavedFilter, ...]:
        kept = view.all(SavedFilter, "user_id = :user_id", user_id=view.actor.user_id)
        return tuple(sorted(kept, key=lambda each: (each.name.casefold(), each.name)))


class SaveFilter(PersonalCommand[SavedFilter]):
    """Save a filter under a name; a filter of the same name is replaced.

    The people, phases and values of custom fields in it are not looked up, since it may be meant for another project.
    Raises InvalidFilter for a text that is no filter in any project.
    """

    route = "PUT /v1/me/filters"
    name: str
    text: str

    def run(self, work: UnitOfWork) -> SavedFilter:
        name = one_line(self.name, "name", most=MAX_NAME_LENGTH)
        text = one_line(self.text, "filter", most=MAX_TEXT_LENGTH)
        check(text, my_field_keys(work))
        me = work.actor.user_id
        kept = work.find(SavedFilter, user_id=me, name=name)
        if kept is not None:
            return work.update(kept, text=text)
        count = work.rows("SELECT count(*) AS n FROM saved_filter WHERE user_id = :me", me=me)[0]["n"]
        if count >= MAX_FILTERS:
            raise RuleViolation(f"You can save at most {MAX_FILTERS} filters. Delete one first.")
        return work.insert(SavedFilter(user_id=me, name=name, text=text))


class DeleteSavedFilter(PersonalCommand[None]):
    """Delete one of my saved filters."""

    route = "DELETE /v1/me/filters"
    name: str

    def run(self, work: UnitOfWork) -> None:
        kept = work.find(SavedFilter, user_id=work.actor.user_id, name=self.name)
        if kept is None:
            raise NotFound(f"You have no saved filter “{quote_value(self.name)}”.")
        work.delete(kept)
