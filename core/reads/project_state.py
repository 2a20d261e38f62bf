"""The state of a project that decides what a Canvas has to read: its last changes, and what it uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.domain.model import WORKSPACE, Id
from core.engine.unit_of_work import Snapshot
from core.record import Record

_OF_OTHERS = (
    "SELECT blocker_project_id FROM dependency WHERE project_id = :project_id AND project_id <> blocker_project_id"
    " UNION SELECT project_id FROM dependency"
    " WHERE blocker_project_id = :project_id AND project_id <> blocker_project_id"
)

_LINKS_AT = (
    "coalesce((SELECT sum(waiting.number * 7919 + blocker.number) FROM dependency"
    " JOIN item AS waiting ON waiting.project_id = dependency.project_id AND waiting.id = waiting_id"
    " JOIN item AS blocker ON blocker.project_id = blocker_project_id AND blocker.id = blocker_id"
    " WHERE dependency.{end} = :project_id AND dependency.project_id <> dependency.blocker_project_id), 0)"
)
_LINKS = f"{_LINKS_AT.format(end='project_id')} + {_LINKS_AT.format(end='blocker_project_id')}"
"""A checksum of the links with other projects, of the numbers of their cards."""

CHECKSUMS = 1_000_000
"""The number of checksums of links. Two sets of links that share one cost little: a link changes the seq of its
project, so ``elsewhere`` differs, and only a card whose last link was removed shows an old number until all is
read again."""

STATE = (
    f"SELECT seq, (SELECT coalesce(sum(seq), 0) FROM feed WHERE id IN ({_OF_OTHERS})),"
    f" ({_LINKS}) % {CHECKSUMS}, (SELECT seq FROM feed WHERE id = '{WORKSPACE}'),"
    " EXISTS (SELECT 1 FROM application WHERE project_id = :project_id),"
    " EXISTS (SELECT 1 FROM item_label WHERE project_id = :project_id),"
    " EXISTS (SELECT 1 FROM field WHERE project_id = :project_id AND removed = 0),"
    " EXISTS (SELECT 1 FROM dependency WHERE project_id = :project_id)"
    " OR EXISTS (SELECT 1 FROM dependency WHERE blocker_project_id = :project_id)"
    " FROM feed WHERE id = :project_id"
)
"""The statement that reads a ``ProjectState``."""


class ProjectState(Record, kw_only=False):
    """The last changes of a project, and what it uses, so that nothing is read of what it does not use."""

    seq: int
    """The last change of the project."""
    linked_seq_sum: int
    """The sum of the last changes of the projects that it is linked with."""
    links_checksum: int
    """A checksum of the links with other projects."""
    workspace_seq: int
    """The last change of the workspace."""
    has_applications: bool
    has_labels: bool
    """True if a label is on any of its cards."""
    has_fields: bool
    has_dependencies: bool
    """True if a card waits for another one, here or in another project."""

    @property
    def elsewhere(self) -> int:
        """A number that differs after any change of the projects it is linked with, or of the links."""
        return self.linked_seq_sum * CHECKSUMS + self.links_checksum


def state_of(view: Snapshot, project_id: Id) -> ProjectState:
    """Read the state of a project; once in a snapshot, however often it is asked for."""
    return state_in(view.tx.tuples(STATE, project_id=project_id))


def state_in(rows: Sequence[tuple[Any, ...]]) -> ProjectState:
    """The state in the one row of ``STATE``."""
    [(seq, linked_seq_sum, links_checksum, workspace_seq, *uses)] = rows
    return ProjectState(seq, linked_seq_sum, links_checksum, workspace_seq, *map(bool, uses))


def links_differ(before: int, now: int) -> bool:
    """Return whether there are other links with other projects than when ``ProjectState.elsewhere`` was ``before``."""
    return before % CHECKSUMS != now % CHECKSUMS
