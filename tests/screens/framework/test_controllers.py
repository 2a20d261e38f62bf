"""The shape of every screen: its keys have actions, its actions have keys, and it is neither deep nor large."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from textual.screen import Screen

from tui.keys.table import EVERYWHERE, KEYS, SCREENS, keys_on
from tui.screens.framework.screen import PodiumScreen
from tui.screens.projects.import_file import IncomingFile
from tui.screens.projects.import_screen import ImportScreen
from tui.screens.shell import navigation
from tui.services.destinations import (
    Destination,
    ToApplication,
    ToCalendar,
    ToCanvas,
    ToCard,
    ToCharts,
    ToGateRecord,
    ToHistory,
    ToImport,
    ToMembers,
    ToPage,
    ToPersonWorkload,
    ToPhase,
    ToProduct,
    ToSearch,
    ToSinceLastVisit,
    ToStatusBoard,
    ToTable,
    ToTemplate,
    ToTimeline,
)

PROJECT, RECORD = "01PROJECT", "01RECORD"

DESTINATIONS: tuple[Destination | ToImport, ...] = (
    *ToPage,
    ToImport(),
    ToSearch(),
    ToPersonWorkload(RECORD, "Bob Lind"),
    ToProduct(RECORD),
    ToTemplate(RECORD),
    ToMembers(PROJECT),
    ToHistory(PROJECT),
    ToSinceLastVisit(PROJECT, None),
    ToPhase(PROJECT, RECORD),
    ToGateRecord(PROJECT),
    ToCard(PROJECT, RECORD),
    ToApplication(PROJECT, RECORD),
    ToCanvas(PROJECT),
    ToStatusBoard(PROJECT),
    ToTimeline(PROJECT),
    ToTable(PROJECT),
    ToCalendar(PROJECT),
    ToCharts(PROJECT),
)


def screen_of(to: Destination | ToImport) -> PodiumScreen:
    """The screen of a destination; that of an import, which asks for its file first, with some file."""
    return ImportScreen(IncomingFile(Path("plan.csv"))) if isinstance(to, ToImport) else navigation.screen_of(to)


on_each_screen = pytest.mark.parametrize("to", DESTINATIONS, ids=lambda to: type(screen_of(to)).__name__)

MAX_METHODS = 40
MAX_DEPTH = 3


def test_the_screens_of_these_tests_are_all_that_have_keys() -> None:
    assert {key for to in DESTINATIONS for key in keys_on(screen_of(to).name_in_table)} == set(KEYS)


@on_each_screen
def test_each_key_of_a_screen_has_an_action(to: Destination | ToImport) -> None:
    screen = screen_of(to)
    keys = keys_on(screen.name_in_table)
    assert len(keys) > len(SCREENS[EVERYWHERE].keys)
    assert [key.id for key in keys if key.verb not in screen.keys.actions] == []


def test_each_action_of_a_controller_is_reached_by_a_key_of_some_screen() -> None:
    reached: dict[str, set[str]] = {}
    held: dict[str, set[str]] = {}
    for to in DESTINATIONS:
        screen = screen_of(to)
        verbs = {key.verb for key in keys_on(screen.name_in_table)}
        for controller in screen.controllers:
            name = next(kind.__name__ for kind in type(controller).__mro__ if "actions" in vars(kind))
            held.setdefault(name, set()).update(action.verb for action in controller.actions())
            reached.setdefault(name, set()).update(verbs)
    assert len(held) > 20
    assert {name: verbs - reached[name] for name, verbs in held.items() if verbs - reached[name]} == {}


@on_each_screen
def test_a_screen_is_of_small_depth_and_size(to: Destination | ToImport) -> None:
    own = [kind for kind in type(screen_of(to)).__mro__ if kind.__module__.startswith("tui.screens.")]
    assert len(own) <= MAX_DEPTH
    assert all(issubclass(kind, Screen) for kind in own)
    methods = {
        name
        for kind in own
        for name, value in vars(kind).items()
        if inspect.isfunction(value) or isinstance(value, property)
    }
    assert len(methods) <= MAX_METHODS


def test_an_abstract_screen_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        PodiumScreen()  # type: ignore[abstract]
