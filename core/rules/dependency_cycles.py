"""No card waits for itself: not through other cards, their activities, or the order of phases, in any project.

The graph has a node for each card with a dependency, and one for each phase with all before it. A card waits for what
it and its activity wait for, and for the phases before its own; an activity also waits for its tasks. A search follows
what a card waits for, and reads a project when it comes to it. Files have their own check before anything is stored:
``core.import_export.validation`` by the ids of a document, ``core.templates.template_file`` by titles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from core.domain.dependencies import Dependency
from core.domain.model import Id, Item
from core.engine.project_guard import visible_among
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import OBSTACLES_LISTED, Blocker, RuleViolation
from core.storage.database import placeholders
from core.text.phrases import count

Node = Id | tuple[Id, int]
"""A card, or the phases of a project up to a number."""

STEPS_NAMED = 6
"""The most steps of a cycle that a sentence names."""

UNSEEN = "a card that you cannot see"


class _Place(NamedTuple):
    """The project of a card, the number of its phase from 0, and its activity."""

    project_id: Id
    phase: int
    activity_id: Id | None


class _Graph:
    """The cards with dependencies of the projects that a search has come to."""

    def __init__(self, view: Snapshot) -> None:
        self._view = view
        self._blockers: dict[Id, list[tuple[Id, Id]]] = defaultdict(list)
        self._of_phase: dict[Node, list[Id]] = defaultdict(list)
        self._of_activity: dict[Id, list[Id]] = defaultdict(list)
        self._read: set[Id] = set()
        self.places: dict[Id, _Place] = {}

    def read(self, project_id: Id) -> None:
        """Read the cards of a project that wait, or for which others wait."""
        if project_id in self._read:
            return
        self._read.add(project_id)
        tuples = self._view.tx.tuples
        for waiting, *blocker in tuples(
            "SELECT waiting_id, blocker_id, blocker_project_id FROM dependency WHERE project_id = :id", id=project_id
        ):
            self._blockers[waiting].append((blocker[0], blocker[1]))
        phases = tuples("SELECT id FROM phase WHERE project_id = :id ORDER BY rank, id", id=project_id)
        numbers = {phase_id: number for number, (phase_id,) in enumerate(phases)}
        for card, phase_id, activity_id in tuples(
            "SELECT id, phase_id, activity_id FROM item WHERE project_id = :id AND id IN"
            " (SELECT waiting_id FROM dependency WHERE project_id = :id"
            " UNION SELECT blocker_id FROM dependency WHERE blocker_project_id = :id)",
            id=project_id,
        ):
            place = self.places[card] = _Place(project_id, numbers[phase_id], activity_id)
            self._of_phase[project_id, place.phase].append(card)
            if activity_id:
                self._of_activity[activity_id].append(card)

    def cards(self) -> list[Id]:
        """The cards that were read."""
        return list(self.places)

    def waits_for(self, node: Node) -> Iterator[Node]:
        """The nodes that a node waits for."""
        if not isinstance(node, str):
            yield from self._of_phase.get(node, ())
            project_id, phase = node
        elif node in self.places:
            project_id, phase, activity_id = self.places[node]
            for waiting in (node, activity_id):
                for blocker, elsewhere in self._blockers.get(waiting or "", ()):
                    self.read(elsewhere)
                    if blocker in self.places and blocker != node:
                        yield blocker
            yield from self._of_activity.get(node, ())
        else:
            return
        if phase:
            yield project_id, phase - 1

    def cycle(self, starts: Iterable[Id]) -> list[Node]:
        """The nodes of a cycle to which one of the starts leads, each of which waits for the next; [] without one."""
        over: set[Node] = set()
        for start in starts:
            if start in over:
                continue
            path: dict[Node, Iterator[Node]] = {start: self.waits_for(start)}
            while path:
                node = next(reversed(path))
                following = next(path[node], None)
                if following is None:
                    over.add(node)
                    del path[node]
                elif following in path:
                    nodes = list(path)
                    return nodes[nodes.index(following) :]
                elif following not in over:
                    path[following] = self.waits_for(following)
        return []


def check_no_cycle(view: Snapshot, project_id: Id, starts: Iterable[Id] = ()) -> None:
    """Raise RuleViolation, which names the cycle, if a card of the project or beyond waits for itself.

    ``starts`` are the cards whose place or dependencies are new; without them it can be any card of the project.
    The sentence begins with the first of them that is part of the cycle.
    """
    graph, firsts = _Graph(view), list(starts)
    graph.read(project_id)
    if nodes := graph.cycle(firsts or graph.cards()):
        raise _make_cycle_error(view, graph, nodes, firsts)


def is_awaited(view: Snapshot, card: Item) -> bool:
    """Return False if nothing can wait for a card: no card for it, its activity or its tasks, nor other projects."""
    return bool(
        view.tx.tuples(
            "SELECT 1 FROM dependency WHERE blocker_project_id = :project_id AND project_id <> blocker_project_id"
            " UNION ALL SELECT 1 FROM dependency WHERE blocker_project_id = :project_id AND blocker_id IN"
            " (SELECT id FROM item WHERE project_id = :project_id AND (id IN (:id, :activity_id) OR activity_id = :id))"
            " LIMIT 1",
            project_id=card.project_id,
            id=card.id,
            activity_id=card.activity_id,
        )
    )


def check_cards_still_in_order(work: UnitOfWork, cards: Iterable[Item]) -> None:
    """Check for cycles after cards have got another phase. Without dependencies nothing is read of the project."""
    moved = dict.fromkeys(card.id for card in cards)
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
        check_no_cycle(work, project_id, moved)


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


def _make_cycle_error(view: Snapshot, graph: _Graph, nodes: list[Node], firsts: list[Id]) -> RuleViolation:
    """The refusal for a cycle; each node waits for the next one, and the last for the first."""
    there = set(nodes)
    first = next((each for each in firsts if each in there), None)
    start = nodes.index(first or next(node for node in nodes if isinstance(node, str)))
    nodes = [*nodes[start:], *nodes[:start]]
    at = [number for number, node in enumerate(nodes) if isinstance(node, str)]
    cards = [node for node in nodes if isinstance(node, str)]
    named = cards[: STEPS_NAMED + 1]
    own = [card for card in cards if graph.places[card].project_id == view.scope][:OBSTACLES_LISTED]
    chosen, params = placeholders({*named, *own})
    rows = view.tx.tuples(
        "SELECT item.id, kind, title, phase.name, status FROM item"
        " JOIN phase ON phase.project_id = item.project_id AND phase.id = item.phase_id"
        f" WHERE item.id IN {chosen}",
        **params,
    )
    known = {row[0]: row for row in rows}
    visible = visible_among(view, {graph.places[card].project_id for card in named})

    def title(card: Id) -> str:
        return f"“{known[card][2]}”" if graph.places[card].project_id in visible else UNSEEN

    steps = []
    for number, node in enumerate(cards[:STEPS_NAMED]):
        after = cards[(number + 1) % len(cards)]
        if not isinstance(nodes[(at[number] + 1) % len(nodes)], str):
            steps.append(f"{title(node)} is in a later phase than {title(after)}")
        elif graph.places[after].activity_id == node:
            steps.append(f"{title(node)} holds {title(after)}")
        else:
            steps.append(f"{title(node)} waits for {title(after)}")
    left = len(cards) - len(steps)
    return RuleViolation(
        f"{title(cards[0])} would wait for itself: {', '.join(steps)}"
        + (f", and {count(left, 'more step')}." if left else "."),
        blockers=tuple(
            Blocker(card, kind, title, phase, status=status)
            for card, kind, title, phase, status in map(known.__getitem__, own)
        ),
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
