"""Lines with signs and hints, folded at the width they get; and a difference put in such lines."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from core.domain.templates import Difference, DifferenceKind
from tui.dialogs.diff import count_differences, entries_of
from tui.drawing.outline_lines import OutlineEntry, wrap_text
from tui.widgets.outline import Outline
from tui.wording.templates import length, tags_typed

KEPT = Difference(
    kind=DifferenceKind.KEPT,
    what="TASK",
    path=("Brief", "Kick-off", "Book the room"),
    field="due",
    before="day 1",
    after="day 2",
    reason="it is done",
)
ADDED = Difference(kind=DifferenceKind.ADDED, what="PHASE", path=("Aftercare",))
RENAMED = Difference(kind=DifferenceKind.CHANGED, what="TASK", path=("Brief", "Call"), field="roles", after="Lead")


def drawn(*entries: OutlineEntry, width: int) -> list[str]:
    return [line.plain for line in Outline(entries)._lines(width)]


def test_a_long_text_goes_on_below_its_own_beginning() -> None:
    assert drawn(OutlineEntry("Book the big room", "day 1", "○", 1), width=22) == [
        "  ○ Book the     day 1",
        "    big room",
    ]


@pytest.mark.parametrize("text", ["", "word", "日本語のとても長い言葉" * 4, "x" * 200, "a b " * 50])
@pytest.mark.parametrize("cells", [1, 8, 40])
def test_no_line_is_wider_than_there_is_room_and_nothing_is_lost(text: str, cells: int) -> None:
    lines = wrap_text(text, cells)
    assert lines
    assert all(cell_len(line) <= max(2, cells) for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_hint_takes_what_a_short_text_leaves_and_no_more_than_its_part_beside_a_long_one() -> None:
    assert drawn(OutlineEntry("Brief", "day 45 · review gate, with evidence"), width=44)[0].endswith("with evidence")
    assert drawn(OutlineEntry("B" * 60, "day 45 · review gate, with evidence"), width=44)[0].endswith("…")


def test_what_people_wrote_is_shown_without_what_could_act_on_a_terminal() -> None:
    assert "\x1b" not in "".join(drawn(OutlineEntry("red \x1b[31m\nalert", "\x07", "\x1b"), width=40))


def test_a_difference_reads_by_phase_with_signs_fields_and_reasons() -> None:
    lines = drawn(*entries_of((KEPT, RENAMED, ADDED), ascii_only=True), width=60)
    assert [line.rstrip() for line in lines] == [
        "Brief",
        "  = Kick-off > Book the room                       task kept",
        "    due: stays day 1, not day 2",
        "    because it is done",
        "  ~ Call                                        task changed",
        "    roles: nothing -> Lead",
        "",
        "+ Aftercare                                      phase added",
    ]


def test_parts_are_counted_once_however_many_fields_differ() -> None:
    assert count_differences((KEPT, RENAMED, ADDED, RENAMED)) == "1 added, 1 changed, 1 kept"
    assert count_differences(()) == "nothing differs"


@pytest.mark.parametrize(("days", "words"), [(0, ""), (1, "1 day"), (13, "13 days"), (14, "2 weeks"), (61, "9 weeks")])
def test_a_length_is_told_in_days_or_in_weeks_begun(days: int, words: str) -> None:
    assert length(days) == words


def test_tags_are_typed_between_commas_with_or_without_the_sign() -> None:
    assert tags_typed(" launch, #paid media ,, #") == ("launch", "paid media")
