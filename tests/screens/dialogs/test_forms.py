"""Forms: what is typed comes out by name, is refused under its field, saved once, and not lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any, cast

import pytest
from textual import events

from core.errors import InvalidInput, StorageError
from core.text.sanitize import many_lines
from tests.support.dialog_driver import NOTHING_YET, PEOPLE, give_back, opened, press, seen
from tests.support.waiting import until
from tui.dialogs.fields.form_fields import (
    ChoiceField,
    DateField,
    Field,
    MultilineField,
    PeopleField,
    PickerField,
    TextField,
)
from tui.dialogs.form import FormDialog

FIELDS: tuple[Field, ...] = (
    TextField("title", "Title", "Press text"),
    ChoiceField("kind", "Kind", (("TASK", "Task"), ("ACTIVITY", "Activity")), "TASK"),
    DateField("due", "Due", date(2026, 11, 27)),
    PeopleField("who", "Assigned", PEOPLE, ("ann",)),
    MultilineField("text", "Description", "one"),
)


def form(save: Callable[[dict[str, Any]], Awaitable[object]], *fields: Field) -> FormDialog[object]:
    return FormDialog("New card", fields or FIELDS, save)


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


async def test_enter_goes_to_the_next_field_and_saves_on_the_last_one() -> None:
    async with opened(
        form(give_back, TextField("name", "Name"), DateField("due", "Due"), TextField("end", "End"))
    ) as pilot:
        assert "enter next · ctrl+s save" in seen(pilot)
        await press(pilot, "a", "enter", *"3 dec", "enter", "b")
        assert pilot.app.answer is NOTHING_YET
        assert "enter save" in seen(pilot)
        await press(pilot, "enter")
        answer = cast("dict[str, Any]", pilot.app.answer)
        assert (answer["name"], answer["due"].month, answer["end"]) == ("a", 12, "b")


async def test_pasted_lines_are_joined_in_a_field_of_one_line_and_the_form_says_so() -> None:
    async with opened(form(give_back, TextField("title", "Name"))) as pilot:
        pilot.app.screen.post_message(events.Paste("Phase 0\rPhase 1\rPhase 2"))
        await until(lambda: "3 lines were joined into one." in seen(pilot))
        await press(pilot, "enter")
        assert pilot.app.answer == {"title": "Phase 0 Phase 1 Phase 2"}


@pytest.mark.parametrize("without_colour", [False, True])
async def test_the_choice_that_has_the_focus_can_be_read_and_is_told_from_the_others(
    without_colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    async with opened(form(give_back)) as pilot:
        await press(pilot, "tab")
        assert pilot.app.focused is not None
        parts = {part.text.strip(): part.style for part in pilot.app.focused.render_line(0)}
        chosen, other = parts["‹ Task ›"], parts["Activity"]
        assert chosen is not None
        assert other is not None
        if without_colour:
            assert (chosen.reverse, other.reverse) == (True, None)
        else:
            assert chosen.bgcolor not in (chosen.color, other.bgcolor)


async def test_enter_goes_on_from_a_line_and_is_a_new_line_in_a_text() -> None:
    async with opened(form(give_back, TextField("title", "Title"), MultilineField("text", "Text"))) as pilot:
        await press(pilot, "enter", "a", "enter", "b")
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "ctrl+s")
        assert pilot.app.answer == {"title": "", "text": "a\nb"}


@pytest.mark.parametrize(
    ("key", "field"), [("enter", TextField("title", "Title")), ("ctrl+s", MultilineField("title", "Title"))]
)
async def test_an_invisible_character_is_pointed_at_and_one_key_takes_it(key: str, field: Field) -> None:
    async def save(values: dict[str, Any]) -> object:
        return many_lines(values["title"], "title")

    async with opened(form(save, field)) as pilot:
        pilot.app.post_message(events.Paste("Ask for\u200b the proof"))
        await press(pilot, key)
        told = " ".join(seen(pilot).replace("│", " ").split())
        assert "after “Ask for”, cannot be shown. Remove it." in told
        assert "The cursor is right after it." in told
        await press(pilot, "backspace", key)
        assert pilot.app.answer == "Ask for the proof"


async def test_a_day_says_what_it_means_while_it_is_typed() -> None:
    async with opened(form(give_back, DateField("due", "Due", date(2026, 11, 27)))) as pilot:
        assert "2026-11-27" in seen(pilot)
        assert "→ Fri 27 Nov 2026" in seen(pilot)
        await press(pilot, "ctrl+u", *"3.12.2030")
        assert "→ Tue 3 Dec 2030" in seen(pilot)
        await press(pilot, "enter")
        assert pilot.app.answer == {"due": date(2030, 12, 3)}


async def test_a_day_that_cannot_be_read_is_refused_under_its_field() -> None:
    async with opened(form(give_back)) as pilot:
        await press(pilot, "tab", "tab", "end", "x", "shift+tab", "ctrl+s")
        assert "cannot be read as a date" in seen(pilot)
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "backspace")
        assert "New card" in seen(pilot)
        assert "cannot be read" not in seen(pilot)


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
    kind = ChoiceField("kind", "Kind", (("web", "Web"), ("terminal", "Terminal")), "web")
    fields = (
        kind,
        TextField("url", "Address", "x", only=("kind", "web")),
        MultilineField("words", "Words", only=("kind", "terminal")),
    )
    async with opened(form(give_back, *fields)) as pilot:
        assert "Address" in seen(pilot)
        assert "Words" not in seen(pilot)
        await press(pilot, "right", "tab", "y")
        assert "Words" in seen(pilot)
        assert "Address" not in seen(pilot)
        await press(pilot, "ctrl+s")
        assert pilot.app.answer == {"kind": "terminal", "words": "y"}


async def test_what_is_chosen_can_choose_another_field_and_says_why() -> None:
    def follow(edited: str, answers: dict[str, Any]) -> dict[str, tuple[tuple[str, ...], str]]:
        return {"client": (("halden",), "It follows.")} if edited == "brand" and answers["brand"] else {}

    fields = (
        PickerField("brand", "Brand", (("fjord", "Fjordland", "Halden"), ("solo", "Solo"))),
        PickerField(
            "client", "Client", (("halden", "Halden Foods"), ("aurelia", "Aurelia")), ("aurelia",), note="A note."
        ),
    )
    dialog: FormDialog[object] = FormDialog("Links", fields, give_back, follow=follow)
    async with opened(dialog) as pilot:
        assert "None (Space to choose)" in seen(pilot)
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
        await press(pilot, "ctrl+s")
        assert "The disk is full." in seen(pilot)
        await press(pilot, "ctrl+s")
        assert pilot.app.answer == "Press text"


async def test_a_form_saves_once_however_often_enter_is_pressed() -> None:
    import asyncio

    saved: list[object] = []
    gate = asyncio.Event()

    async def save(values: dict[str, Any]) -> object:
        saved.append(values)
        await gate.wait()
        return True

    async with opened(form(save, TextField("title", "Title"))) as pilot:
        await pilot.press("enter", "enter", "ctrl+s", "escape")
        await until(lambda: "Saving…" in seen(pilot))
        gate.set()
        await press(pilot)
        assert len(saved) == 1
        assert pilot.app.answer is True


async def test_a_save_without_a_result_keeps_the_form_open() -> None:
    async def save(values: dict[str, Any]) -> object:
        return None

    async with opened(form(save)) as pilot:
        await press(pilot, "ctrl+s")
        assert pilot.app.answer is NOTHING_YET
        assert "Saving" not in seen(pilot)


async def test_esc_leaves_an_untouched_form_at_once() -> None:
    async with opened(form(give_back)) as pilot:
        await press(pilot, "escape")
        assert pilot.app.answer is None


async def test_the_app_can_be_closed_while_a_form_is_being_mounted() -> None:
    async with opened(form(give_back)) as pilot:
        second = form(give_back)
        pilot.app.push_screen(second)
        while not second.query(".answer"):
            await asyncio.sleep(0)
        assert not second.query(".under"), "the form is not mounted yet"
        pilot.app.exit()
    assert pilot.app._exception is None


async def test_esc_takes_a_second_time_to_discard_what_was_typed() -> None:
    async with opened(form(give_back)) as pilot:
        await press(pilot, "x", "escape")
        assert "Not saved. Press Esc again to discard" in seen(pilot)
        await press(pilot, "y", "escape")
        assert pilot.app.answer is NOTHING_YET
        await press(pilot, "escape")
        assert pilot.app.answer is None


async def test_people_are_picked_from_a_list_and_a_field_can_stay_without_one() -> None:
    async with opened(form(give_back, PeopleField("who", "Assigned", PEOPLE, ("ann",)))) as pilot:
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


async def test_the_field_that_is_filled_in_stays_in_view_in_a_small_terminal() -> None:
    async with opened(form(give_back), (40, 12)) as pilot:
        assert "Title" in seen(pilot)
        await press(pilot, "tab", "tab")
        assert "2026-11-27" in seen(pilot)
        await press(pilot, "tab", "tab", "tab")
        assert "Save" in seen(pilot)
