"""``podium project``, ``podium hierarchy`` and ``podium member``, from the list to the row."""

from __future__ import annotations

from tests.cli.conftest import CommandLine


def test_projects_are_listed_in_columns_with_favourites_first(run: CommandLine) -> None:
    head, *lines = run("project", "list").stdout.splitlines()
    assert head.split()[:3] == ["NAME", "ROLE", "HEALTH"]
    assert len(lines) == 7
    assert lines[0].startswith("*  Slow Mornings")
    assert len({line.index("owner") for line in lines if "owner" in line}) == 1
    assert len(run("project", "list", "--archived").stdout.splitlines()) == 9


def test_a_project_is_created_edited_starred_archived_restored_and_deleted(run: CommandLine) -> None:
    made = run.json("project", "create", "New bottle", "--brand", "fjordland", "--description", "Glass")
    assert run.project("New bottle")["links"] == ["Halden Foods", "Nordics", "Fjordland"]
    assert made["name"] == "New bottle"
    run("project", "edit", "new bo", "--name", "Newer bottle", "--client", "none")
    assert run.project("Newer")["links"] == []
    run("project", "favourite", "newer")
    assert run.project("Newer")["favourite"]
    assert "not archived" in run("project", "delete", "newer", "--yes", status=1).stderr
    run("project", "archive", "newer")
    assert run.project("Newer")["health"] == "NONE"
    run("project", "restore", "newer")
    run("project", "archive", "newer")
    run("project", "delete", "newer", "--yes")
    assert len(run.json("project", "list", "--archived")["data"]) == 8


def test_deleting_asks_first_and_no_answer_deletes_nothing(run: CommandLine) -> None:
    run("project", "delete", "trade fair", status=130, stdin=b"n\n")
    unasked = run("project", "delete", "trade fair", "--json", status=2)
    assert "Add --yes" in unasked.stderr
    assert '"errors"' in unasked.stderr
    assert run.project("Trade fair")


def test_a_project_is_shown_with_its_phases(run: CommandLine) -> None:
    assert "Production" in run("project", "show", "slow").stdout
    assert [line["state"] for line in run.json("project", "show", "slow")["phases"]][2:4] == ["OPEN", "LOCKED"]


def test_a_project_whose_owners_left_is_taken_over_by_an_admin(run: CommandLine) -> None:
    assert "Every project has an active owner" in run("project", "list", "--ownerless").stdout
    priya = run.by("priya.raman")
    for name, key in (("Aurora", "AUR"), ("Aurora relaunch", "ARL"), ("ARL", "XX"), ("Twin", "TWA"), ("Twin", "TWB")):
        priya("project", "create", name, "--key", key)
    priya("project", "archive", "Aurora relaunch")
    run("user", "deactivate", "priya.raman")
    listed = {each["keys"][0]: each for each in run.json("project", "list", "--ownerless")["data"]}
    assert listed["ARL"]["name"] == "Aurora relaunch"
    assert "ARL   Aurora relaunch" in run("project", "list", "--ownerless").stdout
    for beginning in ("Aurora re", "aurora", "Twi", ""):
        assert "project list --ownerless" in run("project", "claim", beginning, status=6).stderr
    ambiguous = run("project", "claim", "Twin", status=2).stderr
    assert all(listed[key]["id"] in ambiguous for key in ("TWA", "TWB"))
    for word, key in (("arl", "ARL"), ("ARL", "XX"), ("Aurora", "AUR"), (listed["TWB"]["id"], "TWB")):
        run("project", "claim", word)
        assert key not in {each["keys"][0] for each in run.json("project", "list", "--ownerless")["data"]}, word
    assert run.project("Aurora")["role"] == "OWNER"


def test_members_join_change_and_leave(run: CommandLine) -> None:
    run("member", "add", "torq", "tomasz", "--role", "viewer")
    run("member", "role", "torq", "tomasz", "owner")
    run("member", "guest", "torq", "Ada", "Ng", "ada@example.com")
    members = {line["user"]["login"]: line["role"] for line in run.json("member", "list", "torq")["data"]}
    assert (members["tomasz.zielinski"], members["ada"]) == ("OWNER", "CONTRIBUTOR")
    run("member", "remove", "torq", "ada")
    assert "Ada Ng" not in run("member", "list", "torq").stdout
    run("member", "remove", "slow", "mara")
    assert "last one" in run("member", "remove", "slow", "robin", status=1).stderr


def test_the_hierarchy_is_a_tree(run: CommandLine) -> None:
    run("hierarchy", "add", "brand", "Nordlicht", "--under", "nordics")
    lines = run("hierarchy", "list").stdout.splitlines()
    depth = {line.split("  ")[0].replace("· ", ""): line.count("· ") for line in lines}
    assert (depth["Halden Foods"], depth["Nordics"], depth["Nordlicht"]) == (0, 1, 2)
    run("hierarchy", "add", "client", "X", "--under", "nordics", status=1)
