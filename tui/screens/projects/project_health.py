"""The reasons why a project is overdue or at risk, as sentences, and the cards behind them as a jump list."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from core.actions.projects.project_health import ExplainHealth, HealthExplanation
from core.domain.model import Id
from core.domain.project_health import HEALTH_WORDS
from core.errors import Blocker
from core.text.dates import format_due
from core.text.phrases import count
from tui.services.destinations import ToCanvas, ToPhase
from tui.services.host import Host


async def explain_health(podium: Host, project_id: Id) -> None:
    """Show why a project is overdue or at risk, and go to the card or phase that the user picks."""
    from tui.dialogs.blockers import BlockersDialog

    found = await podium.query(ExplainHealth(project_id=project_id))
    if not found.reasons:
        podium.toast(" ".join(filter(None, (found.summary, found.outlook))))
        return
    behind = tuple(_behind(found, date.today()))
    title = f"Why is “{found.project}” {HEALTH_WORDS[found.health]}?"
    picked = await podium.ask(BlockersDialog(title, in_sentences(found), behind))
    if isinstance(picked, Blocker):
        to = ToPhase if picked.kind == "PHASE" else ToCanvas
        await podium.open(to(project_id, picked.id))


def in_sentences(found: HealthExplanation) -> str:
    """The reasons, and the forecast where it is none of them, one a line."""
    sentences = [reason.sentence for reason in found.reasons]
    return "\n".join([*sentences, *([found.outlook] if found.outlook and found.outlook not in sentences else [])])


def _behind(found: HealthExplanation, today: date) -> Iterator[Blocker]:
    """The cards and phases behind the reasons, each once, with their phase and due date."""
    shown = set()
    for item in (item for reason in found.reasons for item in reason.items):
        if item.id not in shown:
            shown.add(item.id)
            where = count(item.open_cards, "open card") if item.kind == "PHASE" else item.phase
            facts = [where, format_due(item.due, today) if item.due else ""]
            yield Blocker(item.id, item.kind, item.title, " · ".join(filter(None, facts)), status=item.status or "")
