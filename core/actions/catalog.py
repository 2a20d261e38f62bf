"""The catalog: the one list of all messages, which API, command line, palette, docs and tests read."""

from __future__ import annotations

from typing import Any

from core.actions.cards import (
    activities,
    application_lists,
    applications,
    ask,
    bulk,
    capture,
    cards,
    comments,
    details,
    labels,
    tasks,
)
from core.actions.dependencies import links as dependency_links
from core.actions.dependencies import lists as dependency_lists
from core.actions.fields import custom_fields
from core.actions.history import history, undo_steps, versions
from core.actions.permissions import gate_review, permissions
from core.actions.personal import folds, inbox, my_work, presets, saved_filters, search
from core.actions.portfolio import timeline, workload
from core.actions.products import launch, products, tokens
from core.actions.projects import (
    digest,
    exports,
    find,
    imports,
    imports_into,
    last_visit,
    lists,
    members,
    presence,
    project_health,
    projects,
)
from core.actions.templates import apply, templates
from core.actions.workflow import (
    burn_up,
    canvas,
    canvas_changes,
    deliverables,
    gate_conditions,
    gate_criteria,
    gate_policy,
    gate_record,
    gate_votes,
    gates,
    next_phase,
    phases,
    reschedule,
)
from core.actions.workspace import (
    credentials,
    gateway_tokens,
    hierarchy,
    meta_roles,
    profile,
    users,
    workspace,
)
from core.engine.messages import Command, Message, Query

MODULES = (
    workspace,
    profile,
    users,
    credentials,
    hierarchy,
    products,
    launch,
    tokens,
    gateway_tokens,
    meta_roles,
    permissions,
    gate_review,
    projects,
    lists,
    project_health,
    digest,
    timeline,
    workload,
    find,
    search,
    members,
    canvas,
    canvas_changes,
    phases,
    deliverables,
    custom_fields,
    gates,
    gate_conditions,
    gate_policy,
    gate_votes,
    gate_criteria,
    gate_record,
    next_phase,
    details,
    tasks,
    capture,
    activities,
    cards,
    applications,
    application_lists,
    comments,
    ask,
    labels,
    dependency_links,
    dependency_lists,
    history,
    undo_steps,
    versions,
    templates,
    apply,
    presets,
    saved_filters,
    my_work,
    inbox,
    last_visit,
    folds,
    presence,
    reschedule,
    exports,
    imports,
    imports_into,
    burn_up,
    bulk,
)
"""The modules with messages, in the order in which lists of messages name them."""

MESSAGES: tuple[type[Message[Any]], ...] = tuple(
    each
    for module in MODULES
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, Message) and "route" in vars(each)
    if each.__module__ == module.__name__
)
"""Every class with a route."""

QUERIES: tuple[type[Query[Any]], ...] = tuple(each for each in MESSAGES if issubclass(each, Query))

COMMANDS: tuple[type[Command[Any]], ...] = tuple(each for each in MESSAGES if issubclass(each, Command))

BY_NAME: dict[str, type[Message[Any]]] = {message.__name__: message for message in MESSAGES}


def summary(message: type[Message[Any]]) -> str:
    """Return the first line of a message's docstring, which is its help everywhere."""
    return (message.__doc__ or "").strip().splitlines()[0]
