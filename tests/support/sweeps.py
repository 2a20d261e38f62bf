"""Parameters of tests that run for every message, size or seed: a sample in each run, the rest marked ``sweep``.

``pytest`` runs the sample and ``.ci/run`` runs all cases. The sample goes through the same test function, so the quick
run still tests every rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from core.actions.catalog import BY_NAME

SAMPLE = (
    "GetCanvas FindProjects Search ListHistory GetMyPermissions QueryPermissions GetLaunchContext CreateProject "
    "DeleteProject InviteMember RemoveMember DecideGate CreateActivity MoveCard DeleteCard AddApplication "
    "LaunchApplication AddComment BulkUpdate Undo SetPlatformRoles AddProduct SaveTemplate SavePreset CreateToken"
)
"""Messages of each area, of each form of answer, and those with rules of their own."""


def sweep(values: Iterable[Any], sampled: Callable[[Any], bool]) -> list[Any]:
    """The values of a parameter, those that are not ``sampled`` under the mark; a tuple holds those of several.

    At least one of them is sampled.
    """
    kept = list(values)
    assert any(map(sampled, kept)), "the quick run would test nothing here"
    return [value if sampled(value) else _marked(value) for value in kept]


def _marked(value: Any) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.sweep)


def every_message(kinds: Iterable[type] | Mapping[type, Any]) -> pytest.MarkDecorator:
    """A parameter ``kind`` with each of these messages, of which the quick run takes the sample."""
    sample = set(SAMPLE.split())
    assert sample <= set(BY_NAME)
    return pytest.mark.parametrize(
        "kind", sweep(kinds, lambda kind: kind.__name__ in sample), ids=lambda kind: kind.__name__
    )


def sizes(*quick: tuple[int, int], swept: Iterable[tuple[int, int]]) -> pytest.MarkDecorator:
    """A parameter ``size`` with these columns and rows of a terminal; the ``swept`` ones are not in the quick run."""
    values = [*quick, *(pytest.param(size, marks=pytest.mark.sweep) for size in swept)]
    return pytest.mark.parametrize("size", values, ids=lambda size: f"{size[0]}x{size[1]}")
