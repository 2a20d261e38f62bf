"""Evidence of deliverables in the file of a project, and files from before it had a kind."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.projects.imports import ImportProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver, ListDeliverables
from core.errors import InvalidImport
from core.import_export.document import DeliverableEntry
from core.import_export.files import read_document
from core.record import replace
from core.wire.message_decoder import message_from
from tests.support.workspace import World
from tests.unit.import_export.test_imports import exported, text_of


def test_evidence_comes_back_as_what_it_was_and_that_of_an_older_file_by_its_text(world: World) -> None:
    kept = [
        world.do(AddDeliverable(phase_id=world.discover.id, name=name)) for name in ("Link", "File", "Card", "Gone")
    ]
    card, gone = world.task("Sign"), world.task("Left out")
    world.do(Deliver(deliverable_id=kept[0].id, link="https://a.example"))
    world.do(Deliver(deliverable_id=kept[1].id, file_name="b.pdf", file_size=12, file_sha256="0" * 64))
    world.do(Deliver(deliverable_id=kept[2].id, card_id=card.id))
    world.do(Deliver(deliverable_id=kept[3].id, card_id=gone.id))
    world.delete(gone.id)
    document = exported(world)
    older = [DeliverableEntry(name="A", evidence="https://a.example"), DeliverableEntry(name="B", evidence="b.pdf")]
    (found, *rest) = document.phases
    phases = (replace(found, deliverables=(*found.deliverables, *older)), *rest)
    project = world.do(ImportProject(document=read_document(text_of(replace(document, phases=phases))).document))
    phase_id = world.row("phase", project_id=project.id, name="Discover")["id"]
    assert [line.shown for line in world.ask(ListDeliverables(phase_id=phase_id))] == [
        "link https://a.example",
        "file b.pdf, 12 bytes, SHA-256 0000…",
        f"card {project.key}-1 Sign",
        "card, deleted since",
        "link https://a.example",
        "statement “b.pdf”",
    ]


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "statements at a gate without evidence": (
        {"acceptsStatements": True},
        r"phases\[0\].acceptsStatements: Only a gate that requires evidence",
    ),
    "a link that is none": (
        {"deliverables": [{"name": "Brief", "evidenceKind": "LINK", "evidence": "javascript:alert(1)"}]},
        r"phases\[0\].deliverables\[0\].evidence: The evidence must start with https://",
    ),
    "a card that is not there": (
        {"deliverables": [{"name": "Brief", "evidenceKind": "CARD", "evidence": "99"}]},
        r"deliverables\[0\].evidence: There is no item with the id “99” in the file",
    ),
    "an empty statement": (
        {"deliverables": [{"name": "Brief", "evidenceKind": "STATEMENT", "evidence": " "}]},
        r"deliverables\[0\].evidence: Enter",
    ),
    "a file with a path": (
        {"deliverables": [{"name": "Brief", "evidenceKind": "FILE", "evidence": "a/b", "fileSha256": "0" * 64}]},
        r"deliverables\[0\].evidence: Give the name of the file alone",
    ),
    "a file without a hash": (
        {"deliverables": [{"name": "Brief", "evidenceKind": "FILE", "evidence": "b.pdf", "fileSize": 3}]},
        r"deliverables\[0\].evidence: A SHA-256 has 64 digits",
    ),
    "a file of less than nothing": (
        {
            "deliverables": [
                {"name": "Brief", "evidenceKind": "FILE", "evidence": "b", "fileSize": -1, "fileSha256": "0" * 64}
            ]
        },
        r"deliverables\[0\].evidence: The size of a file",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_with_what_is_no_evidence_is_refused_by_field(world: World, case: str) -> None:
    phase, said = BROKEN[case]
    document: dict[str, Any] = {"name": "Other", "phases": [{"name": "One", **phase}]}
    with pytest.raises(InvalidImport, match=said):
        world.send(message_from("ImportProject", {"document": document}))
