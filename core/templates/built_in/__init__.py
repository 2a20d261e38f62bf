"""The templates that a new workspace has: one file each, in the words of ``writing.py`` (spec, section 6)."""

from __future__ import annotations

from core.templates.body import to_text
from core.templates.built_in import brand_refresh, campaign_launch, event, product_launch, software_release
from core.templates.model import Template, TemplateVersion
from core.work import Work, new_id

BUILT_IN = (
    campaign_launch.TEMPLATE,
    product_launch.TEMPLATE,
    brand_refresh.TEMPLATE,
    event.TEMPLATE,
    software_release.TEMPLATE,
)


def seed_templates(work: Work) -> None:
    """Put the built-in templates on the shelf, each as version 1."""
    for each in BUILT_IN:
        template = Template(id=new_id(), name=each.name, description=each.description, tags=each.tags)
        work.insert(template)
        work.insert(
            TemplateVersion(
                template_id=template.id, number=1, at=work.now, by_id=None, note="", body=to_text(each.body)
            )
        )
