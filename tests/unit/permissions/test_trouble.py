"""Errors of the authorization service: both forms of bodies, without a stack trace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.authorization.faults import from_status
from core.net.http_client import Reply

HOST = "auth.example"


def told(body: object, status: int = 403) -> tuple[str, str]:
    """The sentence and the correlation id that come of a reply."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    trouble = from_status(Reply(status, {}, data), HOST)
    return str(trouble), trouble.correlation_id


def test_form_a_is_shown_with_its_correlation_id() -> None:
    error = {"errorCode": "E1", "errorMessage": "Not yours.", "correlationId": "c-42", "link": "https://x.example"}
    said, correlation_id = told({"errors": [error]})
    assert said == (
        "The permission service at auth.example does not let Podium ask (status 403): “Not yours.”"
        " Its administrator can permit it."
    )
    assert correlation_id == "c-42"


def test_form_b_is_shown_too_and_names_no_correlation_id() -> None:
    said, correlation_id = told({"errors": [{"status_code": 400, "detail": "user_id is unknown"}]}, status=400)
    assert said == (
        "The permission service at auth.example did not accept the question (status 400): “user_id is unknown”."
    )
    assert correlation_id == ""


@pytest.mark.parametrize(
    "trace",
    [
        'Traceback (most recent call last):\n  File "app.py", line 1, in ask\nKeyError',
        'ask failed:\n  File "app.py", line 1',
        "java.lang.IllegalStateException\n\tat com.example.Ask.run(Ask.java:7)",
        "TypeError: x is undefined\n    at ask (/srv/app.js:3:1)",
    ],
)
@pytest.mark.parametrize("field", ["errorMessage", "detail"])
def test_a_stack_trace_is_never_shown(field: str, trace: str) -> None:
    said, correlation_id = told({"errors": [{field: trace, "correlationId": "c-42"}]}, status=500)
    assert said.startswith("The permission service at auth.example failed (status 500).")
    assert not any(word in said for word in ("Traceback", "File", "at com", "at ask", "KeyError"))
    assert correlation_id == "c-42", "which is what its people find the trace by"


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", [], {}, {"errors": {}}, {"errors": []}, {"errors": ["no"]}, {"errors": [{"detail": 7}]}],
)
def test_a_body_of_neither_form_says_nothing(body: Any) -> None:
    assert told(body) == (
        "The permission service at auth.example does not let Podium ask (status 403). Its administrator can permit it.",
        "",
    )


def test_what_it_says_is_one_short_line_that_cannot_act() -> None:
    error = {"errorMessage": "No\x1b]0;owned\x07\n" + "x" * 500, "correlationId": "c\x1b[2J" + "y" * 500}
    said, correlation_id = told({"errors": [error]})
    assert said.isprintable()
    assert len(said) < 350
    assert correlation_id.isprintable()
    assert len(correlation_id) <= 64
