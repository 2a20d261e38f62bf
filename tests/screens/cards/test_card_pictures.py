"""Pictures of a card with Markdown; ``tests/screens/test_pictures.py`` says how they are taken again."""

from __future__ import annotations

import pytest

from core.actions.cards.comments import AddComment
from core.actions.workspace.profile import SetPreference
from tests.screens.test_pictures import MakeApp, Snap, app, still
from tests.support.sweeps import sizes
from tests.support.workspace import Clock, World
from tui.drawing.theme import LIGHT
from tui.screens.cards.card import CardScreen

__all__ = ["app"]

PLAN = """\
# Interviews in Lagos
Write down *what they say*, **not** what we hope: [the brief](https://example.com/brief) ~~and the plan~~

- [x] find a translator
- [ ] call `Ada` before nine
  - or the one with the long name that has to wrap in a narrow terminal, 概要を書く

1. first question
2. second question

> “We never had a list of what is in stock.”

```
podium add Call Ada @bob fri
```
---
[red]Not red[/] <b>not bold</b>
"""


@pytest.fixture
def scene(world: World, clock: Clock) -> World:
    """A card of the year before, with a comment that notifies only Bob, so that the inbox in the picture is empty."""
    clock.forward(days=-100)
    task = world.task("Interviews", description=PLAN)
    said = "*Two* agreed, @bob:\n- Ada\n- Tunde, see https://example.com/tunde"
    world.do(AddComment(item_id=task.id, text=said))
    clock.forward(days=100)
    return world


@sizes((120, 40), swept=[(80, 24), (40, 12)])
@pytest.mark.parametrize("look", ["dark", "light", "ascii"])
def test_a_card_with_markdown(scene: World, app: MakeApp, snap_compare: Snap, look: str, size: tuple[int, int]) -> None:
    if look == "ascii":
        scene.do(SetPreference(name="signs", value="ascii"))
    item_id = scene.row("item", title="Interviews")["id"]
    shown = app(lambda: CardScreen(scene.project.id, item_id), LIGHT.name if look == "light" else None)
    assert snap_compare(shown, terminal_size=size, run_before=still)
