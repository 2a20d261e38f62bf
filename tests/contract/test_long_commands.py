"""Long commands on both backends: they say how far they are, and are stopped without a trace."""

from __future__ import annotations

import asyncio

import pytest

from core import errors
from core.actions.projects.imports import ImportProject
from core.domain.model import ItemKind
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.storage.progress import Progress
from tests.support.backends import KINDS, backend_of
from tests.support.waiting import wait_until
from tests.support.workspace import World


@pytest.mark.parametrize("kind", KINDS)
async def test_an_import_says_how_far_it_is_and_is_stopped_without_a_trace(
    world: World, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Progress.step

    def waiting(self: Progress, done: int, total: int) -> None:
        step(self, done, total)
        if done == 100:
            wait_until(lambda: self.cancelled)

    monkeypatch.setattr(Progress, "step", waiting)
    items = tuple(ItemEntry(id=str(number), kind=ItemKind.TASK, title="Call") for number in range(300))
    document = ProjectDocument(name="Copy", phases=(PhaseEntry(name="Only", items=items),))
    told: list[tuple[int, int]] = []
    progress = Progress(lambda done, total: told.append((done, total)))
    async with backend_of(world, kind) as backend:
        importing = asyncio.create_task(backend.execute(ImportProject(document=document), progress))
        async with asyncio.timeout(20):
            while not any(done == 100 for done, _ in told):
                await asyncio.sleep(0.01)
        progress.cancel()
        with pytest.raises(errors.Cancelled, match="Nothing of it was kept"):
            await importing
        assert world.rows("SELECT 1 FROM project WHERE name = 'Copy'") == []
        monkeypatch.setattr(Progress, "step", step)
        again = await backend.execute(ImportProject(document=document, name="Again"))
    assert len(world.rows("SELECT 1 FROM item WHERE project_id = :id", id=again.id)) == 300
