"""The origins of cards: the program that an imported card came from, and its id there."""

from __future__ import annotations

from core.domain.model import Id
from core.record import Record


class CardOrigin(Record, table="card_origin", key=("project_id", "item_id")):
    """The origin of a card that was imported, by which the next import of a changed file finds it again."""

    project_id: Id
    item_id: Id
    program: str
    source_id: str
    last: str = ""
    """The values as they were last imported: JSON with a short hash of each (``core.import_export.origins``)."""
    version: int = 1
