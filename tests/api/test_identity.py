"""The sender of a request: the peer account of a socket, or a token. Removed accounts and tokens lose access."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.actions.workspace.credentials import CreateToken, LinkOsAccount, RevokeToken, UnlinkOsAccount
from core.actions.workspace.users import DeactivateUser
from core.domain.credentials import LinkedAccount
from core.engine.unit_of_work import Actor
from core.errors import Unauthenticated
from core.files.own_files import account_name
from core.net.peer_credentials import Peer, peer_of
from core.net.this_host import host_id
from core.server.endpoints import event_stream
from core.server.requests.authentication import CredentialOwners, authenticate
from tests.support.api.accounts import Account, make_account, remove_account, told
from tests.support.api.server import ServerOfTests, token_for
from tests.support.system_programs import needs
from tests.support.workspace import Clock, World

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can work as another account")
NOT_LINKED = "No user of this workspace is linked to the account “{}” of this machine."
NOT_VALID = "This token is not valid."
SEND_ONE = "Send one token"
AT_ONCE = 15.0
"""Seconds within which a stream ends: the database is asked ten times a second whether anything happened."""


@pytest.fixture(scope="session")
def accounts() -> Iterator[tuple[Account, Account]]:
    """Two people of this machine."""
    made = [make_account(f"podium{os.getpid()}{letter}") for letter in "ab"]
    yield made[0], made[1]
    for account in made:
        remove_account(account)


@pytest.fixture
def open_server(world: World) -> Iterator[ServerOfTests]:
    """A server whose socket everybody on this machine can reach: then the linked accounts are the gate."""
    with ServerOfTests(world, port=True, socket_mode=0o666) as server:
        server.path.parent.chmod(0o755)
        yield server


def who(client: httpx.Client, **headers: str) -> str:
    """The login of the sender, or the message of the refusal."""
    answer = client.get("/v1/me", headers=headers)
    assert answer.status_code in (200, 401)
    said = answer.json()
    return str(said["user"]["login"] if answer.status_code == httpx.codes.OK else said["errors"][0]["errorMessage"])


def bearer(secret: str) -> str:
    return f"Bearer {secret}"


# -- accounts of the machine -------------------------------------------------------------------------------------------


@as_root
@pytest.mark.parametrize("times", [50, pytest.param(1250, marks=pytest.mark.slow)])
def test_requests_of_two_accounts_at_once_are_never_mixed_up(
    times: int, world: World, open_server: ServerOfTests, accounts: tuple[Account, Account]
) -> None:
    for account, actor in zip(accounts, (world.bob, world.vera), strict=True):
        world.do(LinkOsAccount(os_user=account.name, user_id=actor.user_id))
    programs = [account.asks_who_it_is(open_server.path, threads=4, times=times) for account in accounts]
    assert [told(program) for program in programs] == [{"bob": 4 * times}, {"vera": 4 * times}]


@as_root
def test_each_account_gets_the_canvas_with_its_own_role(
    world: World, open_server: ServerOfTests, accounts: tuple[Account, Account]
) -> None:
    for account, actor in zip(accounts, (world.maya, world.bob), strict=True):
        world.do(LinkOsAccount(os_user=account.name, user_id=actor.user_id))
    asks = [needs("curl"), "-sS", "--unix-socket", str(open_server.path)]
    asks.append(f"http://podium/v1/projects/{world.project.id}/canvas")
    roles = [
        json.loads(subprocess.run(asks, capture_output=True, check=True, user=account.uid).stdout)["head"]["myRole"]
        for account in (*accounts, *accounts)
    ]
    assert roles == ["OWNER", "CONTRIBUTOR"] * 2


@as_root
def test_an_account_that_is_linked_unlinked_or_linked_to_another_user_is_so_from_the_next_request(
    world: World, open_server: ServerOfTests, accounts: tuple[Account, Account]
) -> None:
    account = accounts[0]

    def says() -> str:
        ((said, _),) = told(account.asks_who_it_is(open_server.path)).items()
        return str(said)

    unknown = NOT_LINKED.format(account.name)
    assert says().startswith(unknown)
    world.do(LinkOsAccount(os_user=account.name, user_id=world.bob.user_id))
    assert says() == "bob"
    world.do(LinkOsAccount(os_user=account.name, user_id=world.vera.user_id))
    assert says() == "vera"
    world.do(DeactivateUser(user_id=world.vera.user_id))
    assert says().startswith("Your account is not active")
    world.do(UnlinkOsAccount(os_user=account.name))
    assert says().startswith(unknown)


@as_root
def test_a_number_that_another_account_has_now_lets_no_account_in(
    world: World, open_server: ServerOfTests, accounts: tuple[Account, Account]
) -> None:
    account = accounts[0]
    world.do(LinkOsAccount(os_user=account.name, user_id=world.bob.user_id))
    world.database.write(lambda tx: tx.execute("UPDATE linked_account SET os_user = 'departed'"))
    ((said, _),) = told(account.asks_who_it_is(open_server.path)).items()
    assert said.startswith(NOT_LINKED.format(account.name))


@as_root
def test_root_is_no_user_until_it_is_linked_by_saying_so(world: World, server: ServerOfTests) -> None:
    client = server.as_account()
    assert who(client).startswith(NOT_LINKED.format("root"))
    world.do(LinkOsAccount(os_user="root", user_id=world.gus.user_id, root=True))
    assert who(client) == "gus"


@pytest.mark.parametrize(("uid", "name"), [(65534, "nobody"), (65534, "overflow"), (70000, "nobody")])
def test_nobody_is_refused_even_if_a_row_lets_it_in(world: World, uid: int, name: str) -> None:
    linked_account = LinkedAccount(
        host=host_id(), os_user=name, uid=uid, user_id=world.bob.user_id, at=world.engine.clock()
    )
    world.insert(linked_account)
    with pytest.raises(Unauthenticated, match=f"the account “{account_name(uid)}” of this machine"):
        authenticate(world.engine, [], Peer(pid=1, uid=uid, gid=uid))


@as_root
def test_an_account_of_another_namespace_is_the_overflow_account(tmp_path: Path) -> None:
    program = (
        "import socket, sys; from core.net.peer_credentials import peer_of\n"
        "listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()\n"
        "print('ready', flush=True); print(peer_of(listener.accept()[0]).uid)"
    )
    path = tmp_path / "s"
    command = [needs("unshare"), "--user", "--map-root-user", sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as inside:
        assert inside.stdout is not None
        if inside.stdout.readline() != "ready\n":
            pytest.skip("this machine makes no namespaces")
        path.chmod(0o666)
        connecting = f"import os, socket; os.setuid(1); socket.socket(socket.AF_UNIX).connect({path.name!r})"
        tmp_path.chmod(0o755)
        subprocess.run([sys.executable, "-c", connecting], cwd=tmp_path, check=True)
        assert inside.stdout.readline() == "65534\n"


def test_no_kernel_vouches_for_anybody_over_tcp_or_outside_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = socket.socketpair()
    with here, there, socket.socket() as tcp:
        if sys.platform.startswith("linux"):
            assert (peer_of(here) or Peer(0, -1, 0)).uid == os.geteuid()
        assert peer_of(tcp) is None
        assert peer_of(None) is None
        monkeypatch.setattr(sys, "platform", "darwin")
        assert peer_of(here) is None


# -- tokens ------------------------------------------------------------------------------------------------------------


def test_a_token_decides_alone_for_any_account_at_the_other_end(world: World, server: ServerOfTests) -> None:
    world.do(LinkOsAccount(os_user=Account.of_this_program().name, user_id=world.gus.user_id, root=True))
    client = server.as_account()
    assert who(client) == "gus"
    assert who(client, Authorization=bearer(token_for(world, world.bob))) == "bob"
    assert who(client) == "gus"
    for sent in ("Bearer nonsense", "Bearer", "", "Basic Z3VzOg==", "gus"):
        assert who(client, Authorization=sent).startswith((NOT_VALID, SEND_ONE)), sent
    secret = token_for(world, world.gus)
    for spelled in (
        f"bEARER {secret}",
        f"Basic {secret}",
        f"Bearer  {secret}",
        f"Bearer\t{secret}",
        f"Bearer {secret} x",
    ):
        assert who(client, Authorization=spelled).startswith(SEND_ONE), spelled
    assert who(client, Authorization=bearer(secret)) == "gus"


def test_a_sender_is_remembered_by_a_hash_once_for_each_token(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered: set[CredentialOwners] = set()
    learn = CredentialOwners.learn

    def noted(owners: CredentialOwners, *about: Any) -> None:
        remembered.add(owners)
        learn(owners, *about)

    monkeypatch.setattr(CredentialOwners, "learn", noted)
    secret = token_for(world, world.bob)
    for sent in (bearer(secret), f"bearer {secret}", f"Bearer  {secret}", bearer("x" * 20_000), bearer(secret)):
        server.stranger().get("/v1/me", headers={"Authorization": sent})
    [owners] = remembered
    (known,) = owners._known
    assert isinstance(known, tuple)
    assert len(known[0]) == 32


@pytest.mark.parametrize("over_tcp", [False, True])
def test_two_tokens_are_none(world: World, server: ServerOfTests, *, over_tcp: bool) -> None:
    client = server.client(world.bob, over_tcp=over_tcp)
    sent = client.headers.pop("Authorization")
    for others in ([sent], [bearer(token_for(world, world.maya))]):
        headers = [("Authorization", each) for each in (sent, *others)]
        answer = client.get("/v1/me", headers=headers)
        assert (answer.status_code, answer.json()["errors"][0]["errorMessage"][: len(SEND_ONE)]) == (401, SEND_ONE)
    assert who(client, Authorization=sent) == "bob"


def test_over_tcp_only_a_token_lets_anybody_in(world: World, server: ServerOfTests) -> None:
    world.do(LinkOsAccount(os_user=Account.of_this_program().name, user_id=world.gus.user_id, root=True))
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        assert who(client).startswith(SEND_ONE)
        assert who(client, Authorization=bearer(token_for(world, world.vera))) == "vera"


def test_tokens_that_are_unknown_expired_revoked_or_of_a_deactivated_user_are_refused_alike(
    world: World, clock: Clock, server: ServerOfTests
) -> None:
    expired = world.do(CreateToken(label="Expired", days=1), world.bob)
    clock.forward(days=2)
    revoked = world.do(CreateToken(label="Revoked"), world.bob)
    of_gus = world.do(CreateToken(label="Of Gus"), world.gus)
    valid = world.do(CreateToken(label="Valid"), world.bob)
    secrets = [expired.secret, revoked.secret, of_gus.secret, valid.secret[:-1] + "x", valid.token.id, "x" * 5000]
    client = server.stranger()
    assert [who(client, Authorization=bearer(secret)) for secret in (revoked.secret, of_gus.secret)] == ["bob", "gus"]
    world.do(RevokeToken(token_id=revoked.token.id), world.bob)
    world.do(DeactivateUser(user_id=world.gus.user_id))
    assert len({who(client, Authorization=bearer(secret)) for secret in secrets}) == 1
    assert who(client, Authorization=bearer(expired.secret)).startswith(NOT_VALID)
    assert who(client, Authorization=bearer(valid.secret)) == "bob"


def test_the_secret_of_a_token_is_returned_once_even_if_it_is_asked_for_again(
    world: World, server: ServerOfTests
) -> None:
    client = server.client(world.bob)
    answers = [
        client.post("/v1/tokens", json={"label": "CI"}, headers={"Idempotency-Key": "the-same"}) for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 400]
    secret = answers[0].json()["secret"]
    assert who(client, Authorization=bearer(secret)) == "bob"
    assert "shown only once" in answers[1].text
    assert secret not in "".join(str(row) for row in world.rows("SELECT * FROM receipt"))
    assert len(world.rows("SELECT * FROM token WHERE label = 'CI'")) == 1


# -- streams that are open ---------------------------------------------------------------------------------------------


class Stream:
    """A stream of changes that is open, and how long it stays so."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.next_event()

    def next_event(self) -> None:
        assert any(line.startswith("event:") for line in self._lines), "the stream has ended"

    def ends_within(self, seconds: float) -> bool:
        began = time.monotonic()
        for _ in self._lines:
            if time.monotonic() - began > seconds:
                return False
        return time.monotonic() - began < seconds


def test_a_stream_goes_on_while_others_are_shut_out(world: World, server: ServerOfTests) -> None:
    token = world.do(CreateToken(label="Another"), world.bob).token
    with server.client(world.bob).stream("GET", "/v1/changes") as response:
        stream = Stream(response.iter_lines())
        world.do(RevokeToken(token_id=token.id), world.bob)
        world.do(DeactivateUser(user_id=world.gus.user_id))
        stream.next_event()
        time.sleep(0.3)
        world.task()
        stream.next_event()


def revoke(world: World, client: httpx.Client) -> None:
    (row,) = world.rows("SELECT id, user_id FROM token")
    world.do(RevokeToken(token_id=row["id"]), Actor(row["user_id"]))


def deactivate(world: World, client: httpx.Client) -> None:
    world.do(DeactivateUser(user_id=world.bob.user_id))


@pytest.mark.parametrize("over_tcp", [False, True])
@pytest.mark.parametrize("shut_out", [revoke, deactivate])
def test_a_stream_ends_at_once_when_its_token_or_person_is_shut_out(
    world: World, server: ServerOfTests, shut_out: Callable[[World, httpx.Client], None], *, over_tcp: bool
) -> None:
    client = server.client(world.bob, over_tcp=over_tcp)
    with client.stream("GET", "/v1/changes") as response:
        stream = Stream(response.iter_lines())
        shut_out(world, client)
        assert stream.ends_within(AT_ONCE)
    assert who(client).startswith(NOT_VALID)


def remove(world: World, os_user: str) -> None:
    world.do(UnlinkOsAccount(os_user=os_user))


def give_to_vera(world: World, os_user: str) -> None:
    world.do(LinkOsAccount(os_user=os_user, user_id=world.vera.user_id, root=True))


@pytest.mark.parametrize("shut_out", [remove, give_to_vera])
def test_a_stream_ends_at_once_when_its_account_is_no_longer_that_persons(
    world: World, server: ServerOfTests, shut_out: Callable[[World, str], None]
) -> None:
    os_user = Account.of_this_program().name
    world.do(LinkOsAccount(os_user=os_user, user_id=world.bob.user_id, root=True))
    with server.as_account().stream("GET", "/v1/changes") as response:
        stream = Stream(response.iter_lines())
        shut_out(world, os_user)
        assert stream.ends_within(AT_ONCE)


def test_a_stream_ends_when_its_token_expires_without_anything_else_happening(
    world: World, clock: Clock, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_SECONDS", 0.2)
    with server.client(world.bob).stream("GET", "/v1/changes") as response:
        stream = Stream(response.iter_lines())
        clock.forward(days=2)
        assert stream.ends_within(AT_ONCE)
