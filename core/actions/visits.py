"""Since you were last here: how far somebody has seen a project."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.actions.history import HistoryLine
from core.messages import ProjectCommand, ProjectQuery
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class SinceLastVisit:
    """What others did on a project since I last left it, the newest first; empty at a first visit."""

    since: datetime | None
    lines: tuple[HistoryLine, ...]
    seq: int
    """The last change of the project now: what to mark as seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowSinceLastVisit(ProjectQuery[SinceLastVisit]):
    """What others did on a project since I was last here."""

    route = "GET /v1/projects/{project_id}/since-last-visit"
    permission = Permission.PROJECT_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkVisit(ProjectCommand[None]):
    """Remember up to which change I have seen a project; never back to an earlier one."""

    route = "PUT /v1/projects/{project_id}/visit"
    permission = Permission.PROJECT_VIEW
    undoable = False
    personal = True
    in_archive = True
    seq: int
