"""Tokens and linked accounts: who may make and end them, how they are stored, and who can never sign in."""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.actions.history.history import ListWorkspaceHistory, Redo, Undo
from core.actions.workspace.credentials import (
    CreateToken,
    CreateUserToken,
    LinkOsAccount,
    ListLinkedAccounts,
    ListTokens,
    RenewToken,
    RevokeToken,
    RevokeUserToken,
    TokenState,
    UnlinkOsAccount,
)
from core.actions.workspace.users import DeactivateUser, ReactivateUser
from core.codec.encoding import to_json
from core.domain import credentials
from core.domain.credentials import has_bad_checksum, is_overflow_account, new_secret, token_hash
from core.domain.model import WORKSPACE
from core.engine.idempotency import IdempotencyKey, replay_response, stored_response
from core.engine.messages import Command
from core.errors import Forbidden, InvalidInput, NotFound, NothingToUndo, RuleViolation
from core.net import this_host
from core.net.this_host import host_id
from core.sign_in import local
from tests.support.message_examples.people import OS_USER
from tests.support.workspace import Clock, World

UID = pwd.getpwnam(OS_USER).pw_uid


# -- secrets -----------------------------------------------------------------------------------------------------------


def test_a_secret_is_long_random_recognisable_and_checks_itself() -> None:
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    for secret in secrets:
        assert re.fullmatch(r"podium_[\w-]{43}[0-9a-f]{8}", secret)
        assert not has_bad_checksum(secret)
        for at in range(len("podium_"), len(secret)):
            assert has_bad_checksum(secret[:at] + ("x" if secret[at] != "x" else "y") + secret[at + 1 :])
    assert has_bad_checksum("podium_")
    assert has_bad_checksum("podium_\udcff")
    assert not has_bad_checksum("the-token-of-another-program")


def test_only_the_hash_is_kept_anywhere(world: World) -> None:
    made = world.do(CreateToken(label="Reports"))
    row = world.row("token")
    assert row["hash"] == hashlib.sha256(made.secret.encode()).hexdigest() == token_hash(made.secret)
    assert made.secret not in repr(made)
    for table in ("token", "change", "change_record", "receipt"):
        assert made.secret not in json.dumps(world.rows(f"SELECT * FROM {table}"))
    assert row["hash"] not in json.dumps(to_json(made))
    assert row["hash"] not in json.dumps([to_json(line) for line in world.ask(ListWorkspaceHistory())])
    assert row["hash"] not in json.dumps([to_json(line) for line in world.ask(ListTokens())])


def test_an_answer_with_a_secret_leaves_a_receipt_without_it_and_is_not_told_again(world: World) -> None:
    key = IdempotencyKey("key", "request")
    world.engine.execute(
        CreateToken(label="x"), world.maya, finish=lambda work, _: world.engine.responses.store(work, key, "")
    )
    with pytest.raises(RuleViolation, match="shown only once"):
        replay_response(world.engine.read(world.maya, lambda view: stored_response(view, key)) or "")


# -- tokens ------------------------------------------------------------------------------------------------------------


def test_a_token_is_ones_own_unless_an_admin_makes_it_for_another(world: World) -> None:
    own = world.do(CreateToken(label=" Reports "), world.bob)
    assert (own.token.user, own.token.label, own.token.state) == ("Bob Lind", "Reports", TokenState.VALID)
    assert own.token.expires_at - own.token.created_at == timedelta(days=90)
    given = world.do(CreateUserToken(label="CI", days=7, user_id=world.bob.user_id))
    assert world.row("token", id=given.token.id)["user_id"] == world.bob.user_id
    assert world.last_change(WORKSPACE)["summary"] == "made the token “CI” for Bob Lind, for 7 days"
    world.refuses(CreateUserToken(label="Mine", user_id=world.maya.user_id), Forbidden, "manage people", as_=world.bob)
    assert len(world.rows("SELECT * FROM token")) == 2


def test_everybody_sees_their_own_tokens_and_admins_all(world: World) -> None:
    for actor in (world.maya, world.bob, world.gus):
        world.do(CreateToken(label="One"), actor)
    assert [line.user for line in world.ask(ListTokens())] == ["Gus Roy", "Bob Lind", "Maya Okafor"]
    assert [line.user for line in world.ask(ListTokens(), world.bob)] == ["Bob Lind"]
    assert world.ask(ListTokens(), world.vera) == ()


@pytest.mark.parametrize("days", [0, -1, 366, 10**9])
def test_the_days_of_a_token_are_bounded(world: World, days: int) -> None:
    world.refuses(CreateToken(label="Reports", days=days), InvalidInput, "1 to 365 days")


@pytest.mark.parametrize("label", ["", "  ", "x" * 81, "a\x1b[2Jb", "a\u202eb", "\udcff"])
def test_a_label_is_text_of_a_person(world: World, label: str) -> None:
    world.refuses(CreateToken(label=label), InvalidInput, "label")
    assert world.rows("SELECT * FROM token") == []


def test_a_token_ends_by_the_clock_or_by_being_revoked_and_then_stays_on_record(world: World, clock: Clock) -> None:
    first, second = (world.do(CreateToken(label=label, days=1), world.bob).token for label in ("First", "Second"))
    revoked = world.do(RevokeToken(token_id=first.id), world.bob)
    assert (revoked.state, revoked.revoked_at) == (TokenState.REVOKED, clock.now)
    assert world.last_change(WORKSPACE)["summary"] == "revoked the token “First” of Bob Lind"
    clock.forward(days=1, seconds=-1)
    states = {line.id: line.state for line in world.ask(ListTokens(), world.bob)}
    assert states == {first.id: TokenState.REVOKED, second.id: TokenState.VALID}
    clock.forward(seconds=1)
    states = {line.id: line.state for line in world.ask(ListTokens(), world.bob)}
    assert states == {first.id: TokenState.REVOKED, second.id: TokenState.EXPIRED}


def test_a_second_revocation_changes_nothing(world: World, clock: Clock) -> None:
    token = world.do(CreateToken(label="First")).token
    first = world.do(RevokeToken(token_id=token.id))
    seq = world.last_change(WORKSPACE)["seq"]
    clock.forward(hours=1)
    assert world.do(RevokeToken(token_id=token.id)) == first
    assert world.last_change(WORKSPACE)["seq"] == seq


def test_only_its_person_and_admins_end_a_token(world: World) -> None:
    token = world.do(CreateToken(label="Mine"), world.bob).token
    of_bob = RevokeUserToken(user_id=world.bob.user_id, token_id=token.id)
    for actor in (world.vera, world.maya):
        world.refuses(RevokeToken(token_id=token.id), NotFound, as_=actor)
    world.refuses(of_bob, Forbidden, as_=world.vera)
    assert world.do(of_bob).state is TokenState.REVOKED
    for user_id, token_id in ((world.bob.user_id, "none"), (world.vera.user_id, token.id)):
        world.refuses(RevokeUserToken(user_id=user_id, token_id=token_id), NotFound)


def test_no_account_comes_in_as_a_deactivated_user(world: World) -> None:
    world.do(DeactivateUser(user_id=world.gus.user_id))
    world.refuses(CreateUserToken(label="x", user_id=world.gus.user_id), RuleViolation, "Gus Roy is deactivated")
    world.refuses(LinkOsAccount(os_user=OS_USER, user_id=world.gus.user_id), RuleViolation, "Gus Roy is deactivated")


def test_the_ways_in_of_a_deactivated_user_are_suspended_and_a_token_can_still_be_revoked(world: World) -> None:
    token = world.do(CreateUserToken(user_id=world.bob.user_id, label="Reports")).token
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id))
    world.do(DeactivateUser(user_id=world.bob.user_id))
    assert [line.state for line in world.ask(ListTokens())] == [TokenState.SUSPENDED]
    assert [line.state for line in world.ask(ListLinkedAccounts())] == ["suspended"]
    revoked = world.do(RevokeUserToken(user_id=world.bob.user_id, token_id=token.id))
    assert revoked.state is TokenState.REVOKED
    world.do(ReactivateUser(user_id=world.bob.user_id, with_tokens=True))
    assert [line.state for line in world.ask(ListTokens())] == [TokenState.REVOKED]
    assert [line.state for line in world.ask(ListLinkedAccounts())] == ["valid"]


def ways_in(world: World) -> list[str]:
    accounts = [line.state for line in world.ask(ListLinkedAccounts())]
    return [*(line.state.lower() for line in world.ask(ListTokens())), *accounts]


def test_reactivation_revives_no_token_and_no_link_unless_asked_and_undo_of_a_plain_mistake_does(world: World) -> None:
    bob = world.bob.user_id
    for label in ("Reports", "Nightly"):
        world.do(CreateUserToken(user_id=bob, label=label))
    world.do(CreateToken(label="Of Vera"), world.vera)
    world.do(LinkOsAccount(os_user=OS_USER, user_id=bob))
    before = ways_in(world)
    world.do(DeactivateUser(user_id=bob))
    world.do(Undo())
    assert ways_in(world) == before == ["valid"] * 4
    world.do(DeactivateUser(user_id=bob))
    assert world.do(ReactivateUser(user_id=bob, with_tokens=True)).ended == ""
    assert ways_in(world) == before
    assert world.do(ReactivateUser(user_id=bob)).ended == "", "nothing ends for a person who is active"
    world.do(DeactivateUser(user_id=bob))
    back = world.do(ReactivateUser(user_id=bob))
    assert (back.user.active, back.ended) == (True, "2 tokens and 1 linked account")
    assert ways_in(world) == ["valid", "revoked", "revoked"]
    assert world.ask(ListWorkspaceHistory())[0].summary == f"reactivated Bob Lind and ended {back.ended} for good"
    world.do(Undo())
    assert not world.row("app_user", id=bob)["active"]
    assert ways_in(world) == ["valid", "revoked", "revoked"]
    world.do(Redo())
    assert ways_in(world) == ["valid", "revoked", "revoked"]


def test_none_of_it_is_taken_back_by_undo(world: World) -> None:
    token = world.do(CreateToken(label="x"), world.gus).token
    world.do(RevokeToken(token_id=token.id), world.gus)
    world.refuses(Undo(), NothingToUndo, as_=world.gus)
    assert world.row("token")["revoked_at"]


# -- linked accounts ---------------------------------------------------------------------------------------------------


def test_an_account_becomes_a_persons_by_its_name_and_its_number(world: World) -> None:
    line = world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id))
    assert (line.os_user, line.uid, line.user, line.uid_matches) == (OS_USER, UID, "Bob Lind", True)
    row = world.row("linked_account")
    assert (row["os_user"], row["uid"], row["user_id"]) == (OS_USER, UID, world.bob.user_id)
    assert world.last_change(WORKSPACE)["summary"] == f"linked the account “{OS_USER}” (number {UID}) to Bob Lind"


def test_an_account_that_is_linked_again_is_another_persons(world: World) -> None:
    for actor in (world.bob, world.vera):
        world.do(LinkOsAccount(os_user=OS_USER, user_id=actor.user_id))
    assert [line.user for line in world.ask(ListLinkedAccounts())] == ["Vera Sato"]
    assert world.ask(ListLinkedAccounts(), world.bob) == ()
    assert [line.os_user for line in world.ask(ListLinkedAccounts(), world.vera)] == [OS_USER]


def test_a_number_that_was_given_to_another_account_frees_itself(world: World) -> None:
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id))
    world.database.write(lambda tx: tx.execute("UPDATE linked_account SET os_user = 'departed'"))
    assert [line.uid_matches for line in world.ask(ListLinkedAccounts())] == [False]
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.vera.user_id))
    assert [(line.os_user, line.user) for line in world.ask(ListLinkedAccounts())] == [(OS_USER, "Vera Sato")]


def test_an_account_that_is_unlinked_belongs_to_no_user(world: World) -> None:
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id))
    world.do(UnlinkOsAccount(os_user=OS_USER))
    assert world.rows("SELECT * FROM linked_account") == []
    assert world.last_change(WORKSPACE)["summary"] == f"unlinked the account “{OS_USER}” from Bob Lind"
    world.refuses(UnlinkOsAccount(os_user=OS_USER), NotFound, OS_USER)


def test_the_same_account_of_another_machine_can_be_another_persons(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id)).host
    move_to_another_machine(tmp_path, monkeypatch)
    (seen,) = world.ask(ListLinkedAccounts())
    assert (seen.host, seen.is_here, seen.uid_matches, seen.state) == (here, False, False, "elsewhere")
    with pytest.raises(NotFound, match=f"not linked to a person on this machine. It is on the machine {here}"):
        world.do(UnlinkOsAccount(os_user=OS_USER))
    there = world.do(LinkOsAccount(os_user=OS_USER, user_id=world.vera.user_id))
    assert there.host != here
    assert {line.user: line.state for line in world.ask(ListLinkedAccounts())} == {
        "Bob Lind": "elsewhere",
        "Vera Sato": "valid",
    }
    world.do(UnlinkOsAccount(os_user=OS_USER, host=here))
    assert [line.user for line in world.ask(ListLinkedAccounts())] == ["Vera Sato"]


def test_an_account_signs_in_to_a_file_only_on_its_machine(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "os_login", lambda: "no-login-of-ours")
    me = pwd.getpwuid(os.getuid()).pw_name
    world.do(LinkOsAccount(os_user=me, user_id=world.bob.user_id, root=True))
    assert local.sign_on(world.engine).user_id == world.bob.user_id
    move_to_another_machine(tmp_path, monkeypatch)
    with pytest.raises(NotFound, match="Name yours with “--as LOGIN”"):
        local.sign_on(world.engine)


def test_the_id_of_a_machine_is_a_hash_of_its_number_or_else_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = tmp_path / "number"
    number.write_text("6f1d8e0b2c3a4f5e9d7c6b5a49382716\n")
    found = {host_id()}
    for file in (number, tmp_path / "missing"):
        monkeypatch.setattr(this_host, "MACHINE_ID", file)
        found.add(host_id())
    assert len(found) == 3 or not Path("/etc/machine-id").exists()
    assert not any(number.read_text().strip() in each for each in found)


def move_to_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, this is another machine, with the same accounts."""
    other = tmp_path / "machine-id"
    other.write_text("another machine\n")
    monkeypatch.setattr(this_host, "MACHINE_ID", other)


def test_root_is_linked_only_by_saying_so(world: World) -> None:
    world.refuses(LinkOsAccount(os_user="root", user_id=world.bob.user_id), RuleViolation, "“root” is root")
    assert world.do(LinkOsAccount(os_user="root", user_id=world.bob.user_id, root=True)).uid == 0


def test_the_account_nobody_is_never_linked(world: World) -> None:
    for root in (False, True):
        with pytest.raises(RuleViolation, match="it cannot be linked"):
            world.do(LinkOsAccount(os_user="nobody", user_id=world.bob.user_id, root=root))
    assert is_overflow_account(65534, "overflow")
    assert is_overflow_account(4294967294, "nobody")
    assert not is_overflow_account(UID, OS_USER)


def test_the_number_of_nobody_is_that_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = tmp_path / "overflowuid"
    monkeypatch.setattr(credentials, "OVERFLOW_FILE", chosen)
    assert not is_overflow_account(4242, "an account")
    chosen.write_text("4242\n")
    assert is_overflow_account(4242, "an account")


@pytest.mark.parametrize("os_user", ["no-such-account-here", "x" * 200, "../root", "0", "1"])
def test_an_account_that_is_not_there_is_said(world: World, os_user: str) -> None:
    world.refuses(LinkOsAccount(os_user=os_user, user_id=world.bob.user_id), InvalidInput, "has no account")


@pytest.mark.parametrize("os_user", ["", "a\x00b", "a\nb\x1b", "\udcff", "x" * 300])
def test_the_name_of_an_account_is_text(world: World, os_user: str) -> None:
    world.refuses(LinkOsAccount(os_user=os_user, user_id=world.bob.user_id), InvalidInput, "account")


def test_only_admins_link_accounts(world: World) -> None:
    link, unlink = LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id), UnlinkOsAccount(os_user=OS_USER)
    commands: tuple[Command[Any], ...] = (link, unlink)
    for message in commands:
        world.refuses(message, Forbidden, as_=world.bob)


def test_a_renewed_token_is_its_renewer_s_and_the_old_one_ends_when_it_was_said_or_before(
    world: World, clock: Clock
) -> None:
    old = world.do(CreateUserToken(user_id=world.bob.user_id, label="CI", days=30)).token
    clock.forward(days=20)
    made = world.do(RenewToken(token_id=old.id), world.bob)
    token, kept = world.ask(ListTokens(), world.bob)
    assert (made.token, token.whose, token.label) == (token, "Bob Lind", "CI"), "only Bob has read its secret"
    assert round((token.expires_at - clock()).total_seconds() / 86_400) == 30
    assert round((kept.expires_at - clock()).total_seconds() / 86_400) == 7
    said = "renewed the token “CI” of Bob Lind, and left 7 days to the old one"
    assert world.ask(ListWorkspaceHistory())[0].summary == said
    world.do(RenewToken(token_id=kept.id, keep_days=30), world.bob)
    assert kept in world.ask(ListTokens(), world.bob), "it never lives longer than before"
    world.do(RenewToken(token_id=token.id, user_id=world.bob.user_id, keep_days=0))
    assert [line.state for line in world.ask(ListTokens(), world.bob) if line.id == token.id] == [TokenState.REVOKED]
    assert world.ask(ListTokens(), world.bob)[0].whose == "Bob Lind, made by Maya Okafor"
    for keep_days in (-1, 366):
        world.refuses(RenewToken(token_id=kept.id, keep_days=keep_days), InvalidInput, as_=world.bob)


def test_no_token_is_renewed_that_is_over_hidden_or_of_a_person_who_may_not_get_one(world: World, clock: Clock) -> None:
    old = world.do(CreateToken(label="CI", days=1), world.bob).token
    for message, error in (
        (RenewToken(token_id=old.id), NotFound),
        (RenewToken(token_id=old.id, user_id=world.bob.user_id), Forbidden),
    ):
        world.refuses(message, error, as_=world.gus)
    world.do(DeactivateUser(user_id=world.bob.user_id))
    world.refuses(RenewToken(token_id=old.id, user_id=world.bob.user_id), RuleViolation, "deactivated")
    world.do(ReactivateUser(user_id=world.bob.user_id, with_tokens=True))
    clock.forward(days=2)
    world.refuses(RenewToken(token_id=old.id), RuleViolation, "Only a token that is valid", as_=world.bob)
