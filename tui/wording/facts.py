"""Values that all detail pages show in the same words: dates, people, states, history."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from textual.content import Content

from core.actions.history.entries import HistoryEntry
from core.domain.model import User
from core.domain.products.products import Product
from core.text.dates import format_due, in_full
from tui.drawing.cells import plain
from tui.drawing.outline_lines import OutlineEntry
from tui.drawing.people import PersonColours
from tui.drawing.theme import QUIET
from tui.wording.times import when


def quiet(words: str) -> Content:
    """An explanation in a quiet style, such as the next step where a value is missing."""
    return Content.styled(words, QUIET)


def history_entries(lines: Iterable[HistoryEntry], now: datetime) -> list[OutlineEntry]:
    """The history of a record, quiet: each change with its moment, wrapped below itself."""
    moments = [(line, when(line.at, now)) for line in lines]
    widest = max((len(moment) for _, moment in moments), default=0)
    return [
        OutlineEntry(
            " · ".join([f"{line.actor} {line.kind.describe(line.summary)}", *line.sentences(3)]),
            lead=f"{moment:{widest}} ",
            style=QUIET,
        )
        for line, moment in moments
    ]


def authorization_words(product: Product) -> str:
    """The source of permissions in a product: the product itself, or the permission codes that Podium grants."""
    return "granted by Podium (permission codes)" if product.uses_external_authorization else "handled by the product"


def people_words(people: Iterable[User], colours: PersonColours) -> Content:
    """Names, each in the person's colour, separated by commas; empty without people."""
    return Content(", ").join([plain(person.name).stylize(colours.style(person.id)) for person in people])


def due_words(due: date | None, today: date, closed: bool) -> Content:
    """A due date in full; for an open record also its distance from today, from a week before on."""
    if due is None:
        return Content("")
    days = (due - today).days
    if closed or days > 6:
        return Content(in_full(due))
    text_role = "$text-error" if days < 0 else ("$text-warning" if days <= 3 else QUIET)
    near = f"{days} days away" if days > 1 else format_due(due, today)
    return Content.assemble(in_full(due), (f"  {near if days >= -14 else 'long past'}", text_role))
