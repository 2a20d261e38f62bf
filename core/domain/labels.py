"""Labels: words with a colour and a sign, by which cards of all phases are found and grouped."""

from __future__ import annotations

from enum import StrEnum

from core.domain.model import Id
from core.record import Record

MAX_LABELS = 50
"""The most labels of one project, and the most of the workspace."""


class LabelColour(StrEnum):
    """The colour of a label. Each has a shade in the dark and in the light theme (``tui.drawing.labels``)."""

    RED = "RED"
    ORANGE = "ORANGE"
    YELLOW = "YELLOW"
    GREEN = "GREEN"
    TEAL = "TEAL"
    BLUE = "BLUE"
    PURPLE = "PURPLE"
    PINK = "PINK"
    GREY = "GREY"


class Label(Record, table="label"):
    """A label of a project, or of the workspace: then ``project_id`` is WORKSPACE, and every project can use it.

    ``sign`` is one or two letters or digits. It stands for the label where there is no room for its name, so that no
    label is known by its colour alone.
    """

    id: Id
    project_id: Id
    name: str
    colour: LabelColour
    sign: str
    version: int = 1


class ItemLabel(Record, table="item_label", key=("project_id", "item_id", "label_id")):
    """A label on a task or an activity."""

    project_id: Id
    item_id: Id
    label_id: Id
    version: int = 1
