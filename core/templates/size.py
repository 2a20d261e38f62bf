"""The limits of a template's size, because it is created and used in one transaction, and people read it first."""

from __future__ import annotations

from core.domain.max_lengths import MAX_PHASES
from core.domain.model import ItemKind, Project
from core.domain.templates import Template, TemplateBody, TemplateItem
from core.engine.unit_of_work import Snapshot
from core.errors import RuleViolation
from core.templates.json_format import to_text

MAX_ITEMS = 5_000

MAX_OTHERS = 2_000
"""The most deliverables and applications together."""

MAX_ROWS = 16_000
"""The most cards, and what they have: as much as one change can merge and undo."""

MAX_LETTERS = 4_000_000
"""The most characters of a stored version. 5,000 cards with texts of usual length have a tenth of it."""

MAX_OF_VERSIONS = 20_000_000
"""The most characters of all versions of a template, because they are removed together."""

_LESS = "Archive or shorten what the next project does not need."


def check_size(view: Snapshot, project: Project) -> None:
    """Raise RuleViolation for a project that is empty or too large to be a template, before it is read."""
    found = view.rows(
        "SELECT (SELECT count(*) FROM phase WHERE project_id = :id) AS phases,"
        " (SELECT count(*) FROM deliverable WHERE project_id = :id)"
        " + (SELECT count(*) FROM application WHERE project_id = :id) AS others",
        id=project.id,
    )[0]
    tallies = view.item_counts(project.id).values()
    items = sum(each.to_do + each.in_progress + each.completed for each in tallies)
    if not found["phases"]:
        raise RuleViolation("A template needs at least one phase. Add one to the project first.")
    check_counts(found["phases"], items, found["others"])
    _refuse_long(
        view.rows(
            "SELECT coalesce((SELECT sum(length(objectives) + length(outcomes)) FROM phase WHERE project_id = :id), 0)"
            " + coalesce((SELECT sum(length(title) + length(description) + length(link)) FROM item"
            "  WHERE project_id = :id AND status <> 'ARCHIVED'), 0) AS letters",
            id=project.id,
        )[0]["letters"]
    )


def check_counts(phases: int, items: int, others: int) -> None:
    """Raise RuleViolation for more phases, cards, or deliverables and applications than a template may have."""
    if phases > MAX_PHASES or items > MAX_ITEMS or others > MAX_OTHERS:
        raise RuleViolation(
            f"A template holds at most {MAX_PHASES} phases, {MAX_ITEMS:,} tasks and activities, and {MAX_OTHERS:,}"
            f" deliverables and applications; these are {phases:,}, {items:,} and {others:,}. {_LESS}"
        )


def as_kept(body: TemplateBody) -> str:
    """The JSON text of a new version. Raises RuleViolation if it is too long, or has more rows than can be used."""
    rows = len(body.waits) + sum(_rows(card) for phase in body.phases for card in phase.items)
    if rows > MAX_ROWS:
        raise RuleViolation(
            f"A template holds at most {MAX_ROWS:,} cards, with their labels, values, people and what they wait for;"
            f" these are {rows:,}. {_LESS}"
        )
    text = to_text(body)
    _refuse_long(len(text))
    return text


def check_version_count(view: Snapshot, template: Template) -> None:
    """Raise RuleViolation if the versions of a template are together too long for another one."""
    letters = view.rows("SELECT sum(length(body)) AS n FROM template_version WHERE template_id = :id", id=template.id)
    if letters[0]["n"] > MAX_OF_VERSIONS:
        raise RuleViolation(
            f"The versions of “{template.name}” have more than {MAX_OF_VERSIONS:,} letters together, the most for one"
            " template. Save the workflow as a new template."
        )


def _rows(card: TemplateItem) -> int:
    """The number of rows of a card. The one role of a task needs none."""
    people = 0 if card.kind is ItemKind.TASK else len(card.slots)
    return 1 + len(card.labels) + len(card.values) + people + sum(map(_rows, card.tasks))


def _refuse_long(letters: int) -> None:
    if letters > MAX_LETTERS:
        raise RuleViolation(f"A template holds at most {MAX_LETTERS:,} letters of text; these are {letters:,}. {_LESS}")
