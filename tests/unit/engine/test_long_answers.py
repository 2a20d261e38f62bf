"""The JSON text of long results: written in pieces, and the same as if it were written at once."""

from __future__ import annotations

import pytest

from core.server.requests.bounds import fair_queue, limits


def test_memory_is_given_back_after_long_work_also_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[float] = []
    moments = iter([0.0, 0.01, 0.0, 0.2, 0.0, 5.0])
    monkeypatch.setattr(fair_queue, "thread_time", lambda: next(moments))
    monkeypatch.setattr(limits, "give_back_the_rest", lambda: given_back.append(1.0))
    assert fair_queue.run_and_trim(lambda: "short") == "short"
    assert given_back == []
    assert fair_queue.run_and_trim(lambda: "long") == "long"
    with pytest.raises(ZeroDivisionError):
        fair_queue.run_and_trim(lambda: 1 // 0)
    assert len(given_back) == 2
