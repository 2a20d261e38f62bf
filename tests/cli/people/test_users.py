"""``podium user``, and who signs in."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CommandLine


def test_people_are_added_given_roles_and_deactivated(run: CommandLine) -> None:
    run("user", "add", "Ada", "Ng", "ada@example.com", "--role", "internal", "--city", "Accra")
    run("user", "role", "ada", "workspace_admin", "internal")
    ada = next(line["user"] for line in run.json("user", "list")["data"] if line["user"]["login"] == "ada")
    assert ada["platformRoles"] == ["WORKSPACE_ADMIN", "INTERNAL"]
    run("user", "deactivate", "ada")
    run.by("ada")("project", "list", status=3)
    assert run("user", "reactivate", "ada").stdout == "Ada Ng has access again.\n"
    run("token", "create", "CI", "--for", "ada")
    for options, ended in (["--with-tokens"], ""), ([], " Of before have ended: 1 token. Make new ones with"):
        run("user", "deactivate", "ada")
        assert run("user", "reactivate", "ada", *options).stdout.startswith(
            f"Ada Ng has access again.{ended or chr(10)}"
        )
    run("user", "role", "ada")
    run.by("ada")("project", "create", "X", status=3)
    assert "Accra" in run("user", "list").stdout


@pytest.mark.parametrize("login", ["robin", "ROBIN"])
def test_logins_know_no_case(run: CommandLine, login: str) -> None:
    assert run.by(login)("project", "list").stdout
