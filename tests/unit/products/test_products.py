"""The product registry: what is accepted into it, how it changes, and the roles that products give."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.actions.cards.applications import RemoveApplication
from core.actions.history.history import Redo, Undo
from core.actions.products.products import (
    AddApplicationRole,
    AddProduct,
    EditApplicationRole,
    EditProduct,
    GetProduct,
    ListProducts,
    RemoveApplicationRole,
    RemoveProduct,
    RetireProduct,
)
from core.actions.projects.projects import ArchiveProject, LinkProject
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.meta_roles import AddMetaRole, RemoveMetaRole
from core.actions.workspace.users import AddUser
from core.domain.model import NodeKind, PlatformRole
from core.domain.products.products import LaunchKind, Product
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, InvalidInput, NotFound, PodiumError, RuleViolation
from tests.support.workspace import World

WEB, TERMINAL = LaunchKind.WEB, LaunchKind.TERMINAL
CODES = ("ASSET_VIEW", "ASSET_UPLOAD", "ASSET_APPROVE")


@pytest.fixture
def library(world: World) -> Product:
    return world.product("Asset library", permission_codes=CODES)


def second_admin(world: World) -> Actor:
    user = AddUser(
        first_name="Nina", last_name="Berg", email="nina@example.com", platform_roles=(PlatformRole.WORKSPACE_ADMIN,)
    )
    return Actor(world.do(user).id)


def summary(world: World) -> str:
    return str(world.last_change("workspace")["summary"])


def test_a_web_product_is_registered_with_all_that_was_said_of_it(world: World) -> None:
    product = world.do(
        AddProduct(
            name="  Asset\tlibrary ",
            kind=WEB,
            description="Films\r\nand logos",
            url=" https://assets.example/open?view=all ",
            required_context=(NodeKind.BRAND, NodeKind.CLIENT, NodeKind.BRAND),
            uses_external_authorization=True,
            permission_codes=CODES,
        )
    )
    row = world.row("product", id=product.id)
    assert (row["name"], row["kind"], row["description"]) == ("Asset library", "WEB", "Films\nand logos")
    assert (row["url"], row["command"]) == ("https://assets.example/open?view=all", "[]")
    assert row["required_context"] == '["CLIENT", "BRAND"]'
    assert row["permission_codes"] == '["ASSET_VIEW", "ASSET_UPLOAD", "ASSET_APPROVE"]'
    assert (row["uses_external_authorization"], row["retired"], row["version"]) == (1, 0, 1)
    assert summary(world) == "registered the product “Asset library”"


def test_each_kind_has_its_own_target_and_not_the_others(world: World, library: Product) -> None:
    with pytest.raises(InvalidInput, match="A terminal product has no URL"):
        world.do(AddProduct(name="X", kind=TERMINAL, command=("vim",), url="https://x.example"))
    world.refuses(EditProduct(product_id=library.id, command=("vim",)), InvalidInput, "A web product has no command")
    changed = world.do(EditProduct(product_id=library.id, kind=TERMINAL, command=("vim",)))
    assert summary(world) == "changed the product “Asset library”: kind, URL and command"
    assert (changed.kind, changed.url, changed.command) == (TERMINAL, "", ("vim",))
    world.refuses(EditProduct(product_id=library.id, kind=WEB), InvalidInput, "needs a URL")
    world.do(EditProduct(product_id=library.id, name="Viewer"))
    row = world.row("product", id=library.id)
    assert (row["name"], row["command"], row["permission_codes"]) == ("Viewer", '["vim"]', world_json(CODES))
    assert summary(world) == "renamed the product “Asset library” to “Viewer”"


def world_json(words: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def test_no_two_products_have_one_name(world: World, library: Product) -> None:
    with pytest.raises(InvalidInput, match="a product “Asset library” already"):
        world.product("ASSET  library")
    other = world.product("Straße")
    for name in ("asset LIBRARY", "", "\x1b", "x" * 81):
        world.refuses(EditProduct(product_id=other.id, name=name), InvalidInput)
    with pytest.raises(InvalidInput, match="a product “Straße” already"):
        world.product("STRASSE")
    assert world.do(EditProduct(product_id=library.id, name="ASSET LIBRARY")).name == "ASSET LIBRARY"


def test_products_are_listed_by_name_retired_ones_last(world: World) -> None:
    first, last = world.product("alpha"), world.product("Zeta")
    role = AddApplicationRole(product_id=last.id, name="Reader")
    world.do(role)
    retired = world.product("Beta")
    world.add_application(first)
    world.add_application(first, phase=world.build)
    world.do(RetireProduct(product_id=retired.id))
    lines = world.ask(ListProducts())
    assert [(line.product.name, line.applications, line.roles, line.product.retired) for line in lines] == [
        ("alpha", 2, 0, False),
        ("Zeta", 0, 1, False),
        ("Beta", 0, 0, True),
    ]
    assert world.ask(GetProduct(product_id=first.id)).applications == 2


def test_a_retired_product_is_reinstated(world: World, library: Product) -> None:
    assert world.do(RetireProduct(product_id=library.id)).retired
    assert summary(world) == "retired the product “Asset library”"
    world.do(RetireProduct(product_id=library.id))
    assert world.row("product")["version"] == 2
    world.do(RetireProduct(product_id=library.id, retired=False))
    assert summary(world) == "reinstated the product “Asset library”"
    assert world.row("product")["retired"] == 0


def test_what_a_product_requires_is_not_changed_under_its_applications(world: World, library: Product) -> None:
    application = world.add_application(library)
    with pytest.raises(RuleViolation, match="used in 1 project that would no longer fit"):
        world.do(EditProduct(product_id=library.id, required_context=(NodeKind.CLIENT,)))
    world.do(EditProduct(product_id=library.id, kind=TERMINAL, command=("vim",), description="Other"))
    world.do(ArchiveProject(project_id=world.project.id))
    world.refuses(EditProduct(product_id=library.id, required_context=(NodeKind.CLIENT,)), RuleViolation, "1 project")
    assert world.row("product")["required_context"] == "[]"
    assert world.row("application")["id"] == application.id


def test_a_product_that_projects_use_is_not_removed(world: World, library: Product) -> None:
    world.do(AddApplicationRole(product_id=library.id, name="Reader"))
    application = world.add_application(library)
    with pytest.raises(RuleViolation, match=r"1 project holds 1 application of it\. .*or retire the product"):
        world.do(RemoveProduct(product_id=library.id))
    world.do(RemoveApplication(application_id=application.id))
    world.do(RemoveProduct(product_id=library.id))
    assert world.rows("SELECT id FROM product") == world.rows("SELECT id FROM application_role") == []
    assert summary(world) == "removed the product “Asset library”"
    world.do(Undo())
    assert (world.row("product")["name"], world.row("application_role")["name"]) == ("Asset library", "Reader")
    world.do(Redo())
    world.refuses(GetProduct(product_id=library.id), NotFound)


def test_a_role_holds_codes_of_its_product_and_is_brought_by_meta_roles(world: World, library: Product) -> None:
    lead, artist = world.do(AddMetaRole(name="Chief")), world.do(AddMetaRole(name="Artist"))
    role = world.do(
        AddApplicationRole(
            product_id=library.id,
            name=" Editor ",
            permission_codes=("ASSET_UPLOAD", "ASSET_VIEW", "ASSET_UPLOAD"),
            meta_role_ids=(lead.id, artist.id, lead.id),
        )
    )
    assert role.permission_codes == ("ASSET_VIEW", "ASSET_UPLOAD")
    assert role.meta_role_ids == (lead.id, artist.id)
    assert summary(world) == "gave the product “Asset library” the role “Editor”"
    (line,) = world.ask(GetProduct(product_id=library.id)).roles
    assert (line.role, [each.name for each in line.meta_roles]) == (role, ["Chief", "Artist"])
    world.do(EditApplicationRole(application_role_id=role.id, name="Maker", meta_role_ids=()))
    row = world.row("application_role", id=role.id)
    assert (row["name"], row["meta_role_ids"]) == ("Maker", "[]")
    assert row["permission_codes"] == world_json(("ASSET_VIEW", "ASSET_UPLOAD"))
    assert summary(world) == "changed the role “Maker” of the product “Asset library”"
    world.do(RemoveApplicationRole(application_role_id=role.id))
    assert world.rows("SELECT id FROM application_role") == []
    assert summary(world) == "removed the role “Maker” of the product “Asset library”"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": "READER"}, "has a role “Reader” already"),
        ({"name": " "}, "Enter a name."),
        ({"permission_codes": ("ASSET_BURN",)}, "is not a code of “Asset library”"),
        ({"permission_codes": ("PROJECT_DELETE",)}, "is not a code of “Asset library”"),
        ({"meta_role_ids": ("nobody",)}, "There is no meta role"),
    ],
)
def test_a_role_that_cannot_be_is_refused(world: World, library: Product, fields: dict[str, Any], why: str) -> None:
    world.do(AddApplicationRole(product_id=library.id, name="Reader"))
    role = world.do(AddApplicationRole(product_id=library.id, name="Editor"))
    world.refuses(AddApplicationRole(product_id=library.id, **{"name": "Third"} | fields), InvalidInput, why)
    world.refuses(EditApplicationRole(application_role_id=role.id, **fields), InvalidInput, why)
    assert world.row("application_role", id=role.id)["version"] == 1
    other = world.product("Other")
    assert world.do(AddApplicationRole(product_id=other.id, name="Reader")).name == "Reader"


def test_a_code_that_a_role_holds_stays_with_the_product(world: World, library: Product) -> None:
    role = world.do(AddApplicationRole(product_id=library.id, name="Reader", permission_codes=("ASSET_VIEW",)))
    with pytest.raises(RuleViolation, match="The role “Reader” of “Asset library” holds ASSET_VIEW"):
        world.do(EditProduct(product_id=library.id, permission_codes=("ASSET_UPLOAD",)))
    world.do(EditApplicationRole(application_role_id=role.id, permission_codes=()))
    world.do(EditProduct(product_id=library.id, permission_codes=("ASSET_UPLOAD",)))
    assert world.row("product")["permission_codes"] == '["ASSET_UPLOAD"]'


def test_registering_is_not_taken_back_while_an_application_exists(world: World, library: Product) -> None:
    application = world.add_application(library)
    world.refuses(Undo(), CannotUndo, "something else depends on it")
    world.do(RemoveApplication(application_id=application.id))
    world.do(Undo())
    assert world.rows("SELECT id FROM product") == []


def test_undo_does_not_leave_a_registry_that_no_command_could_have_made(world: World) -> None:
    nina = second_admin(world)
    library = world.do(AddProduct(name="Library", kind=WEB, url="https://a.example"), as_=nina)
    world.do(EditProduct(product_id=library.id, permission_codes=("ASSET_VIEW",)))
    role = AddApplicationRole(product_id=library.id, name="Reader", permission_codes=("ASSET_VIEW",))
    world.do(role, as_=nina)
    world.refuses(Undo(), CannotUndo, "The role “Reader” of “Library” holds ASSET_VIEW")
    world.do(EditProduct(product_id=library.id, name="Archive"))
    world.do(AddProduct(name="LIBRARY", kind=WEB, url="https://b.example"), as_=nina)
    world.refuses(Undo(), CannotUndo, "a product “LIBRARY” already")
    world.do(EditProduct(product_id=library.id, required_context=(NodeKind.CLIENT,)))
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"), as_=nina)
    world.do(LinkProject(project_id=world.project.id, client_id=client.id))
    world.add_application(library)
    world.refuses(Undo(), CannotUndo, "1 project that would no longer fit")
    assert world.row("product", id=library.id)["required_context"] == '["CLIENT"]'


def test_a_role_does_not_come_back_with_a_meta_role_that_is_gone(world: World, library: Product) -> None:
    chief = world.do(AddMetaRole(name="Chief"), as_=(nina := second_admin(world)))
    role = world.do(AddApplicationRole(product_id=library.id, name="Editor", meta_role_ids=(chief.id,)))
    world.do(RemoveApplicationRole(application_role_id=role.id))
    world.do(RemoveMetaRole(meta_role_id=chief.id), as_=nina)
    world.refuses(Undo(), CannotUndo, "There is no such meta role")
    assert world.rows("SELECT id FROM application_role") == []


def test_of_two_people_at_once_one_registers_the_name_and_the_other_is_told(world: World) -> None:
    def try_to_add(named: tuple[Actor, str]) -> str:
        actor, name = named
        try:
            world.do(AddProduct(name=name, kind=WEB, url="https://a.example"), as_=actor)
        except PodiumError as error:
            return error.code
        return "added"

    with ThreadPoolExecutor(2) as people:
        outcomes = people.map(try_to_add, [(world.maya, "Library"), (second_admin(world), "LIBRARY")])
    assert sorted(outcomes) == ["INVALID_INPUT", "added"]
    assert len(world.rows("SELECT id FROM product")) == 1


def test_of_a_use_and_a_removal_at_once_only_one_is_done(world: World, library: Product) -> None:
    def outcome(step: Any) -> str:
        try:
            step()
        except PodiumError as error:
            return error.code
        return "done"

    steps = (lambda: world.add_application(library), lambda: world.do(RemoveProduct(product_id=library.id)))
    with ThreadPoolExecutor(2) as people:
        assert tuple(people.map(outcome, steps)) in [("done", "RULE_VIOLATION"), ("NOT_FOUND", "done")]
    assert len(world.rows("SELECT id FROM application")) == len(world.rows("SELECT id FROM product"))
