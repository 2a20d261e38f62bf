"""Opening a card with 300 long comments, in processor time, from the key to rest."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from core.actions.cards.comments import AddComment
from tests.benchmarks.notes import Notes
from tests.support.app_driver import on_stage, settled
from tests.support.prepared import new_world
from tests.support.workspace import World
from tui.screens.cards.card import CardScreen
from tui.services.destinations import ToCard

COMMENTS = 300
WORDS = {"plain": "words of a comment, one after another ", "signs": "**words** of `a` *comment*, [one](http://a.b) "}


def measure(notes: Notes, times: int) -> None:
    """Note "long card, plain" and "long card, signs"."""
    for name, words in WORDS.items():
        with TemporaryDirectory() as folder:
            asyncio.run(_open(new_world(Path(folder, "podium.db")), name, words, notes, times))


async def _open(world: World, name: str, words: str, notes: Notes, times: int) -> None:
    small, large = world.task("Small"), world.task("Large")
    for number in range(COMMENTS):
        world.do(AddComment(item_id=large.id, text=f"{number} {words * (4_500 // len(words))}"))
    for _ in range(times):
        async with on_stage(world, lambda: CardScreen(world.project.id, small.id)) as pilot:
            begin = time.process_time()
            await pilot.app.open(ToCard(world.project.id, large.id))
            await settled(pilot)
            notes.add(f"long card, {name}", time.process_time() - begin)
