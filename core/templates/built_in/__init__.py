"""The templates of a new workspace, one file each.

dsl.py               the words in which they are written
brand_refresh.py     Brand refresh
campaign_launch.py   Campaign launch
event.py             Event
product_launch.py    Product launch
software_release.py  Software release
"""

from __future__ import annotations

from core.domain.templates import Template, TemplateVersion
from core.engine.unit_of_work import UnitOfWork, new_id
from core.templates.built_in import brand_refresh, campaign_launch, event, product_launch, software_release
from core.templates.json_format import to_text

BUILT_IN = (
    campaign_launch.TEMPLATE,
    product_launch.TEMPLATE,
    brand_refresh.TEMPLATE,
    event.TEMPLATE,
    software_release.TEMPLATE,
)


def seed_templates(work: UnitOfWork) -> None:
    """Put the built-in templates on the shelf, each as version 1."""
    for each in BUILT_IN:
        template = Template(id=new_id(), name=each.name, description=each.description, tags=each.tags)
        work.insert(template)
        work.insert(
            TemplateVersion(
                template_id=template.id, number=1, at=work.now, by_id=None, note="", body=to_text(each.body)
            )
        )
