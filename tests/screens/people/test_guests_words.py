"""The empty lists of a guest on no project: they say why they are empty, and who can help."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.app_driver import on_stage, seen
from tests.support.workspace import World
from tui.screens.framework.screen import PodiumScreen
from tui.screens.products.products import ProductsScreen
from tui.screens.projects.hierarchy import HierarchyScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.templates.templates import TemplatesScreen


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])
@pytest.mark.parametrize("screen", [ProjectsScreen, ProductsScreen, TemplatesScreen, HierarchyScreen])
async def test_an_empty_list_says_to_a_guest_whom_to_ask(
    world: World, screen: Callable[[], PodiumScreen], size: tuple[int, int]
) -> None:
    world.product("Pictures")
    async with on_stage(world, screen, world.gus, size) as pilot:
        words = " ".join(seen(pilot).replace("▏", " ").split())
        assert "yet You see the" in words or "yet As a guest you see the" in words
        assert "Ask a project's owner to add you" in words
        assert "Pictures" not in words


async def test_others_read_of_an_empty_list_what_fills_it(world: World) -> None:
    async with on_stage(world, ProductsScreen) as pilot:
        assert "n registers one" in seen(pilot)
