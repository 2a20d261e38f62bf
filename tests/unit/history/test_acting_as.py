"""Acting as another person: that person is notified, the history shows it, and platform admins are protected."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.comments import AddComment, EditComment
from core.actions.cards.details import GetCard, GetPhase
from core.actions.history.history import ListHistory, Undo
from core.actions.personal.inbox import CountUnread, InboxReason, ListInbox, MarkNotificationsRead
from core.actions.projects.members import InviteMember, SetProjectRole
from core.actions.workflow.gates import DecideGate
from core.actions.workspace.credentials import (
    CreateToken,
    CreateUserToken,
    LinkOsAccount,
    ListLinkedAccounts,
    ListTokens,
)
from core.actions.workspace.gateway_tokens import CreateGatewayToken, ListGatewayTokens
from core.actions.workspace.users import (
    AddUser,
    DeactivateUser,
    EditUser,
    ReactivateUser,
    SetPlatformRoles,
)
from core.domain.gates import Decision
from core.domain.model import WORKSPACE, Id, PlatformRole, ProjectRole
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, Unauthenticated
from core.net.peer_credentials import Peer
from core.server.requests.authentication import authenticate
from core.sign_in.gateway_sessions import open_session
from core.storage.schema.migrations import access_names_all_makers
from core.storage.sqlite.database import SqliteDatabase
from tests.support.database_forms import ROWS, make_database, number_before
from tests.support.message_examples.people import OS_USER
from tests.support.workspace import World

BY_MAYA = "Bob Lind, with a token made by Maya Okafor"
ADMIN, PLATFORM = (PlatformRole.WORKSPACE_ADMIN,), (PlatformRole.PLATFORM_ADMIN,)


def with_token(world: World, secret: str) -> Actor:
    """The actor of a token, as the server authenticates it."""
    actor = authenticate(world.engine, [f"Bearer {secret}"], None)
    assert isinstance(actor, Actor)
    return actor


def as_bob(world: World) -> Actor:
    return with_token(world, world.do(CreateUserToken(label="CI", user_id=world.bob.user_id)).secret)


def access_lines(world: World, actor: Actor, read_too: bool = False) -> list[str]:
    lines = world.ask(ListInbox(read_too=read_too), actor).lines
    return [f"{line.title}: {line.words}" for line in lines if line.concern is InboxReason.ACCESS]


# -- the person gets a notification --------------------------------------------------------------------------------


def test_a_token_for_another_person_is_in_their_inbox_and_one_of_ones_own_is_not(world: World) -> None:
    as_bob(world)
    world.do(CreateToken(label="Mine"), world.bob)
    assert access_lines(world, world.bob) == [
        "Token “CI”: Maya Okafor created it for you: anyone with it can act as you"
    ]
    assert world.ask(CountUnread(), world.bob) == 1
    assert access_lines(world, world.maya) == []


def test_a_linked_account_and_a_changed_login_or_e_mail_are_told_too_and_stay_after_an_undo(world: World) -> None:
    bob = world.bob.user_id
    world.do(LinkOsAccount(os_user=OS_USER, user_id=bob))
    world.do(EditUser(user_id=bob, city="Oslo"))
    world.do(EditUser(user_id=bob, login="maya.proxy"))
    world.do(Undo(project_id=WORKSPACE))
    assert world.row("app_user", id=bob)["login"] == "bob"
    assert access_lines(world, world.bob) == [
        "Your login: Maya Okafor changed your login or e-mail, by which you sign in",
        f"Account “{OS_USER}”: Maya Okafor linked it to you: its user can act as you",
    ]


def test_only_the_person_marks_that_as_read_and_not_who_has_the_token(world: World) -> None:
    impostor = as_bob(world)
    world.do(MarkNotificationsRead(), impostor)
    assert world.ask(CountUnread(), world.bob) == 1
    world.do(MarkNotificationsRead(), world.bob)
    assert (world.ask(CountUnread(), world.bob), access_lines(world, world.bob)) == (0, [])
    assert len(access_lines(world, world.bob, read_too=True)) == 1


def test_the_list_of_tokens_and_linked_accounts_says_who_made_them(world: World) -> None:
    impostor = as_bob(world)
    world.do(CreateToken(label="Of the impostor"), impostor)
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id))
    assert [line.whose for line in world.ask(ListTokens(), world.bob)] == [
        "Bob Lind, made by Bob Lind, with a token made by Maya Okafor",
        "Bob Lind, made by Maya Okafor",
    ]
    assert [line.whose for line in world.ask(ListLinkedAccounts(), world.bob)] == ["Bob Lind, linked by Maya Okafor"]


# -- what is done says so ------------------------------------------------------------------------------------------


def test_history_comments_and_decisions_say_with_whose_token_they_were_made(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    impostor = as_bob(world)
    task = world.task()
    world.do(AddComment(item_id=task.id, text="I agree."), impostor)
    world.start(task.id, as_=impostor)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD), impostor)
    card = world.ask(GetCard(item_id=task.id))
    assert [line.author for line in card.comments] == [BY_MAYA]
    assert [line.actor for line in card.history] == [BY_MAYA, "Maya Okafor"]
    assert [line.actor for line in world.ask(ListHistory(project_id=world.project.id))][:3] == [BY_MAYA] * 3
    (decision,) = world.ask(GetPhase(phase_id=world.discover.id)).decisions
    assert decision.by == BY_MAYA


def test_a_comment_that_is_edited_says_with_whose_token_its_text_was_written(world: World) -> None:
    impostor, task = as_bob(world), world.task()

    def author() -> str:
        (line,) = world.ask(GetCard(item_id=task.id)).comments
        return line.author

    own = world.do(AddComment(item_id=task.id, text="I do not agree."), world.bob)
    assert author() == "Bob Lind"
    world.do(EditComment(item_id=task.id, comment_id=own.id, text="I agree."), impostor)
    assert author() == BY_MAYA
    world.do(EditComment(item_id=task.id, comment_id=own.id, text="I still do not agree."), world.bob)
    assert author() == "Bob Lind"


def test_a_notification_says_with_whose_token_the_change_was_made(world: World) -> None:
    impostor = as_bob(world)
    world.do(AddComment(item_id=world.task().id, text="@vera pay this."), impostor)
    (line,) = world.ask(ListInbox(), world.vera).lines
    assert line.words == f"{BY_MAYA}, mentioned you: @vera pay this."
    world.do(CreateToken(label="Second"), impostor)
    assert access_lines(world, world.bob)[0].startswith(f"Token “Second”: {BY_MAYA}, created it for you")


def test_a_token_that_is_made_with_such_a_token_says_so_as_well(world: World) -> None:
    second = world.do(CreateToken(label="Second"), as_bob(world))
    task = world.task()
    world.do(AddComment(item_id=task.id, text="I agree."), with_token(world, second.secret))
    assert [line.author for line in world.ask(GetCard(item_id=task.id)).comments] == [BY_MAYA]


def chain(world: World, *people: Actor) -> Actor:
    """Each person makes a token for the next one with the one that was made for them; return the last one's actor."""
    for user in people[:-1]:
        world.do(SetPlatformRoles(user_id=user.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    actor = world.maya
    for user in people:
        actor = with_token(world, world.do(CreateUserToken(label="CI", user_id=user.user_id), actor).secret)
    return actor


def test_the_maker_of_a_token_is_named_with_their_own_way_in_and_a_chain_with_its_beginning(world: World) -> None:
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id))
    task, said = world.task(), []
    for people in (
        [world.bob, world.gus],
        [world.bob, world.vera, world.bob, world.gus],
        [world.gus, *[world.vera] * 2],
    ):
        actor = chain(world, *people)
        world.do(SetProjectRole(project_id=world.project.id, user_id=actor.user_id, role=ProjectRole.CONTRIBUTOR))
        world.do(AddComment(item_id=task.id, text="I agree."), actor)
        said.append(world.ask(GetCard(item_id=task.id)).comments[-1].author)
        assert world.ask(ListHistory(project_id=world.project.id))[0].actor == said[-1]
    first = ", at the beginning of the chain with a token made by Maya Okafor)"
    assert said == [
        "Gus Roy, with a token made by Bob Lind (who was signed in with a token made by Maya Okafor)",
        f"Gus Roy, with a token made by Bob Lind (who was signed in with a token made by Vera Sato{first}",
        "Vera Sato, with a token made by Gus Roy (who was signed in with a token made by Maya Okafor)",
    ]


def test_linked_accounts_and_gateways_name_their_makers_way_in_too(world: World) -> None:
    adam = chain(world, world.bob, world.bob)
    whose = "Bob Lind (who was signed in with a token made by Maya Okafor)"
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.vera.user_id), adam)
    gateway = world.do(CreateGatewayToken(label="Web"), adam).token
    uid = int(world.row("linked_account")["uid"])
    by_account = authenticate(world.engine, [], Peer(pid=1, uid=uid, gid=uid))
    by_gateway = with_token(world, open_session(world.engine, gateway.id, "vera").secret)
    assert isinstance(by_account, Actor)
    assert by_account.through == f"through the account “{OS_USER}”, linked by {whose}"
    assert by_gateway.through == f"through the gateway “Web”, made by {whose}"
    assert [line.made_by for line in world.ask(ListLinkedAccounts())] == [whose]
    assert [line.made_by for line in world.ask(ListGatewayTokens())] == [whose]
    world.do(EditUser(user_id=world.vera.user_id, login=OS_USER))
    named_like_it = authenticate(world.engine, [], Peer(pid=1, uid=uid, gid=uid))
    assert isinstance(named_like_it, Actor)
    assert named_like_it.through == by_account.through, "its linker can be another person"


def test_ones_own_token_says_nothing(world: World) -> None:
    own = with_token(world, world.do(CreateToken(label="Mine"), world.bob).secret)
    task = world.task()
    world.do(AddComment(item_id=task.id, text="I agree."), own)
    assert [line.author for line in world.ask(GetCard(item_id=task.id)).comments] == ["Bob Lind"]


# -- platform admins -----------------------------------------------------------------------------------------------


@pytest.fixture
def pat(world: World) -> Actor:
    """The platform admin, named by Maya, a workspace admin, while there was none."""
    user = world.do(AddUser(first_name="Pat", last_name="Orm", email="pat@example.com", platform_roles=PLATFORM))
    return Actor(user.id)


FORBIDDEN: dict[str, Callable[[Id, Id], Command[Any]]] = {
    "a token": lambda pat, _: CreateUserToken(label="x", user_id=pat),
    "a linked account": lambda pat, _: LinkOsAccount(os_user=OS_USER, user_id=pat),
    "the login": lambda pat, _: EditUser(user_id=pat, login="other"),
    "the e-mail": lambda pat, _: EditUser(user_id=pat, email="other@example.com"),
    "the name": lambda pat, _: EditUser(user_id=pat, first_name="Other"),
    "an end of the account": lambda pat, _: DeactivateUser(user_id=pat),
    "other roles": lambda pat, _: SetPlatformRoles(user_id=pat, platform_roles=()),
    "the role for oneself": lambda _, maya: SetPlatformRoles(user_id=maya, platform_roles=ADMIN + PLATFORM),
    "another one with the role": lambda *_: AddUser(
        first_name="A", last_name="B", email="ab@example.com", platform_roles=PLATFORM
    ),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_workspace_admin_cannot_make_for_a_platform_admin(world: World, pat: Actor, what: str) -> None:
    message = FORBIDDEN[what](pat.user_id, world.maya.user_id)
    before = world.rows("SELECT * FROM change ORDER BY project_id, seq")
    refused = world.refuses(message, Forbidden, "Only a platform admin")
    assert refused.who_can == ("Pat Orm",)
    assert world.rows("SELECT * FROM change ORDER BY project_id, seq") == before
    world.do(message, pat)


def test_a_workspace_admin_cannot_reactivate_one_or_undo_the_way_to_one(world: World, pat: Actor) -> None:
    gus = world.gus.user_id
    world.do(SetPlatformRoles(user_id=gus, platform_roles=PLATFORM), pat)
    world.do(DeactivateUser(user_id=gus), pat)
    world.refuses(ReactivateUser(user_id=gus), Forbidden)
    with pytest.raises(Forbidden):
        world.do(Undo(project_id=WORKSPACE))  # Maya's last change here: she added Pat
    assert world.row("app_user", id=pat.user_id)["active"] == 1


def test_who_becomes_a_platform_admin_keeps_no_token_that_another_person_made(world: World, pat: Actor) -> None:
    made = world.do(CreateUserToken(label="Before", user_id=world.bob.user_id))
    own = world.do(CreateToken(label="Own"), world.bob)
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id))
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=PLATFORM), pat)
    assert world.ask(ListLinkedAccounts()) == (), "the account has another name, and may be its linker's"
    with pytest.raises(Unauthenticated):
        with_token(world, made.secret)
    assert with_token(world, own.secret).user_id == world.bob.user_id


def test_while_there_is_no_platform_admin_a_workspace_admin_names_the_first(world: World) -> None:
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=PLATFORM))
    world.refuses(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=PLATFORM), Forbidden)


# -- files of before -----------------------------------------------------------------------------------------------


def test_access_of_before_says_how_its_maker_was_signed_in_where_the_history_knows(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number_before(access_names_all_makers))
    maya, ann, bob = ((user["id"], f"{user['first_name']} {user['last_name']}") for user in ROWS["app_user"])
    means, at = f"with a token made by {maya[1]}", "2026-03-01"
    of_all = {"label": "", "created_at": at, "expires_at": "2027-03-01", "version": 1, "made_by": bob[0]}
    of_token = of_all | {"user_id": ann[0], "through": means}
    link = {"host": "h", "os_user": "ann-x", "uid": 77777, "user_id": ann[0], "at": at, "version": 1}
    made: list[tuple[str, dict[str, object]]] = [
        ("token", of_token | {"id": "for-ann", "hash": "1"}),
        ("token", of_token | {"id": "own", "hash": "2", "user_id": bob[0]}),
        ("gateway_token", of_all | {"id": "web", "hash": "3"}),
        ("linked_account", link | {"made_by": bob[0]}),
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for seq, (table, row) in enumerate(made, 9000):
            change = {"project_id": "workspace", "seq": seq, "at": at, "actor_id": bob[0], "through": means}
            change |= {"kind": "DO", "message": "x", "summary": "", "permissions": ""}
            record = {"project_id": "workspace", "seq": seq, "position": 0, "entity": table}
            key = {name: row[name] for name in ("id", "host", "os_user") if name in row}
            record |= {"key": json.dumps(key), "after": json.dumps(row)}
            for name, values in ((table, row), ("change", change), ("change_record", record)):
                marks = ", ".join(f":{each}" for each in values)
                file.execute(f"INSERT INTO {name} ({', '.join(values)}) VALUES ({marks})", values)
    SqliteDatabase(path).close()
    with closing(sqlite3.connect(path)) as file:
        through = dict(file.execute("SELECT id, through FROM token WHERE made_by = ?", [bob[0]]).fetchall())
        others = file.execute("SELECT through FROM linked_account WHERE os_user = 'ann-x'").fetchall()
        others += file.execute("SELECT through FROM gateway_token WHERE id = 'web'").fetchall()
    assert through == {"for-ann": f"with a token made by {bob[1]} (who was signed in {means})", "own": means}
    assert others == [(means,), (means,)]
