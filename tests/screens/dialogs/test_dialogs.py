"""Lists, questions, reasons and menus, and what holds of every dialog, forms included."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.screen import ModalScreen

from core.errors import Blocker
from tests.support.dialog_driver import HOSTILE, HOSTILE_SHOWN, NOTHING_YET, PEOPLE, give_back, opened, press, seen
from tui.dialogs.blockers import BlockersDialog, WayOut
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.form_fields import ChoiceField, DateField, Field, MultilineField, PeopleField, TextField
from tui.dialogs.form import FormDialog
from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
from tui.dialogs.menus.picker import Option, PickDialog

SIZES = [(80, 24), (40, 12), (120, 40), (20, 5), (1, 1)]


OPTIONS = [
    Option("ann", "Ann Lee", "Owner"),
    Option("bob", "Bob Okafor", "Viewer"),
    Option("old", "Old Hand", reason="Old Hand is no longer active."),
    Option("mal", HOSTILE, HOSTILE),
]


async def test_typing_narrows_a_pick_and_enter_takes_the_row() -> None:
    async with opened(PickDialog("Assign", OPTIONS)) as pilot:
        await press(pilot, *"view")
        assert "Bob Okafor" in seen(pilot)
        assert "Ann Lee" not in seen(pilot)
        await press(pilot, "enter")
        assert pilot.app.answer == ("bob",)


async def test_several_are_marked_with_space_and_taken_with_enter() -> None:
    async with opened(PickDialog("Assign", OPTIONS, multiple=True, chosen=["bob"])) as pilot:
        assert "■ Bob Okafor" in seen(pilot)
        await press(pilot, "up", "space", "enter")
        assert pilot.app.answer == ("ann", "bob")


async def test_all_marks_can_be_taken_away() -> None:
    async with opened(PickDialog("Assign", OPTIONS, multiple=True, chosen=["bob"])) as pilot:
        await press(pilot, "space", "enter")
        assert pilot.app.answer == ()


async def test_enter_takes_only_what_is_marked_where_rights_are_given() -> None:
    async with opened(PickDialog("Roles", OPTIONS, multiple=True, only_marked=True)) as pilot:
        await press(pilot, "enter")
        assert pilot.app.answer == ()


@pytest.mark.parametrize(("options", "marked"), [({"only_marked": True}, ()), ({"chosen": ["bob"]}, ("bob",))])
async def test_enter_after_a_typed_name_marks_it_and_the_next_enter_is_done(
    options: dict[str, Any], marked: tuple[str, ...]
) -> None:
    async with opened(PickDialog("Roles", OPTIONS, multiple=True, **options)) as pilot:
        await press(pilot, *"ann", "enter")
        assert pilot.app.answer is NOTHING_YET
        assert "■ Ann Lee" in seen(pilot)
        assert "Bob Okafor" in seen(pilot), "the filter is empty again"
        await press(pilot, "enter")
        assert pilot.app.answer == ("ann", *marked)


async def test_enter_after_a_name_that_matches_nothing_says_so_and_keeps_the_list_open() -> None:
    async with opened(PickDialog("Roles", OPTIONS, multiple=True, only_marked=True)) as pilot:
        await press(pilot, *"zzz", "enter")
        assert "No matches." in seen(pilot)
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "backspace", "backspace", "backspace", "enter")
        assert pilot.app.answer == ()


async def test_enter_on_a_typed_name_that_cannot_be_chosen_says_why_and_marks_nothing() -> None:
    async with opened(PickDialog("Roles", OPTIONS, multiple=True, only_marked=True)) as pilot:
        await press(pilot, *"old", "enter")
        assert "Old Hand is no longer active." in seen(pilot)
        await press(pilot, "backspace", "backspace", "backspace", "enter")
        assert pilot.app.answer == ()


async def test_a_typed_name_that_is_marked_with_space_is_done_with_one_enter() -> None:
    async with opened(PickDialog("Roles", OPTIONS, multiple=True, only_marked=True)) as pilot:
        await press(pilot, *"ann", "space", "enter")
        assert pilot.app.answer == ("ann",)


async def test_an_option_that_cannot_be_chosen_says_why() -> None:
    async with opened(PickDialog("Assign", OPTIONS)) as pilot:
        assert "Old Hand" in seen(pilot)
        assert "no longer active" not in seen(pilot)
        await press(pilot, "down", "down")
        assert "Old Hand is no longer active." in seen(pilot)
        await press(pilot, "enter")
        assert "Old Hand is no longer active." in seen(pilot)
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "up")
        assert "Old Hand" in seen(pilot)
        assert "no longer active" not in seen(pilot)


async def test_a_pick_stands_still_while_the_cursor_passes_what_cannot_be_chosen() -> None:
    async with opened(PickDialog("Assign", OPTIONS)) as pilot:
        before = pilot.app.screen.query_one("#panel").region
        await press(pilot, "down", "down")
        assert "no longer active" in seen(pilot)
        assert pilot.app.screen.query_one("#panel").region == before


async def test_a_pick_without_options_says_so() -> None:
    async with opened(PickDialog("Assign", [], empty="Nobody is a member yet.")) as pilot:
        assert "Nobody is a member yet." in seen(pilot)
        await press(pilot, "enter", "space", "down", "escape")
        assert pilot.app.answer is None


async def test_a_long_pick_scrolls_with_its_cursor_and_takes_a_click() -> None:
    options = [Option(str(number), f"Row {number}") for number in range(100)]
    async with opened(PickDialog("Choose", options, chosen=["70"]), (40, 12)) as pilot:
        assert "❯ Row 70" in seen(pilot)
        await press(pilot, "pageup", "pageup", "pagedown")
        assert "❯ Row" in seen(pilot)
        await pilot.click("#rows", offset=(5, 0))
        await press(pilot)
        assert isinstance(pilot.app.answer, tuple)


@pytest.mark.parametrize(("key", "answer"), [("y", True), ("n", False), ("escape", False), ("enter", False)])
async def test_a_confirmation_is_only_a_clear_yes(key: str, answer: bool) -> None:
    async with opened(ConfirmDialog("Remove", "Remove Ann Lee?", "Remove")) as pilot:
        await press(pilot, key)
        assert pilot.app.answer is answer


async def test_deleting_for_good_takes_the_typed_word() -> None:
    async with opened(ConfirmDialog("Delete", "For good.", "Delete", typed="Spring")) as pilot:
        await press(pilot, "y", "enter")
        assert "That is not “Spring”." in seen(pilot)
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "backspace", *"Spring", "enter")
        assert pilot.app.answer is True


OUT = (WayOut("!", "Override the lock"),)
WAY = (Blocker("1", "TASK", "Interview", "Discovery"), Blocker("2", "ACTIVITY", HOSTILE, HOSTILE))


async def test_why_shows_the_rule_and_jumps_to_what_is_in_the_way() -> None:
    async with opened(BlockersDialog("Locked", "“Design” is locked.", WAY, "Ann Lee and Bob can help.", OUT)) as pilot:
        for words in ("“Design” is locked.", "Interview", "Ann Lee and Bob can help.", "Override the lock"):
            assert words in seen(pilot)
        await press(pilot, "j", "enter")
        assert pilot.app.answer == WAY[1]


@pytest.mark.parametrize("keys", [("exclamation_mark",), ("j", "j", "enter")], ids=["its key", "the cursor"])
async def test_a_way_out_of_a_refusal_is_taken_by_its_key_or_the_cursor(keys: tuple[str, ...]) -> None:
    async with opened(BlockersDialog("Locked", "“Design” is locked.", WAY, "", OUT)) as pilot:
        await press(pilot, *keys)
        assert pilot.app.answer == OUT[0]


async def test_why_without_obstacles_closes_with_any_of_its_keys() -> None:
    async with opened(BlockersDialog("Locked", "Because.")) as pilot:
        await press(pilot, "j", "w")
        assert pilot.app.answer is None


ENTRIES = [
    MenuEntry("projects", "p", "Projects"),
    MenuEntry("down", "j", "Lower"),
    MenuEntry("delete", "x", "Delete for good", reason="Only owners may delete."),
    MenuEntry("hostile", "", HOSTILE),
]


@pytest.mark.parametrize(("keys", "answer"), [("p", "projects"), ("j", "down"), (["down", "enter"], "down")])
async def test_a_letter_of_a_menu_chooses_its_entry(keys: list[str], answer: str) -> None:
    async with opened(KeyMenu("Go to", ENTRIES)) as pilot:
        await press(pilot, *keys)
        assert pilot.app.answer == answer


async def test_a_letter_pressed_twice_in_a_burst_answers_once_and_closes_nothing_else() -> None:
    async with opened(KeyMenu("Go to", ENTRIES)) as pilot:
        for _ in range(3):
            pilot.app.screen.post_message(events.Key("j", "j"))
        await press(pilot)
        assert pilot.app.answer == "down"
        assert len(pilot.app.screen_stack) == 1


async def test_enter_is_never_a_letter_of_a_menu() -> None:
    async with opened(KeyMenu("Go to", [MenuEntry("down", "j", "Lower"), MenuEntry("open", "enter", "Open")])) as pilot:
        await press(pilot, "enter")
        assert pilot.app.answer == "down"


async def test_a_disabled_entry_of_a_menu_answers_with_its_reason() -> None:
    async with opened(KeyMenu("Go to", ENTRIES)) as pilot:
        await press(pilot, "x")
        assert "Only owners may delete." in seen(pilot)
        assert pilot.app.answer is NOTHING_YET


def every_dialog() -> list[ModalScreen[Any]]:
    hostile: tuple[Field, ...] = (
        TextField("a", HOSTILE, HOSTILE, HOSTILE),
        MultilineField("b", HOSTILE, HOSTILE),
        ChoiceField("c", HOSTILE, (("1", HOSTILE), ("2", "x")), "1"),
        PeopleField("d", HOSTILE, PEOPLE, ("mal",), multiple=True),
        DateField("e", HOSTILE),
    )
    return [
        FormDialog(HOSTILE, hostile, give_back, note=HOSTILE),
        PickDialog(HOSTILE, OPTIONS, multiple=True),
        ConfirmDialog(HOSTILE, HOSTILE, HOSTILE),
        ConfirmDialog(HOSTILE, HOSTILE, HOSTILE, typed=HOSTILE),
        BlockersDialog(HOSTILE, HOSTILE, WAY, HOSTILE, [WayOut("!", HOSTILE)]),
        KeyMenu(HOSTILE, ENTRIES),
    ]


@pytest.mark.parametrize("number", range(6))
async def test_hostile_text_stands_as_it_was_written_and_acts_on_nothing(number: int) -> None:
    async with opened(every_dialog()[number], (120, 40)) as pilot:
        assert HOSTILE_SHOWN in seen(pilot)
        assert "\x1b" not in seen(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        assert not any(segment.style and segment.style.meta.get("@click") for strip in strips for segment in strip)


@pytest.mark.parametrize("number", range(6))
async def test_a_dialog_lives_through_every_size_while_it_is_open(number: int) -> None:
    async with opened(every_dialog()[number]) as pilot:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await press(pilot, "tab", "down", "up")
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert max(len(line) for line in seen(pilot).splitlines()) <= 40
        await press(pilot, "escape", "escape")
        assert pilot.app.answer is not NOTHING_YET


async def test_a_click_beside_the_panel_leaves() -> None:
    async with opened(BlockersDialog("Locked", "Because.")) as pilot:
        await pilot.click(offset=(0, 0))
        await press(pilot)
        assert pilot.app.answer is None


async def test_a_name_that_begins_as_typed_comes_before_one_that_only_has_the_letters() -> None:
    options = [Option("none", "Nobody"), Option("jo", "Jo Abbot"), Option("bob", "Bob Lind"), Option("li", "Li Bo")]
    async with opened(PickDialog("Assign", options)) as pilot:
        await press(pilot, *"bo")
        shown = seen(pilot)
        assert shown.index("Bob Lind") < shown.index("Li Bo") < shown.index("Nobody") < shown.index("Jo Abbot")
        await press(pilot, "enter")
        assert pilot.app.answer == ("bob",)
