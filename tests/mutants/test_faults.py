"""A mutant differs from the product in one place, can be compiled, and leaves the other lines where they are."""

from __future__ import annotations

import pytest

from tests.mutants.faults import Mutant, mutants_of

SOURCE = '''\
def place(names: "list", first=0) -> "int":
    """Where it is."""
    for name in names:
        if not name or name.has("é", first) and first < 2:
            continue
        if first:
            break
        names.remove(
            name,
        )
        first += 1 - 2.5
    assert f"{first + 1}", True
    return names is (
        None
    )
'''

MUTANTS = mutants_of("place.py", SOURCE.encode())


@pytest.mark.parametrize(
    ("operator", "changes"),
    {
        "comparison": {"first < 2": "(first <= 2)", "names is (\n        None\n    )": "(names is not None\n\n)"},
        "and, or": {
            'not name or name.has("é", first) and first < 2': "(not name and (name.has('é', first) and first < 2))",
            'name.has("é", first) and first < 2': "(name.has('é', first) or first < 2)",
        },
        "not removed": {"not name": "(name)"},
        "not added": {"first": "(not first)"},
        "plus, minus": {"first += 1 - 2.5": "first -= 1 - 2.5", "1 - 2.5": "(1 + 2.5)"},
        "constant": {'"é"': "('')", "2": "(3)", "1": "(2)", "2.5": "(3.5)", "True": "(False)"},
        "None returned": {"names is (\n        None\n    )": "(None\n\n)"},
        "call removed": {"names.remove(\n            name,\n        )": "pass\n\n"},
        "break, continue": {"break": "continue", "continue": "break"},
    }.items(),
)
def test_each_operator_finds_its_places_in_the_body_of_a_function(operator: str, changes: dict[str, str]) -> None:
    assert {each.before: each.after for each in MUTANTS if each.operator == operator} == changes


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.line} {mutant.operator}")
def test_a_mutant_can_be_compiled_and_changes_its_own_lines_alone(mutant: Mutant) -> None:
    changed = mutant.apply(SOURCE.encode())
    assert changed is not None
    compile(changed, mutant.file, "exec")
    old, new = SOURCE.splitlines(), changed.decode().splitlines()
    assert len(new) == len(old)
    own = range(mutant.line - 1, mutant.line + mutant.before.count("\n"))
    assert {number for number, line in enumerate(old) if line != new[number]} <= set(own)


def test_a_mutant_finds_its_line_in_a_file_that_has_changed_since() -> None:
    mutant = next(each for each in MUTANTS if each.before == "2.5")
    changed = mutant.apply(b"import math\n\n" + SOURCE.encode())
    assert changed is not None
    assert changed.decode().splitlines()[12] == "        first += 1 - (3.5)"
    assert mutant.apply(SOURCE.replace("2.5", "2.6").encode()) is None
