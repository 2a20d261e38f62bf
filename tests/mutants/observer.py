"""A plugin of pytest: it runs the tests that a folder lists, in their order, or records the lines that each reaches."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = "MUTANTS_FOLDER"
"""The variable that names the folder."""
SECONDS_OF_A_TEST = 90
"""A test that takes longer hangs, which counts as noticing the mutant."""


class Observer:
    """``pytest.json`` has the ``tests`` to run, or the files to ``include`` in a record of those not yet ``done``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        settings = json.loads((folder / "pytest.json").read_text())
        self.order: dict[str, int] = {test: number for number, test in enumerate(settings.get("tests", ()))}
        self.include: list[str] = settings.get("include", [])
        self.done = set(settings.get("done", ()))
        self.coverage: Any = None
        self.tracer: object = None
        self.has_passed = False
        if self.order:
            self.start_alarm()

    def start_alarm(self) -> None:
        """End this process, whatever it does, unless the next test begins in time."""
        signal.alarm(SECONDS_OF_A_TEST)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self.done]
        if self.order:
            items[:] = [item for item in items if item.nodeid in self.order]
            items.sort(key=lambda item: self.order[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.start_alarm()
        if self.order:
            (self.folder / "running").write_text(item.nodeid)
            return (yield)
        if self.coverage is None:
            coverage = importlib.import_module("coverage")
            data = str(self.folder / "reached")
            self.coverage = coverage.Coverage(data_file=data, data_suffix=str(os.getpid()), include=self.include)
            self.coverage.set_option("run:disable_warnings", ["trace-changed"])
        if sys.gettrace() is not self.tracer or self.tracer is None:  # the first test, or one after a test that traced
            self.coverage.stop()
            self.coverage.start()
            self.tracer = sys.gettrace()
        self.coverage.switch_context(item.nodeid)
        self.has_passed, began = False, time.perf_counter()
        result = yield
        if self.has_passed:
            with (self.folder / f"passed.{os.getpid()}").open("a") as file:
                file.write(json.dumps([item.nodeid, round(time.perf_counter() - began, 3)]) + "\n")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "setup":
            self.has_passed = report.passed and (report.when == "call" or self.has_passed)

    def pytest_sessionfinish(self) -> None:
        signal.alarm(0)
        if self.coverage is not None:
            self.coverage.stop()
            self.coverage.save()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Observer(Path(os.environ[FOLDER])))
