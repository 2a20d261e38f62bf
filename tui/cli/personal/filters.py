"""``podium filter …``: the filters that a person keeps; and what a filter leaves of a project."""

from __future__ import annotations

import click

from core.actions.personal.saved_filters import DeleteSavedFilter, ListSavedFilters, SaveFilter
from core.actions.workflow.canvas import GetCanvas
from core.domain.model import Id
from core.record import Record
from tui.cli import resolve
from tui.cli.session import Session, in_workspace


class Left(Record, kw_only=False):
    """What a filter leaves: cards by their ids, and whether it asks for the archive."""

    ids: frozenset[Id]
    archived: bool


def cards_left(session: Session, project_id: Id, text: str) -> Left:
    """The cards of a project that a filter leaves. Raises InvalidFilter with the text, to be pointed into."""
    from core.filters.context import Around
    from core.filters.filter import Filter

    canvas = session.query(GetCanvas(project_id=project_id))
    head = canvas.head
    only = Filter(text, Around(session.workspace.user_id, head.today, head.columns, head.members))
    return Left(frozenset(card.id for card in canvas.cards if only.matches(card)), only.shows_archived)


@click.group("filter")
def filter_() -> None:
    """Filters that I keep: list, save, forget."""


@filter_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """The filters that I keep, by name."""
    none = "You keep no filters yet. “podium filter save” keeps one."
    session.list(session.query(ListSavedFilters()), ("NAME", "FILTER"), lambda each: (each.name, each.text), none)


@filter_.command("save")
@click.argument("name")
@click.argument("text", metavar="FILTER")
@in_workspace
def save(session: Session, name: str, text: str) -> None:
    """Keep a filter under a name; one of the same name is replaced."""
    kept = session.execute(SaveFilter(name=name, text=text))
    session.done(kept, f"Kept “{kept.text}” as “{kept.name}”.")


@filter_.command("delete")
@click.argument("name")
@in_workspace
def forget(session: Session, name: str) -> None:
    """Forget a filter that I keep."""
    every = session.query(ListSavedFilters())
    kept = resolve.one_of("filter", name, every, lambda each: (each.name, each.name))
    session.execute(DeleteSavedFilter(name=kept.name))
    session.done(None, f"Forgot “{kept.name}”, which was “{kept.text}”.")
