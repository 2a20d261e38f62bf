"""The time of the parsers of input, which a test moves on."""

from __future__ import annotations

import pytest

from tui.terminal import background, escapes, pastes


class Clock:
    """A time that stands still until a test moves it on."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    time = Clock()
    for module in (background, escapes, pastes):
        monkeypatch.setattr(module, "monotonic", time)
    return time
