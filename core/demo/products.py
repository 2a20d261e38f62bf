"""The products of the demo's workspace, the roles they give, and the meta roles that people usually have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.actions.products.products import AddApplicationRole, AddProduct, RetireProduct
from core.demo.clock import Send
from core.domain.model import Id, NodeKind
from core.domain.product_fields import argument_vector
from core.domain.products import LaunchKind, Product
from core.errors import InvalidInput

ALL_LEVELS = (NodeKind.CLIENT, NodeKind.MARKET, NodeKind.BRAND)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleStory:
    """An application role, and the names of the meta roles that bring it."""

    name: str
    codes: tuple[str, ...]
    through: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductStory:
    """A product; a web product unless it has a command."""

    name: str
    description: str
    url: str = ""
    command: tuple[str, ...] = ()
    requires: tuple[NodeKind, ...] = ()
    roles: tuple[RoleStory, ...] = ()
    retired: bool = False


def python(executable: str) -> str:
    """A Python by its path, or just by its name where the registry takes no such path, as one with a space in it."""
    try:
        return argument_vector((executable,))[0]
    except InvalidInput:
        return "python3"


PRODUCTS = (
    ProductStory(
        name="Asset library",
        description="Films, photographs and logos of a brand, with the rights that come with them.",
        url="https://assets.lighthouse.example/open",
        requires=ALL_LEVELS,
        roles=(
            RoleStory(name="Reader", codes=("ASSET_VIEW",), through=("Strategist", "Analyst")),
            RoleStory(name="Editor", codes=("ASSET_VIEW", "ASSET_UPLOAD"), through=("Creative", "Producer")),
            RoleStory(name="Approver", codes=("ASSET_VIEW", "ASSET_APPROVE"), through=("Lead", "Approver")),
        ),
    ),
    ProductStory(
        name="Context viewer",
        description="Shows in the terminal what a product is told when it is launched.",
        command=(python(sys.executable), str(Path(__file__).with_name("sample_product.py"))),
        requires=ALL_LEVELS,
    ),
    ProductStory(
        name="Media planner",
        description="Bookings, budgets and reach of a brand in one market.",
        url="https://media.lighthouse.example/plan?view=calendar",
        requires=ALL_LEVELS,
        roles=(
            RoleStory(name="Planner", codes=("PLAN_VIEW", "PLAN_BOOK"), through=("Producer", "Lead")),
            RoleStory(name="Observer", codes=("PLAN_VIEW",), through=("Approver",)),
        ),
    ),
    ProductStory(
        name="Insight board",
        description="Everything that is measured for one client.",
        url="https://insight.lighthouse.example/boards",
        requires=(NodeKind.CLIENT,),
        roles=(RoleStory(name="Analyst", codes=("BOARD_VIEW", "BOARD_EXPORT"), through=("Analyst", "Lead")),),
    ),
    ProductStory(
        name="Venue finder",
        description="Halls, rooms and hotels of a market, with prices.",
        url="https://venues.lighthouse.example/search",
        requires=(NodeKind.CLIENT, NodeKind.MARKET),
    ),
    ProductStory(
        name="Time sheet",
        description="Hours of the studio itself, for no client.",
        url="https://hours.lighthouse.example/week",
    ),
    ProductStory(
        name="Old wiki",
        description="Read only since spring; its pages moved to the asset library.",
        url="https://wiki.lighthouse.example/start",
        requires=ALL_LEVELS,
        retired=True,
    ),
)

USUAL: dict[str, tuple[str, ...]] = {
    "mara": ("Strategist",),
    "jonas": ("Producer",),
    "ines": ("Creative",),
    "priya": ("Producer", "Strategist"),
    "tomasz": ("Analyst",),
    "hanna": ("Producer",),
    "yuki": ("Creative",),
    "amara": ("Analyst",),
    "henrik": ("Approver",),
    "sofia": ("Approver",),
    "claire": ("Approver",),
}
"""The meta roles that people are given on each project; an owner leads without being told."""


def register(send: Send, meta_roles: dict[str, Id]) -> Iterator[Product]:
    """Register every product with its roles; ``meta_roles`` are ids by name."""
    for story in PRODUCTS:
        yield _register(send, story, meta_roles)


def _register(send: Send, story: ProductStory, meta_roles: dict[str, Id]) -> Product:
    product: Product = send(
        AddProduct(
            name=story.name,
            kind=LaunchKind.TERMINAL if story.command else LaunchKind.WEB,
            description=story.description,
            url=story.url,
            command=story.command,
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
                meta_role_ids=tuple(meta_roles[name] for name in role.through),
            )
        )
    if story.retired:
        send(RetireProduct(product_id=product.id))
    return product
