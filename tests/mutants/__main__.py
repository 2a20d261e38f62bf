"""``python -m tests.mutants``: try small faults in a copy of the product, and list those that no test notices.

A mutant is the product with one such fault. ``record`` runs the quick tests and notes which lines each of them reaches,
``choose`` draws mutants from these lines, and ``run`` gives each to the tests that reach its line, until one fails. All
three keep their files in one folder. To compare the tests before and after a change of them, copy ``mutants.json`` into
a new folder, and ``run --against`` the old result there: each mutant meets first the test that noticed it before. What
that leaves open needs a ``record`` there, which then looks at the files of the mutants alone, and another ``run``.

Only what a test does in its own process counts as reached, and no test counts that fails or hangs while it is traced,
as those do in which a thread interrupts late work of another. The copy is a clone of the last commit, so that nothing
touches the checkout. ``record`` and ``run`` go on where they were interrupted: a new measurement takes a new folder. It
needs ``pip install coverage``, which is no part of the extra ``test``.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from tests.mutants.faults import Mutant, mutants_of
from tests.mutants.observer import FOLDER
from tests.support.paths import ROOT

FOLDERS = ("core/rules", "core/actions", "core/engine", "tui/screens")
BATCHES = (slice(40), slice(40, 400), slice(400, None))
"""Most mutants are noticed by the first tests, so that the files of the others need not be collected."""
IMPORT = "the import of the tests"
GONE = "its line is gone"

Results = dict[str, str | None]
"""By the key of a mutant, the test that killed it, IMPORT if no test begins, GONE if it could not be tried, or None."""


def run_pytest(folder: Path, settings: dict[str, list[str]], *arguments: str) -> int:
    """Run pytest in the copy. What it leaves behind, such as servers after a hanging test, ends with it."""
    (folder / "pytest.json").write_text(json.dumps(settings))
    (folder / "running").write_text(IMPORT)
    copy = folder / "copy"
    environment = os.environ | {FOLDER: str(folder), "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", "pytest", "-p", "tests.mutants.observer", "-p", "no:cacheprovider", *arguments]
    with (folder / "pytest.log").open("w") as log:
        process = subprocess.Popen(command, cwd=copy, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            return process.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def make_copy(folder: Path, product: str | None) -> Path:
    """A clone of the last commit, with the product of another one if that is given."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    git = shutil.which("git") or "git"
    subprocess.run([git, "clone", "--quiet", "--shared", ROOT, copy], check=True)
    if product:
        subprocess.run([git, "rm", "-rq", "core", "tui"], cwd=copy, check=True)
        subprocess.run([git, "checkout", "--quiet", product, "--", "core", "tui"], cwd=copy, check=True)
    return copy


def read_mutants(folder: Path) -> list[Mutant]:
    return [Mutant(**each) for each in json.loads((folder / "mutants.json").read_text())]


def read_results(path: Path | None) -> Results:
    results: Results = json.loads(path.read_text()) if path and path.exists() else {}
    return results


def read_reach(folder: Path) -> dict[str, list[str]]:
    """The tests that reach each mutant, in the order in which to try them."""
    path = folder / "reach.json"
    reach: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}
    return reach


def write_reach(folder: Path) -> None:
    seconds, reach = seconds_of_tests(folder), {}
    for mutant in read_mutants(folder):
        path = folder / "copy" / mutant.file
        line = mutant.line_in(path.read_bytes()) if path.exists() else None
        if line is not None:
            tests = tests_by_line(folder, mutant.file, seconds).get(line, set())
            reach[mutant.key] = sort_tests(tests, mutant.file, seconds)
    (folder / "reach.json").write_text(json.dumps(reach, indent=1))


def seconds_of_tests(folder: Path) -> dict[str, float]:
    """The time of each test that passed in the copy without a mutant."""
    return dict(json.loads(line) for path in folder.glob("passed.*") for line in path.read_text().splitlines())


def tests_by_line(folder: Path, file: str, seconds: dict[str, float]) -> dict[int, set[str]]:
    coverage = importlib.import_module("coverage")
    found: dict[int, set[str]] = {}
    for path in folder.glob("reached.*"):
        data = coverage.CoverageData(basename=str(path))
        data.read()
        for line, tests in data.contexts_by_lineno(str(folder / "copy" / file)).items():
            found.setdefault(line, set()).update(test for test in tests if test in seconds)
    return found


def record(folder: Path, processes: str, product: str | None) -> None:
    """Run the quick tests, but those that passed in a record that was interrupted."""
    copy, done = make_copy(folder, product), sorted(seconds_of_tests(folder))
    if (folder / "mutants.json").exists():
        files = {str(copy / each.file) for each in read_mutants(folder)}
    else:
        files = {str(path) for each in FOLDERS for path in (copy / each).rglob("*.py")}
    more = ("-n", processes, "--max-worker-restart", "100")  # a test that hangs ends its process
    status = run_pytest(folder, {"include": sorted(files), "done": done}, *more)
    print(f"{len(seconds_of_tests(folder))} tests passed, exit status {status}; see {folder / 'pytest.log'}")


def choose(folder: Path, seed: int, number: int) -> None:
    """Draw as many mutants from each folder, evenly: its lines are cut into so many stretches, and each gives one."""
    seconds = seconds_of_tests(folder)
    draw = random.Random(seed)
    chosen: list[Mutant] = []
    for each in FOLDERS:
        lines: list[list[Mutant]] = []
        for path in sorted((folder / "copy" / each).rglob("*.py")):
            file = str(path.relative_to(folder / "copy"))
            reached = tests_by_line(folder, file, seconds)
            by_line = itertools.groupby(mutants_of(file, path.read_bytes()), lambda mutant: mutant.line)
            lines += [list(group) for line, group in by_line if reached.get(line)]
        count = number // len(FOLDERS)
        cuts = [len(lines) * n // count for n in range(count + 1)]
        chosen += [draw_one(draw, lines[start:end], folder / "copy") for start, end in itertools.pairwise(cuts)]
    (folder / "mutants.json").write_text(json.dumps([each._asdict() for each in chosen], indent=1))
    print(collections.Counter(each.operator for each in chosen))


def draw_one(draw: random.Random, lines: list[list[Mutant]], copy: Path) -> Mutant:
    """A mutant that can be compiled: each line, and each operator on it, is as likely as the others."""
    while True:
        line = draw.choice(lines)
        operator = draw.choice(sorted({each.operator for each in line}))
        mutant = draw.choice([each for each in line if each.operator == operator])
        with suppress(SyntaxError):
            compile(mutant.apply((copy / mutant.file).read_bytes()) or b"(", mutant.file, "exec")
            return mutant


def sort_tests(tests: set[str], file: str, seconds: dict[str, float]) -> list[str]:
    """Files whose path has most words of the mutant's first; then those that take least time, and so their tests."""
    words = set(re.findall("[a-z]+", file))
    costs: dict[str, float] = {}
    for test in tests:
        costs[test.split("::")[0]] = costs.get(test.split("::")[0], 0) + seconds[test]

    def place(test: str) -> tuple[int, float, str, float]:
        path = test.split("::")[0]
        return -len(words.intersection(re.findall("[a-z]+", path))), costs[path], path, seconds[test]

    return sorted(tests, key=place)


def first_failure(folder: Path, tests: list[str]) -> str | None:
    """Run tests in this order until one fails or hangs."""
    tests = [test for test in tests if (folder / "copy" / test.split("::")[0]).exists()]
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    passes = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    if not tests or run_pytest(folder, {"tests": tests}, "-x", "-n", "0", *files) in passes:
        return None
    return (folder / "running").read_text()


def find_killer(folder: Path, tests: list[str]) -> str | None:
    """The first test that fails twice with what is in the copy now: a busy machine lets tests fail, too."""
    for batch in BATCHES:
        rest = tests[batch]
        while rest and (failed := first_failure(folder, rest)):
            if failed == IMPORT or first_failure(folder, [failed]):
                return failed
            rest = rest[rest.index(failed) + 1 :]
    return None


def run(folder: Path, result: Path, against: Path | None, product: str | None) -> int:
    """Try each mutant that has no result yet, those that few tests reach first.

    What killed a mutant runs on the product itself at the end. Where it fails there, it says nothing.
    """
    copy, reach = make_copy(folder, product), read_reach(folder)
    before, results = read_results(against), read_results(result)
    mutants = [each for each in read_mutants(folder) if against is None or before[each.key]]
    mutants.sort(key=lambda each: len(reach.get(each.key, ())))
    refused: set[str] = set()
    while True:
        for mutant in mutants:
            if mutant.key not in results:
                known = [test for test in [before.get(mutant.key)] if test]
                tests = list(dict.fromkeys([*known, *reach.get(mutant.key, ())]))
                killer = try_mutant(folder, copy / mutant.file, mutant, [test for test in tests if test not in refused])
                if killer or mutant.key in reach:
                    results[mutant.key] = killer
                    result.write_text(json.dumps(results, indent=1))
                print(time.strftime("%X"), mutant.key, "|", killer or "alive", f"({len(tests)} tests)", flush=True)
        failed = first_failure(folder, sorted({test for test in results.values() if test}))
        if failed is None:
            return show(mutants, results, is_comparison=against is not None)
        refused.add(failed)
        results = {key: test for key, test in results.items() if test != failed}


def try_mutant(folder: Path, path: Path, mutant: Mutant, tests: list[str]) -> str | None:
    source = path.read_bytes() if path.exists() else b""
    changed = mutant.apply(source)
    if changed is None:
        return GONE
    try:
        write_source(path, changed)
        return find_killer(folder, tests)
    finally:
        write_source(path, source)


def write_source(path: Path, source: bytes) -> None:
    """Write a file and remove its compiled form, which Python takes for new within the same second."""
    path.write_bytes(source)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()


def show(mutants: list[Mutant], results: Results, *, is_comparison: bool) -> int:
    """Print what survived. The exit status is 1 for a comparison in which anything that was killed before did."""
    alive = [each for each in mutants if not results.get(each.key)]
    gone = [each for each in mutants if results.get(each.key) == GONE]
    print(f"{len(mutants) - len(alive) - len(gone)} killed, {len(alive)} not killed, {len(gone)} without their line")
    for each in (*alive, *gone):
        state = GONE if each in gone else "survived" if each.key in results else "record its tests and run again"
        print(f"{each.key}: {each.before!r} -> {each.after!r}: {state}")
    return int(is_comparison and bool(alive))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("record", "choose", "run"))
    default = Path(tempfile.gettempdir(), "mutants")
    parser.add_argument("--folder", type=Path, default=default, help=f"where the files are ({default})")
    parser.add_argument("--product", metavar="COMMIT", help="take core and tui from this commit, for record and run")
    parser.add_argument("--processes", default="auto", metavar="N", help="how many processes record uses (auto)")
    parser.add_argument("--seed", type=int, default=30, help="of the choice (30)")
    parser.add_argument("--number", type=int, default=160, help="of mutants to choose (160)")
    parser.add_argument("--result", type=Path, metavar="FILE", help="what run writes (result.json in the folder)")
    parser.add_argument("--against", type=Path, metavar="FILE", help="a result; exit with 1 if more survive now")
    given = parser.parse_args(arguments)
    folder: Path = given.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    if given.step == "run":
        return run(folder, given.result or folder / "result.json", given.against, given.product)
    if given.step == "record":
        record(folder, given.processes, given.product)
    else:
        choose(folder, given.seed, given.number)
    if (folder / "mutants.json").exists():
        write_reach(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
