"""Every screen that has keys of its own, with something on it for each of them to be about.

What a key takes is the permission that the table of keys names for it. Where that depends on what is focused, or is
found out only when the key is pressed, it is written down here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from core.actions.cards.applications import AddApplication
from core.actions.templates.templates import ListTemplates
from core.actions.workspace.hierarchy import AddNode
from core.domain.model import Id, NodeKind
from tests.support.expected_rights import Cast
from tests.support.message_examples import messages
from tests.support.workspace import World
from tui.keys.table import Key
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.people.members import MembersScreen
from tui.screens.people.meta_roles import MetaRolesScreen
from tui.screens.people.people import PeopleScreen
from tui.screens.people.tokens import AccessScreen
from tui.screens.personal.inbox import InboxScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.portfolio.workload import WorkloadScreen
from tui.screens.products.application import ApplicationScreen
from tui.screens.products.product import ProductScreen
from tui.screens.products.products import ProductsScreen
from tui.screens.projects.hierarchy import HierarchyScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.templates.template import TemplateScreen
from tui.screens.templates.templates import TemplatesScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen

CHANGES = "edit assign assign_me due move_to lower raise archive restore edit_text tick"
"""What is done to cards of any kind, and takes the permission of that kind."""

MOVES = "next_status previous_status complete status"


def each(verbs: str, code: str) -> dict[str, str]:
    return dict.fromkeys(verbs.split(), code)


class Room(NamedTuple):
    """A screen, with something in focus."""

    name: str
    screen: Callable[[], PodiumScreen]
    takes: Mapping[str, str] = MappingProxyType({})
    """What a key takes here, by its verb, where that is not what the table of keys names; "" for nothing."""
    does_nothing: str = ""
    """The verbs that do nothing to the line in focus, whichever user presses them."""
    done_by_others: str = ""
    """The verbs without a key here while the line in focus is seen, since another key stands for them."""

    @property
    def table(self) -> str:
        return self.name.partition(" ")[0]

    def code(self, key: Key) -> str:
        """The permission that a key takes here."""
        return self.takes.get(key.verb, key.needs.value if key.needs else "")


class House(NamedTuple):
    """A world with the rooms in it."""

    world: World
    cast: Cast
    rooms: list[Room]


def _active_members(world: World) -> tuple[Id, ...]:
    """Everybody who can be assigned, so that each has something in My work and in the inbox."""
    rows = world.rows(
        "SELECT user_id FROM member JOIN app_user ON app_user.id = user_id WHERE project_id = :id AND active = 1",
        id=world.project.id,
    )
    return tuple(row["user_id"] for row in rows)


def furnish(world: World) -> list[Room]:
    """Make what the screens show, and the screens."""
    project = world.project.id
    role = messages.application_role(world)
    market = messages.market(world)
    world.do(AddNode(kind=NodeKind.BRAND, name="Fjordland", parent_id=market.id))
    messages.deliverable(world)
    template = world.ask(ListTemplates())[0].template
    above, task, below, archived = (world.task(title) for title in ("Ask", "Write the brief", "Print", "Old plans"))
    activity = world.activity("Interviews", member_ids=_active_members(world))
    on_activity = world.add_application(world.product("Pictures"), activity_id=activity.id)
    on_phase = world.add_application(world.product("Films"))
    seen_by_guests = AddApplication(project_id=world.project.id, phase_id=world.launch.id, product_id=role.product_id)
    world.do(seen_by_guests)
    world.start(above.id, task.id, below.id)
    world.archive(archived.id)

    def canvas(card: Id) -> Callable[[], PodiumScreen]:
        return lambda: CanvasScreen(project, card)

    def table(card: Id) -> Callable[[], PodiumScreen]:
        return lambda: TableScreen(project, card)

    def card(item: Id) -> Callable[[], PodiumScreen]:
        return lambda: CardScreen(project, item)

    no_application = "inspect copy_context launch"
    at_hand, steps = "restore delete override", "next_status previous_status complete"
    deliveries = "deliver edit_deliverable rename_deliverable remove_deliverable"
    for_tasks = f"{no_application} new_card add_application"
    for_applications = f"{MOVES} labels waits_for fields comment edit_text restore delete override"
    of_activity, of_application = each(CHANGES, "ACTIVITY_MANAGE"), each(CHANGES, "APPLICATION_MANAGE")
    launches = {"launch": "APPLICATION_LAUNCH"}
    return [
        Room("canvas on a task", canvas(task.id), {"launch": ""}, f"{no_application} {at_hand}"),
        Room("canvas on an activity", canvas(activity.id), of_activity, at_hand),
        Room("canvas on an application", canvas(on_phase.id), of_application, for_applications),
        Room("view on a task", table(task.id), {}, "restore"),
        Room("view on an activity", table(activity.id), of_activity, "restore"),
        Room("view on an application", table(on_phase.id), of_application, for_applications),
        Room("timeline", lambda: TimelineScreen(project)),
        Room("card of a task", card(task.id), {}, f"{for_tasks} restore delete"),
        Room("card of an archived task", card(archived.id), {}, f"{for_tasks} {steps}", "delete"),
        Room("card of an activity", card(activity.id), of_activity | launches, "restore delete"),
        Room("application on a phase", lambda: ApplicationScreen(project, on_phase.id), {}, "open"),
        Room("application on an activity", lambda: ApplicationScreen(project, on_activity.id)),
        Room("phase", lambda: PhaseScreen(project, world.discover.id), {}, "override"),
        Room(
            "phase that is locked", lambda: PhaseScreen(project, world.build.id), {}, f"send_back launch {deliveries}"
        ),
        Room("my_work", MyWorkScreen, each("assign due edit edit_text archive", "ACTIVITY_MANAGE")),
        Room("inbox", InboxScreen, {}, "approve_gate"),
        Room("workload", WorkloadScreen),
        Room("members", lambda: MembersScreen(project)),
        Room("projects", ProjectsScreen),
        Room("people", PeopleScreen, {}, "reactivate"),
        Room("hierarchy", HierarchyScreen),
        Room("access", AccessScreen),
        Room("products", ProductsScreen),
        Room("product", lambda: ProductScreen(role.product_id)),
        Room("meta_roles", MetaRolesScreen),
        Room("templates", TemplatesScreen),
        Room("template", lambda: TemplateScreen(template.id)),
    ]


ASKS_WHEN_PRESSED = {
    "everywhere.undo": "takes what the change took that is taken back; the core says so",
    "everywhere.redo": "as undo",
    "everywhere.tour": "PROJECT_CREATE, without which it is disabled",
    "everywhere.import": "PROJECT_CREATE, without which it is disabled",
    "everywhere.remove_sample": "PROJECT_DELETE, which the owner of a sample project holds",
    "everywhere.undo_list": "as undo",
    "canvas.fold_phase": "PROJECT_VIEW: the folds are a setting of the user",
    "canvas.fold_activity": "as fold_phase",
    "projects.favourite": "PROJECT_VIEW, without which no project is in the list",
    "projects.edit": "PROJECT_UPDATE on the project of the line, asked for before the form opens",
    "projects.archive": "PROJECT_UPDATE on the project of the line; the core says so",
    "projects.restore": "PROJECT_UPDATE on the project of the line; the core says so",
    "projects.delete": "PROJECT_DELETE on the project of the line, asked for before the question is put",
    "card.launch": "APPLICATION_LAUNCH where the card holds an application; to open a link takes nothing",
    "canvas.density": "a setting of one's own",
    "canvas.filters": "filters are kept by everybody for themselves",
    "canvas.preview": "a setting of one's own",
    "view.preview": "a setting of one's own",
    "list.preview": "a setting of one's own",
    "view.filters": "filters are kept by everybody for themselves",
    "inbox.contradict": "PROJECT_VIEW: a vote of one's own that a secretary recorded",
    "inbox.mark_read": "notifications of one's own",
    "inbox.mark_all_read": "notifications of one's own",
    "access.new_token": "a token of one's own; that of another person takes USER_MANAGE, and the core says so",
    "access.remove": "a token of one's own; anything else takes USER_MANAGE, and is refused before the question",
    "settings.change": "a setting of one's own",
    "settings.reset": "a setting of one's own",
    "search.forget": "a setting of one's own",
    "import.bring_in": "PROJECT_CREATE, or TASK_MOVE on the project that it goes into and what its changes take",
    "import.undo": "nothing: the preview is the user's own",
}
"""The keys that send a command although the table of keys names no permission for them, and why it does not."""

SENDS_NOTHING = (
    "help palette go back close last_place menu why refresh mouse open sort toggle_archived copy other_list inspect"
    " copy_context mark mark_range mark_all filter phase down up left right top bottom page_down page_up go_to_phase"
    " open_application read next_card today next_month previous_month other_chart next_view previous_view presets"
    " toggle_read since_last_visit since_decision gate_record next_place my_work search words clear_filter export"
    " older newer compare older_comments"
    " unfold sum zoom alone reverse previous_phase next_phase health open_card suspend redraw remap mapping"
    " next_section take_change"
)
"""The verbs that look, move, mark or copy."""
