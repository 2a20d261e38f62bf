"""Every list has in its JSON what its table has in its columns, under the names that are written here."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import click
import pytest

from tests.cli.conftest import CommandLine
from tests.support.message_examples.people import OS_USER
from tests.support.terminal.podium import podium as terminal_podium
from tui.cli.program import podium
from tui.cli.session import Session

TOKEN = {"STATE": "state", "MADE": "createdAt", "EXPIRES": "expiresAt", "ID": "id"}
CARD = {"PHASE": "phase", "STATUS": "status", "DUE": "due", "KEY": "key"}

# A number, name or sum that follows from a field is written as that field.
LISTS: dict[str, dict[str, str]] = {
    "activity list slow": CARD
    | {"ACTIVITY": "title", "TASKS": "tasks", "ASSIGNED": "assigneeNames", "PRIORITY": "priority", "LABELS": "labels"},
    "label list -p slow": {
        "LABEL": "label.name", "SIGN": "label.sign", "COLOUR": "label.colour", "CARDS": "cards",
        "OF": "label.projectId", "ID": "label.id",
    },
    "application list slow": {
        "PHASE": "phase", "APPLICATION": "application.name", "PRODUCT": "product.name", "KIND": "product.kind",
        "ACTIVITY": "activity", "ASSIGNED": "people", "DUE": "application.due", "ID": "application.id",
    },
    "application products slow": {
        "PRODUCT": "product.name", "KIND": "product.kind", "FITS": "refusal", "WHY NOT": "refusal", "ID": "product.id",
    },
    "field list booking": {
        "FIELD": "field.name", "KEY": "field.key", "KIND": "field.kind", "CHOICES": "field.choices", "CARDS": "cards",
        "SUM": "total", "ID": "field.id",
    },
    "deliverable list slow 1": {
        "DELIVERABLE": "deliverable.name", "DONE": "deliverable.done", "EVIDENCE": "shown", "DELIVERED": "by",
        "ID": "deliverable.id",
    },
    "gate condition list torq": {
        "GATE": "gate", "CONDITION": "condition.text", "PERSON": "person", "DUE": "condition.due", "STATE": "state",
        "ID": "condition.id",
    },
    "gate criteria list torq readiness": {
        "CRITERION": "criterion.text", "MET": "isMet", "WHY": "sentence", "ID": "criterion.id",
    },
    "comment list SLO-22": {"WHEN": "at", "WHO": "author", "TEXT": "text", "ID": "id"},
    "filter list": {"NAME": "name", "FILTER": "text"},
    "burn-up slow": {
        "DAY": "day", "TO DO": "toDo", "IN PROGRESS": "inProgress", "COMPLETED": "completed", "ALL": "toDo",
    },
    "hierarchy list": {"NAME": "node.name", "LEVEL": "node.kind", "PROJECTS": "projects", "ID": "node.id"},
    "history slow": {"#": "seq", "WHEN": "at", "WHO": "actor", "WHAT": "summary"},
    "inbox --all": {"WHY": "words", "WHAT": "title", "PROJECT": "project", "WHEN": "at", "KEY": "key", "": "unread"},
    "member list slow": {
        "NAME": "user.firstName", "LOGIN": "user.login", "ROLE": "role", "OPEN": "openItems", "INVITED BY": "invitedBy",
        "ACTIVE": "user.active", "META ROLES": "metaRoles", "PRODUCT ROLES": "productRoles",
    },
    "meta-role list": {
        "NAME": "metaRole.name", "INCLUDED IN": "projectRoles", "ASSIGNED": "given", "GRANTS": "productRoles",
    },
    "my-work": {
        "DUE": "due", "WHAT": "title", "PROJECT": "project", "PHASE": "phase", "STATUS": "locked", "KEY": "key",
        "PRIORITY": "priority",
    },
    "portfolio": {
        "PROJECT": "summary.project.name", "HEALTH": "summary.health", "DONE": "summary.tally",
        "PHASE NOW": "summary.phaseNow", "NEXT DUE": "summary.nextDue", "LAST PHASE": "phases",
        "LINKS": "summary.links", "KEY": "summary.project.key",
    },
    "phase list slow": {
        "#": "number", "PHASE": "phase.name", "STATE": "state", "GATE": "phase.gate", "DONE": "tally.completed",
        "DUE": "phase.due", "ID": "phase.id",
    },
    "preset list slow": {
        "": "chosen", "NAME": "name", "WHOSE": "own", "OPENS AS": "viewing.layout", "FILTER": "viewing.filter",
    },
    "os-account list": {
        "ACCOUNT": "osUser", "NUMBER": "uid", "USER": "user", "SINCE": "at", "STATE": "uidMatches", "MACHINE": "host",
    },
    "product list": {
        "NAME": "product.name", "KIND": "product.kind", "REQUIRES": "product.requiredContext",
        "AUTHORIZATION": "product.usesExternalAuthorization", "ROLES": "roles", "APPLICATIONS": "applications",
        "RETIRED": "product.retired", "ID": "product.id",
    },
    "product token list": TOKEN | {"LABEL": "label", "PRODUCT": "product"},
    "project list": {
        "": "favourite", "NAME": "project.name", "ROLE": "role", "HEALTH": "health", "DONE": "tally.completed",
        "PHASE NOW": "phaseNow", "NEXT DUE": "nextDue", "LINKS": "links", "KEY": "project.key",
    },
    "search poster": {"WHAT": "kind", "FOUND": "title", "PROJECT": "project", "PHASE": "phase", "KEY OR ID": "key"},
    "settings list": {"NAME": "name", "VALUE": "value", "SET": "isDefault", "CAN BE": "values"},
    "task list slow": CARD
    | {"TASK": "title", "ASSIGNEE": "assigneeNames", "PRIORITY": "priority", "LABELS": "labels"},
    "template list": {
        "NAME": "template.name", "VERSION": "template.number", "PHASES": "phases", "ITEMS": "items", "DAYS": "days",
        "TAGS": "template.tags", "ROLES": "slots", "ID": "template.id",
    },
    "token gateway list": TOKEN | {"LABEL": "label", "MADE BY": "madeBy"},
    "token list": TOKEN | {"LABEL": "label", "PERSON": "user"},
    "user list": {
        "NAME": "user.firstName", "LOGIN": "user.login", "E-MAIL": "user.email", "CITY": "user.city",
        "PLATFORM ROLES": "user.platformRoles", "PROJECTS": "projects", "ACTIVE": "user.active",
    },
}  # fmt: skip


def commands(group: click.Group, before: tuple[str, ...] = ()) -> list[str]:
    """The words of every command below a group."""
    context, found = click.Context(group), []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        words = (*before, name)
        found += commands(command, words) if isinstance(command, click.Group) else [" ".join(words)]
    return found


def by_name(words: str) -> click.Command:
    """The command of a line."""
    found: click.Command = podium
    for word in words.split():
        below = found.get_command(click.Context(found), word) if isinstance(found, click.Group) else None
        found = below or found
    return found


def test_no_list_is_missing_here() -> None:
    assert {words for words in commands(podium) if words.endswith("list")} <= {
        re.sub("( -p)? (slow|booking|torq|SLO-22)( 1| readiness)?$", "", words) for words in LISTS
    }


@pytest.fixture(scope="module")
def full(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which no list is empty; it is only read."""
    path = Path(shutil.copy(demo, tmp_path_factory.mktemp("full") / "work.db"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PODIUM_CONFIG", os.devnull)
        run = CommandLine(path)
        run("token", "create", "laptop")
        run("comment", "add", "SLO-22", "Fine.")
        run("filter", "save", "posters", "poster")
        run("product", "token", "create", "asset library", "exports")
        run("os-account", "link", OS_USER, "priya")
        run.by("amara.nwosu")("token", "gateway", "create", "podium-web")
    return path


@pytest.fixture
def person(full: Path, words: str) -> CommandLine:
    """A user who may see the list."""
    return CommandLine(full).by("amara.nwosu") if "gateway" in words else CommandLine(full)


@pytest.mark.parametrize("words", LISTS)
def test_q_prints_the_ids_of_every_list_that_has_some(person: CommandLine, words: str) -> None:
    offered = any("-q" in each.opts for each in by_name(words).params)
    assert offered or "ID" not in LISTS[words]
    if not offered:
        assert "No such option" in person(*words.split(), "-q", status=2).stderr
        return
    data = person.json(*words.split())["data"]
    ids = [next((each[key] for key in ("id", "targetId") if key in each), None) or _inner(each) for each in data]
    assert person(*words.split(), "-q").stdout.splitlines() == ids
    assert all(ids)


def _inner(line: dict[str, Any]) -> str:
    return next(str(each["id"]) for each in line.values() if isinstance(each, dict) and "id" in each)


@pytest.mark.parametrize("words", LISTS)
def test_each_column_is_in_the_json(person: CommandLine, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    heads: list[str] = []
    real = Session.list

    def noted(self: Session, values: Any, columns: Any, *more: Any, **answer: Any) -> None:
        heads.extend(columns)
        real(self, values, columns, *more, **answer)

    monkeypatch.setattr(Session, "list", noted)
    answer = person.json(*words.split())
    assert set(heads) == set(LISTS[words]), "a column has no field here"
    assert answer["data"]
    for row in answer["data"]:
        for path in LISTS[words].values():
            value = row
            for name in path.split("."):
                assert name in value, f"{path} of {words}"
                value = value[name]


def test_a_terminal_that_is_too_narrow_for_a_table_has_each_cell_in_a_line_of_its_own(run: CommandLine) -> None:
    for cols, expected in ((80, r"^WHEN +20.*\nPHASE +1 Positioning\n"), (400, r"^WHEN +PHASE +ENTRY .*\n20")):
        arguments = ("gate", "record", "torq", "positioning", "--db", str(run.db), "--as", run.login)
        with terminal_podium(*arguments, home=run.db.parent, cols=cols, rows=100) as session:
            session.wait_for(expected)
            assert session.exit_status() == 0
