"""Cards that are named without their project: in the current one, or by their ids alone."""

from __future__ import annotations

from collections.abc import Sequence

import click

from core.actions.cards.details import GetCard
from core.actions.cards.tasks import ListTasks
from core.actions.workflow.canvas import GetCanvas
from core.domain.canvas import Card
from core.domain.model import Item, ItemKind
from core.errors import InvalidInput
from core.text.naming import the_one
from core.text.phrases import ULID_FORM
from tui.cli.records import IN_PROJECT, titles
from tui.cli.session import Parameter, Session


def _tasks(session: Session, words: Sequence[str]) -> tuple[Item, ...]:
    """The tasks of these titles in the project; ids need no project. Raises NotFound and InvalidInput."""
    found = _by_ids(session, words, ItemKind.TASK)
    if found is None:
        project = IN_PROJECT.read(session, session[NAMED_PROJECT])
        tasks = session.query(ListTasks(project_id=project.id, archived=True))
        found = tuple(the_one("task", word, tasks, titles) for word in words)
    if len({task.id for task in found}) < len(found):
        raise InvalidInput("task", "A task is named twice. Name each one once.")
    if len({task.project_id for task in found}) > 1:
        raise InvalidInput("task", "These tasks are in several projects. Name those of one project at a time.")
    return found


def _card(session: Session, word: str) -> Item | Card:
    """The task or activity of this title in the project; an id needs no project."""
    if found := _by_ids(session, [word], None):
        return found[0]
    project = IN_PROJECT.read(session, session[NAMED_PROJECT])
    cards = [card for card in session.query(GetCanvas(project_id=project.id)).cards if card.kind in set(ItemKind)]
    return the_one("card", word, cards, titles)


def _by_ids(session: Session, words: Sequence[str], kind: ItemKind | None) -> tuple[Item, ...] | None:
    if session[NAMED_PROJECT] is not None or not all(map(ULID_FORM.fullmatch, words)):
        return None
    found = tuple(session.query(GetCard(item_id=word)).item for word in words)
    if kind and (other := next((item for item in found if item.kind is not kind), None)):
        raise InvalidInput("task", f"“{other.title}” is an activity. Use “podium activity”.")
    return found


NAMED_PROJECT: Parameter[str | None] = Parameter(IN_PROJECT.form, lambda _, name: name, noun="project")
"""The option -p as it was typed."""

TASKS: Parameter[tuple[Item, ...]] = Parameter(
    click.Argument(["tasks"], metavar="TASK...", nargs=-1, required=True), _tasks, "task_id", noun="task"
)
CARD: Parameter[Item | Card] = Parameter(click.Argument(["card"]), _card, "item_id", lambda card: card.id, "card")
