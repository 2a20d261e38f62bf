"""Commands on a database of PostgreSQL: who may open it, what they print, and that no password is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from core.net.database_url import DatabaseUrl
from core.storage.opening import open_database
from tests.support.api.program import ServerProgram
from tests.support.postgres_cluster import cluster
from tests.support.terminal.podium import podium

Podium = Callable[..., Result]


@pytest.fixture
def url() -> str:
    """The URL of an empty database."""
    return cluster().url(cluster().new_database())


@pytest.fixture
def studio(anywhere: Podium, url: str) -> str:
    """The URL of a database with a workspace, whose admin is maya."""
    made = anywhere("init", "--db", url, "--name", "Studio North", "--login", "maya", "--json")
    assert json.loads(made.stdout) == {"formatVersion": 1, "db": url, "name": "Studio North", "login": "maya"}
    return url


def projects(url: str) -> list[object]:
    database = open_database(DatabaseUrl(url))
    try:
        return [row["name"] for row in database.read(lambda tx: tx.query("SELECT name FROM project ORDER BY name"))]
    finally:
        database.close()


def test_a_workspace_is_made_once(anywhere: Podium, studio: str) -> None:
    again = anywhere("init", "--db", studio, "--name", "Second", "--login", "bob")
    assert again.exit_code != 0
    assert "There is a workspace here already" in again.output


def test_without_a_server_a_person_must_write_direct(anywhere: Podium, studio: str) -> None:
    refused = anywhere("project", "create", "Launch", "--db", studio, "--as", "maya")
    assert refused.exit_code == 2
    assert "--server" in refused.output
    assert "--direct" in refused.output
    assert projects(studio) == []
    made = anywhere("project", "create", "Launch", "--db", studio, "--as", "maya", "--direct")
    assert made.exit_code == 0, made.output
    assert projects(studio) == ["Launch"]
    listed = anywhere("project", "list", "--db", studio, "--as", "maya", "--direct")
    assert "Launch" in listed.stdout


def test_the_screens_want_a_server_or_direct_too(studio: str, tmp_path: Path) -> None:
    with podium("--db", studio, "--as", "maya", home=tmp_path) as refused:
        refused.wait_for("--direct")
        assert refused.exit_status() == 2
    with podium("--db", studio, "--as", "maya", "--direct", home=tmp_path) as opened:
        opened.wait_for("No projects yet")
        opened.send("n")
        opened.wait_for("Empty project")
        opened.send("<enter>")
        opened.wait_for("New project")
        opened.send("Launch<ctrl+s>")
        opened.wait_until_gone("New project")
        assert projects(studio) == ["Launch"]


def test_a_server_serves_it_and_says_how_the_database_is(studio: str) -> None:
    with ServerProgram(studio) as first, ServerProgram(studio) as second:
        for server in (first, second):
            said = server.client.get("/ready").json()
            assert said["database"]["unknownCommits"] == 0
            assert said["database"]["warnings"] == [
                "A crash of the server can lose or damage changes: fsync is off.",  # that of tests is so
                "A crash of the server can damage its files: full_page_writes is off.",
            ]
            assert said["status"] == "warning"
            assert "backup" not in said


def test_doctor_looks_at_the_server(anywhere: Podium, url: str, studio: str) -> None:
    found = anywhere("doctor", "--db", studio, "--json")
    lines = {line["what"]: line for line in json.loads(found.stdout)["data"]}
    assert lines["Database"]["found"].startswith("PostgreSQL")
    assert lines["Permissions"]["found"].startswith("local")
    assert lines["Server"]["verdict"] == "BAD"  # fsync is off in tests
    assert found.exit_code == 5


def test_doctor_says_what_is_wrong_with_an_empty_database(anywhere: Podium, url: str) -> None:
    assert "“podium init” makes one in it" in anywhere("doctor", "--db", url).stdout


def test_the_demo_is_a_file(anywhere: Podium, studio: str) -> None:
    refused = anywhere("demo", "--db", studio)
    assert refused.exit_code == 2
    assert "is a database of PostgreSQL" in refused.output


def test_no_output_has_the_password(anywhere: Podium, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODIUM_DB", url.replace("podium@", "podium:s3cret@"))
    monkeypatch.setenv("PODIUM_AS", "maya")
    said = [anywhere("init", "--name", "Studio North", "--login", "maya")]
    said += [anywhere(*each.split()) for each in ("config", "config --json", "doctor", "project list", "serve", "demo")]
    monkeypatch.setenv("PODIUM_DB", url.replace("podium@", "nobody:s3cret@"))
    said += [anywhere(*each.split()) for each in ("doctor", "project list --direct", "serve --port 0")]
    assert all(each.output for each in said)
    assert not [each.output for each in said if "s3cret" in each.output]


def test_a_server_is_refused_for_a_role_that_cannot_write(anywhere: Podium, studio: str) -> None:
    name = studio.split("/")[3].split("?")[0]
    cluster().execute("DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    cluster().execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", name)
    refused = anywhere("serve", "--port", "0", "--db", studio.replace("podium@", "reader@"))
    assert refused.exit_code == 5
    assert "lacks a right" in refused.output
    assert "roles.sql" in refused.output
