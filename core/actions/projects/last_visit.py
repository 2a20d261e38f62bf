"""The last visit: up to which change a user has seen a project."""

from __future__ import annotations

from datetime import datetime

from core.actions.history.entries import HistoryEntry, changes_by_others
from core.domain.notifications import LastSeen
from core.domain.permissions import Permission
from core.engine.messages import PersonalProjectCommand, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.record import COLLECTION, Record, field


class SinceLastVisit(Record):
    """The changes of others since I last left the project, the newest first; none at a first visit."""

    since: datetime | None
    """The time of my last visit; None if there was none."""
    lines: tuple[HistoryEntry, ...] = field(name=COLLECTION)
    """At most ``history.PAGE`` changes, the newest."""
    seen_seq: int
    """The last change that I had seen at my last visit; at a first visit the last change now."""
    seq: int
    """The last change of the project now, to be marked as seen."""


class ListChangesSinceLastVisit(ProjectQuery[SinceLastVisit]):
    """List the changes of others on a project since my last visit, or since the change ``after``."""

    route = "GET /v1/projects/{project_id}/since-last-visit"
    permission = Permission.PROJECT_VIEW
    after: int | None = None

    def run(self, view: Snapshot) -> SinceLastVisit:
        now = view.seq
        visit = view.find(LastSeen, project_id=self.project_id, user_id=view.actor.user_id)
        seen = self.after if self.after is not None else visit.seq if visit else now
        return SinceLastVisit(
            since=visit.at if visit else None,
            lines=changes_by_others(view, self.project_id, seen),
            seen_seq=seen,
            seq=now,
        )


class SetLastSeen(PersonalProjectCommand[None]):
    """Remember up to which change I have seen a project. An earlier change than before is ignored."""

    route = "PUT /v1/projects/{project_id}/last-seen"
    seq: int

    def run(self, work: UnitOfWork) -> None:
        seq = max(0, min(self.seq, work.seq))
        me = work.actor.user_id
        visit = work.find(LastSeen, project_id=self.project_id, user_id=me)
        if visit is None:
            work.insert(LastSeen(project_id=self.project_id, user_id=me, seq=seq, at=work.now))
        else:
            work.update(visit, seq=max(visit.seq, seq), at=work.now)
