"""Podium beside its peers: what is said where they cannot be installed, and the lines of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.figures import missed, table
from tests.benchmarks.notes import Notes
from tests.benchmarks.peers import comparison, page
from tests.benchmarks.peers.installation import NotInstalled, found, installed
from tests.docs.peers_chart import CARDS, CHARTS, chart, draw_charts
from tests.docs.screenshots import FOLDER

PAGE = Path(__file__).parents[1] / "README.md"

NO_INDEX = "http://127.0.0.1:9/simple"
"""At which nothing answers."""


@pytest.mark.sweep
def test_podium_is_measured_where_no_peer_can_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"CONFIG_FILE": "/dev/null", "INDEX_URL": NO_INDEX, "FIND_LINKS": "", "NO_INDEX": ""}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(comparison, "SIZES", (100,))
    notes = Notes()
    said = comparison.measure(tmp_path, notes, 1, quick=True)
    for sentence, peer in zip(said, ("kanban-tui", "pykantui", "dooit", "calcurse"), strict=True):
        assert sentence.startswith(f"{peer} is not measured, since ")
        assert "\n" not in sentence
    assert "pip cannot install it: ERROR: No matching distribution found for kanban-tui" in said[0]
    assert said[3].endswith("it is not installed here: apt-get install calcurse")
    measured = {line.what for line in comparison.LINES if line.is_measured(notes)}
    own = {f"{what}, 100 cards: Podium" for what in comparison.WHAT.values()}
    assert measured == own | {"start to the first picture: a bare Textual app"}
    assert not missed(notes, comparison.LINES)
    assert all(line.what in table(notes, comparison.LINES) for line in comparison.LINES)


@pytest.mark.sweep
def test_a_peer_that_cannot_be_installed_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(NotInstalled, match=r"since pip cannot install it: .*no-such-peer"):
        installed("no-such-peer", tmp_path)


def test_a_program_that_is_not_installed_is_named_with_its_package() -> None:
    with pytest.raises(NotInstalled, match="apt-get install no-such-program"):
        found("no-such-program")


def test_the_table_has_every_size_and_part_with_its_goal() -> None:
    notes = Notes()
    for line in comparison.LINES:
        notes.add(line.samples, 1.0)
    rows = {line.what: line.row(notes) for line in comparison.LINES}
    for cards in (100, 1_000, 10_000):
        for part, what in comparison.WHAT.items():
            assert rows[f"{what}, {cards:,} cards: Podium"][1] == "1.00 ms"
            for peer in ("kanban-tui", "pykantui"):
                has_line = f"{what}, {cards:,} cards: {peer}" in rows
                assert has_line == (part != "search" or peer == "pykantui")
    beside = [row for row in rows.values() if row[3]]
    assert all(row[2] == "≥ 1 × Podium" for row in beside if row[3] == "yes")
    wanted = {row[0]: row[2] for row in beside if row[3] == "NO"}
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


def test_the_page_has_each_time_with_its_ratio_and_what_is_missed_in_bold() -> None:
    notes = Notes()
    notes.add("Podium 1000 start", 250.0)
    notes.add("kanban-tui 1000 start", 5_000.0)
    notes.add("pykantui 1000 start", 30_000.0)
    written = page.with_table(PAGE.read_text(), notes)
    assert "| start to all cards | 1,000 | 250 | 5,000 | **20.0** | 30 | 30,000 | 120 | 1 |" in written
    assert "| search for a title | 10,000 | – | – | – | 1 | – | – | 1 |" in written
    times = page.times_on_page(written, 1_000)
    assert times["start to all cards"] == {"Podium": 250.0, "kanban-tui": 5_000.0, "pykantui": 30_000.0}
    assert not times["search for a title"]
    assert page.with_table(written, notes) == written


def test_the_charts_are_those_of_the_figures_on_the_page(tmp_path: Path) -> None:
    times = page.times_on_page(PAGE.read_text(), CARDS)
    bars = sum(map(len, times.values()))
    for path in draw_charts(tmp_path, list(CHARTS)):
        drawn = path.read_text()
        assert drawn == (FOLDER / path.name).read_text(), "Run python -m tests.docs.screenshots peers peers-light"
        assert drawn.count('height="14"') == bars
        assert (FOLDER / path.name).with_suffix(".png").exists()


def test_a_chart_has_longer_bars_for_longer_times() -> None:
    drawn = chart({"start": {"Podium": 10.0, "kanban-tui": 1_000.0}}, CHARTS["peers"])
    widths = [float(line.split('width="')[1].split('"')[0]) for line in drawn.splitlines() if 'height="14"' in line]
    assert widths[0] * 3 == pytest.approx(widths[1], rel=0.01)
    assert ">10 ms<" in drawn
    assert ">1.0 s<" in drawn
