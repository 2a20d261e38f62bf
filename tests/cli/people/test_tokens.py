"""``podium token …``, ``podium os-account link`` and ``podium user show``, from the list to the row."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.storage.row_mapper import encode_value
from core.storage.sqlite.database import SqliteDatabase
from tests.cli.conftest import CommandLine
from tests.support.message_examples.people import OS_USER
from tui.cli.program import podium


def rows(run: CommandLine, table: str) -> list[dict[str, object]]:
    database = SqliteDatabase(run.db)
    try:
        return database.read(lambda tx: [dict(row) for row in tx.query(f"SELECT * FROM {table}")])
    finally:
        database.close()


def test_a_token_is_printed_once_alone_on_stdout(run: CommandLine) -> None:
    made = run("token", "create", "Night build", "--days", "7")
    secret = made.stdout.removesuffix("\n")
    assert secret.startswith("podium_")
    assert len(secret.split()) == 1
    assert "shown only once" in made.stderr
    (row,) = rows(run, "token")
    assert row["hash"] == hashlib.sha256(secret.encode()).hexdigest()
    listed = run("token", "list").stdout
    assert "Night build" in listed
    assert "valid" in listed
    assert secret not in listed


def test_a_token_for_a_program_comes_as_json(run: CommandLine) -> None:
    made = run.json("token", "create", "CI", "--for", "priya")
    assert made["secret"].startswith("podium_")
    assert made["token"]["user"] == "Priya Raman"
    assert "hash" not in str(made)


def test_a_token_is_revoked_by_its_label_or_its_id_and_an_admin_revokes_those_of_others(run: CommandLine) -> None:
    priya = run.by("priya.raman")
    priya("token", "create", "Own")
    second = priya.json("token", "create", "Second")["token"]["id"]
    assert "is revoked" in priya("token", "revoke", "own").stdout
    run("token", "revoke", second)
    assert [line["state"] for line in priya.json("token", "list")["data"]] == ["REVOKED", "REVOKED"]
    run("token", "revoke", "third", status=6)


def test_a_token_is_renewed_with_its_label_person_and_days_and_the_old_one_ends_later(run: CommandLine) -> None:
    old = run.json("token", "create", "CI", "--for", "priya", "--days", "30")["token"]
    rows_before = rows(run, "token")
    assert "new token “CI”" in run("token", "renew", "ci", "--dry-run").stdout
    assert rows(run, "token") == rows_before
    renewed = run("token", "renew", "ci")
    secret = renewed.stdout.removesuffix("\n")
    assert "act as Priya Raman" in renewed.stderr
    listed = run.json("token", "list")["data"]
    assert [(each["label"], each["user"], each["state"]) for each in listed] == [("CI", "Priya Raman", "VALID")] * 2
    new_row = next(row for row in rows(run, "token") if row["id"] != old["id"])
    assert new_row["hash"] == hashlib.sha256(secret.encode()).hexdigest()
    days = [(datetime.fromisoformat(each["expiresAt"]) - datetime.now(UTC)).days + 1 for each in listed]
    assert days == [30, 7]
    refused = run("token", "revoke", "ci", status=2).stderr
    for each in listed:
        assert f"CI ({each['id']}, made " in refused
    assert "valid until" in refused
    assert "Name one by its id." in refused
    run("token", "renew", listed[0]["id"], "--keep-old", "0")
    run("token", "revoke", old["id"])
    assert [each["state"] for each in run.json("token", "list")["data"]] == ["VALID", "REVOKED", "REVOKED"]
    assert "is revoked" in run("token", "revoke", "ci").stdout, "those that are over do not make a label ambiguous"
    run("token", "renew", "ci", status=2)
    for wrong in ("soon", "-1d", "366d"):
        run("token", "renew", listed[0]["id"], f"--keep-old={wrong}", status=2)


def test_a_label_of_two_gateway_or_product_tokens_lists_their_ids_too(run: CommandLine) -> None:
    product = run.json("product", "list")["data"][0]["product"]["name"]
    run = run.by("amara.nwosu")
    for words in (["token", "gateway"], ["product", "token"]):
        of = [product] if words[0] == "product" else []
        made = [run.json(*words, "create", *of, "Web")["token"]["id"] for _ in range(2)]
        refused = run(*words, "revoke", *of, "web", status=2).stderr
        assert all(f"Web ({each}, made " in refused for each in made)
        run(*words, "revoke", *of, made[0])
        run(*words, "revoke", *of, "web")


def test_no_user_makes_or_sees_a_token_of_another_without_the_right(run: CommandLine) -> None:
    run("token", "create", "Of Robin")
    priya = run.by("priya.raman")
    assert priya.error("token", "create", "x", "--for", "robin", status=3)["errorCode"] == "FORBIDDEN"
    assert "No tokens yet" in priya("token", "list").stdout
    priya("token", "revoke", "of robin", status=6)
    priya("token", "create", "x", "--days", "366", status=2)


def test_an_account_is_linked_listed_and_removed(run: CommandLine) -> None:
    assert "to Priya Raman" in run("os-account", "link", OS_USER, "priya.raman").stdout
    assert [row["os_user"] for row in rows(run, "linked_account")] == [OS_USER]
    listed = run("os-account", "list").stdout
    assert OS_USER in listed
    assert "valid" in listed
    assert "Unlinked account" in run("os-account", "unlink", OS_USER).stdout
    assert rows(run, "linked_account") == []
    assert "No linked accounts yet" in run("os-account", "list").stdout


def test_an_account_that_cannot_be_linked_says_why(run: CommandLine) -> None:
    assert "has no account" in run("os-account", "link", "no-such-account", "priya", status=2).stderr
    assert "is root" in run("os-account", "link", "root", "priya", status=1).stderr
    assert "cannot be linked" in run("os-account", "link", "nobody", "priya", "--allow-root", status=1).stderr
    run("os-account", "link", "root", "priya", "--allow-root")
    for wrong in ([], [OS_USER], [OS_USER, "priya", "more"]):
        run("os-account", "link", *wrong, status=2)
    run.by("priya.raman")("os-account", "link", OS_USER, "robin", status=3)


def test_a_person_is_shown_with_their_ways_in(run: CommandLine) -> None:
    assert "has no tokens or linked accounts" in run("user", "show", "priya").stdout
    run("os-account", "link", OS_USER, "priya")
    run("token", "create", "CI", "--for", "priya")
    shown = run("user", "show", "priya").stdout
    assert f"account {OS_USER}" in shown
    assert "token CI" in shown
    assert len(run.json("user", "show", "priya")["tokens"]) == 1


def test_a_founder_whose_account_is_nobody_s_reads_how_to_sign_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 65534)
    anywhere = CommandLine(tmp_path / "new.db", login="")
    made = anywhere("init", "--name", "X", "--login", "Maya")
    assert "stands for all accounts that the machine cannot tell apart" in made.stderr
    assert "“podium --as maya”" in made.stderr
    assert rows(anywhere, "linked_account") == []
    anywhere("project", "list", status=6)
    anywhere.by("maya")("project", "list")


@pytest.mark.skipif(os.getuid() != 0, reason="only root is root")
def test_root_is_linked_to_a_founder_of_another_login_only_by_saying_so(run: CommandLine, tmp_path: Path) -> None:
    link_refused = run("os-account", "link", "root", "priya", status=1).stderr
    for options, linked in ([], []), (["--allow-root"], ["root"]):
        anywhere = CommandLine(tmp_path / f"{len(options)}.db", login="")
        made = anywhere("init", "--name", "X", "--login", "Maya", *options)
        assert [row["os_user"] for row in rows(anywhere, "linked_account")] == linked
        said = (
            "“root” is root, who can act as every account on that machine. Link the account of a person, or add --allow"
        )
        assert (said in made.stderr) is (not linked)
        assert ("“podium --as maya”" in made.stderr) is (not linked)
        assert said in link_refused
        anywhere("project", "list", status=0 if linked else 6)
        assert anywhere.by("maya")("project", "list").exit_code == 0


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o602, 0o666])
def test_a_database_that_everybody_may_open_is_not_served(run: CommandLine, mode: int, tmp_path: Path) -> None:
    run.db.chmod(mode)
    given = ["serve", "--socket", str(tmp_path / "s"), "--db", str(run.db)]
    result = CliRunner().invoke(podium, given, catch_exceptions=False)
    assert (result.exit_code, (tmp_path / "s").exists()) == (2, False)
    assert "“chmod o= " in result.stderr


def test_doctor_warns_before_a_gateway_or_a_product_is_without_a_token(run: CommandLine) -> None:
    def found() -> tuple[str, str] | None:
        lines = [each for each in run.json("doctor")["data"] if each["what"] == "Gateways, products"]
        return (lines[0]["verdict"], lines[0]["found"]) if lines else None

    def day(noun: str, label: str) -> str:
        ends = {each["label"]: each["expiresAt"] for each in run.json(noun, *kinds[noun], "list")["data"]}
        return f"{datetime.fromisoformat(ends[label]).astimezone():%Y-%m-%d}"

    kinds = {"token": ["gateway"], "product": ["token"]}

    run = run.by("amara.nwosu")
    assert found() is None
    run("token", "gateway", "create", "Web", "--days", "40")
    run("product", "add", "Planner", "--url", "https://planner.example/")
    run("product", "token", "create", "Planner", "Old", "--days", "15")
    assert found() == ("GOOD", f"2 valid; “Planner” until {day('product', 'Old')}")
    run("product", "token", "revoke", "Planner", "Old")
    run("product", "token", "create", "Planner", "Older", "--days", "13")
    end = ". Create new tokens, then revoke the old ones by id."
    assert found() == ("NOTE", f"2 valid; “Planner” until {day('product', 'Older')}{end}")
    with closing(sqlite3.connect(run.db)) as connection, connection:
        connection.execute(
            "UPDATE gateway_token SET expires_at = ?", [encode_value(datetime.now(UTC) - timedelta(days=1))]
        )
    assert found() == (
        "NOTE",
        f"1 valid; gateways until {day('token', 'Web')}, “Planner” until {day('product', 'Older')}{end}",
    )
    run("product", "token", "create", "Planner", "New")
    run("token", "gateway", "create", "Next", "--days", "91")
    assert found() == ("GOOD", f"3 valid; “Planner” until {day('product', 'New')}")


def test_doctor_says_that_a_database_may_not_be_written(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    # said by the system only to others than root, as which tests may run
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or Path(path) != run.db)
    assert f"You cannot write to {run.db}" in run("doctor", status=5).stdout
