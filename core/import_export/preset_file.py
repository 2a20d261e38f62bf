"""A preset as a small file, to pass on or to store."""

from __future__ import annotations

import json
from typing import Literal

from core.domain.view_settings import ViewPreset
from core.import_export.document import DocumentPart, PresetEntry
from core.record import asdict


class PresetDocument(DocumentPart):
    """The content of the file; the preset has the same form as in the document of a project."""

    format: Literal["podium-preset"]
    version: Literal[1] = 1
    preset: PresetEntry


def preset_text(preset: ViewPreset) -> str:
    """The text of a preset's file."""
    from core.codec.encoding import to_json

    entry = PresetEntry(name=preset.name, **asdict(preset.viewing))
    return (
        json.dumps(to_json(PresetDocument(format="podium-preset", preset=entry)), indent=2, ensure_ascii=False) + "\n"
    )


def preset_in(text: str) -> PresetEntry:
    """The preset in the text of a file. Raises InvalidImport, with line and field."""
    from core.templates.checked_files import read_json

    return read_json(text, PresetDocument).preset
