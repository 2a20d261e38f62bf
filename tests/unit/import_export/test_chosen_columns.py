"""Columns that a person chooses take the place of others, and no cell is lost."""

from __future__ import annotations

import pytest

from core.domain.model import Status
from core.import_export.tables.heads import Use
from tests.unit.import_export.test_tables import cards, read

MAPPED = {
    "a title beside another": (
        "Title,Job,Stage,Phase\nA,Paint,In,One",
        {"job": Use.TITLE, "stage": Use.PHASE},
        ["Paint: in In Title=A Phase=One"],
    ),
    "the first of two heads": ("Title,Job,Job\nA,Paint,Sand", {"job": Use.TITLE}, ["Paint: Title=A Job=Sand"]),
    "the last of two titles": (
        "Title,Job,Work\nA,Paint,Sand",
        {"job": Use.TITLE, "work": Use.TITLE},
        ["Sand: Title=A Job=Paint"],
    ),
    "another use for the title": ("Title,Task\nA,Paint", {"title": Use.TEXT}, ["Paint: Title=A"]),
    "a table without heads": (
        "https://example.com/1,Paint,Issue\nhttps://example.com/2,Sand,Issue",
        {"column 2": Use.TITLE},
        ["Paint: Column 1=https://example.com/1 Column 3=Issue", "Sand: Column 1=https://example.com/2 Column 3=Issue"],
    ),
    "levels that are none": ("Title,Cost\nA,12.5", {"cost": Use.INDENT}, ["A: Cost=12.5"]),
}


@pytest.mark.parametrize("kind", MAPPED)
def test_a_column_that_the_person_chooses_takes_the_place_of_another(kind: str) -> None:
    text, columns, expected = MAPPED[kind]
    assert cards(text, columns=columns) == expected


def test_an_archived_card_was_done_before_if_it_is_so_in_the_table() -> None:
    found = read("Title,Status,Archived\nA,Done,yes\nB,,yes\nC,Done,no").document
    was = [(each.status, each.archived_from) for each in found.items]
    archived, done = Status.ARCHIVED, Status.COMPLETED
    assert was == [(archived, done), (archived, Status.TO_DO), (done, None)]
