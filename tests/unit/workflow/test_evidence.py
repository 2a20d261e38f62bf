"""Evidence of deliverables: what is taken as what, who delivers, and what is refused; and the hash of a file."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.cards import DeleteCard
from core.actions.cards.details import GetPhase
from core.actions.history.history import Undo
from core.actions.workflow.deliverables import (
    AddDeliverable,
    Deliver,
    DeliverableSummary,
    EditDeliverable,
    ListDeliverables,
    RemoveDeliverable,
    TakeBack,
)
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, EditPhase
from core.domain.evidence import evidence_of
from core.domain.gates import Decision, Deliverable, EvidenceKind
from core.domain.model import Gate
from core.engine.messages import Command
from core.errors import Forbidden, InvalidInput, LapsesApproval, RuleViolation
from core.files import hashing
from core.files.hashing import hash_file
from core.record import replace
from tests.support.workspace import Clock, World

HASH = "9c1e" + "0" * 60


@pytest.fixture
def contract(world: World) -> Deliverable:
    return world.do(AddDeliverable(phase_id=world.discover.id, name="Signed contract"))


def only_line(world: World) -> DeliverableSummary:
    (line,) = world.ask(ListDeliverables(phase_id=world.discover.id), world.vera)
    assert world.ask(GetPhase(phase_id=world.discover.id)).deliverables == (line,)
    return line


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("https://files.example/1", EvidenceKind.LINK),
        ("HTTP://files.example", EvidenceKind.LINK),
        ("https://ann:secret@files.example/1", EvidenceKind.STATEMENT),
        ("https://no host", EvidenceKind.STATEMENT),
        ("shared/plan.pdf", EvidenceKind.STATEMENT),
        ("javascript:alert(1)", EvidenceKind.STATEMENT),
        ("", EvidenceKind.NONE),
    ],
)
def test_a_text_is_a_link_if_it_is_an_address_and_else_words_letter_by_letter(text: str, kind: EvidenceKind) -> None:
    assert (evidence_of(text).kind, evidence_of(text).text) == (kind, text)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"link": "https://files.example/1"}, "link https://files.example/1"),
        (
            {"file_name": "contract.pdf", "file_size": 1_234_567, "file_sha256": HASH},
            "file contract.pdf, 1.2 MB, SHA-256 9c1e…",
        ),
        ({"statement": "Sent to all shops: 24 of them"}, "statement “Sent to all shops: 24 of them”"),
    ],
)
def test_a_contributor_delivers_with_evidence_that_is_shown_as_what_it_is(
    world: World, contract: Deliverable, clock: Clock, given: dict[str, Any], shown: str
) -> None:
    world.do(Deliver(deliverable_id=contract.id, **given), world.bob)
    line = only_line(world)
    assert (line.shown, line.by, line.deliverable.done, line.deliverable.delivered_at) == (
        shown,
        "Bob Lind",
        True,
        clock.now,
    )
    clock.forward(days=1)
    again = world.do(Deliver(deliverable_id=contract.id, **given))  # nothing new, so Bob stays the one who delivered
    assert (again, world.last_change()["summary"]) == (line.deliverable, "delivered “Signed contract”")
    world.do(TakeBack(deliverable_id=contract.id), world.bob)
    taken = only_line(world)
    assert (taken.shown, taken.by, taken.deliverable.done, taken.deliverable.delivered_at) == (shown, "", False, None)
    world.do(Undo(project_id=world.project.id), world.bob)
    back = only_line(world)
    assert (back.shown, back.by, back.deliverable.delivered_at) == (shown, "Bob Lind", line.deliverable.delivered_at)
    world.do(TakeBack(deliverable_id=contract.id, no_evidence=True))
    assert (only_line(world).shown, only_line(world).deliverable.evidence_kind) == ("", EvidenceKind.NONE)


def test_a_card_as_evidence_is_kept_by_its_id_and_a_deleted_one_says_so(world: World, contract: Deliverable) -> None:
    card = world.task("Sign the contract", world.launch)
    world.do(Deliver(deliverable_id=contract.id, card_id=f"{world.project.key.lower()}-1"), world.bob)
    line = only_line(world)
    assert line.shown == f"card {world.project.key}-1 Sign the contract"
    assert line.deliverable.evidence == card.id
    world.archive(card.id)
    assert only_line(world) == line
    world.do(DeleteCard(card_id=card.id))
    assert only_line(world).shown == "card, deleted since"
    world.do(EditPhase(phase_id=contract.phase_id, gate=Gate.REVIEW, evidence_required=True))
    with pytest.raises(RuleViolation, match="“Signed contract” has no evidence"):
        world.do(DecideGate(phase_id=contract.phase_id, decision=Decision.PASS))


def test_what_is_not_delivered_is_not_taken_back(world: World, contract: Deliverable) -> None:
    for _ in range(2):
        with pytest.raises(RuleViolation, match="“Signed contract” is not delivered"):
            world.do(TakeBack(deliverable_id=contract.id, no_evidence=True))
        world.do(Deliver(deliverable_id=contract.id, link="https://files.example/1"))
        world.do(TakeBack(deliverable_id=contract.id))
        world.refuses(TakeBack(deliverable_id=contract.id), RuleViolation, "“Signed contract” is not delivered")
        world.do(TakeBack(deliverable_id=contract.id, no_evidence=True))  # its evidence is still there to take


def test_owners_alone_add_rename_and_remove_and_viewers_do_not_deliver(world: World, contract: Deliverable) -> None:
    of_owners: tuple[Command[Any], ...] = (
        AddDeliverable(phase_id=world.discover.id, name="Brief"),
        EditDeliverable(deliverable_id=contract.id, name="Contract"),
        RemoveDeliverable(deliverable_id=contract.id),
    )
    for command in of_owners:
        world.refuses(command, Forbidden, as_=world.bob)
        world.do(command)
    film = world.row("deliverable", name="Brief")["id"]
    deliveries: tuple[Command[Any], ...] = (Deliver(deliverable_id=film), TakeBack(deliverable_id=film))
    for command in deliveries:
        world.refuses(command, Forbidden, as_=world.vera)


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"link": "status:todo assignee:me"}, "link", "The link must start with https:// or http://."),
        ({"link": "javascript:alert(1)"}, "link", "The link must start with"),
        ({"link": "https://"}, "link", "The link needs a host"),
        ({"link": ""}, "link", "Enter a link."),
        ({"statement": " "}, "statement", "Enter a statement."),
        ({"statement": "status:todo assignee:me"}, "statement", "is no statement in words"),
        ({"statement": "javascript:alert(1)"}, "statement", "is no statement in words"),
        ({"card_id": "ABC-99"}, "card_id", "There is no such card in this project."),
        ({"card_id": ""}, "card_id", "There is no such card in this project."),
        ({"file_name": "a.pdf", "file_size": 1}, "file_sha256", "has a name, a size and a SHA-256"),
        ({"file_name": "a.pdf", "file_sha256": HASH}, "file_size", "has a name, a size and a SHA-256"),
        ({"file_size": 1, "file_sha256": HASH}, "file_name", "has a name, a size and a SHA-256"),
        ({"file_name": "a.pdf", "file_size": -1, "file_sha256": HASH}, "file_size", "from 0 on, not -1"),
        ({"file_name": "a.pdf", "file_size": 1 << 63, "file_sha256": HASH}, "file_size", "from 0 on, not 9"),
        ({"file_name": "a.pdf", "file_size": 1, "file_sha256": "abc"}, "file_sha256", "A SHA-256 has 64 digits"),
        ({"file_name": "b/a.pdf", "file_size": 1, "file_sha256": HASH}, "file_name", "without its folders"),
        ({"file_name": "..", "file_size": 1, "file_sha256": HASH}, "file_name", "without its folders"),
        ({"file_name": "a\x07.pdf", "file_size": 1, "file_sha256": HASH}, "file_name", "in the file name"),
        ({"link": "https://files.example/1", "statement": "Sent"}, "statement", "Evidence is one thing"),
    ],
)
def test_what_is_no_evidence_is_refused_in_a_sentence_that_names_the_field(
    world: World, contract: Deliverable, given: dict[str, Any], field: str, said: str
) -> None:
    refused = world.refuses(Deliver(deliverable_id=contract.id, **given), InvalidInput, said)
    assert refused.field == field
    assert not only_line(world).deliverable.done


def test_a_card_of_another_project_is_no_evidence(world: World, contract: Deliverable) -> None:
    other = world.new_project("Elsewhere")
    phase = world.do(AddPhase(project_id=other.id, name="One"))
    card = world.task("Not here", phase)
    for name in (card.id, f"{other.key}-1"):
        with pytest.raises(InvalidInput, match="There is no such card in this project"):
            world.do(Deliver(deliverable_id=contract.id, card_id=name))


def test_a_gate_accepts_statements_only_where_it_says_so_and_requires_evidence(world: World) -> None:
    def gate(**changes: Any) -> tuple[bool, bool]:
        edited = world.do(EditPhase(phase_id=world.discover.id, **changes))
        return edited.evidence_required, edited.accepts_statements

    assert gate(gate=Gate.REVIEW, evidence_required=True) == (True, False)
    assert gate(accepts_statements=True) == (True, True)
    assert gate(name="Find out") == (True, True)
    assert gate(evidence_required=False) == (False, False)
    assert gate(evidence_required=True, accepts_statements=True) == (True, True)
    assert gate(gate=Gate.AUTOMATIC) == (False, False)
    with pytest.raises(InvalidInput, match="Only a gate that requires evidence can accept statements") as refused:
        world.do(AddPhase(project_id=world.project.id, name="New", gate=Gate.REVIEW, accepts_statements=True))
    assert refused.value.field == "accepts_statements"


# -- files ---------------------------------------------------------------------------------------------------------


def test_a_file_is_known_by_name_size_and_hash_also_through_a_link_to_it(tmp_path: Path) -> None:
    data = os.urandom(3 * hashing.PIECE + 17)
    (tmp_path / "contract.pdf").write_bytes(data)
    (tmp_path / "latest.pdf").symlink_to("contract.pdf")
    for name in ("contract.pdf", "latest.pdf"):
        found = hash_file(tmp_path / name)
        assert (found.name, found.size, found.sha256) == (name, len(data), hashlib.sha256(data).hexdigest())
    (tmp_path / "empty").touch()
    assert hash_file(tmp_path / "empty").sha256 == hashlib.sha256().hexdigest()
    decomposed = unicodedata.normalize("NFD", "Übergabe.pdf")
    (tmp_path / decomposed).touch()
    assert hash_file(tmp_path / decomposed).name == "Übergabe.pdf"


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def _socket(folder: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "s"))
    return folder / "s"


def _unreadable_name(folder: Path) -> Path:
    (folder / "a\x1bb.pdf").touch()
    return folder / "a\x1bb.pdf"


def _loop(folder: Path) -> Path:
    (folder / "loop").symlink_to("loop")
    return folder / "loop"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (lambda folder: folder, "is a folder"),
        (lambda folder: folder / "..", "is a folder"),
        (lambda _: Path("/dev/zero"), "/dev/zero is no regular file"),
        (_pipe, "is a pipe"),
        (_socket, "is no regular file"),
        (lambda folder: folder / "nothing.pdf", "cannot be read: No such file or directory"),
        (_loop, "cannot be read: Too many levels of symbolic links"),
        (lambda folder: folder / "a\0b", "is no path of a file"),
        (_unreadable_name, "in the file"),
        (lambda _: Path("/proc/self/status"), "changed while it was read"),  # it has no size and yet contents
    ],
)
def test_what_is_no_file_with_contents_that_stay_is_refused_at_once(
    tmp_path: Path, place: Callable[[Path], Path], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        hash_file(place(tmp_path))
    assert refused.value.field == "file"


@pytest.mark.parametrize("change", ["grow", "rewrite", "replace"])
def test_a_file_that_changes_while_it_is_read_is_refused_and_one_that_grows_is_not_read_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(b"x" * 4 * hashing.PIECE)
    stop, read, written, true_sha256 = threading.Event(), threading.Event(), threading.Event(), hashlib.sha256

    class Watched:
        """SHA-256, which lets the writer begin after the first piece."""

        def __init__(self) -> None:
            self.inner, self.pieces = true_sha256(), 0

        def update(self, piece: bytes) -> None:
            self.inner.update(piece)
            self.pieces += 1
            if self.pieces == 1:
                read.set()
                written.wait(10)
            assert self.pieces < 10

        def hexdigest(self) -> str:
            return self.inner.hexdigest()

    def write() -> None:
        read.wait(10)
        if change == "replace":
            (tmp_path / "new").write_bytes(b"y" * 4 * hashing.PIECE)
            os.replace(tmp_path / "new", path)
            written.set()
            return
        with path.open("r+b" if change == "rewrite" else "ab") as file:
            while not stop.is_set():
                file.write(b"y" * hashing.PIECE)
                file.flush()
                written.set()
                if change == "rewrite":
                    return

    monkeypatch.setattr(hashlib, "sha256", Watched)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        with pytest.raises(InvalidInput, match="changed while it was read"):
            hash_file(path)
    finally:
        stop.set()
        writer.join()


# -- what was approved -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda each: AddDeliverable(phase_id=each.phase_id, name="Film"), "the deliverable “Film” was added"),
        (lambda each: EditDeliverable(deliverable_id=each.id, name="Draft"), "“Signed contract” was renamed"),
        (lambda each: RemoveDeliverable(deliverable_id=each.id), "“Signed contract” was removed"),
        (lambda each: Deliver(deliverable_id=each.id, link="https://b.example"), "has other evidence"),
        (lambda each: TakeBack(deliverable_id=each.id), "“Signed contract” was taken back"),
    ],
)
def test_each_change_of_a_deliverable_ends_the_approval_and_takes_a_reason(
    world: World, contract: Deliverable, change: Callable[[Deliverable], Any], what: str
) -> None:
    world.do(EditPhase(phase_id=contract.phase_id, gate=Gate.REVIEW, evidence_required=True))
    world.do(Deliver(deliverable_id=contract.id, link="https://a.example"), world.bob)
    world.do(DecideGate(phase_id=contract.phase_id, decision=Decision.PASS))
    world.refuses(change(contract), LapsesApproval, what)
    world.do(replace(change(contract), allow_lapse="It was the wrong one"))
    (lapse,) = world.rows("SELECT * FROM gate_record WHERE decision = 'LAPSE'")
    assert (what in lapse["detail"], lapse["reason"]) == (True, "It was the wrong one")
