"""Delivering on the Phase screen: what is typed is kept as what it is, by all who may deliver."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.phases import EditPhase
from core.domain.gates import Deliverable
from core.domain.model import Gate
from tests.support.app_driver import Text, on_stage, press, seen, shows, write
from tests.support.workspace import World
from tui.screens.phases.phase import PhaseScreen


def phase(world: World) -> Callable[[], PhaseScreen]:
    return lambda: PhaseScreen(world.project.id, world.discover.id)


@pytest.fixture
def contract(world: World) -> Deliverable:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    return world.do(AddDeliverable(phase_id=world.discover.id, name="Signed contract"))


def kept(world: World) -> tuple[str, str, int]:
    row = world.row("deliverable")
    return row["evidence_kind"], row["evidence"], row["done"]


async def test_a_contributor_delivers_a_file_by_its_hash_and_takes_it_back(
    world: World, contract: Deliverable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contract.pdf").write_bytes(b"x" * 1_234_567)
    async with on_stage(world, phase(world), as_=world.bob) as pilot:
        await press(pilot, "c")
        assert "Deliver “Signed contract”" in seen(pilot)
        await write(pilot, "contract.pdf")
        assert "is kept as: file contract.pdf, 1.2 MB, with" in seen(pilot)
        await press(pilot, "enter")
        assert kept(world) == ("FILE", "contract.pdf", 1)
        assert world.row("deliverable")["file_sha256"] == hashlib.sha256(b"x" * 1_234_567).hexdigest()
        assert "■ Signed contract" in seen(pilot)
        assert "delivered by Bob Lind" in seen(pilot)
        await press(pilot, "c")
        assert kept(world) == ("FILE", "contract.pdf", 0)
        await press(pilot, "c")  # what is there is enough, so nothing is asked
        assert kept(world) == ("FILE", "contract.pdf", 1)
        await press(pilot, "n", "d")
        assert world.rows("SELECT name FROM deliverable") == [{"name": "Signed contract"}]


@pytest.mark.parametrize(
    ("typed", "meaning", "row"),
    [
        ("https://example.com/1", "is kept as: link https://example.com/1", ("LINK", "https://example.com/1", 1)),
        ("Sent by post", "is kept as: statement “Sent by post”, which is no", ("STATEMENT", "Sent by post", 1)),
        ("", "marks it as done, without evidence", ("NONE", "", 1)),
    ],
)
async def test_what_is_typed_says_what_it_is_kept_as(
    world: World, contract: Deliverable, typed: str, meaning: str, row: tuple[str, str, int]
) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "enter", Text(typed))
        assert meaning in seen(pilot)
        await press(pilot, "enter")
        assert kept(world) == row


async def test_a_card_is_named_by_its_key(world: World, contract: Deliverable) -> None:
    card = world.task("Sign the contract")
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "enter", Text(f"{world.project.key.lower()}-1"), "enter")
        assert kept(world) == ("CARD", card.id, 1)
        assert f"card {world.project.key}-1 Sign the contract · delivered" in seen(pilot)
        await press(pilot, "enter")
        assert f"keeps card {world.project.key}-1 Sign the contract" in seen(pilot)
        await press(pilot, "ctrl+u")
        assert "takes it back: the evidence goes" in seen(pilot)
        await press(pilot, "enter")
        assert kept(world) == ("NONE", "", 0)


async def test_the_key_of_a_card_is_looked_up_while_it_is_typed(world: World, contract: Deliverable) -> None:
    world.task("Sign the contract")
    other = world.new_project("Other")
    world.task("Elsewhere", phase=world.phase("Only", other.id))
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "enter")
        for typed, said in (
            (f"{world.project.key}-1".lower(), f"is kept as: card {world.project.key}-1 Sign the contract"),
            ("9", "There is no such card in this project."),
            (f"{other.key}-1", "There is no such card in this project."),
        ):
            await press(pilot, *["ctrl+u"] * (typed != "9"), Text(typed))
            assert await shows(pilot, said)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("javascript:alert(1)", "is no statement in words"),
        ("https://", "needs a host"),
        ("ABC-99", "There is no such card"),
        ("/dev/zero", "/dev/zero is no regular file"),
        ("/nowhere/contract.pdf", "/nowhere/contract.pdf cannot be"),
    ],
)
async def test_what_is_no_evidence_is_refused_under_the_field(
    world: World, contract: Deliverable, typed: str, said: str
) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "enter", Text(typed), "enter")
        assert said in seen(pilot)
        assert kept(world) == ("NONE", "", 0)


@pytest.mark.parametrize(
    ("via", "files", "said"),
    [("browser", True, "In a browser Podium sees no"), ("ssh", False, "This host lets nobody")],
)
async def test_where_no_files_are_allowed_a_path_is_refused_and_says_why(
    world: World, contract: Deliverable, tmp_path: Path, via: str, files: bool, said: str
) -> None:
    (tmp_path / "contract.pdf").touch()
    async with on_stage(world, phase(world)) as pilot:
        pilot.app.via, pilot.app.files = via, files
        await press(pilot, "enter")
        assert "a file" not in seen(pilot)
        await write(pilot, str(tmp_path / "contract.pdf"))
        assert said in seen(pilot)
        await press(pilot, "enter")
        assert kept(world) == ("NONE", "", 0)


async def test_a_viewer_sees_the_evidence_and_is_told_who_delivers(world: World, contract: Deliverable) -> None:
    world.do(Deliver(deliverable_id=contract.id, statement="Signed on Monday"), world.bob)
    async with on_stage(world, phase(world), as_=world.vera) as pilot:
        assert "statement “Signed on Monday” · a statement is no evidence" in seen(pilot)
        await press(pilot, "c", "enter")
        assert "contributor" in seen(pilot).lower()
        assert kept(world) == ("STATEMENT", "Signed on Monday", 1)


async def test_an_owner_renames_from_the_menu_and_chooses_a_gate_that_takes_words(
    world: World, contract: Deliverable
) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "full_stop")
        assert "Rename the deliverable" in seen(pilot)
        await press(pilot, "escape", "e", "tab", "tab", "right")
        assert "‹ Review with evidence or a statement ›" in seen(pilot)
        await press(pilot, "ctrl+s")
        assert world.row("phase", id=world.discover.id)["accepts_statements"] == 1
        assert "evidence required, a" in seen(pilot)


async def test_two_who_deliver_at_once_are_told_and_the_later_one_chooses(world: World, contract: Deliverable) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "enter")
        world.do(Deliver(deliverable_id=contract.id, link="https://example.com/bob"), world.bob)
        await press(pilot, Text("https://example.com/maya"), "enter")
        assert "https://example.com/bob" in seen(pilot)
        assert kept(world)[1] == "https://example.com/bob"
