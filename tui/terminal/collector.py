"""The garbage collector, off for as long as Podium starts: what is made on the way is no garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_off() -> Iterator[None]:
    """Turn the collector off. This is the one place that does, and it is on again whatever happens."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
