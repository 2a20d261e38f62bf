"""A project as an open view has read it: who needs it asks only for what has changed since."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.canvas import Canvas
from core.domain.model import Id
from tui.podium import Podium


class HoldsProject(Protocol):
    """The reads of a screen that shows a project."""

    @property
    def whole(self) -> Canvas | None:
        """The project as read last; None where it is not all there, or not to be seen."""


@runtime_checkable
class HasProject(Protocol):
    """A screen that has read a project."""

    @property
    def project_id(self) -> Id: ...
    @property
    def project_reading(self) -> HoldsProject: ...


async def read_open_project(
    podium: Podium, project_id: Id, *, besides: object = None, for_opening: bool = False
) -> Canvas | None:
    """Return a project as an open view other than ``besides`` has it, with what changed since; None without a view.

    ``for_opening`` is as in ``GetCanvasChanges``. Raises PodiumError.
    """
    views = [each for each in podium.open_screens if isinstance(each, HasProject) and each is not besides]
    known = (each.project_reading.whole for each in views if each.project_id == project_id)
    canvas = next((each for each in known if each is not None), None)
    if canvas is None:
        return None
    changes = await podium.query(GetCanvasChanges.of(canvas.head, for_opening=for_opening))
    if changes is None:
        return None if for_opening else canvas
    if changes.read_again or changes.head.today != canvas.head.today:
        return None
    return canvas.after(changes)
