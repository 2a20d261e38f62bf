"""Every command and query, one package per area. Each message is one class, which also does its work.

catalog.py    the list of all messages, which API, command line, palette and tests read
cards/        tasks, activities, applications, comments, labels, and bulk changes
dependencies/ which cards wait for which, overrides, and due dates that follow
fields/       the custom fields of projects, and their values
history/      the history, undo and redo
permissions/  the permission query, and why a user can or cannot do something
personal/     inbox, my work, presets, saved filters, search
portfolio/    the projects of one user over time, and the workload of people
products/     the product registry, launches, tokens of products
projects/     projects, their members, imports and exports, presence
templates/    templates: saved, applied, merged into a project
workflow/     the Canvas, phases, gates, deliverables, dates
workspace/    users, tokens, meta roles, the hierarchy, the workspace itself
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.engine.messages import Catalog


def load_catalog() -> Catalog:
    """Import every action and return all messages by name. An engine is given this function, not its result."""
    from core.actions.catalog import BY_NAME

    return BY_NAME
