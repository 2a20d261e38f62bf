"""Checks of the labels of a document to import."""

from __future__ import annotations

from core.domain.labels import MAX_LABELS
from core.errors import InvalidImport
from core.import_export.document import LabelEntry
from core.record import replace
from core.text.document_fields import checked_field
from core.text.label_names import fold_name, free_sign, label_name, label_sign


def accepted_labels(labels: tuple[LabelEntry, ...]) -> tuple[LabelEntry, ...]:
    """Return the labels as they are stored. Raises InvalidImport, also for two of one name and for too many.

    They can be those of a project and as many of its workspace. The number of new ones is checked when the names are
    looked up.
    """
    check_number(len(labels), 2 * MAX_LABELS)
    found: dict[str, LabelEntry] = {}
    for at, label in enumerate(labels):
        where = f"labels[{at}]"
        name = checked_field(f"{where}.name", label_name, label.name)
        if fold_name(name) in found:
            raise InvalidImport(f"{where}.name", f"“{name}” is listed twice.")
        taken = {each.sign for each in found.values()}
        sign = checked_field(f"{where}.sign", label_sign, label.sign) if label.sign else free_sign(name, taken)
        found[fold_name(name)] = replace(label, name=name, sign=sign)
    return tuple(found.values())


def check_number(labels: int, most: int = MAX_LABELS) -> None:
    """Raise InvalidImport if a project would get more labels of its own than it can have."""
    if labels > most:
        raise InvalidImport("labels", f"A project has at most {MAX_LABELS} labels, not {labels}. Remove some.")
