"""The health of a project as a sign and a role, one table for lists, previews and the Portfolio."""

from __future__ import annotations

from core.domain.model import Health
from tui.drawing.styles import Styles, TextRole

_HEALTH: dict[Health, tuple[int, TextRole]] = {
    Health.ON_TRACK: (0, TextRole.DONE),
    Health.AT_RISK: (1, TextRole.SOON),
    Health.OVERDUE: (2, TextRole.LATE),
}
"""The place among the signs, and the text role; an archived or complete project has neither."""


def health_role(health: Health) -> TextRole:
    """The role of a health; quiet for none."""
    return _HEALTH[health][1] if health in _HEALTH else TextRole.QUIET


def health_sign(look: Styles, health: Health) -> str:
    """The sign of a health; empty for none."""
    return look.signs.health[_HEALTH[health][0]] if health in _HEALTH else ""
