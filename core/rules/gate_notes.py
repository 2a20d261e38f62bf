"""The cards that left a phase since its last decision: archived, deleted for good or moved out, by whom and when."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.domain.model import Id, Phase, Project, Status
from core.domain.readiness import GateNote
from core.engine.unit_of_work import Snapshot
from core.rules.gate_facts import LAST_DECISIONS
from core.storage.database import placeholders
from core.text.dates import in_short
from core.text.phrases import credited, person_name
from core.text.short_keys import card_key

NOTES_READ = 2_000
"""The most cards that left of which the notes are found."""

_SINCE = (
    "SELECT phase_id, (SELECT min(seq) FROM change_record WHERE change_record.project_id = gate_record.project_id AND"
    """ key = '{{"project_id": "' || gate_record.project_id || '", "id": "' || gate_record.id || '"}}')"""
    f" FROM gate_record WHERE project_id = :project_id AND {LAST_DECISIONS} AND phase_id IN {{chosen}} ORDER BY at, id"
)
_LEFT = (
    "SELECT change_record.seq, key, before, after, at, first_name, last_name, through FROM change_record"
    " JOIN change ON change.project_id = change_record.project_id AND change.seq = change_record.seq"
    " LEFT JOIN app_user ON app_user.id = actor_id"
    " WHERE change_record.project_id = :project_id AND change_record.seq > :since AND entity = 'item'"
    " AND before IS NOT NULL AND (after IS NULL AND change.kind = 'DO' OR after LIKE :moved OR after LIKE :archived)"
    " ORDER BY change_record.seq DESC, position DESC LIMIT :most"
)
_LEAVES = {"moved": '%"phase_id"%', "archived": f'%"{Status.ARCHIVED}"%'}
_NOW = "SELECT id, phase_id, title, number, status, archived_from FROM item WHERE project_id = :project_id AND id IN "


def notes_at(view: Snapshot, project: Project, phases: Collection[Phase]) -> dict[Id, tuple[GateNote, ...]]:
    """Return the cards of these phases that were archived, deleted for good or moved out, the newest first.

    Only those since the last decision count, or all where there is none. A card that is back is left out.
    """
    of_project = {"project_id": project.id}
    chosen, params = placeholders(phase.id for phase in phases)
    decided = dict(view.tx.tuples(_SINCE.format(chosen=chosen), **of_project, **params))
    since = {phase.id: decided.get(phase.id) or 0 for phase in phases}
    first = min(since.values(), default=0)
    rows = view.tx.tuples(_LEFT, **of_project, since=first, most=NOTES_READ, **_LEAVES)
    left = [(seq, *(json.loads(text or "{}") for text in (key, old, new)), by) for seq, key, old, new, *by in rows]
    if not left:
        return {}
    some, params = placeholders({key["id"] for _, key, *_ in left})
    now = {row[0]: row for row in view.tx.tuples(_NOW + some, **of_project, **params)}
    gone = {key["id"]: old for _, key, old, new, _ in left if not new and key["id"] not in now}
    found: dict[Id, dict[Id, GateNote]] = {}
    for seq, key, old, new, by in left:
        card_id, in_change = key["id"], "phase_id" in old
        if not in_change and new.get("status") != Status.ARCHIVED:  # the LIKE also matches texts with that word
            continue
        if card_id in gone:
            phase_now, status, card = None, None, gone[card_id]
        elif card_id in now:
            _, phase_now, title, number, status, archived_from = now[card_id]
            card = {"phase_id": phase_now, "title": title, "number": number, "archived_from": archived_from}
        else:
            continue
        phase_id = (old if in_change else card)["phase_id"]
        how = "archived" if not in_change else "moved out" if new else "deleted for good"
        is_back = status != Status.ARCHIVED if not in_change else phase_now == phase_id
        if is_back or seq <= since.get(phase_id, seq) or card_id in found.get(phase_id, ()):
            continue
        found.setdefault(phase_id, {})[card_id] = _note(view, project, card_id, card, how, by)
    return {phase_id: tuple(notes.values()) for phase_id, notes in found.items()}


def _note(
    view: Snapshot, project: Project, card_id: Id, card: Mapping[str, Any], how: str, by: Sequence[str]
) -> GateNote:
    """Say of a card that left how it did, by whom and when, and whether it was archived before it was completed."""
    at, first_name, last_name, through = by
    is_open = " before it was completed" if how != "moved out" and card["archived_from"] in _OPEN else ""
    who = credited(person_name(first_name, last_name), through)
    day = in_short(view.day_of(datetime.fromisoformat(at)), view.today)
    key = card_key(project.key, card["number"])
    sentence = f"“{card['title']}” ({key}) was {how}{is_open} by {who} on {day}."
    return GateNote(sentence=sentence, card_id=card_id, key=key)


_OPEN = (Status.TO_DO, Status.IN_PROGRESS)
