"""Launches: the context object, how it is handed over, the record of it, and the code that is exchanged once."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.actions.cards.applications import EditApplication, RemoveApplication
from core.actions.history.history import ListHistory, ListWorkspaceHistory, Redo, Undo
from core.actions.products.launch import GetLaunchContext, GetProductContext, LaunchApplication, LaunchProduct
from core.actions.products.products import RetireProduct
from core.actions.projects.members import RemoveMember, SetProjectRole
from core.actions.projects.projects import ArchiveProject, LinkProject
from core.actions.workspace.credentials import CreateToken, LinkOsAccount, ListTokens, RevokeToken, UnlinkOsAccount
from core.actions.workspace.gateway_tokens import CreateGatewayToken, RevokeGatewayToken
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.users import DeactivateUser, SetPlatformRoles
from core.domain.model import NodeKind, PlatformRole, ProjectRole
from core.domain.products.launch_context import (
    CONTEXT_VARIABLE,
    USER_VARIABLE,
    Hierarchy,
    LaunchContext,
    LaunchedProject,
    LaunchItem,
    LinkedNode,
    environment,
    web_url,
)
from core.domain.products.products import LaunchKind
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, NotFound, NothingToUndo, RuleViolation
from core.net.peer_credentials import Peer
from core.server.endpoints.routes import exchange_code
from core.server.requests.authentication import authenticate
from core.sign_in.gateway_sessions import open_session
from tests.support.message_examples.people import OS_USER
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import Clock, World, content

CLIENT, MARKET, BRAND = NodeKind.CLIENT, NodeKind.MARKET, NodeKind.BRAND

texts = st.text(max_size=40)
named = st.none() | st.builds(LinkedNode, texts, texts)
items = st.builds(LaunchItem, texts, st.just("APPLICATION"), texts, st.none() | texts)
contexts = st.builds(
    LaunchContext,
    st.none() | st.builds(LaunchedProject, texts, texts, st.tuples(items)),
    st.builds(Hierarchy, named, named, named),
    st.just({}) | st.fixed_dictionaries({"projectAuthId": texts}),
)
urls = st.sampled_from(
    ["https://a.example", "https://a.example/", "https://a.example/p?x=1&y=%20", "http://127.0.0.1:8080/?q=ä#top"]
)


def terminal(world: World, **fields: Any) -> Any:
    return world.product("Viewer", kind=LaunchKind.TERMINAL, url="", command=("viewer", "--now"), **fields)


def test_the_context_has_exactly_the_keys_of_the_contract(world: World) -> None:
    client = world.do(AddNode(kind=CLIENT, name="Halden"))
    brand = world.do(AddNode(kind=BRAND, name="Fjord", parent_id=client.id))
    world.do(LinkProject(project_id=world.project.id, brand_id=brand.id))
    activity = world.activity()
    product = world.product(required_context=(CLIENT, BRAND))
    held = world.add_application(product, activity_id=activity.id)
    world.add_application(product, name="Not an item of it")
    context = world.ask(GetLaunchContext(application_id=held.id), as_=world.vera)
    assert json.loads(context.as_json()) == {
        "project": {
            "id": world.project.id,
            "name": "Spring launch",
            "items": [{"id": held.id, "type": "APPLICATION", "phaseId": world.discover.id, "activityId": activity.id}],
        },
        "hierarchy": {
            "client": {"id": client.id, "name": "Halden"},
            "market": None,
            "brand": {"id": brand.id, "name": "Fjord"},
        },
        "additional": {"projectAuthId": world.row("project", id=world.project.id)["auth_id"]},
    }


def test_from_the_product_list_there_is_no_project_and_the_hierarchy_is_as_chosen(world: World) -> None:
    client = world.do(AddNode(kind=CLIENT, name="Halden"))
    market = world.do(AddNode(kind=MARKET, name="Nordics", parent_id=client.id))
    product = world.product(required_context=(CLIENT, MARKET))
    context = world.ask(GetProductContext(product_id=product.id, market_id=market.id))
    assert json.loads(context.as_json()) == {
        "project": None,
        "hierarchy": {
            "client": {"id": client.id, "name": "Halden"},
            "market": {"id": market.id, "name": "Nordics"},
            "brand": None,
        },
        "additional": {},
    }
    world.refuses(GetProductContext(product_id=product.id), RuleViolation, "is launched with a client and a market")
    assert world.do(LaunchProduct(product_id=product.id, market_id=market.id)).context == context


def test_a_launch_is_kept_and_stands_in_the_history(world: World) -> None:
    held = world.add_application()
    handed = world.do(LaunchApplication(application_id=held.id), as_=world.bob)
    row = world.row("launch")
    assert (row["id"], row["project_id"], row["product_id"]) == (handed.launch.id, world.project.id, held.product_id)
    assert (row["application_id"], row["user_id"]) == (held.id, world.bob.user_id)
    assert (row["at"], row["exchanged_at"]) == ("2026-03-02T12:00:00.000+00:00", None)
    assert json.loads(row["context"]) == json.loads(handed.context.as_json())
    assert handed.context == world.ask(GetLaunchContext(application_id=held.id))
    line = world.ask(ListHistory(project_id=world.project.id))[0]
    assert (line.actor, line.summary) == ("Bob Lind", "launched “Asset library”")


def test_a_launch_from_the_product_list_stands_in_the_history_of_the_workspace(world: World) -> None:
    product = world.product()
    world.do(LaunchProduct(product_id=product.id))
    row = world.row("launch")
    assert (row["project_id"], row["application_id"]) == ("workspace", None)
    line = world.ask(ListWorkspaceHistory())[0]
    assert (line.summary, line.about) == ("launched “Asset library”", None)


def test_of_the_code_only_its_hash_is_kept_and_a_terminal_product_gets_none(world: World) -> None:
    handed = world.do(LaunchApplication(application_id=world.add_application().id))
    assert len(handed.code) == 43
    assert world.row("launch")["code_hash"] == hashlib.sha256(handed.code.encode()).hexdigest()
    everything = json.dumps(content(world.database))
    assert handed.code not in everything
    viewer = world.do(LaunchProduct(product_id=terminal(world).id))
    assert (viewer.code, viewer.launch.code_hash, viewer.product.command) == ("", "", ("viewer", "--now"))
    again = world.do(LaunchApplication(application_id=handed.launch.application_id or ""))
    assert again.code != handed.code


def test_a_launch_is_neither_undone_nor_does_it_end_what_can_be_redone(world: World) -> None:
    held = world.add_application()
    world.do(EditApplication(application_id=held.id, name="Pictures"))
    world.do(Undo(project_id=world.project.id))
    world.do(LaunchApplication(application_id=held.id))
    world.do(Redo(project_id=world.project.id))
    assert world.row("application")["name"] == "Pictures"
    world.do(LaunchApplication(application_id=held.id))
    with pytest.raises(NothingToUndo, match="Your last change here cannot be undone: launched") as refused:
        world.do(Undo(project_id=world.project.id))
    seq = int(str(refused.value).partition("--change ")[2].rstrip("”."))
    world.do(Undo(project_id=world.project.id, seq=seq))
    assert world.row("application")["name"] == "Asset library"
    world.do(LaunchApplication(application_id=held.id), as_=world.bob)
    world.refuses(Undo(project_id=world.project.id), NothingToUndo, as_=world.bob)
    assert len(world.rows("SELECT 1 FROM launch")) == 3


def test_a_launch_stays_on_record_when_the_application_is_gone(world: World) -> None:
    held = world.add_application()
    world.do(LaunchApplication(application_id=held.id))
    world.do(RemoveApplication(application_id=held.id))
    assert world.row("launch")["application_id"] == held.id
    world.refuses(LaunchApplication(application_id=held.id), NotFound, "no such application")


def test_a_retired_product_launches_as_before(world: World) -> None:
    held = world.add_application()
    world.do(RetireProduct(product_id=held.product_id))
    assert world.do(LaunchApplication(application_id=held.id)).product.retired
    assert world.do(LaunchProduct(product_id=held.product_id)).code


def test_nothing_is_launched_from_the_archive_or_by_who_may_only_look(world: World) -> None:
    held = world.add_application()
    world.refuses(LaunchApplication(application_id=held.id), Forbidden, "launch applications", as_=world.vera)
    with pytest.raises(Forbidden, match="launch products outside of a project"):
        world.do(LaunchProduct(product_id=held.product_id), as_=world.bob)
    world.do(ArchiveProject(project_id=world.project.id))
    world.refuses(LaunchApplication(application_id=held.id), RuleViolation, "Restore the project first")
    assert world.rows("SELECT 1 FROM launch") == []
    assert world.ask(GetLaunchContext(application_id=held.id)).project is not None


def launched(world: World) -> str:
    return world.do(LaunchApplication(application_id=world.add_application().id)).code


def refused_exchange(world: World, code: str) -> str:
    before = content(world.database)
    with pytest.raises(NotFound) as refused:
        exchange_code(world.engine, code)
    assert content(world.database) == before
    return str(refused.value)


def test_a_code_is_exchanged_once_for_the_context(world: World) -> None:
    code = launched(world)
    seq = world.last_change()["seq"]
    told = exchange_code(world.engine, code)
    assert told == json.loads(world.row("launch")["context"]) | {"userId": world.maya.user_id}
    assert world.row("launch")["exchanged_at"] == "2026-03-02T12:00:00.000+00:00"
    assert world.last_change()["seq"] == seq
    refused_exchange(world, code)


def test_a_code_counts_for_a_minute_by_the_clock_of_podium(world: World, clock: Clock) -> None:
    code = launched(world)
    clock.forward(seconds=59.9)
    other = world.do(LaunchApplication(application_id=world.row("application")["id"])).code
    assert exchange_code(world.engine, code)["project"]["id"] == world.project.id
    clock.forward(seconds=60)
    refused_exchange(world, other)


def test_unknown_used_and_expired_codes_are_refused_in_the_same_words(world: World, clock: Clock) -> None:
    used, expired = launched(world), world.do(LaunchApplication(application_id=world.row("application")["id"])).code
    exchange_code(world.engine, used)
    kept = world.rows("SELECT code_hash FROM launch WHERE exchanged_at IS NULL")[0]["code_hash"]
    said = {refused_exchange(world, code) for code in (used, "", "unknown", "\ud800", kept)}
    clock.forward(minutes=2)
    said.add(refused_exchange(world, expired))
    assert len(said) == 1


def by_token(world: World, secret: str) -> Actor:
    actor = authenticate(world.engine, [f"Bearer {secret}"], None)
    assert isinstance(actor, Actor)
    return actor


def linked_to(world: World, user: Actor) -> Actor:
    linked_account = world.do(LinkOsAccount(os_user=OS_USER, user_id=user.user_id))
    actor = authenticate(world.engine, [], Peer(pid=1, uid=linked_account.uid, gid=0))
    assert isinstance(actor, Actor)
    return actor


def revoke_tokens(world: World, user: Actor) -> None:
    for line in world.ask(ListTokens(), user):
        world.do(RevokeToken(token_id=line.id), user)


ENDS: dict[str, Callable[[World], Command[Any]]] = {
    "the member is removed": lambda world: RemoveMember(project_id=world.project.id, user_id=world.bob.user_id),
    "the member only looks on": lambda world: SetProjectRole(
        project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER
    ),
    "the account is deactivated": lambda world: DeactivateUser(user_id=world.bob.user_id),
    "the account is unlinked": lambda _: UnlinkOsAccount(os_user=OS_USER),
    "the account is linked to another": lambda world: LinkOsAccount(os_user=OS_USER, user_id=world.gus.user_id),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_code_ends_with_what_its_launch_hung_on(world: World, end: str) -> None:
    held, unknown = world.add_application(), refused_exchange(world, "unknown")
    by_account = linked_to(world, world.bob)
    codes = [world.do(LaunchApplication(application_id=held.id), by_account).code for _ in range(2)]
    assert exchange_code(world.engine, codes.pop())["userId"] == world.bob.user_id
    world.do(ENDS[end](world))
    assert refused_exchange(world, codes.pop()) == unknown


def test_a_code_ends_with_the_token_or_session_of_its_launch(world: World, clock: Clock) -> None:
    product, unknown = world.product(), refused_exchange(world, "unknown")
    gateway = world.do(CreateGatewayToken(label="Web", days=90)).token

    def launched_by(actor: Actor) -> str:
        return world.do(LaunchProduct(product_id=product.id), actor).code

    own = by_token(world, world.do(CreateToken(label="CI", days=1)).secret)
    session = by_token(world, open_session(world.engine, gateway.id, "maya").secret)
    codes = [launched_by(own), launched_by(session), launched_by(own)]
    assert exchange_code(world.engine, codes.pop())["userId"] == world.maya.user_id
    revoke_tokens(world, world.maya)
    assert [refused_exchange(world, code) for code in codes] == [unknown] * 2
    session = by_token(world, open_session(world.engine, gateway.id, "maya").secret)
    of_session = launched_by(session)
    world.do(RevokeGatewayToken(gateway_token_id=gateway.id))
    own = by_token(world, world.do(CreateToken(label="CI", days=1)).secret)
    clock.forward(days=1, seconds=-30)
    expiring = launched_by(own)
    clock.forward(seconds=40)
    assert [refused_exchange(world, code) for code in (of_session, expiring)] == [unknown] * 2
    outside = launched_by(world.maya)
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    world.do(DeactivateUser(user_id=world.maya.user_id), world.bob)
    assert refused_exchange(world, outside) == unknown


def test_of_two_who_exchange_a_code_at_once_one_gets_the_context(world: World) -> None:
    application_id = world.add_application().id
    for _ in range(10):
        code = world.do(LaunchApplication(application_id=application_id)).code
        outcomes: list[Any] = []
        start = Barrier(2, timeout=30)

        def run(code: str = code, start: Barrier = start, outcomes: list[Any] = outcomes) -> None:
            start.wait()
            try:
                outcomes.append(exchange_code(world.engine, code))
            except NotFound as refused:
                outcomes.append(refused)

        products = [Thread(target=run) for _ in range(2)]
        for each in products:
            each.start()
        for each in products:
            each.join()
        assert sorted(type(each).__name__ for each in outcomes) == ["NotFound", "dict"]


@about_the_file
def test_a_code_is_looked_up_in_an_index(world: World) -> None:
    sql = "EXPLAIN QUERY PLAN SELECT * FROM launch WHERE code_hash = :hash AND code_hash <> ''"
    assert "launch_code" in world.rows(sql, hash="x")[0]["detail"]


@given(url=urls, context=contexts)
def test_without_a_server_the_fragment_holds_the_object(url: str, context: LaunchContext) -> None:
    before, after = urlsplit(url), urlsplit(web_url(url, context, "01USER", ""))
    assert after[:4] == before[:4]
    assert after.fragment.startswith("context=")
    (_, packed), user = parse_qsl(after.fragment)
    assert user == ("userId", "01USER")
    assert packed.isascii()
    assert "=" not in packed
    assert base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode() == context.as_json()


@given(url=urls, context=contexts)
def test_with_a_server_only_the_code_is_in_the_url(url: str, context: LaunchContext) -> None:
    before, after = urlsplit(url), urlsplit(web_url(url, context, "01USER", "Ab-_9"))
    assert parse_qsl(after.query) == [*parse_qsl(before.query), ("launch", "Ab-_9")]
    assert (after.scheme, after.netloc, after.path, after.fragment) == (
        before.scheme, before.netloc, before.path, before.fragment,
    )  # fmt: skip


@given(context=contexts)
def test_a_terminal_product_gets_the_object_in_a_clean_environment(context: LaunchContext) -> None:
    given_to_podium = {
        "PATH": "/bin",
        "HOME": "/home/maya",
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "LANG": "nb_NO.UTF-8",
        "PODIUM_DB": "/srv/podium.db",
        "PODIUM_AUTH_TOKEN": "secret",
        "PODIUM_LAUNCH_CONTEXT": "of another launch",
        "PODIUM_USER_ID": "of another launch",
        "SSH_AUTH_SOCK": "/tmp/agent",
        "SSH_CONNECTION": "1.2.3.4",
        "GITHUB_TOKEN": "secret",
        "LD_PRELOAD": "evil.so",
        "TEXTUAL_DRIVER": "x",
    }
    handed = environment(context, "01USER", given_to_podium)
    assert handed.keys() == {"PATH", "HOME", "TERM", "LC_ALL", "LANG", CONTEXT_VARIABLE, USER_VARIABLE}
    assert (handed[CONTEXT_VARIABLE], handed[USER_VARIABLE]) == (context.as_json(), "01USER")
