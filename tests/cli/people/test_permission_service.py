"""``podium`` where an authorization service decides: exit status, both forms of output, doctor and config."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from core.domain.permissions import ADDED_CODES, Permission
from core.storage.sqlite.database import SqliteDatabase
from tests.cli.conftest import CommandLine
from tests.support.authorization_service.server import TOKEN, Service


@pytest.fixture
def pointed(run: CommandLine, service: Service, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line on the demo, with the stand-in deciding as the database would."""
    for name, value in {**service.environment, "PODIUM_AUTH_TIMEOUT": "20"}.items():
        monkeypatch.setenv(name, value)
    database = SqliteDatabase(run.db)
    service.copy(database)
    database.close()
    return run


def finding(run: CommandLine, status: int = 0) -> dict[str, Any]:
    """The result of doctor about permissions."""
    findings = run.json("doctor", status=status)["data"]
    return dict(next(each for each in findings if each["what"] == "Permissions"))


def settings(run: CommandLine) -> dict[str, dict[str, Any]]:
    """The value and the source of each setting, by its name."""
    return {each.pop("name"): each for each in run.json("config")["data"]}


def test_the_service_decides(pointed: CommandLine, service: Service) -> None:
    pointed("project", "create", "Autumn")
    assert service.requests
    service.holdings.held.clear()
    error = pointed.error("project", "create", "Winter", status=3)
    assert error["errorCode"] == "FORBIDDEN"
    assert "permission service" in error["errorMessage"]


def test_the_list_says_what_is_withheld(pointed: CommandLine, service: Service) -> None:
    before = pointed.json("project", "list")["data"][0]
    service.holdings.held = {
        (user, account): codes
        for (user, account), codes in service.holdings.held.items()
        if account != before["project"]["authId"]
    }
    after = next(each for each in pointed.json("project", "list")["data"] if each["withheld"])
    assert (after["project"]["name"], after["members"]) == (before["project"]["name"], [])
    assert "does not let you see this project" in after["withheld"]
    assert "withheld" in pointed("project", "list").stdout


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("refused", "UNAVAILABLE"),
        ("hang", "TIMED_OUT"),
        ("503", "UNAVAILABLE"),
        ("html", "INVALID"),
        ("nan", "INVALID"),
    ],
)
def test_when_it_is_away_nothing_is_done_and_the_exit_status_says_so(
    fault: str, code: str, pointed: CommandLine, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "hang":
        monkeypatch.setenv("PODIUM_AUTH_TIMEOUT", "2")
    service.misbehave(fault)
    for line in (("project", "create", "Autumn"), ("project", "list"), ("run", "RenameWorkspace", "name=South")):
        error = pointed.error(*line, status=5)
        assert error["errorCode"] == f"AUTHORIZATION_{code}"
        assert error["errorMessage"].startswith(f"The permission service at {service.url.removeprefix('http://')} ")
        assert error["correlationId"]
    service.behave()
    assert "Autumn" not in pointed("project", "list").stdout


def test_the_correlation_id_of_the_service_is_shown_to_programs_and_people(
    pointed: CommandLine, service: Service
) -> None:
    service.misbehave("403")
    error = pointed.error("project", "list", status=5)
    assert error["correlationId"] == "4711-service"
    assert "This client may not ask about this account." in error["errorMessage"]
    assert pointed("project", "list", status=5).stderr.splitlines()[-1] == "Correlation id: 4711-service"
    service.misbehave("400")
    error = pointed.error("project", "list", status=5)
    assert "user_id is not known" in error["errorMessage"]
    assert error["correlationId"] == service.requests[-1].headers["x-correlation-id"]


def test_what_the_service_says_cannot_act_on_the_terminal(pointed: CommandLine, service: Service) -> None:
    service.misbehave("500 with escapes")
    said = pointed("project", "list", status=5).stderr
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "[red]bold[/red]" in said
    assert len(said) < 500
    service.misbehave("500 with a trace")
    assert "Traceback" not in pointed("project", "list", status=5).stderr


def test_doctor_names_the_source_the_token_and_whether_it_answers(
    run: CommandLine, pointed: CommandLine, service: Service
) -> None:
    good = finding(pointed)
    assert good["verdict"] == "GOOD"
    assert all(word in good["found"] for word in ("remote", service.url, "PODIUM_AUTH_TOKEN", "answered in"))
    service.misbehave("401")
    bad = finding(pointed, status=5)
    assert (bad["verdict"], "The token has expired." in bad["found"]) == ("BAD", True)
    assert "4711-service" in bad["found"]
    assert TOKEN not in pointed("doctor", status=5).output + pointed("config").output


def test_doctor_says_that_the_database_decides(run: CommandLine) -> None:
    assert finding(run)["found"] == "local: decided by the roles in this database"


def test_doctor_says_what_is_wrong_with_the_token_or_the_addresses(
    run: CommandLine, service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PODIUM_AUTH_URL", service.url)
    assert "has no token" in finding(run, status=5)["found"]
    file = tmp_path / "token"
    file.write_text("secret-in-file")
    file.chmod(0o644)
    monkeypatch.setenv("PODIUM_AUTH_TOKEN_FILE", str(file))
    assert "chmod 600" in finding(run, status=5)["found"]
    file.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert str(file) in finding(run)["found"]
    monkeypatch.setenv("PODIUM_AUTH_STAGE_URL", service.url)
    assert "Both" in finding(run, status=5)["found"]
    assert run.error("project", "list", status=2)["errorCode"] == "INVALID_INPUT"


def test_config_shows_the_settings_and_where_they_come_from(pointed: CommandLine, service: Service) -> None:
    found = settings(pointed)
    assert found["auth_url"] == {"value": service.url, "source": "PODIUM_AUTH_URL"}
    assert found["auth_timeout"] == {"value": "20", "source": "PODIUM_AUTH_TIMEOUT"}
    assert found["auth_cache_seconds"]["source"] == "default"
    assert "auth_token" not in found
    assert os.environ["PODIUM_AUTH_TOKEN"] == TOKEN, "it was there to be shown"


def test_staging_is_another_path(run: CommandLine, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODIUM_AUTH_STAGE_URL", service.url)
    monkeypatch.setenv("PODIUM_AUTH_TOKEN", TOKEN)
    run("project", "list", status=3)
    assert {request.path for request in service.requests} == {"/api/v20/users/query"}
    assert service.requests[0].filters["permission_codes"] == sorted(set(Permission) - ADDED_CODES)


def test_doctor_and_permission_can_name_the_code_that_decides_in_the_place_of_another(
    pointed: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = pointed.json("project", "list")["data"][0]["project"]["id"]
    asked = ("permission", "can", "robin", "GATE_DECIDE", "--project", place)
    assert finding(pointed)["found"].endswith(
        " ms. DELIVER and GATE_DECIDE are decided by WORKFLOW_MANAGE and METRICS_VIEW is decided by USER_MANAGE, "
        "since auth_codes does not name them"
    )
    assert "GATE_DECIDE is decided by WORKFLOW_MANAGE, since auth_codes does not name it." in pointed(*asked).stdout
    monkeypatch.setenv("PODIUM_AUTH_CODES", "deliver, gate_decide, metrics_view")
    assert finding(pointed)["found"].endswith(" ms")
    assert "auth_codes" not in pointed(*asked).stdout
    assert settings(pointed)["auth_codes"] == {
        "value": "DELIVER, GATE_DECIDE, METRICS_VIEW",
        "source": "PODIUM_AUTH_CODES",
    }
    monkeypatch.setenv("PODIUM_AUTH_CODES", "APPROVE")
    error = pointed.error("project", "list", status=2)
    assert "'APPROVE'" in error["errorMessage"]
    assert "some of DELIVER, GATE_DECIDE and METRICS_VIEW" in error["errorMessage"]
