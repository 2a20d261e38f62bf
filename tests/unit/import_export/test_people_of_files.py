"""The people of an imported file: found in the workspace by e-mail, login or name."""

from __future__ import annotations

import pytest

from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.imports_into import ImportInto
from core.actions.workspace.users import AddUser
from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, Grant, PermissionQuery
from core.domain.model import ProjectRole
from core.domain.permissions import Permission
from core.import_export.document import PersonEntry, PhaseEntry, ProjectDocument
from core.import_export.files import read_document
from core.record import replace
from core.storage import database
from tests.support.workspace import World


def with_people(*people: PersonEntry) -> ProjectDocument:
    return ProjectDocument(name="Brought", people=people, phases=(PhaseEntry(name="Work"),))


class AllCreateProjects(LocalPermissions):
    """Permissions in which guests can create projects too, as a service may answer."""

    def grant(self, query: PermissionQuery, cache_control: CacheControl) -> Grant:
        given = super().grant(query, cache_control)
        return replace(given, held=given.held | {Permission.PROJECT_CREATE})


@pytest.mark.parametrize("asked_at_once", [1, 500])
@pytest.mark.parametrize("sender", ["maya", "gus"])
def test_people_are_known_by_e_mail_then_login_then_full_name(
    world: World, monkeypatch: pytest.MonkeyPatch, sender: str, asked_at_once: int
) -> None:
    monkeypatch.setattr(database, "ASKED_AT_ONCE", asked_at_once)
    world.engine.permissions = AllCreateProjects(world.database)
    people = (
        PersonEntry(login="maya", email="bob@example.com", name="Bob of another company", role=ProjectRole.CONTRIBUTOR),
        PersonEntry(login="VERA", role=ProjectRole.VIEWER),
        PersonEntry(login="groy", name="gus roy", role=ProjectRole.VIEWER),
    )
    plan = world.ask(PreviewImport(document=with_people(*people)), as_=getattr(world, sender))
    by_email = "Bob Lind" if sender == "maya" else "Maya Okafor"  # guests see no e-mail addresses
    assert [person.user for person in plan.people] == [by_email, "Vera Sato", "Gus Roy"]
    assert plan.missing == ()


@pytest.mark.parametrize("roles", [(ProjectRole.OWNER, ProjectRole.VIEWER), (ProjectRole.VIEWER, ProjectRole.OWNER)])
def test_a_person_who_is_in_a_file_twice_is_one_member_with_the_stronger_role(
    world: World, roles: tuple[ProjectRole, ProjectRole]
) -> None:
    people = tuple(PersonEntry(login=login, role=role) for login, role in zip(("bob", "BOB"), roles, strict=True))
    made = world.do(ImportProject(document=with_people(*people)))
    assert world.row("member", project_id=made.id, user_id=world.bob.user_id)["role"] == "OWNER"


def test_a_full_name_that_two_people_have_matches_neither(world: World) -> None:
    for email in ("gus2@example.com", "gus3@example.com"):
        world.do(AddUser(first_name="Gus", last_name="Twin", email=email))
    document = with_people(PersonEntry(login="twin", name="Gus Twin", role=ProjectRole.VIEWER))
    (missing,) = world.ask(PreviewImport(document=document)).missing
    assert (missing.kind, missing.name) == ("person", "Gus Twin (twin)")


@pytest.mark.parametrize("cells", ["Zed Zeller,zed@x.example", "Zed Zeller <zed@x.example>,"])
def test_the_address_of_a_person_who_is_not_here_is_kept_as_words(world: World, cells: str) -> None:
    document = read_document(f"Title,Assignee,Assignee Email\nPaint,{cells}\n", name="plan").document
    made = world.do(ImportProject(document=document, leave_out_unknown=True))
    world.do(ImportInto(project_id=world.project.id, document=document, leave_out_unknown=True))
    for project_id in (made.id, world.project.id):
        said = world.row("item", project_id=project_id)["description"]
        assert said == "Assigned to: Zed Zeller (zed@x.example)"
