"""The hierarchy and the product registry on the command line: the row, the output and the exit status."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import CommandLine


def nodes(run: CommandLine) -> dict[str, dict[str, Any]]:
    """The lines of ``hierarchy list`` by name."""
    return {line["node"]["name"]: line for line in run.json("hierarchy", "list")["data"]}


def products(run: CommandLine) -> dict[str, dict[str, Any]]:
    """The lines of ``product list`` by name."""
    return {line["product"]["name"]: line for line in run.json("product", "list")["data"]}


def test_nodes_are_added_renamed_moved_and_removed(run: CommandLine) -> None:
    run("hierarchy", "add", "client", "Zuiver")
    run("hierarchy", "add", "market", "Benelux", "--under", "zuiver")
    assert "Added the brand “Klaar”" in run("hierarchy", "add", "brand", "Klaar", "--under", "benelux").stdout
    assert [(name, nodes(run)[name]["depth"]) for name in ("Zuiver", "Benelux", "Klaar")] == [
        ("Zuiver", 0),
        ("Benelux", 1),
        ("Klaar", 2),
    ]
    assert "The brand “Klaar” is “Helder” now." in run("hierarchy", "rename", "klaar", "Helder").stdout
    moved = run.json("hierarchy", "move", "helder", "--under", "zuiver")
    assert moved["parentId"] == nodes(run)["Zuiver"]["node"]["id"]
    run("hierarchy", "move", "helder", "--under", "none")
    assert (nodes(run)["Helder"]["depth"], nodes(run)["Zuiver"]["children"]) == (0, 1)
    assert run("hierarchy", "remove", "helder").stdout == "Removed the brand “Helder”.\n"
    assert "Helder" not in nodes(run)


def test_the_tree_is_printed_with_how_many_projects_link_each_node(run: CommandLine) -> None:
    head, *lines = run("hierarchy", "list").stdout.splitlines()
    assert head.split() == ["NAME", "LEVEL", "PROJECTS", "ID"]
    assert any(line.startswith("· ") for line in lines)
    linked = nodes(run)["Fjordland"]["projects"]
    run("project", "create", "New bottle", "--brand", "fjordland")
    assert nodes(run)["Fjordland"]["projects"] == linked + 1


def test_what_the_tree_cannot_be_is_refused_with_status_1(run: CommandLine) -> None:
    before = nodes(run)
    assert "cannot be under itself" in run("hierarchy", "move", "nordics", "--under", "fjordland", status=1).stderr
    assert "cannot be under a brand" in run("hierarchy", "add", "market", "X", "--under", "fjordland", status=1).stderr
    assert "link it" in run("hierarchy", "remove", "fjordland", status=1).stderr
    assert "There is no node “nowhere”" in run("hierarchy", "move", "nordics", "--under", "nowhere", status=6).stderr
    assert run.error("hierarchy", "add", "client", "halden foods", status=2)["errorCode"] == "INVALID_INPUT"
    assert run.error("hierarchy", "rename", "nordics", "a\x1b[2J", status=2)["errorCode"] == "INVALID_INPUT"
    assert "Missing option '--under'" in run("hierarchy", "move", "nordics", status=2).stderr
    assert nodes(run) == before


def test_only_admins_change_hierarchy_and_products(run: CommandLine) -> None:
    run("user", "add", "Gil", "Moe", "gil@example.com")
    guest = run.by("gil")
    assert (products(guest), nodes(guest)) == ({}, {}), "a guest on no project sees none of them"
    run("user", "add", "Ada", "Ng", "ada@example.com", "--role", "internal")
    ada = run.by("ada")
    assert products(ada) == products(run)
    assert nodes(ada) == nodes(run)
    ada("hierarchy", "rename", "nordics", "North", status=3)
    ada("hierarchy", "remove", "nordics", status=3)
    assert "register or change products" in ada("product", "add", "X", "--url", "https://x.example", status=3).stderr
    assert "X" not in products(run)


def test_a_web_product_is_registered_shown_edited_and_removed(run: CommandLine) -> None:
    run(
        *("product", "add", "Shelf planner", "--url", "https://shelf.example/open", "--requires", "brand,client"),
        *(
            "--external-authorization",
            "--code",
            "SHELF_VIEW",
            "--code",
            "SHELF_EDIT",
            "--description",
            "Where it stands",
        ),
    )
    line = products(run)["Shelf planner"]
    assert line["applications"] == line["roles"] == 0
    assert line["product"]["requiredContext"] == ["CLIENT", "BRAND"]
    assert line["product"]["permissionCodes"] == ["SHELF_VIEW", "SHELF_EDIT"]
    assert (line["product"]["kind"], line["product"]["usesExternalAuthorization"]) == ("WEB", True)
    shown = run("product", "show", "shelf").stdout
    for said in (
        "web product",
        "Where it stands",
        "https://shelf.example/open",
        "client, brand",
        "SHELF_VIEW, SHELF_EDIT",
    ):
        assert said in shown
    run(
        "product", "edit", "shelf", "--name", "Shelf", "--no-external-authorization", "--requires", "none", "--no-codes"
    )
    product = products(run)["Shelf"]["product"]
    assert (product["requiredContext"], product["permissionCodes"], product["url"]) == (
        [],
        [],
        "https://shelf.example/open",
    )
    assert product["usesExternalAuthorization"] is False
    assert run("product", "remove", "shelf").stdout == "Removed the product “Shelf”.\n"
    assert "Shelf" not in products(run)


def test_a_terminal_product_is_a_program_with_arguments(run: CommandLine) -> None:
    made = run.json(
        "product", "add", "Reader", "--command", "vim", "--arg", "-R", "--arg", "two words", "--arg", "--json"
    )
    assert made["command"] == ["vim", "-R", "two words", "--json"]
    assert "Launches: vim -R 'two words' --json" in run("product", "show", made["id"]).stdout
    run("product", "edit", "reader", "--command", "less")
    assert products(run)["Reader"]["product"]["command"] == ["less"]
    run("product", "edit", "reader", "--url", "http://localhost:8000/")
    product = products(run)["Reader"]["product"]
    assert (product["kind"], product["url"], product["command"]) == ("WEB", "http://localhost:8000/", [])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--command", "vim a | less"), "one by one; put a pipeline into a script"),
        (("--command", "sh", "--arg", "-c", "--arg", "vim"), "one by one; put a pipeline into a script"),
        (("--url", "javascript:alert(1)"), "must start with https://"),
        (("--url", "file:///etc/passwd"), "must start with https://"),
        (("--url", "https://ann:secret@example.com"), "holds a user name or a password"),
        (("--url", "http://example.com"), "Use https://"),
        (("--url", "https://x.example", "--code", "view"), "is not a permission code"),
        (("--url", "https://x.example", "--code", "PROJECT_VIEW"), "a code of Podium itself"),
        (("--url", "https://x.example", "--requires", "planet"), "“planet” is not a level"),
        (("--url", "https://x.example", "--command", "vim"), "either --url"),
        (("--url", "https://x.example", "--arg", "a"), "--arg goes with --command"),
        ((), "Give --url for a web product"),
    ],
)
def test_a_product_that_cannot_be_is_refused_with_status_2(run: CommandLine, given: tuple[str, ...], said: str) -> None:
    refused = run("product", "add", "Bad", *given, status=2)
    assert said in refused.stderr
    assert "secret" not in refused.stderr
    assert "Bad" not in products(run)


def test_a_product_is_retired_and_reinstated(run: CommandLine) -> None:
    run("product", "add", "Shelf", "--url", "https://shelf.example")
    run("product", "retire", "shelf")
    line = next(each for each in run("product", "list").stdout.splitlines() if each.startswith("Shelf"))
    assert line.split()[:7] == ["Shelf", "web", "nothing", "own", "0", "0", "yes"]
    assert "web product, retired" in run("product", "show", "shelf").stdout
    assert run("product", "unretire", "shelf").stdout == "Reinstated the product “Shelf”.\n"
    assert products(run)["Shelf"]["product"]["retired"] is False


def test_roles_of_a_product_are_added_edited_and_removed(run: CommandLine) -> None:
    run("product", "add", "Shelf", "--url", "https://shelf.example", "--code", "SHELF_VIEW", "--code", "SHELF_EDIT")
    run("run", "AddMetaRole", "name=Merchandiser")
    run("product", "role", "add", "shelf", "Viewer", "--code", "SHELF_VIEW", "--meta-role", "merch")
    assert "Role Viewer: SHELF_VIEW, through Merchandiser" in run("product", "show", "shelf").stdout
    run("product", "role", "edit", "shelf", "viewer", "--name", "Editor", "--code", "SHELF_EDIT", "--no-meta-roles")
    (line,) = run.json("product", "show", "shelf")["roles"]
    assert (line["role"]["name"], line["role"]["permissionCodes"], line["metaRoles"]) == ("Editor", ["SHELF_EDIT"], [])
    refused = run("product", "edit", "shelf", "--code", "SHELF_VIEW", status=1).stderr
    assert "The role “Editor” of “Shelf” holds SHELF_EDIT" in refused
    assert "is not a code of “Shelf”" in run("product", "role", "add", "shelf", "X", "--code", "NO", status=2).stderr
    assert (
        "There is no meta role “nobody”"
        in run("product", "role", "add", "shelf", "X", "--meta-role", "nobody", status=6).stderr
    )
    run("product", "role", "remove", "shelf", "editor")
    assert run.json("product", "show", "shelf")["roles"] == []
    assert "removed the role “Editor” of the product “Shelf”" in run("history").stdout
