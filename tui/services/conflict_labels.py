"""Names of the records that a record in conflict refers to: its phase, activity and people.

They are read when a conflict is shown, which is rare, so every screen shows a conflict in the same words.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from core.domain.model import Id
from core.errors import PodiumError
from core.record import fields
from tui.services.host import Host

Names = dict[Id, str]


async def labels_for(app: Host, record: Any, changed: Collection[str]) -> Names:
    """Names by id of all records to which the ``changed`` fields can refer, without those that cannot be read.

    Never raises.
    """
    names: Names = {}
    for their_fields, read in _SOURCES:
        if their_fields & set(fields(record)) & set(changed):
            with contextlib.suppress(PodiumError):
                names |= await read(app, record)
    return names


async def _of_project(app: Host, record: Any) -> Names:
    """The phases, cards and people of the project."""
    from core.actions.workflow.canvas import GetCanvas

    canvas = await app.query(GetCanvas(project_id=record.project_id))
    cards = {card.id: card.title for card in canvas.cards}
    people = {member.user_id: member.name for member in canvas.head.members}
    return cards | people | {column.id: column.name for column in canvas.head.columns}


async def _of_hierarchy(app: Host, _record: object) -> Names:
    from core.actions.workspace.hierarchy import ListNodes

    return {node.id: node.name for node in await app.query(ListNodes())}


async def _of_products(app: Host, _record: object) -> Names:
    from core.actions.products.products import ListProducts

    return {line.product.id: line.product.name for line in await app.query(ListProducts())}


async def _of_meta_roles(app: Host, _record: object) -> Names:
    from core.actions.workspace.meta_roles import ListMetaRoles

    return {line.meta_role.id: line.meta_role.name for line in await app.query(ListMetaRoles())}


_SOURCES: tuple[tuple[frozenset[str], Callable[[Host, Any], Awaitable[Names]]], ...] = (
    (frozenset({"phase_id", "activity_id", "assignee_id", "assignee_ids", "user_id"}), _of_project),
    (frozenset({"client_id", "market_id", "brand_id", "parent_id"}), _of_hierarchy),
    (frozenset({"product_id"}), _of_products),
    (frozenset({"meta_role_ids"}), _of_meta_roles),
)
"""Fields with ids, and the function that reads the names for them."""
