"""Check lists in Markdown come back as they were written."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.labels import LabelColour
from core.domain.model import ItemKind, Priority, Status
from core.import_export.document import ItemEntry, LabelEntry, PersonEntry, PhaseEntry, ProjectDocument
from core.import_export.draft import archive_card
from core.import_export.files import FileFormat
from core.import_export.programs.check_lists import to_check_lists
from core.record import replace
from tests.unit.import_export.test_texts import cards, read

SIGNS = st.text(st.sampled_from("ab1 \\`*_{}[]()<>#+-.!|~&;:/@\"'=^$%,?xX"), max_size=14).map(
    lambda text: " ".join(text.split())
)
TITLES = SIGNS.filter(bool)
TEXTS = st.lists(SIGNS, max_size=4).map(lambda lines: "\n".join(lines).strip())


@st.composite
def projects(draw: st.DrawFn) -> ProjectDocument:
    """A project with all that check lists hold."""
    phases = []
    number = 0
    for name in draw(st.lists(TITLES, min_size=1, max_size=3, unique=True)):
        items: list[ItemEntry] = []
        for _ in range(draw(st.integers(0, 4))):
            number += 1
            holders = [item.id for item in items if item.kind is ItemKind.ACTIVITY]
            activity = draw(st.sampled_from([None, *holders]))
            is_task = activity is not None or draw(st.booleans())
            items.append(
                ItemEntry(
                    id=str(number),
                    kind=ItemKind.TASK if is_task else ItemKind.ACTIVITY,
                    title=draw(TITLES),
                    activity=activity,
                    status=draw(st.sampled_from([Status.TO_DO, Status.IN_PROGRESS, *([Status.COMPLETED] * is_task)])),
                    due=draw(st.sampled_from([None, date(2026, 12, 3)])),
                    priority=draw(st.sampled_from(Priority)),
                    labels=draw(st.sampled_from([(), ("a_b", "C *")])),
                    assigned=draw(st.sampled_from([(), ("maya",), ("maya@example.com", "bob")][: 2 + (not is_task)])),
                    link=draw(st.sampled_from(["", "https://example.com/a_b_c"])),
                    description=draw(TEXTS),
                )
            )
        phases.append(PhaseEntry(name=name, items=tuple(items)))
    return ProjectDocument(name=draw(TITLES), description=draw(TEXTS), phases=tuple(phases))


def told(document: ProjectDocument) -> list[Any]:
    """All that check lists say of a project, with the tasks below their activities."""
    titles = {item.id: item.title for item in document.items}
    found: list[Any] = [document.name, document.description]
    for phase in document.phases:
        tops = [item for item in phase.items if item.activity is None]
        found += [phase.name]
        found += [
            replace(item, id="", activity=titles.get(item.activity or ""), origin=None)
            for top in tops
            for item in (top, *(task for task in phase.items if task.activity == top.id))
        ]
    return found


@settings(max_examples=60, deadline=None)
@given(projects())
def test_check_lists_are_read_back_as_they_were_written(document: ProjectDocument) -> None:
    again = read(to_check_lists(document), FileFormat.CHECK_LIST).document
    assert told(again) == told(document)


def test_a_box_that_is_checked_later_completes_a_card_in_progress_and_changes_nothing_else() -> None:
    link, status = "https://example.com/brief", Status.IN_PROGRESS
    item = ItemEntry(id="1", kind=ItemKind.TASK, title="Write", status=status, link=link, description="- Link: here")
    document = ProjectDocument(name="Spring", phases=(PhaseEntry(name="Plan", items=(item,)),))
    [again] = read(to_check_lists(document).replace("[ ]", "[x]")).document.items
    assert replace(again, id="1", origin=None) == replace(item, status=Status.COMPLETED)


def test_archived_cards_are_not_written() -> None:
    item = ItemEntry(id="1", kind=ItemKind.TASK, title="Old")
    phase = PhaseEntry(name="Plan", items=(archive_card(item), replace(item, id="2", title="New")))
    people = (PersonEntry(login="maya"),)
    labels = (LabelEntry(name="print", colour=LabelColour.RED),)
    document = ProjectDocument(name="Spring", people=people, labels=labels, phases=(phase,))
    assert to_check_lists(document) == "# Spring\n\n## Plan\n\n- [ ] New\n"


ABEND = "1. Begrüßung\n2. Wichteln\n\n> Zitat\n\n| Was | Wer |\n|---|---|\n| Kekse | Ann |"
SAID = "In the description of the project, as no boxes are below: {}."


@pytest.mark.parametrize(
    ("text", "about", "expected", "said"),
    [
        (f"# P\n## A\n- [ ] x\n## Abend\n{ABEND}", f"## Abend\n\n{ABEND}", ["x: in A"], [SAID.format("“Abend”")]),
        (
            f"# P\n## A\n- [ ] x\n## {'w' * 81}",
            f"## {'w' * 81}",
            ["x: in A"],
            [f"The name of a phase is cut: “{'w' * 81}”.", SAID.format(f"“{'w' * 81}”")],
        ),
        ("# P\n## A\n- [ ] x\n## Empty", "", ["x: in A"], []),
        ('# P\n- [ ] [x](http://y "z")', "", ["x: “Link: http://y z”"], []),
        ('# P\n## [A](http://y "z")\n- [ ] x', "## A\n\nLink: http://y z", ["x: in A"], []),
        ("# P\n- [ ] x\n  - Kind: odd", "", ["x: “- Kind: odd”"], []),
        ("# P\n- [ ] x\n  - Labels: [a](http://y)", "", ["x: “- Labels: [a](http://y)”"], []),
        (
            "# P\n- [ ] x\n  - Status: in progress\n  - Due: 2026-12-03\n  - Due: 2026-12-04",
            "",
            ["x: in_progress 2026-12-03 “- Due: 2026-12-04”"],
            [],
        ),
    ],
)
def test_each_text_is_on_a_card_or_in_the_description(
    text: str, about: str, expected: list[str], said: list[str]
) -> None:
    found = read(text, FileFormat.CHECK_LIST)
    assert (found.document.description, cards(found), [*found.notes]) == (about, expected, said)


def test_headings_beyond_the_phases_of_a_project_are_in_its_description() -> None:
    found = read("# P\n- [ ] x\n" + "\n".join(f"## H{number}" for number in range(101)))
    assert found.document.description == "## H99\n\n## H100"
