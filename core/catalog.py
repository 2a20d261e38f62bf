"""The one list of everything that can be asked for or done; API, command line, palette, docs and tests read it."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.actions import (
    activities,
    bulk,
    canvas,
    cards,
    comments,
    deliverables,
    finding,
    gates,
    hierarchy,
    history,
    me,
    members,
    people,
    phases,
    project_lists,
    projects,
    tasks,
    workspace,
)
from core.messages import Command, Message, Query

QUERIES: tuple[type[Query[Any]], ...] = (
    me.ShowMe,
    people.ListUsers,
    hierarchy.ListNodes,
    project_lists.ListProjects,
    project_lists.ShowProject,
    finding.FindProjects,
    project_lists.ListOwnerless,
    members.ListMembers,
    members.ListCandidates,
    canvas.ShowCanvas,
    canvas.ShowCanvasChanges,
    phases.ListPhases,
    cards.ShowPhase,
    cards.ShowCard,
    tasks.ListTasks,
    gates.CheckGate,
    history.ShowHistory,
    history.ShowNews,
    history.ShowWorkspaceHistory,
)

COMMANDS: tuple[type[Command[Any]], ...] = (
    workspace.RenameWorkspace,
    me.SetPreference,
    people.AddUser,
    people.EditUser,
    people.SetPlatformRoles,
    people.DeactivateUser,
    people.ReactivateUser,
    hierarchy.AddNode,
    projects.CreateProject,
    projects.EditProject,
    projects.LinkProject,
    projects.ArchiveProject,
    projects.RestoreProject,
    projects.DeleteProject,
    projects.TakeOverProject,
    projects.StarProject,
    members.InviteMember,
    members.InviteGuest,
    members.SetProjectRole,
    members.RemoveMember,
    phases.AddPhase,
    phases.EditPhase,
    phases.SchedulePhase,
    phases.PlacePhase,
    phases.AssignPhase,
    phases.RemovePhase,
    deliverables.AddDeliverable,
    deliverables.EditDeliverable,
    deliverables.RemoveDeliverable,
    gates.DecideGate,
    activities.CreateActivity,
    activities.EditActivity,
    activities.MoveActivity,
    activities.PlaceActivity,
    activities.AssignActivity,
    activities.ScheduleActivity,
    activities.ArchiveActivity,
    activities.RestoreActivity,
    activities.DeleteActivity,
    tasks.CreateTask,
    tasks.EditTask,
    tasks.MoveTask,
    tasks.PlaceTask,
    tasks.AssignTask,
    tasks.ScheduleTask,
    tasks.ArchiveTask,
    tasks.RestoreTask,
    tasks.DeleteTask,
    comments.AddComment,
    bulk.Bulk,
    history.Undo,
    history.Redo,
)

MESSAGES: tuple[type[Message[Any]], ...] = (*QUERIES, *COMMANDS)

BY_NAME: dict[str, type[Message[Any]]] = {message.__name__: message for message in MESSAGES}


@cache
def undoable_names() -> frozenset[str]:
    """The names of the commands that Undo may take back."""
    return frozenset(command.__name__ for command in COMMANDS if command.undoable)


def summary(message: type[Message[Any]]) -> str:
    """The first line of a message's docstring: its help everywhere."""
    return (message.__doc__ or "").strip().splitlines()[0]
