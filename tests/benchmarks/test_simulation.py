"""The simulation: its forecast follows from its costs and its rates, and nobody is left out."""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from core.server.endpoints.event_stream import OTHERS_SECONDS
from tests.benchmarks import simulation
from tests.benchmarks.everyday import KINDS, PARTS, note_seen
from tests.benchmarks.notes import Notes, NotMeasured
from tests.benchmarks.people import card_of, project_of
from tests.benchmarks.profiles import MONDAY, ORDINARY, PROFILES, SCREENS, WORKS, Profile
from tests.benchmarks.simulation import Cost, Costs, Simulation, forecast, is_near, with_part

NOTHING = Cost(0, 0)
COSTS = Costs(
    kinds={**dict.fromkeys(KINDS, Cost(1, 0.5)), "follow": Cost(0.5, 0.2), "follow first": Cost(2, 1)},
    look=Cost(0.2, 0.1),
    look_each=Cost(0.005, 0.01),
    standby=3.0,
    again=0.0,
    idle=NOTHING,
)
QUICK = replace(COSTS, look=NOTHING, look_each=NOTHING)
QUIET = Profile("nobody does anything else", {**dict.fromkeys(WORKS, 0.0), "command": 2.0})


def notes_of_a_run() -> Notes:
    notes = Notes()
    costs = {"server": 2.0, "database": 1.0, "client": 0.3, "wait": 1.0, "elsewhere": 0.1}
    for kind in KINDS:
        for part in PARTS:
            notes.add(f"cost {kind} {part}", costs[part])
    for name, server, database in (("look", 0.2, 0.1), ("look of all", 1.2, 3.1), ("idle", 0.01, 0.02)):
        notes.add(f"cost {name} server", server)
        notes.add(f"cost {name} database", database)
    for people, milliseconds in ((1, 3.0), (5, 7.0)):
        for part in ("server", "database", "client"):
            notes.add(f"cost followed by {people} {part}", milliseconds)
    notes.add("cost standby", 2.5)
    notes.add("cost retries", 0.07)
    notes.add("everyday load", 0.3)
    for profile in PROFILES:
        for what in ("servers", "database", "others"):
            notes.add(f"{profile.name} {what}", 0.5)
        for what in ("command", "canvas", "seen"):
            notes.add(f"{profile.name} {what}", 20, 30, 40)
    return notes


def run(costs: Costs = COSTS, profile: Profile = MONDAY, people: int = 200, servers: int = 2) -> simulation.Outcome:
    random.seed(1)
    return Simulation(costs, profile, people, servers, processors=8).run(60)


def test_the_costs_leave_out_what_is_counted_by_itself() -> None:
    costs = Costs.of(notes_of_a_run(), round_trip=1.5)
    assert costs.kinds["command"].server == pytest.approx(2.0 - 0.2)
    assert costs.kinds["command"].database == pytest.approx(1.0 - 2 * 0.1)
    assert costs.kinds["follow first"].server == pytest.approx(3.0 - 0.2)
    assert costs.kinds["follow"].server == pytest.approx(1.0)
    assert costs.look_of(200).database == pytest.approx(0.1 + 2 * 3.0)
    assert costs.standby == pytest.approx(4.0)
    assert costs.again == pytest.approx(0.01)


def test_everyone_does_what_the_profile_says_and_everyone_sees_every_change() -> None:
    outcome = run(people=1_000, servers=4)
    for work, rate in MONDAY.per_minute.items():
        assert len(outcome.times[work]) == pytest.approx(1_000 * rate, rel=0.15), work
    assert len(outcome.times["seen"]) == pytest.approx(SCREENS * len(outcome.times["command"]), rel=0.01)
    assert len(outcome.times["nothing"]) == pytest.approx(1_000 * 60 / OTHERS_SECONDS, rel=0.1)
    assert len(outcome.times["beat"]) == pytest.approx(1_000 * MONDAY.count_reports(250), rel=0.1)


def test_a_command_waits_for_the_standby_and_takes_longer_where_it_runs_again() -> None:
    alone = replace(COSTS, standby=0.0)
    first, waiting = (run(costs, QUIET, people=20).part("command", 0.5) for costs in (alone, COSTS))
    assert waiting - first == pytest.approx(COSTS.standby, abs=0.01)
    again = run(replace(COSTS, again=0.2), people=4_000, servers=8)
    assert again.database > run(people=4_000, servers=8).database


LIGHT = {**COSTS.kinds, **dict.fromkeys(("canvas", "search", "step", "beat", "nothing"), NOTHING)}


@pytest.mark.parametrize(
    "less",
    [replace(COSTS, kinds=LIGHT), replace(COSTS, look=NOTHING), replace(COSTS, look_each=NOTHING)],
    ids=["reads and presence", "look", "look of each"],
)
def test_reads_presence_and_looks_all_keep_servers_and_database_busy(less: Costs) -> None:
    assert run(less).servers < run().servers
    assert run(less).database < run().database


def test_looks_that_take_long_are_made_seldom_and_cover_several_commits() -> None:
    slow = replace(COSTS, look_each=Cost(0.0, 1.0))
    outcome = run(slow, QUIET, people=2_000)
    looking = outcome.database - run(QUICK, QUIET, people=2_000).database
    assert 0.5 < looking < 2, "a server looks at most all the time, and does not look for each of 67 commands a second"
    assert len(outcome.times["seen"]) == pytest.approx(SCREENS * len(outcome.times["command"]), rel=0.1)


def test_a_shared_machine_keeps_people_waiting_where_several_would_not() -> None:
    random.seed(1)
    shared = Simulation(COSTS, MONDAY, 1_000, 4, processors=1, shared=True).run(30)
    random.seed(1)
    apart = Simulation(COSTS, MONDAY, 1_000, 4, processors=8).run(30)
    assert shared.part("command", 0.5) > 2 * apart.part("command", 0.5)


def test_more_people_take_more_servers_until_one_database_does_not_carry_them() -> None:
    slow = replace(COSTS, kinds=dict.fromkeys(COSTS.kinds, Cost(10, 1)))
    some, many = (forecast(slow, ORDINARY, people, 16) for people in (200, 1_000))
    assert some is not None
    assert many is not None
    assert some[0] < many[0]
    assert forecast(slow, MONDAY, 1_000, 1) is None


def test_the_pages_say_how_near_the_forecast_is_and_what_the_most_people_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "CROWDS", (200, 400))
    for name, part in (("page.md", "simulation"), ("guide.md", "forecast")):
        (tmp_path / name).write_text(f"Before\n<!-- {part} -->\nold\n<!-- /{part} -->\nafter\n")
    simulation.write_pages(notes_of_a_run(), tmp_path / "page.md", tmp_path / "guide.md")
    page, guide = ((tmp_path / name).read_text() for name in ("page.md", "guide.md"))
    rows = [line for line in page.splitlines() if line.startswith(("| an ordinary", "| a Monday"))]
    assert len(rows) == 8 * len(PROFILES)
    assert all(row.endswith(("| yes |", "| **no** |")) for row in rows)
    assert "**no**" in page
    for text in (page, guide):
        assert "the load was 0.3; during it the standby and other programs used 0.50 and 0.50 processors." in text
    assert "**400 people are a forecast and no measurement:**" in guide
    for text in (page, guide):
        assert text.startswith("Before\n")
        assert text.endswith("after\n")
        assert "old" not in text


def test_a_page_without_the_markers_is_refused() -> None:
    with pytest.raises(AssertionError, match="forecast"):
        with_part("nothing here", "forecast", "text")


def test_a_forecast_is_near_within_a_fifth() -> None:
    assert [is_near(each, 100) for each in (79, 80, 120, 121)] == [False, True, True, False]


def test_what_a_screen_never_showed_counts_as_missed() -> None:
    notes, card = Notes(), card_of(project_of(3), 3)
    sent = [(card, 10.0), (card, 20.0)]
    seen = [(person, card, 10.0 + person / 1000) for person in range(SCREENS)] + [(4, card, 20.5)]
    note_seen(notes, "run", sent, seen)
    assert notes.of("run missed") == [SCREENS - 2]
    assert len(notes.of("run seen")) == SCREENS
    assert max(notes.of("run seen")) == pytest.approx(500)


def test_without_a_measurement_it_says_which_one_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text(json.dumps({"cost command server": [10.0]}))
    arguments = argparse.Namespace(file=str(file), measured_on=2, processors=8, round_trip=0.0)
    with pytest.raises(NotMeasured, match="cost command database"):
        simulation.main(arguments)
