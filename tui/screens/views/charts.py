"""Charts of a project: how much is done, and how the work flows, in a sentence too for those who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from core.actions.permissions.permissions import GetMyPermissions
from core.actions.projects.lists import GetProject
from core.actions.workflow.burn_up import BurnUp, GetBurnUp, SummedField
from core.domain.model import Id
from core.errors import InvalidInput
from core.text.amounts import write_amount
from tui.drawing.cells import plain
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, choose_sum
from tui.screens.framework.screen import PodiumScreen
from tui.screens.views.project_view import ViewSteps

if TYPE_CHECKING:
    from core.actions.permissions.permissions import MyPermissions

BOTH_FROM = 110
"""Cells from which the two charts stand beside each other."""

NO_SUMS = "No field of this project is added up. To add one, press : on its Canvas and type “custom fields”."
NOTHING = "No cards yet, so there is nothing to draw. A chart begins on the day of the first card."


class ChartsScreen(PodiumScreen):
    """A burn-up and a cumulative flow, from the history of the project."""

    name_in_table = "charts"
    HORIZONTAL_BREAKPOINTS = [(0, "-one"), (BOTH_FROM, "-both")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    ChartsScreen {
        #forecast { height: auto; padding: 1 2 0 2; }
        #charts { height: 1fr; layout: horizontal; padding: 1 1 0 1; }
        &.-one.-second BurnUpChart, &.-one.-first CumulativeFlow { display: none; }
    }
    """

    def __init__(self, project_id: Id) -> None:
        super().__init__()
        self.add_class("-first")
        self.project_id = project_id
        self._sum = ""
        """The key of the field that is added up; empty where cards are counted."""
        self._sums: tuple[SummedField, ...] = ()
        self._flow: BurnUp | None = None
        """The work as drawn last."""
        self.add(ViewSteps(self))

    def actions(self) -> Sequence[Action]:
        return (
            Action("other_chart", self.do_other_chart),
            Action("why", self.do_why),
            Action("sum", self.do_sum, lambda _: "" if self._sums else NO_SUMS),
        )

    def again(self) -> ChartsScreen:
        return ChartsScreen(self.project_id)

    def body(self) -> ComposeResult:
        from tui.widgets.flow_chart import BurnUpChart, CumulativeFlow

        yield Static(id="forecast")
        with Container(id="charts"):
            yield BurnUpChart(ascii_only=self.podium.ascii)
            yield CumulativeFlow(ascii_only=self.podium.ascii)

    def place(self) -> str:
        return f"Charts · {self.project_name}" if self.project_name else "…"

    async def reload(self) -> None:
        from tui.widgets.flow_chart import FlowChart

        self.project_name = (await self.podium.query(GetProject(project_id=self.project_id))).project.name
        rights: MyPermissions = await self.podium.query(GetMyPermissions(project_id=self.project_id))
        self.access.take(rights)
        try:
            flow = await self.podium.query(GetBurnUp(project_id=self.project_id, sum=self._sum))
        except InvalidInput:  # the field was removed, or is not added up any more
            self._sum = ""
            flow = await self.podium.query(GetBurnUp(project_id=self.project_id))
        self._sums = flow.sums
        if flow == self._flow:
            return
        self._flow = flow
        self.query_one("#forecast", Static).update(Content("\n").join(map(plain, in_sentences(flow))))
        self.query_one("#charts").display = bool(flow.days)
        for chart in self.query(FlowChart):
            chart.show(flow)

    @asking
    async def do_sum(self) -> None:
        """Choose what the charts count."""
        chosen = await choose_sum(self, {each.key: each.name for each in self._sums}, self._sum)
        if chosen is not None:
            self._sum = chosen
            await self.refresh_from_core()

    @asking
    async def do_why(self) -> None:
        from tui.screens.projects.project_health import explain_health

        await explain_health(self.podium, self.project_id)

    def do_other_chart(self) -> None:
        if self.has_class("-both"):
            self.podium.toast("Both charts are already shown.")
        else:
            self.toggle_class("-first", "-second")


def in_sentences(flow: BurnUp) -> list[str]:
    """The progress of the work and its forecast, in sentences."""
    if not flow.days:
        return [NOTHING]
    today = flow.days[-1]
    done = f"{today.completed} of {today.total} cards are completed, {today.in_progress} in progress."
    if flow.unit:
        completed, total, begun = map(write_amount, (today.completed, today.total, today.in_progress))
        done = f"{flow.unit}: {completed} of {total} completed, {begun} in progress."
    return [done, flow.outlook] if flow.outlook else [done]
