"""``podium task edit`` and ``podium activity edit``: texts of a card, and values of its own fields, as one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.details import CardDetail
from core.actions.fields.values import SetFields
from core.domain.fields import FieldValue
from core.engine.messages import Command
from core.errors import InvalidInput
from core.text.sanitize import sanitized
from tui.cli.message_command import MessageGroup
from tui.cli.records import PROJECT
from tui.cli.session import Parameter, Session

SET = Parameter(
    click.Option(
        ["--set", "fields"],
        multiple=True,
        metavar="FIELD=VALUE",
        help="The value of an own field; empty for none. Repeat it for each field.",
    ),
    lambda _, said: tuple(map(_assignment, said)),
)


def _assignment(said: str) -> FieldValue:
    key, sign, value = said.partition("=")
    if not sign or not key.strip():
        raise InvalidInput("fields", f"“{sanitized(said)}” is not FIELD=VALUE, such as estimate=3.")
    return FieldValue(key=key.strip(), value=value.strip())


def edits(group: MessageGroup, card: Parameter[Any], message: type[Command[Any]], **texts: str) -> None:
    """Declare the command that changes the texts of a card, named with their help, and values of its own fields."""
    options = [click.Option([f"--{name}"], help=help or None) for name, help in texts.items()]

    @group.runs("edit", PROJECT, card, *options, SET, ids=True, changes=True)
    def edit(session: Session, **typed: str | None) -> None:
        _send(session, card, message, {name: text for name, text in typed.items() if text is not None})

    edit.help = (message.__doc__ or "").strip().splitlines()[0]


def _send(session: Session, card: Parameter[Any], message: type[Command[Any]], typed: Mapping[str, str]) -> None:
    card_id, values = session[card].id, session[SET]
    steps: list[Command[Any]] = []
    if typed or not values:
        steps.append(message(**{card.field: card_id}, **typed))
    if values:
        steps.append(SetFields(item_id=card_id, values=values))
    if len(steps) == 1:
        changed = session.execute(steps[0])
        session.done(changed, f"Changed “{changed.title}”.")
        return
    whole = BulkUpdate(project_id=session[PROJECT].id, commands=tuple(steps), atomic=True)
    session.done(session.execute(whole), f"Changed “{typed.get('title') or session[card].title}”.")


def field_lines(detail: CardDetail) -> Iterator[str]:
    """The own fields of a card that have a value, as lines."""
    return (f"{each.field.name}: {each.shown}" for each in detail.fields if each.shown)
