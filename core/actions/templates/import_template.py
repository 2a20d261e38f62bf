"""Imports of templates."""

from __future__ import annotations

from dataclasses import replace

from core.domain.permissions import Permission
from core.domain.templates import Template
from core.engine.messages import Command
from core.engine.unit_of_work import UnitOfWork
from core.templates.template_file import TemplateDocument


class ImportTemplate(Command[Template]):
    """Add a template from a file, as its version 1.

    Its roles and products are names. They need not exist in this workspace until a project is created from it.
    """

    route = "POST /v1/templates"
    permission = Permission.TEMPLATE_MANAGE
    bulky = True
    creates = True
    document: TemplateDocument
    name: str = ""
    """A name to use instead of the document's."""

    def run(self, work: UnitOfWork) -> Template:
        from core.templates.library import add_template

        document = replace(self.document, name=self.name or self.document.name)
        template = add_template(work, document, by_id=work.actor.user_id)
        work.say(f"imported the template “{template.name}”")
        return template
