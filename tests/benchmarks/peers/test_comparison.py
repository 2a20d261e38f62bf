"""Podium beside its peers: what is said where they cannot be installed, and the lines of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.figures import missed, table
from tests.benchmarks.notes import Notes
from tests.benchmarks.peers import comparison
from tests.benchmarks.peers.installation import NotInstalled, found, installed

NO_INDEX = "http://127.0.0.1:9/simple"
"""At which nothing answers."""


def test_podium_is_measured_where_no_peer_can_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"CONFIG_FILE": "/dev/null", "INDEX_URL": NO_INDEX, "FIND_LINKS": "", "NO_INDEX": ""}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(comparison, "SIZES", (10,))
    notes = Notes()
    said = comparison.measure(tmp_path, notes, 1, quick=True)
    for sentence, peer in zip(said, ("kanban-tui", "dooit", "calcurse"), strict=True):
        assert sentence.startswith(f"{peer} is not measured, since ")
        assert "\n" not in sentence
    assert "pip cannot install it: ERROR: No matching distribution found for kanban-tui" in said[0]
    assert said[2].endswith("it is not installed here: apt-get install calcurse")
    measured = {line.what for line in comparison.LINES if line.is_measured(notes)}
    assert measured == {
        "start to all cards, 10 cards: Podium",
        "cursor down or up, 10 cards: Podium",
        "move a card to the next status, 10 cards: Podium",
        "start to the first picture: a bare Textual app",
    }
    assert not missed(notes, comparison.LINES)
    assert all(line.what in table(notes, comparison.LINES) for line in comparison.LINES)


def test_a_peer_that_cannot_be_installed_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(NotInstalled, match=r"since pip cannot install it: .*no-such-peer"):
        installed("no-such-peer", tmp_path)
    with pytest.raises(NotInstalled, match="apt-get install no-such-program"):
        found("no-such-program")


def test_the_table_has_every_size_and_part_with_its_goal() -> None:
    notes = Notes()
    for line in comparison.LINES:
        notes.add(line.samples, 1.0)
    rows = {line.what: line.row(notes) for line in comparison.LINES}
    for cards in (10, 100, 1_000, 5_000):
        for what in ("start to all cards", "cursor down or up", "move a card to the next status"):
            assert rows[f"{what}, {cards:,} cards: Podium"][1] == "1.00 ms"
            assert rows[f"{what}, {cards:,} cards: kanban-tui"][1] == "1.00 × Podium"
    wanted = {row[0]: row[2] for row in rows.values() if row[3]}
    assert wanted == {
        "start to all cards, 1,000 cards: kanban-tui": "≥ 30 × Podium",
        "cursor down or up, 1,000 cards: kanban-tui": "≥ 200 × Podium",
        "move a card to the next status, 1,000 cards: kanban-tui": "≥ 1000 × Podium",
    }
    assert missed(notes, comparison.LINES) == len(wanted)
    assert {"bare Textual app", "dooit", "calcurse"} <= {
        word
        for what in rows
        if what.startswith("start to the first")
        for word in (what.split(": ")[1].removeprefix("a "),)
    }
