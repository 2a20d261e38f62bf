"""Dialogs: keys go in, a value comes out, and what is on the screen meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen

from core.errors import InvalidInput, Obstacle, StorageError
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields import Choice, Day, Field, Line, Lines, People, Pick
from tui.dialogs.form import FormDialog
from tui.dialogs.key_menu import Entry, KeyMenu
from tui.dialogs.pick import Option, PickDialog
from tui.dialogs.why import WhyDialog
from tui.text import SafeText
from tui.theme import DARK

HOSTILE = "[red]A[/] [@click=app.bell]b[/ \x1b[31mc\u202e"
HOSTILE_SHOWN = "[red]A[/] [@click=app.bell]b[/ \ufffd[31mc\ufffd"
NOTHING_YET = object()
SIZES = [(80, 24), (40, 12), (120, 40), (20, 5), (1, 1)]


class Bench(App[None]):
    """An app that opens one dialog and keeps what it was dismissed with."""

    def __init__(self, dialog: ModalScreen[Any]) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.dialog = dialog
        self.answer: object = NOTHING_YET

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self._keep)

    def _keep(self, answer: object) -> None:
        self.answer = answer

    def get_line_filters(self) -> Any:
        return [*super().get_line_filters(), SafeText()]


@asynccontextmanager
async def opened(dialog: ModalScreen[Any], size: tuple[int, int] = (80, 24)) -> Any:
    app = Bench(dialog)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot


def seen(pilot: Pilot[None]) -> str:
    """The text on the screen."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


PEOPLE = (("ann", "Ann Lee"), ("bob", "Bob Okafor"), ("mal", HOSTILE))

FIELDS: tuple[Field, ...] = (
    Line("title", "Title", "Press text"),
    Choice("kind", "Kind", (("TASK", "Task"), ("ACTIVITY", "Activity")), "TASK"),
    Day("due", "Due", date(2026, 11, 27)),
    People("who", "Assigned", PEOPLE, ("ann",)),
    Lines("text", "Description", "one"),
)


def form(save: Callable[[dict[str, Any]], Awaitable[object]], *fields: Field) -> FormDialog[object]:
    return FormDialog("New card", fields or FIELDS, save)


async def give_back(values: dict[str, Any]) -> object:
    return values


async def test_a_form_answers_with_its_fields_by_name() -> None:
    async with opened(form(give_back)) as pilot:
        await press(pilot, "s", "tab", "right", "ctrl+s")
        assert pilot.app.answer == {
            "title": "Press texts",
            "kind": "ACTIVITY",
            "due": date(2026, 11, 27),
            "who": ("ann",),
            "text": "one",
        }


async def test_enter_submits_from_a_line_and_is_a_new_line_in_a_text() -> None:
    async with opened(form(give_back, Line("title", "Title"), Lines("text", "Text"))) as pilot:
        await press(pilot, "tab", "a", "enter", "b", "shift+tab", "enter")
        assert pilot.app.answer == {"title": "", "text": "a\nb"}


async def test_a_day_says_what_it_means_while_it_is_typed() -> None:
    async with opened(form(give_back, Day("due", "Due", date(2026, 11, 27)))) as pilot:
        assert "2026-11-27" in seen(pilot)
        assert "→ Fri 27 Nov 2026" in seen(pilot)
        await press(pilot, "ctrl+u", *"3.12.2030")
        assert "→ Tue 3 Dec 2030" in seen(pilot)
        await press(pilot, "enter")
        assert pilot.app.answer == {"due": date(2030, 12, 3)}


async def test_a_day_that_cannot_be_read_is_refused_under_its_field() -> None:
    async with opened(form(give_back)) as pilot:
        await press(pilot, "tab", "tab", "end", "x", "shift+tab", "ctrl+s")
        assert "is not a date that" in seen(pilot)
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "backspace")
        assert "is not a date" not in seen(pilot)


async def test_refused_input_is_shown_under_its_field_and_keeps_what_was_typed() -> None:
    async def refuse(values: dict[str, Any]) -> object:
        raise InvalidInput("title", "The title is taken.")

    async with opened(form(refuse)) as pilot:
        await press(pilot, "!", "tab", "tab", "ctrl+s")
        assert "Press text!" in seen(pilot)
        lines = seen(pilot).splitlines()
        at = next(number for number, line in enumerate(lines) if "Press text!" in line)
        assert "The title is taken." in lines[at + 1]
        await press(pilot, "?")
        assert "Press text!?" in seen(pilot)


async def test_a_field_is_asked_only_while_it_fits_another_answer() -> None:
    kind = Choice("kind", "Kind", (("web", "Web"), ("terminal", "Terminal")), "web")
    fields = (
        kind,
        Line("url", "Address", "x", only=("kind", "web")),
        Lines("words", "Words", only=("kind", "terminal")),
    )
    async with opened(form(give_back, *fields)) as pilot:
        assert "Address" in seen(pilot)
        assert "Words" not in seen(pilot)
        await press(pilot, "right", "tab", "y")
        assert "Address" not in seen(pilot)
        await press(pilot, "ctrl+s")
        assert pilot.app.answer == {"kind": "terminal", "words": "y"}


async def test_what_is_chosen_can_choose_another_field_and_says_why() -> None:
    def follow(edited: str, answers: dict[str, Any]) -> dict[str, tuple[tuple[str, ...], str]]:
        return {"client": (("halden",), "It follows.")} if edited == "brand" and answers["brand"] else {}

    fields = (
        Pick("brand", "Brand", (("fjord", "Fjordland", "Halden"), ("solo", "Solo"))),
        Pick("client", "Client", (("halden", "Halden Foods"), ("aurelia", "Aurelia")), ("aurelia",), note="A note."),
    )
    dialog: FormDialog[object] = FormDialog("Links", fields, give_back, follow=follow)
    async with opened(dialog) as pilot:
        assert "none – space to choose" in seen(pilot)
        assert "A note." in seen(pilot)
        await pilot.press("space")  # the list is open until enter, so its worker is not waited for
        await pilot.pause()
        await pilot.press(*"halden")
        await press(pilot, "enter")
        assert "It follows." in seen(pilot)
        assert "A note." not in seen(pilot)
        await press(pilot, "ctrl+s")
        assert pilot.app.answer == {"brand": ("fjord",), "client": ("halden",)}


@pytest.mark.parametrize("error", [StorageError("The disk is full."), InvalidInput("other", "The disk is full.")])
async def test_an_error_of_no_field_is_shown_at_the_bottom_and_can_be_tried_again(error: Exception) -> None:
    errors = [error]

    async def save(values: dict[str, Any]) -> object:
        if errors:
            raise errors.pop()
        return values["title"]

    async with opened(form(save)) as pilot:
        await press(pilot, "enter")
        assert "The disk is full." in seen(pilot)
        await press(pilot, "enter")
        assert pilot.app.answer == "Press text"


async def test_a_form_saves_once_however_often_enter_is_pressed() -> None:
    import asyncio

    saved: list[object] = []
    gate = asyncio.Event()

    async def save(values: dict[str, Any]) -> object:
        saved.append(values)
        await gate.wait()
        return True

    async with opened(form(save)) as pilot:
        await pilot.press("enter", "enter", "ctrl+s", "escape")
        assert "Saving…" in seen(pilot)
        gate.set()
        await press(pilot)
        assert len(saved) == 1
        assert pilot.app.answer is True


async def test_a_save_without_a_result_keeps_the_form_open() -> None:
    async def save(values: dict[str, Any]) -> object:
        return None

    async with opened(form(save)) as pilot:
        await press(pilot, "enter")
        assert pilot.app.answer is NOTHING_YET
        assert "Saving" not in seen(pilot)


async def test_esc_leaves_an_untouched_form_at_once() -> None:
    async with opened(form(give_back)) as pilot:
        await press(pilot, "escape")
        assert pilot.app.answer is None


async def test_esc_takes_a_second_time_to_discard_what_was_typed() -> None:
    async with opened(form(give_back)) as pilot:
        await press(pilot, "x", "escape")
        assert "Not saved – esc again to discard" in seen(pilot)
        await press(pilot, "y", "escape")
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "escape")
        assert pilot.app.answer is None


async def test_people_are_picked_from_a_list_and_one_can_be_nobody() -> None:
    async with opened(form(give_back, People("who", "Assigned", PEOPLE, ("ann",)))) as pilot:
        assert "Ann Lee" in seen(pilot)
        await pilot.press("space")
        await pilot.pause()
        assert "Nobody" in seen(pilot)
        await press(pilot, *"bob", "enter")
        assert "Bob Okafor" in seen(pilot)
        await pilot.press("enter")
        await pilot.pause()
        await press(pilot, *"nobody", "enter", "ctrl+s")
        assert pilot.app.answer == {"who": ()}


OPTIONS = [
    Option("ann", "Ann Lee", "Owner"),
    Option("bob", "Bob Okafor", "Viewer"),
    Option("old", "Old Hand", reason="Old Hand is no longer active."),
    Option("mal", HOSTILE, HOSTILE),
]


async def test_typing_narrows_a_pick_and_enter_takes_the_row() -> None:
    async with opened(PickDialog("Assign", OPTIONS)) as pilot:
        await press(pilot, *"view")
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


async def test_an_option_that_cannot_be_chosen_says_why() -> None:
    async with opened(PickDialog("Assign", OPTIONS)) as pilot:
        assert "no longer active" not in seen(pilot)
        await press(pilot, "down", "down")
        assert "Old Hand is no longer active." in seen(pilot)
        await press(pilot, "enter")
        assert "Old Hand is no longer active." in seen(pilot)
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "up")
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


WAY = (Obstacle("1", "TASK", "Interview", "Discovery"), Obstacle("2", "ACTIVITY", HOSTILE, HOSTILE))


async def test_why_shows_the_rule_and_jumps_to_what_is_in_the_way() -> None:
    async with opened(WhyDialog("Locked", "“Design” is locked.", WAY, ("Ann Lee", "Bob"))) as pilot:
        for words in ("“Design” is locked.", "Interview", "Who can help: Ann Lee, Bob."):
            assert words in seen(pilot)
        await press(pilot, "j", "enter")
        assert pilot.app.answer == WAY[1]


async def test_why_without_obstacles_closes_with_any_of_its_keys() -> None:
    async with opened(WhyDialog("Locked", "Because.", (), ())) as pilot:
        await press(pilot, "j", "w")
        assert pilot.app.answer is None


ENTRIES = [
    Entry("projects", "p", "Projects"),
    Entry("down", "j", "Lower"),
    Entry("delete", "x", "Delete for good", reason="Only owners may delete."),
    Entry("hostile", "", HOSTILE),
]


@pytest.mark.parametrize(("keys", "answer"), [("p", "projects"), ("j", "down"), (["down", "enter"], "down")])
async def test_a_letter_of_a_menu_chooses_its_entry(keys: list[str], answer: str) -> None:
    async with opened(KeyMenu("Go to", ENTRIES)) as pilot:
        await press(pilot, *keys)
        assert pilot.app.answer == answer


async def test_enter_is_never_a_letter_of_a_menu() -> None:
    async with opened(KeyMenu("Go to", [Entry("down", "j", "Lower"), Entry("open", "enter", "Open")])) as pilot:
        await press(pilot, "enter")
        assert pilot.app.answer == "down"


async def test_a_disabled_entry_of_a_menu_answers_with_its_reason() -> None:
    async with opened(KeyMenu("Go to", ENTRIES)) as pilot:
        await press(pilot, "x")
        assert "Only owners may delete." in seen(pilot)
        assert pilot.app.answer is NOTHING_YET


def every_dialog() -> list[ModalScreen[Any]]:
    hostile: tuple[Field, ...] = (
        Line("a", HOSTILE, HOSTILE, HOSTILE),
        Lines("b", HOSTILE, HOSTILE),
        Choice("c", HOSTILE, (("1", HOSTILE), ("2", "x")), "1"),
        People("d", HOSTILE, PEOPLE, ("mal",), multiple=True),
        Day("e", HOSTILE),
    )
    return [
        FormDialog(HOSTILE, hostile, give_back, note=HOSTILE),
        PickDialog(HOSTILE, OPTIONS, multiple=True),
        ConfirmDialog(HOSTILE, HOSTILE, HOSTILE),
        ConfirmDialog(HOSTILE, HOSTILE, HOSTILE, typed=HOSTILE),
        WhyDialog(HOSTILE, HOSTILE, WAY, (HOSTILE,)),
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


async def test_the_field_that_is_filled_in_stays_in_view_in_a_small_terminal() -> None:
    async with opened(form(give_back), (40, 12)) as pilot:
        assert "Title" in seen(pilot)
        await press(pilot, "tab", "tab")
        assert "2026-11-27" in seen(pilot)
        await press(pilot, "tab", "tab", "tab")
        assert "Save" in seen(pilot)


async def test_a_click_beside_the_panel_leaves() -> None:
    async with opened(WhyDialog("Locked", "Because.", (), ())) as pilot:
        await pilot.click(offset=(0, 0))
        await press(pilot)
        assert pilot.app.answer is None
