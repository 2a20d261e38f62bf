"""The check of a seal in a file: it is the text whose hash the file names, and of the form that readers rely on."""

from __future__ import annotations

import json
import re
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.gates import Decision, EvidenceKind, Way
from core.domain.max_lengths import SEAL
from core.domain.model import Gate, Status
from core.errors import InvalidImport
from core.import_export.document import MAX_WHOLE, DecisionEntry
from core.rules.gate_seals import canonical, hash_of
from core.text.sanitize import first_unsafe_index, quote_value

_COUNTED = {"count": int, "sha256": str}
_CARD = {"key": str, "title": str, "completedBy": str, "status": Status, "completedAt": datetime, "done": int}
_DELIVERABLE = dict.fromkeys(("id", "name", "evidence", "sha256", "deliveredBy"), str) | {"kind": EvidenceKind}
_FORM: dict[str, Any] = {
    "bound": dict.fromkeys(("objectives", "outcomes"), str)
    | dict.fromkeys(("evidenceRequired", "acceptsStatements"), int)
    | {"gate": Gate, "cards": [{"id": str, "state": str}, _COUNTED]}
    | {"deliverables": [_DELIVERABLE | {"deliveredAt": datetime, "size": int, "done": int}]},
    "asItWas": dict.fromkeys(("project", "phase", "reason", "through"), str)
    | {"decision": Decision, "at": datetime, "way": Way, "overridden": int, "delivered": {str: str}}
    | {"evidenceCards": {str: str}}
    | {"decider": {"id": str, "name": str, "role": str, "metaRoles": [str]}}
    | {"overrides": [{"at": datetime, "by": str, "reason": str}]}
    | {"cards": [_CARD, _COUNTED]},
}
"""The form of a seal, as ``core.rules.gate_seals`` writes it: of a list that of each entry, and of what can be in place
of the list. A time can be empty."""


def check_seal(record: DecisionEntry, phase: str, where: str) -> None:
    """Raise InvalidImport, which names the phase, for a seal or a hash that Podium would not have written."""
    name = f"“{quote_value(phase)}”" if phase else "a removed phase"
    if record.sha256 and not re.fullmatch("[0-9a-f]{64}", record.sha256):
        sentence = f"The SHA-256 of a decision at {name} has 64 digits: 0 to 9 and a to f, in lower case."
        raise InvalidImport(f"{where}.sha256", sentence)
    if len(record.seal) > SEAL:
        fault = f"has {len(record.seal):,} characters, and at most {SEAL:,} fit"
    elif record.seal and hash_of(record.seal) != record.sha256:
        fault = "does not match its SHA-256, so it was changed or cut"
    elif record.seal and not _is_whole(record.seal):
        fault = "is not one that Podium writes"
    else:
        return
    raise InvalidImport(f"{where}.seal", f"The seal of a decision at {name} {fault}.")


def _is_whole(body: str) -> bool:
    """Return whether a text is the canonical JSON of a seal, with texts that can be shown and times that are times."""
    try:
        value = json.loads(body)
        return _fits(value, _FORM) and canonical(value) == body
    except (ValueError, RecursionError):
        return False


def _fits(value: Any, form: Any) -> bool:
    """Return whether a value has a form. Raises ValueError for a word or a time that is none."""
    if isinstance(form, dict) and isinstance(value, dict):
        each = form.get(str)
        names = value.keys() if each else form.keys()
        return value.keys() == names and all(
            _fits(name, str) and _fits(value[name], each or form[name]) for name in names
        )
    if isinstance(form, list):
        listed = isinstance(value, list)
        return all(_fits(each, form[0]) for each in value) if listed else len(form) > 1 and _fits(value, form[1])
    if not isinstance(value, str):
        return form is int and type(value) is int and 0 <= value <= MAX_WHOLE
    if form is datetime:
        return not value or (len(value) == 20 and bool(datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")))
    if form is str:
        return first_unsafe_index(value) is None
    return isinstance(form, type) and issubclass(form, StrEnum) and form(value) in form
