"""Quotas on the command line: refusals and settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from click.testing import Result

from core.domain.quotas import Quotas
from tests.support.api.server import ServerOfTests, token_for
from tests.support.workspace import World


def test_a_token_beyond_the_quota_is_refused_in_one_sentence_with_the_way_out(
    world: World, anywhere: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.engine, "clock", lambda: datetime.now(UTC))  # as the command line has it
    world.engine.quotas = Quotas(tokens=2)
    monkeypatch.setenv("PODIUM_TOKEN", token_for(world, world.bob))
    with ServerOfTests(world) as server:
        place = ("--server", server.address)
        assert anywhere("token", "create", "Second", *place).exit_code == 0
        refused = anywhere("token", "create", "Third", *place)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "You have 2 valid tokens; one user can have at most 2. Revoke one with" in refused.stderr
        assert [row["label"] for row in world.rows("SELECT label FROM token ORDER BY id")] == ["tests", "Second"]
        (error,) = json.loads(anywhere("token", "create", "Third", "--json", *place).stderr)["errors"]
        assert error["errorCode"] == "QUOTA_REACHED"
        assert anywhere("token", "revoke", "Second", *place).exit_code == 0
        assert anywhere("token", "create", "Third", *place).exit_code == 0


def test_the_quotas_are_settings_and_what_cannot_be_one_is_named(
    anywhere: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("50", "1"):
        monkeypatch.setenv("PODIUM_MAX_TOKENS", value)
        found = json.loads(anywhere("config", "--json").stdout)["data"]
        assert {"name": "max_tokens", "value": value, "source": "PODIUM_MAX_TOKENS"} in found
    for wrong in ("0", "many", "1000001", "2.5"):
        monkeypatch.setenv("PODIUM_MAX_TOKENS", wrong)
        refused = anywhere("config")
        assert refused.exit_code == 2
        assert "a whole number from 1 to 1,000,000" in refused.output
