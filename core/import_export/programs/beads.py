"""Imports the issues of beads, the JSON lines in ``.beads/issues.jsonl`` and the output of ``bd list --json``.

An epic, and each issue with children, is an activity; “blocks” is what a card waits for, and other relations are words.
Design, acceptance criteria and notes are parts of the description. Deleted issues (tombstones) are archived.
"""

from __future__ import annotations

import json
from typing import Any

from core.domain.model import Priority, Status
from core.import_export.draft import Draft, find_unread
from core.import_export.programs.loose_cards import LooseCard, Objects, Text, Texts, as_text, place_cards, read_moment
from core.import_export.tables.words import split_words
from core.record import Record, fields
from core.templates.checked_files import read_json

WHY = "beads has such things for itself"

_STATUSES = {"tombstone": Status.ARCHIVED, "blocked": Status.TO_DO, "hooked": Status.IN_PROGRESS}
_PRIORITIES = {"0": Priority.URGENT, "1": Priority.HIGH, "2": Priority.NORMAL, "3": Priority.LOW, "4": Priority.LOW}

OWN = frozenset(
    split_words("""
    _type, content_hash, created_at, created_by, updated_at, source_repo, source_system, compaction_level,
    original_size, original_type, compacted_at, compacted_at_commit, deleted_at, deleted_by, dependency_count,
    dependent_count, comment_count, sender, ephemeral
    """)
)
"""Keys that beads has for itself: times, hashes and counts."""

READ = {
    "dependencies": {"depends_on_id", "type", "dependency_type", ""},
    "comments": {"author", "text", "created_at", ""},
}
"""Keys of parts of an issue that are read; “” stands for a plain value."""


class BeadsIssue(Record, rename=None):
    id: Text = ""
    title: Text = ""
    description: Text = ""
    design: Text = ""
    acceptance_criteria: Text = ""
    notes: Text = ""
    status: Text = "open"
    priority: Text = "2"
    issue_type: Text = "task"
    assignee: Text = ""
    labels: Texts = ()
    due_at: Text = ""
    closed_at: Text = ""
    estimated_minutes: Text = ""
    external_ref: Text = ""
    comments: Objects = ()
    dependencies: Objects = ()


def draft(text: str, _called: str = "") -> Draft:
    """The draft of the issues of a file. Raises InvalidImport."""
    issues = read_json(text, tuple[BeadsIssue, ...])
    raw: list[dict[str, Any]] = json.loads(text)
    made = Draft("beads")
    place_cards(made, [_card(made, issue, raw[at], f"[{at}]") for at, issue in enumerate(issues)])
    made.left_out += find_unread(raw, {key for each in raw for key in each if key not in OWN}, WHY)
    for name, read in READ.items():
        parts = [part for issue in issues for part in getattr(issue, name)]
        made.left_out += find_unread(parts, read, WHY, ("issue_id",))
    return made


def _card(made: Draft, issue: BeadsIssue, raw: dict[str, Any], origin: str) -> LooseCard:
    card = LooseCard(issue.id, issue.title, origin)
    card.description = issue.description
    if issue.status in _STATUSES:
        card.status = _STATUSES[issue.status]
        card.say("Status", issue.status)
    else:
        card.take_status(issue.status)
    card.priority = _PRIORITIES.get(issue.priority, Priority.NORMAL)
    card.completed_at = read_moment(issue.closed_at)
    card.is_activity = issue.issue_type == "epic"
    card.people = [issue.assignee] if issue.assignee else []
    card.labels = [*issue.labels]
    card.due = card.read_day("Due", issue.due_at)
    card.take_link("External ref", issue.external_ref)
    card.own = {"ID": issue.id, "Estimated minutes": issue.estimated_minutes}
    card.say("Design", issue.design)
    card.say("Acceptance criteria", issue.acceptance_criteria)
    card.say("Notes", issue.notes)
    card.say("Priority", "" if issue.priority in ("0", "1", "2", "3") else issue.priority)
    card.say("Closed at", "" if card.completed_at else issue.closed_at)
    for key in [each for each in raw if each not in OWN and each not in fields(issue)]:
        card.say(key.replace("_", " ").capitalize(), as_text(raw[key]))
    for each in issue.dependencies:
        other = as_text(each.get("depends_on_id") or each.get("id") or each.get("") or each)
        match as_text(each.get("type") or each.get("dependency_type")) or "blocks":
            case "blocks":
                card.waits[other] = 0
            case "parent-child" if not card.parent:
                card.parent = other
            case kind:
                card.say(kind.replace("-", " ").capitalize(), other)
    if issue.issue_type != "task" and (card.parent or not card.is_activity):
        card.own["Type"] = issue.issue_type
    for each in issue.comments:
        said = as_text(each.get("text") or each.get("") or each)
        card.take_comment(made, as_text(each.get("author")), as_text(each.get("created_at")), said)
    return card
