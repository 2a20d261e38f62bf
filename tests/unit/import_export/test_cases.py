"""Small files that are like real ones, in ``cases/``: what each becomes, whole, with its notes and what is left out.

Those that begin with “program” have all columns and values that a program writes.

``right.txt`` has the right result of each. Runs of one letter are shortened there, as in “d×20001”.
"""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest

from core.errors import InvalidImport
from core.import_export.files import read_document
from tests.unit.import_export.test_tables import in_words

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.name for path in CASES.iterdir())
RIGHT = {
    name: text.rstrip("\n")
    for name, text in re.findall(
        r"^== (\S+)\n(.*?)(?=^== |\Z)", (Path(__file__).parent / "right.txt").read_text(), re.DOTALL | re.MULTILINE
    )
}


pytestmark = pytest.mark.usefixtures("in_utc")


def result_of(data: bytes, name: str) -> str:
    """The cards of a file in lines, with the notes and what is left out."""
    try:
        found = read_document(data, today=date(2026, 11, 2), name=name)
    except InvalidImport as refused:
        said = [f"refused: {refused}"]
    else:
        said = [in_words(found.document, item) for item in found.document.items]
        said += [f"note: {note}" for note in found.notes]
        said += [each.sentence for each in found.left_out]
    return re.sub(r"(.)\1{29,}", lambda run: f"{run[1]}×{len(run[0])}", "\n".join(said).replace("\n\n", "\n"))


@pytest.mark.parametrize("name", NAMES)
def test_a_file_becomes_all_that_is_in_it(name: str) -> None:
    assert result_of((CASES / name).read_bytes(), name.partition(".")[0]) == RIGHT[name]


def test_each_file_has_its_right_result() -> None:
    assert sorted(RIGHT) == NAMES
    assert len(NAMES) == 174


def test_a_board_with_the_newest_thousand_actions_says_that_older_comments_are_missing() -> None:
    board = json.loads((CASES / "t11-copied-comments.json").read_text())
    comment = {**board["actions"][0], "type": "commentCard", "data": {"card": {"id": "c1"}, "text": "remark"}}
    board["actions"] = [{**comment, "id": f"a{at}"} for at in range(1000)]
    result = result_of(json.dumps(board).encode(), "t12")
    assert result.count("said remark") == 1000
    assert "note: Trello exports the newest 1,000 actions of a board, so older comments are not in it." in result
