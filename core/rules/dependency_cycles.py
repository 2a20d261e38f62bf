"""No card waits for itself: not through other cards, their activities, or the order of phases, in any project.

The graph has a node for each card with a dependency, and one for each phase with all before it. A card waits for what
it and its activity wait for, and for the phases before its own; an activity also waits for its tasks.
"""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Any

from core.domain.dependencies import Dependency
from core.domain.model import Id, Item, ItemKind
from core.engine.project_guard import visible_among
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import OBSTACLES_LISTED, Blocker, RuleViolation
from core.storage.database import batches, placeholders
from core.text.phrases import count

Node = Id | tuple[Id, int]
"""A card, or the phases of a project up to a number."""

STEPS_NAMED = 6
"""The most steps of a cycle that a sentence names."""

UNSEEN = "a card that you cannot see"


class _Graph:
    """The cards with dependencies that are reached from one project, and their phases."""

    def __init__(self, view: Snapshot, project_id: Id) -> None:
        self.edges = _edges(view, project_id)
        ids = {each for waiting, blocker, *_ in self.edges for each in (waiting, blocker)}
        self.cards: dict[Id, tuple[Any, ...]] = {}
        for batch in batches(sorted(ids)):
            chosen, params = placeholders(batch)
            rows = view.tx.tuples(
                f"SELECT id, project_id, phase_id, activity_id, kind, title, status FROM item WHERE id IN {chosen}",
                **params,
            )
            self.cards |= {row[0]: row for row in rows}
        self.projects = {row[1] for row in self.cards.values()}
        chosen, params = placeholders(self.projects)
        self.places: dict[Id, int] = {}
        phases = view.tx.tuples(
            f"SELECT project_id, id, name FROM phase WHERE project_id IN {chosen} ORDER BY project_id, rank, id",
            **params,
        )
        numbers: dict[Id, int] = {}
        self.phases = {phase_id: name for _, phase_id, name in phases}
        for project, phase_id, _ in phases:
            self.places[phase_id] = numbers[project] = numbers.get(project, -1) + 1

    def place(self, card_id: Id) -> tuple[Id, int]:
        """The project of a card, and the number of its phase from 0."""
        card = self.cards[card_id]
        return card[1], self.places.get(card[2], 0)

    def waits_for(self) -> dict[Node, set[Node]]:
        """The nodes that each node waits for."""
        found: dict[Node, set[Node]] = {card: set() for card in self.cards}
        for waiting, blocker in self.edges:
            if waiting in self.cards and blocker in self.cards:
                found[waiting].add(blocker)
        for card_id, (_, _, _, activity_id, *_) in self.cards.items():
            if activity_id in self.cards:
                found[card_id] |= found[activity_id] - {card_id}
        for card_id, (_, _, _, activity_id, *_) in self.cards.items():
            if activity_id in self.cards:
                found[activity_id].add(card_id)
        for card_id in self.cards:
            project, place = self.place(card_id)
            found.setdefault((project, place), set()).add(card_id)
            if place:
                found[card_id].add((project, place - 1))
            for earlier in range(place, 0, -1):
                found.setdefault((project, earlier), set()).add((project, earlier - 1))
        return found


def _edges(view: Snapshot, project_id: Id) -> list[tuple[Id, Id]]:
    """The dependencies of a project, and of those whose cards its cards wait for, and so on."""
    found: list[tuple[Id, Id]] = []
    known, ahead = {project_id}, {project_id}
    while ahead:
        chosen, params = placeholders(ahead)
        rows = view.tx.tuples(
            f"SELECT waiting_id, blocker_id, blocker_project_id FROM dependency WHERE project_id IN {chosen}", **params
        )
        found += [(waiting, blocker) for waiting, blocker, _ in rows]
        ahead = {project for *_, project in rows} - known
        known |= ahead
    return found


def check_no_cycle(view: Snapshot, project_id: Id, first: Id | None = None) -> None:
    """Raise RuleViolation, which names the cycle, if a card of the project or beyond waits for itself.

    ``first`` is the card with which the sentence begins, if it is part of the cycle.
    """
    graph = _Graph(view, project_id)
    if not graph.edges:
        return
    try:
        TopologicalSorter(graph.waits_for()).prepare()
    except CycleError as error:
        raise _refused(view, graph, list(reversed(error.args[1]))[:-1], first) from None


def check_cards_still_in_order(work: UnitOfWork, cards: Iterable[Item]) -> None:
    """Check for cycles after cards have got another phase. Without dependencies nothing is read of the project."""
    moved = {card.id for card in cards}
    chosen, params = placeholders(moved)
    [project_id] = {card.project_id for card in cards}
    rows = work.tx.tuples(
        f"SELECT 1 FROM dependency WHERE project_id = :project_id AND waiting_id IN {chosen}"
        " UNION ALL SELECT 1 FROM dependency"
        f" WHERE blocker_project_id = :project_id AND blocker_id IN {chosen} LIMIT 1",
        project_id=project_id,
        **params,
    )
    if rows:
        check_no_cycle(work, project_id, first=next(iter(moved)))


def check_not_later(view: Snapshot, waiting: Item, blocker: Item) -> None:
    """Raise RuleViolation if a card would wait for a card of a later phase of its own project."""
    if waiting.project_id != blocker.project_id or waiting.phase_id == blocker.phase_id:
        return
    rows = view.tx.tuples(
        "SELECT id, name FROM phase WHERE project_id = :project_id ORDER BY rank, id", project_id=waiting.project_id
    )
    order = [row[0] for row in rows]
    if order.index(blocker.phase_id) > order.index(waiting.phase_id):
        phase = dict(rows)[blocker.phase_id]
        raise RuleViolation(
            f"“{waiting.title}” cannot wait for “{blocker.title}”, which is in the later phase “{phase}”: that phase"
            " begins when this one is complete.",
            blockers=(Blocker(blocker.id, blocker.kind.value, blocker.title, phase, status=blocker.status.value),),
        )


def _refused(view: Snapshot, graph: _Graph, nodes: list[Node], first: Id | None) -> RuleViolation:
    """The refusal for a cycle; each node waits for the next one, and the last for the first."""
    start = nodes.index(first) if first in nodes else next(at for at, node in enumerate(nodes) if isinstance(node, str))
    nodes = [*nodes[start:], *nodes[:start]]
    cards = [node for node in nodes if isinstance(node, str)]
    visible = visible_among(view, {graph.cards[card][1] for card in cards})

    def title(card: Id) -> str:
        return f"“{graph.cards[card][5]}”" if graph.cards[card][1] in visible else UNSEEN

    steps = []
    for at, node in enumerate(nodes):
        if not isinstance(node, str):
            continue
        following = nodes[(at + 1) % len(nodes)]
        after = next(each for each in [*nodes[at + 1 :], *nodes] if isinstance(each, str))
        if not isinstance(following, str):
            steps.append(f"{title(node)} is in a later phase than {title(after)}")
        elif graph.cards[after][3] == node and graph.cards[node][4] == ItemKind.ACTIVITY:
            steps.append(f"{title(node)} holds {title(after)}")
        else:
            steps.append(f"{title(node)} waits for {title(after)}")
    left = len(steps) - STEPS_NAMED
    named = ", ".join(steps[:STEPS_NAMED]) + (f", and {count(left, 'more step')}" if left > 0 else "")
    return RuleViolation(
        f"{title(cards[0])} would wait for itself: {named}.",
        blockers=tuple(
            Blocker(card, kind, title, graph.phases.get(phase_id, ""), status=status)
            for card, project, phase_id, _, kind, title, status in map(graph.cards.__getitem__, cards)
            if project == view.scope
        )[:OBSTACLES_LISTED],
    )


def dependencies_of(view: Snapshot, item: Item) -> list[Dependency]:
    """Return every dependency of a card, on whichever end; those of other projects too."""
    return view.all(
        Dependency,
        "(project_id = :project_id AND waiting_id = :id) OR (blocker_project_id = :project_id AND blocker_id = :id)"
        " ORDER BY project_id, waiting_id, blocker_id",
        project_id=item.project_id,
        id=item.id,
    )
