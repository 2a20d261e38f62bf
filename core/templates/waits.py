"""The dependencies of a workflow, by the names of their phases, activities and titles.

Of several cards with one name the first one counts. Cards of other projects are no part of a template.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.domain.dependencies import Dependency
from core.domain.model import Id
from core.domain.templates import TemplateWait
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import RuleViolation
from core.rules.dependency_cycles import check_no_cycle

Path = tuple[str, ...]


def paths_in(view: Snapshot, project_id: Id) -> dict[Id, Path]:
    """Return the names of each card of a project that is neither archived nor a condition, in their order."""
    rows = view.tx.tuples(
        "SELECT item.id, phase.name, activity.title, item.title FROM item"
        " JOIN phase ON phase.project_id = item.project_id AND phase.id = item.phase_id"
        " LEFT JOIN item AS activity ON activity.project_id = item.project_id AND activity.id = item.activity_id"
        " WHERE item.project_id = :project_id AND item.status <> 'ARCHIVED' AND NOT EXISTS (SELECT 1 FROM"
        " gate_condition AS asked WHERE asked.project_id = item.project_id AND asked.item_id = item.id)"
        " ORDER BY phase.rank, phase.id, item.rank, item.id",
        project_id=project_id,
    )
    return {
        card: (phase, activity, title) if activity is not None else (phase, title)
        for card, phase, activity, title in rows
    }


def captured_waits(view: Snapshot, project_id: Id) -> tuple[TemplateWait, ...]:
    """Return what the cards of a project wait for, for a template."""
    dependencies = view.all(
        Dependency, "project_id = :project_id AND blocker_project_id = :project_id", project_id=project_id
    )
    if not dependencies:
        return ()
    paths = paths_in(view, project_id)
    order = {card: place for place, card in enumerate(paths)}
    kept = [each for each in dependencies if each.waiting_id in paths and each.blocker_id in paths]
    kept.sort(key=lambda each: (order[each.waiting_id], order[each.blocker_id]))
    found: dict[tuple[Path, Path], TemplateWait] = {}
    for each in kept:
        ends = paths[each.waiting_id], paths[each.blocker_id]
        if ends[0] != ends[1]:
            found.setdefault(ends, TemplateWait(card=ends[0], blocker=ends[1], lag_days=each.lag_days))
    return tuple(found.values())


def add_waits(work: UnitOfWork, project_id: Id, waits: Iterable[TemplateWait]) -> None:
    """Let cards of a project wait for each other as a template says, where both are there.

    One that the project has already stays as it is, and one that would close a cycle is left out.
    """
    wanted = list(waits)
    if not wanted:
        return
    by_path: dict[Path, Id] = {}
    for card, path in paths_in(work, project_id).items():
        by_path.setdefault(path, card)
    known = {
        (waiting, blocker)
        for waiting, blocker in work.tx.tuples(
            "SELECT waiting_id, blocker_id FROM dependency WHERE project_id = :project_id", project_id=project_id
        )
    }
    new = [each for each in (_make_dependency(project_id, wait, by_path) for wait in wanted) if each]
    new = [each for each in new if (each.waiting_id, each.blocker_id) not in known]
    new = list({(each.waiting_id, each.blocker_id): each for each in new}.values())

    def add_all() -> None:
        for each in new:
            work.insert(each)
        check_no_cycle(work, project_id)

    try:
        work.attempt(add_all)
    except RuleViolation:
        for each in new:
            _add(work, each)


def _add(work: UnitOfWork, dependency: Dependency) -> None:
    def add() -> None:
        work.insert(dependency)
        check_no_cycle(work, dependency.project_id, [dependency.waiting_id])

    try:
        work.attempt(add)
    except RuleViolation:
        return


def _make_dependency(project_id: Id, wait: TemplateWait, by_path: Mapping[Path, Id]) -> Dependency | None:
    waiting, blocker = by_path.get(wait.card), by_path.get(wait.blocker)
    if waiting is None or blocker is None or waiting == blocker:
        return None
    return Dependency(
        project_id=project_id,
        waiting_id=waiting,
        blocker_id=blocker,
        blocker_project_id=project_id,
        lag_days=wait.lag_days,
    )
