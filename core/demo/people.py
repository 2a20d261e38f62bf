"""Who works in the demo's workspace, and for whom."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.model import NodeKind, PlatformRole

WORKSPACE_NAME = "Lighthouse Studio"

ME = "robin"
"""The key of the person who looks at the demo: they take the login of whoever starts it."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the demo; their login is their e-mail's part before the @."""

    first_name: str
    last_name: str
    email: str
    city: str
    roles: tuple[PlatformRole, ...] = ()


_INTERNAL = (PlatformRole.INTERNAL,)

PEOPLE: dict[str, Person] = {
    ME: Person("Robin", "Ekholm", "robin.ekholm@lighthouse.example", "Gothenburg", (PlatformRole.WORKSPACE_ADMIN,)),
    "mara": Person("Mara", "Oduya", "mara.oduya@lighthouse.example", "Copenhagen", _INTERNAL),
    "jonas": Person("Jonas", "Weidmann", "jonas.weidmann@lighthouse.example", "Hamburg", _INTERNAL),
    "ines": Person("Inês", "Carvalho", "ines.carvalho@lighthouse.example", "Lisbon", _INTERNAL),
    "priya": Person("Priya", "Raman", "priya.raman@lighthouse.example", "London", _INTERNAL),
    "tomasz": Person("Tomasz", "Zieliński", "tomasz.zielinski@lighthouse.example", "Gdańsk", _INTERNAL),
    "hanna": Person("Hanna", "Lindqvist", "hanna.lindqvist@lighthouse.example", "Malmö", _INTERNAL),
    "yuki": Person("Yuki", "Tanabe", "yuki.tanabe@lighthouse.example", "Berlin", _INTERNAL),
    "amara": Person("Amara", "Nwosu", "amara.nwosu@lighthouse.example", "Manchester", (PlatformRole.PLATFORM_ADMIN,)),
    "erik": Person("Erik", "Solberg", "erik.solberg@lighthouse.example", "Bergen", _INTERNAL),
    "henrik": Person("Henrik", "Dahl", "henrik.dahl@haldenfoods.example", "Oslo"),
    "sofia": Person("Sofía", "Marín", "sofia.marin@aureliahotels.example", "Valencia"),
    "claire": Person("Claire", "Whitlock", "claire.whitlock@meridiantools.example", "Leeds"),
}

LEFT = {"erik": -9.0}
"""Who has left the workspace, and when."""

HIERARCHY: tuple[tuple[NodeKind, str, str], ...] = (
    (NodeKind.CLIENT, "Halden Foods", ""),
    (NodeKind.MARKET, "Nordics", "Halden Foods"),
    (NodeKind.MARKET, "Germany & Austria", "Halden Foods"),
    (NodeKind.BRAND, "Fjordland", "Nordics"),
    (NodeKind.BRAND, "Kornblume", "Germany & Austria"),
    (NodeKind.CLIENT, "Aurelia Hotels", ""),
    (NodeKind.MARKET, "Iberia", "Aurelia Hotels"),
    (NodeKind.BRAND, "Casa Aurelia", "Iberia"),
    (NodeKind.CLIENT, "Meridian Tools", ""),
    (NodeKind.MARKET, "UK & Ireland", "Meridian Tools"),
    (NodeKind.MARKET, "Central Europe", "Meridian Tools"),
    (NodeKind.BRAND, "Torq", "Central Europe"),
)
"""Level, name and the name of what it stands under."""
