"""Cards that are named without their project: by key or id, or by title in the current one."""

from __future__ import annotations

from collections.abc import Sequence

import click

from core.actions.cards.details import GetCard
from core.actions.cards.tasks import ListTasks
from core.actions.workflow.canvas import GetCanvas
from core.domain.canvas import Card
from core.domain.model import Item, ItemKind
from core.errors import InvalidInput
from core.text.phrases import ULID_FORM
from tui.cli.records import IN_PROJECT, card_titled, card_with_key
from tui.cli.session import Parameter, Session


def _tasks(session: Session, words: Sequence[str]) -> tuple[Item, ...]:
    """The tasks of these keys, ids or titles; only titles need a project. Raises NotFound and InvalidInput."""
    known = {word: card for word in words if (card := _find_known(session, word))}
    if other := next((card for card in known.values() if card.kind is not ItemKind.TASK), None):
        raise InvalidInput("task", f"“{other.title}” is an activity. Use “podium activity”.")
    tasks: Sequence[Item] = ()
    if len(known) < len(set(words)):
        project = IN_PROJECT.read(session, session[NAMED_PROJECT])
        tasks = session.query(ListTasks(project_id=project.id, archived=True))
    found = tuple(known.get(word) or card_titled(session, "task", word, tasks) for word in words)
    if len({task.id for task in found}) < len(found):
        raise InvalidInput("task", "A task is named twice. Name each one once.")
    if len({task.project_id for task in found}) > 1:
        raise InvalidInput("task", "These tasks are in several projects. Name those of one project at a time.")
    return found


def _card(session: Session, word: str) -> Item | Card:
    """The task or activity of this key, id or title; only a title needs a project."""
    if found := _find_known(session, word):
        return found
    project = IN_PROJECT.read(session, session[NAMED_PROJECT])
    cards = [card for card in session.query(GetCanvas(project_id=project.id)).cards if card.kind in set(ItemKind)]
    return card_titled(session, "card", word, cards)


def _find_known(session: Session, word: str) -> Item | None:
    """The card of a key, or of an id where no project is named; None for a title."""
    if session[NAMED_PROJECT] is None and ULID_FORM.fullmatch(word):
        return session.query(GetCard(item_id=word)).item
    card = card_with_key(session, word)
    if card is None or session[NAMED_PROJECT] is None:
        return card
    return card if card.project_id == IN_PROJECT.read(session, session[NAMED_PROJECT]).id else None


NAMED_PROJECT: Parameter[str | None] = Parameter(IN_PROJECT.form, noun="project")
"""The option -p as it was typed."""

TASKS: Parameter[tuple[Item, ...]] = Parameter(
    click.Argument(["tasks"], metavar="TASK...", nargs=-1, required=True), _tasks, "task_id", noun="task"
)


def named_card(name: str, field: str) -> Parameter[Item | Card]:
    """The argument of a card, for a field of a message."""
    return Parameter(click.Argument([name]), _card, field, lambda card: card.id, "card")


CARD = named_card("card", "item_id")
