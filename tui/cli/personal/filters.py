"""``podium filter …``: the filters that a person keeps; and what a filter leaves of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.actions.personal.saved_filters import DeleteSavedFilter, ListSavedFilters, SaveFilter
from core.domain.model import Id
from core.record import Record
from tui.cli.message_command import Field, MessageGroup
from tui.cli.records import RecordParameter
from tui.cli.sentences import Columns
from tui.cli.session import Session

if TYPE_CHECKING:
    from core.domain.canvas import Canvas, CanvasHeader
    from core.filters.context import FilterContext


class FilterMatches(Record, kw_only=False):
    """The cards that a filter leaves, by their ids, and whether it asks for the archive."""

    ids: frozenset[Id]
    archived: bool


def cards_of_filter(session: Session, canvas: Canvas, text: str) -> FilterMatches:
    """The cards of a project that a filter leaves. Raises InvalidFilter with the text, to be pointed into."""
    from core.filters.filter import Filter

    only = Filter(text, read_context(session, canvas.head))
    return FilterMatches(frozenset(card.id for card in canvas.cards if only.matches(card)), only.shows_archived)


def read_context(session: Session, head: CanvasHeader) -> FilterContext:
    """The people, phases and fields that the words of a filter can mean in a project."""
    from core.filters.context import FilterContext

    return FilterContext.of(head, session.workspace.user_id)


filter_ = MessageGroup("filter", "My saved filters: list, save, delete.")

filter_.lists(
    "list",
    ListSavedFilters,
    heads=("NAME", "FILTER"),
    ids=False,
    row=Columns("name text"),
    empty="No saved filters yet. Save one with “podium filter save”.",
)
filter_.sends("save", SaveFilter, ["name", Field("text", metavar="FILTER")], done="Saved “{text}” as “{name}”.")
filter_.sends(
    "delete",
    DeleteSavedFilter,
    [
        RecordParameter(
            "filter",
            lambda session, _: session.query(ListSavedFilters()),
            lambda each: (each.name, each.name),
            "name",
            "name",
        )
    ],
    done="Deleted the filter “{name}”, which was “{name.text}”.",
)
