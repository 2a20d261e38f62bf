"""The commands that ``podium task`` and ``podium activity`` have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, ReorderCard, RestoreCard, SetCardDueDate
from core.actions.cards.details import CardDetail, GetCard
from core.actions.fields.custom_fields import SetFields
from core.domain.fields import FieldKind, FieldValue
from core.domain.model import Item
from core.engine.messages import Command
from core.errors import InvalidInput
from core.text.amounts import write_amount
from core.text.sanitize import sanitize
from tui.cli.cards import labels
from tui.cli.message_command import CONSENT, FOLLOW, STATUS, MessageGroup
from tui.cli.records import ANY_CARD, PHASE, PROJECT, RecordParameter
from tui.cli.session import Parameter, Session

SET = Parameter(
    click.Option(
        ["--set", "fields"],
        multiple=True,
        metavar="FIELD=VALUE",
        help="The value of a custom field; empty for none. Repeat it for each field.",
    ),
    lambda _, said: tuple(map(_assignment, said)),
)


def _assignment(said: str) -> FieldValue:
    key, sign, value = said.partition("=")
    if not sign or not key.strip():
        raise InvalidInput("fields", f"“{sanitize(said)}” is not FIELD=VALUE, such as estimate=3.")
    return FieldValue(key=key.strip(), value=value.strip())


def edits(group: MessageGroup, card: Parameter[Any], message: type[Command[Any]], **texts: str) -> None:
    """Declare the command that changes a card: its texts, with their help, its labels, priority and custom fields.

    They are one step: a part that is refused refuses all.
    """
    options = [click.Option([f"--{name}"], help=help or None) for name, help in texts.items()]

    @group.runs("edit", PROJECT, card, *options, *labels.OF_CARDS, SET, ids=True, changes=True)
    def edit(
        session: Session, priority: str | None, label: Sequence[str], unlabel: Sequence[str], **typed: str | None
    ) -> None:
        card_id = session[card].id
        said = {name: text for name, text in typed.items() if text is not None}
        steps: list[Command[Any]] = [message(**{card.field: card_id}, **said)] if said else []
        steps += labels.changes(card_id, priority, label, unlabel)
        if values := session[SET]:
            steps.append(SetFields(item_id=card_id, values=values))
        if not steps:
            raise InvalidInput("options", "Nothing is to be changed. Name what to change, such as --title or --label.")
        every = BulkUpdate(project_id=session[PROJECT].id, commands=tuple(steps), atomic=True)
        changed = session.execute(every if len(steps) > 1 else steps[0])
        if not isinstance(changed, Item):
            changed = session.query(GetCard(item_id=card_id)).item
        session.print_result(changed, f"Changed “{changed.title}”.")

    edit.help = f"Change the {', '.join(texts)}, labels, priority and custom fields, as one step."


def sends_changes(
    group: MessageGroup, card: RecordParameter[Any], *, archive: str, restore: str, delete: str, confirm: str
) -> None:
    """Declare the commands that send one message for both kinds: move, due, archive, restore and delete.

    ``archive``, ``restore`` and ``delete`` are the help for this kind, ``confirm`` is the question before a delete.
    """
    noun = card.noun
    of_card = f"{'an' if noun == 'activity' else 'a'} {noun}"
    named = (PROJECT, card.for_field("card_id"))
    moved, due = "“{title}” is {status}.", "“{title}” is due {due:on no day}."
    archived = f"Archived “{{title}}”. Restore with “podium {noun} restore”."
    deleted = f"Deleted “{{{noun}.title}}” for good."
    dated = f"Set the due date of {of_card}, or remove it. Cards that wait for it can follow."
    group.sends("move", MoveCard, [*named, STATUS, *CONSENT], help=f"Move {of_card} to another status.", done=moved)
    before = ANY_CARD.option("--before", "The card to put it before (default: last).", "before_id")
    place = f"Put {of_card} into a phase, or to another place in its own."
    group.sends(
        "phase",
        ReorderCard,
        [*named, PHASE, before, *CONSENT],
        help=place,
        done="“{title}” is in phase “{phase.name}”.",
    )
    group.sends("due", SetCardDueDate, [*named, "due", FOLLOW], help=dated, done=due)
    group.sends("archive", ArchiveCard, named, help=archive, done=archived)
    group.sends("restore", RestoreCard, [*named, *CONSENT], help=restore, done=moved)
    group.sends("delete", DeleteCard, [*named, *CONSENT], help=delete, confirm=confirm, done=deleted)


def field_lines(detail: CardDetail) -> Iterator[str]:
    """The custom fields of a card that have a value, as lines."""
    for each in detail.fields:
        if each.shown:
            is_number = each.field.kind is FieldKind.NUMBER
            yield f"{each.field.name}: {write_amount(each.shown) if is_number else each.shown}"
