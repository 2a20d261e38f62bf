"""Filters that a person keeps under a name."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import Command, Query
from core.presets import SavedFilter
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilters(Query[tuple[SavedFilter, ...]]):
    """The filters that I keep, by name."""

    route = "GET /v1/me/filters"
    permission = Permission.WORKSPACE_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveFilter(Command[SavedFilter]):
    """Keep a filter under a name; one of the same name is replaced."""

    route = "PUT /v1/me/filters/{name}"
    permission = Permission.WORKSPACE_VIEW
    undoable = False
    personal = True
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetFilter(Command[None]):
    """Forget a filter that I keep."""

    route = "DELETE /v1/me/filters/{name}"
    permission = Permission.WORKSPACE_VIEW
    undoable = False
    personal = True
    name: str
