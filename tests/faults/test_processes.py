"""Several programs on one database: killed in the middle of what they do, and all writing at once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from core.domain.model import Phase
from core.storage.schema.integrity import damage
from tests.support.postgres_cluster import ON_POSTGRES, place_of
from tests.support.workspace import World, open_database_of_test


class Writer:
    """One running ``tests.support.faults.writer``; what it says goes to a file, so that its death loses none of it."""

    def __init__(self, path: Path, login: str, phase: Phase, count: int, name: str) -> None:
        self.said = path.with_name(f"said-{name}")
        arguments = [place_of(path), login, phase.id, str(count), name]
        with self.said.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.faults.writer", *arguments],
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
            )

    def begun(self) -> None:
        """Wait until something was written."""
        while not self.said.stat().st_size:
            assert self.process.poll() is None
            time.sleep(0.005)

    def end(self) -> str:
        """Wait for the end; what it complained of."""
        return self.process.communicate()[1]

    def acknowledged(self) -> set[str]:
        """The tasks that were on disk, as it said. The last line of a killed program may be cut off."""
        *lines, _ = self.said.read_text().split("\n")
        return set(lines)


def check(path: Path, expected: set[str]) -> int:
    """Everything acknowledged is there, the file is whole, and neither the history nor the numbers of the cards have a
    gap; how many tasks there are."""
    with closing(open_database_of_test(path)) as database:
        if not ON_POSTGRES:
            assert damage(database.connection) == []
            assert database.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        titles = {row["title"] for row in database.read(lambda tx: tx.query("SELECT title FROM item"))}
        seqs = database.read(
            lambda tx: tx.tuples("SELECT seq FROM change WHERE project_id <> 'workspace' ORDER BY seq")
        )
        last = database.read(
            lambda tx: tx.tuples(
                "SELECT seq FROM feed WHERE id NOT IN ('workspace', 'commits') AND id NOT LIKE 'grants %'"
            )
        )
        numbers = database.read(lambda tx: tx.tuples("SELECT number FROM item ORDER BY number"))
    assert [number for (number,) in numbers] == list(range(1, len(numbers) + 1))
    assert expected <= titles, f"lost: {sorted(expected - titles)[:5]}"
    assert [row[0] for row in seqs] == list(range(1, len(seqs) + 1))
    assert last == [(len(seqs),)]
    return len(titles)


def kill_again_and_again(world: World, path: Path, cycles: int) -> None:
    world.database.close()
    expected: set[str] = set()
    chance = random.Random(cycles)
    for cycle in range(1, cycles + 1):
        writers = [Writer(path, login, world.discover, 100_000, f"{login}-{cycle}") for login in ("maya", "bob")]
        for each in writers:
            each.begun()
        time.sleep(chance.uniform(0, 0.05))
        for each in chance.sample(writers, 2):
            each.process.kill()
        for each in writers:
            each.end()
            expected |= each.acknowledged()
        assert check(path, expected) - len(expected) <= 2 * cycle  # on disk, and killed before it could say so


def write_together(world: World, path: Path, programs: int, writes: int) -> None:
    before = world.last_change()["seq"]
    running = [Writer(path, "maya", world.discover, writes, f"p{number}") for number in range(programs)]
    assert [complaint for each in running if (complaint := each.end())] == []
    assert check(path, set().union(*(each.acknowledged() for each in running))) == programs * writes
    assert world.last_change()["seq"] == before + programs * writes
    ranks = [row["rank"] for row in world.rows("SELECT rank FROM item")]
    assert len(set(ranks)) == len(ranks)


def test_what_a_killed_program_acknowledged_is_there(world: World, tmp_path: Path) -> None:
    kill_again_and_again(world, tmp_path / "podium.db", cycles=3)


@pytest.mark.slow
def test_a_hundred_kills_lose_nothing_that_was_acknowledged(world: World, tmp_path: Path) -> None:
    kill_again_and_again(world, tmp_path / "podium.db", cycles=100)


def test_programs_that_write_at_once_take_turns(world: World, tmp_path: Path) -> None:
    write_together(world, tmp_path / "podium.db", programs=3, writes=30)


@pytest.mark.slow
def test_eight_programs_write_150_times_each_without_one_refusal(world: World, tmp_path: Path) -> None:
    write_together(world, tmp_path / "podium.db", programs=8, writes=150)


@pytest.mark.slow
def test_fifty_programs_add_200_cards_each_without_a_duplicate_or_a_gap_in_their_numbers(
    world: World, tmp_path: Path
) -> None:
    write_together(world, tmp_path / "podium.db", programs=50, writes=200)
