"""The built-in templates, which a new workspace gets: one TOML file each (``core.templates.template_file``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from core.engine.unit_of_work import UnitOfWork
from core.templates.library import add_template
from core.templates.template_file import TemplateDocument, template_in


@cache
def built_in_templates() -> tuple[TemplateDocument, ...]:
    """The built-in templates, read from their files once."""
    return tuple(template_in(path.read_text(encoding="utf-8")) for path in sorted(Path(__file__).parent.glob("*.toml")))


def seed_templates(work: UnitOfWork) -> None:
    """Add the built-in templates to the workspace, each as version 1."""
    for document in built_in_templates():
        add_template(work, document, by_id=None)
