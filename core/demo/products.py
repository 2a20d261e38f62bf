"""Registers the products of the demo workspace and their roles."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from core.actions.products.products import AddApplicationRole, AddProduct, RetireProduct
from core.demo.clock import Send
from core.demo.story import FOLDER, ProductStory, studio
from core.domain.model import Id
from core.domain.products.fields import argument_vector
from core.domain.products.products import LaunchKind, Product
from core.errors import InvalidInput


def python(executable: str) -> str:
    """A Python by its path, or "python3" if a product cannot have that path, for example because of a space."""
    try:
        return argument_vector((executable,))[0]
    except InvalidInput:
        return "python3"


def register(send: Send, meta_roles: dict[str, Id]) -> Iterator[Product]:
    """Register every product with its roles; ``meta_roles`` are ids by name."""
    for story in studio().products:
        yield _register(send, story, meta_roles)


def _register(send: Send, story: ProductStory, meta_roles: dict[str, Id]) -> Product:
    product: Product = send(
        AddProduct(
            name=story.name,
            kind=LaunchKind.TERMINAL if story.program else LaunchKind.WEB,
            description=story.description,
            url=story.url,
            command=(python(sys.executable), str(FOLDER / story.program)) if story.program else (),
            required_context=story.requires,
            uses_external_authorization=bool(story.roles),
            permission_codes=tuple(dict.fromkeys(code for role in story.roles for code in role.codes)),
        )
    )
    for role in story.roles:
        send(
            AddApplicationRole(
                product_id=product.id,
                name=role.name,
                permission_codes=role.codes,
                meta_role_ids=tuple(meta_roles[name] for name in role.meta_roles),
            )
        )
    if story.retired:
        send(RetireProduct(product_id=product.id))
    return product
