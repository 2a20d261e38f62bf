"""Dependencies on the screens: chosen with &, shown on cards and pages, explained and overridden with w."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial

from core.actions.dependencies.links import LinkCards, OverrideBlockers
from core.domain.model import Item, Phase
from tests.support.app_driver import Text, canvas, comes, hides, on_stage, press, seen, shows
from tests.support.workspace import World
from tui.screens.cards.card import CardScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.previews.cards import NOTHING
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen


def links(world: World) -> list[tuple[str, str]]:
    """The ids at both ends of each dependency."""
    rows = world.rows("SELECT waiting_id, blocker_id FROM dependency ORDER BY blocker_id")
    return [(row["waiting_id"], row["blocker_id"]) for row in rows]


def linked(world: World) -> tuple[Item, Item]:
    """A card, the first of the Canvas, and the one that it waits for."""
    printing, proof = world.task("Print"), world.task("Proof")
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    return printing, proof


async def test_a_card_gets_what_it_waits_for_by_title_and_by_the_key_of_another_project(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.task("Sell", phase=world.build)
    logo = world.task("Logo", phase=world.phase("Design", world.new_project("Autumn").id))
    async with on_stage(world, canvas(world), size=(140, 40)) as pilot:
        await press(pilot, "ampersand")
        assert "“Print” waits for" in seen(pilot)
        await press(pilot, Text("pro"), "enter", "enter")
        assert await shows(pilot, "waits for 1")
        assert links(world) == [(printing.id, proof.id)]
        assert "1 ready" in seen(pilot)
        await press(pilot, "ampersand", Text("aut-1"))
        assert await shows(pilot, "AUT-1 Logo")
        await press(pilot, "enter", "enter")
        assert await shows(pilot, "waits for 2")
        assert links(world) == [(printing.id, proof.id), (printing.id, logo.id)]
        await press(pilot, "u")
        assert await shows(pilot, "waits for 1")
        world.complete(proof.id)
        assert await hides(pilot, "waits for 1")


async def test_a_card_of_a_later_phase_cannot_be_chosen(world: World) -> None:
    world.task("Print")
    world.task("Proof")
    world.task("Sell", phase=world.build)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "ampersand", Text("sell"), "enter")
        assert seen(pilot).count("No matches.") == 1
        await press(pilot, "ctrl+u", Text("spr-3"), "enter")
        assert await shows(pilot, "A card cannot wait for a card of a later phase.")
        assert links(world) == []


async def test_the_cards_to_wait_for_have_their_status_and_the_open_ones_come_first(world: World) -> None:
    world.task("Print")
    done, gone, begun = world.task("Proof"), world.task("Paper"), world.task("Plates")
    world.complete(done.id)
    world.start(begun.id)
    world.archive(gone.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "ampersand")
        text = seen(pilot)
        assert text.index("◐ SPR-4 Plates") < text.index("✓ SPR-2 Proof")
        assert "SPR-3 Paper" not in text


async def test_a_blocked_card_says_why_leads_to_its_blocker_and_is_overridden(world: World) -> None:
    printing, proof = linked(world)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "L")
        assert "“Print” cannot start: it waits for “Proof”." in seen(pilot)
        assert world.status(printing) == "TO_DO"
        await press(pilot, "enter")
        assert await comes(pilot, lambda: pilot.card.id == proof.id)
        await press(pilot, "k", "w")
        assert "Why is this card blocked?" in seen(pilot)
        assert "Override what “Print” waits for" in seen(pilot)
        await press(pilot, "exclamation_mark", Text("The client insists"), "enter")
        assert world.row("dependency")["override_reason"] == "The client insists"
        await press(pilot, "L")
        assert world.status(printing) == "IN_PROGRESS"


async def test_the_key_of_overrides_overrides_what_the_card_waits_for_where_its_phase_is_open(world: World) -> None:
    linked(world)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "exclamation_mark")
        assert await shows(pilot, "Override what “Print” waits for")
        await press(pilot, Text("The client insists"), "enter")
        assert world.row("dependency")["override_reason"] == "The client insists"
        assert await shows(pilot, "⊘ overridden")


async def test_reopening_a_finished_blocker_asks_before_cards_are_blocked_again(world: World) -> None:
    printing, proof = linked(world)
    world.complete(proof.id)
    world.start(printing.id)
    async with on_stage(world, lambda: CardScreen(world.project.id, proof.id)) as pilot:
        await press(pilot, "H")
        assert await shows(pilot, "Block cards again?")
        assert "Lock later phases again?" not in seen(pilot)
        await press(pilot, "y")
        assert await comes(pilot, lambda: world.status(proof) == "IN_PROGRESS")


async def test_a_card_that_was_started_before_is_marked(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.start(printing.id)
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    async with on_stage(world, canvas(world), size=(140, 40)) as pilot:
        assert "started, waits for 1" in seen(pilot)


async def test_an_override_and_a_wait_are_marked_alike_on_canvas_table_status_board_and_my_work(world: World) -> None:
    printing, proof = world.task("Print", assignee_id=world.maya.user_id), world.task("Proof")
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    project_id = world.project.id
    screens = (canvas(world), partial(TableScreen, project_id), partial(StatusBoardScreen, project_id), MyWorkScreen)
    for screen in screens:
        async with on_stage(world, screen, size=(240, 40)) as pilot:
            assert await shows(pilot, "⊘ waits for 1"), seen(pilot)
    world.do(OverrideBlockers(waiting_id=printing.id, reason="The client insists"))
    for screen in screens:
        async with on_stage(world, screen, size=(240, 40)) as pilot:
            assert await shows(pilot, "⊘ overridden"), seen(pilot)
            assert "⊘ waits for 1" not in seen(pilot)


async def test_an_override_by_another_user_is_marked_while_the_canvas_is_open(world: World) -> None:
    printing, proof = linked(world)
    async with on_stage(world, canvas(world), size=(140, 40)) as pilot:
        assert await shows(pilot, "⊘ waits for 1")
        world.do(OverrideBlockers(waiting_id=printing.id, reason="The client insists"))
        assert await shows(pilot, "⊘ overridden")
        world.complete(proof.id)
        assert await hides(pilot, "⊘ overridden")


async def test_what_blocks_a_card_is_listed_with_its_status_and_the_key_is_offered_there_alone(world: World) -> None:
    printing, proof = world.task("Print", assignee_id=world.maya.user_id), world.task("Proof")
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    world.start(proof.id)
    card = partial(CardScreen, world.project.id)
    for screen in (canvas(world), MyWorkScreen, partial(card, printing.id)):
        async with on_stage(world, screen, size=(160, 40)) as pilot:
            assert await shows(pilot, "w why")
            await press(pilot, "w")
            assert await shows(pilot, "◐ Proof")
    async with on_stage(world, partial(card, proof.id), size=(160, 40)) as pilot:
        assert "w why" not in seen(pilot)


async def test_the_cursor_on_a_card_that_waits_says_so_and_offers_the_key(world: World) -> None:
    proof, printing = world.task("Proof"), world.task("Print")
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    for screen in (canvas(world), lambda: TableScreen(world.project.id)):
        async with on_stage(world, screen, size=(160, 40)) as pilot:
            assert "w why" not in seen(pilot)
            await press(pilot, "down")
            assert await shows(pilot, "in Discover, waits for 1,")
            assert "w why" in seen(pilot)
            await press(pilot, "up")
            assert "w why" not in seen(pilot)


async def test_a_free_card_in_an_automatic_phase_is_not_said_to_wait_for_an_approval(world: World) -> None:
    world.task("Print")
    async with on_stage(world, canvas(world), size=(120, 40)) as pilot:
        assert "w why" not in seen(pilot)
        await press(pilot, "w")
        assert await shows(pilot, "Nothing blocks “Print”.")
        assert "cannot be approved" not in seen(pilot)
        assert "“Discover” is not complete" in seen(pilot)


async def test_my_work_offers_why_on_a_card_of_a_locked_phase(world: World) -> None:
    world.task("Sell", phase=world.build, assignee_id=world.maya.user_id)
    async with on_stage(world, MyWorkScreen, size=(160, 40)) as pilot:
        assert await shows(pilot, "w why")


async def test_reopening_a_blocker_and_undoing_its_completion_ask_first(world: World) -> None:
    _, proof = linked(world)
    world.task("Open")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "j", "c")
        assert world.status(proof) == "COMPLETED"
        await press(pilot, "u")
        assert "“Print” waits for this and would be blocked again." in seen(pilot)
        await press(pilot, "escape")
        assert world.status(proof) == "COMPLETED"


async def test_the_page_of_a_card_has_both_ends(world: World) -> None:
    printing, proof = linked(world)
    async with on_stage(world, lambda: CardScreen(world.project.id, printing.id), size=(120, 40)) as pilot:
        assert "SPR-2 Proof" in seen(pilot)
        assert "it waits for “Proof”" in seen(pilot)
    async with on_stage(world, lambda: CardScreen(world.project.id, proof.id), size=(120, 40)) as pilot:
        assert "SPR-1 Print" in seen(pilot)
        await press(pilot, "ampersand", Text("print"), "enter", "enter")
        assert await shows(pilot, "“Proof” would wait for itself")
    assert links(world) == [(printing.id, proof.id)]


async def test_my_work_says_what_waits(world: World) -> None:
    printing, proof = world.task("Print", assignee_id=world.maya.user_id), world.task("Proof")
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    async with on_stage(world, MyWorkScreen, size=(160, 40)) as pilot:
        assert "waits for 1" in seen(pilot)
        assert NOTHING not in seen(pilot)
        await press(pilot, "ampersand", "space", "enter")
        assert await comes(pilot, lambda: links(world) == [])


async def test_a_new_due_date_moves_what_waits_for_the_card(world: World) -> None:
    proof, printing = world.task("Proof", due=date(2030, 3, 3)), world.task("Print", due=date(2030, 3, 4))
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id, lag_days=2))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "D")
        assert await shows(pilot, "Waiting cards")
        await press(pilot, "ctrl+u", Text("2030-03-10"), "ctrl+s")
        assert await comes(pilot, lambda: world.row("item", id=printing.id)["due"] == "2030-03-12")
        assert world.row("item", id=proof.id)["due"] == "2030-03-10"


async def test_the_timeline_draws_an_arrow_to_a_card_that_waits(world: World) -> None:
    today = world.engine.clock().date()
    proof = world.task("Proof", due=today + timedelta(days=2))
    printing = world.task("Print", due=today + timedelta(days=12))
    async with on_stage(world, lambda: TimelineScreen(world.project.id, printing.id), size=(140, 30)) as pilot:
        assert await shows(pilot, "Print")
        assert seen(pilot).count("╰") == 1  # in the legend
        world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id, lag_days=1))
        assert await comes(pilot, lambda: seen(pilot).count("╰") == 2)
        assert "▶●" in seen(pilot)


async def test_a_card_is_found_by_several_words_of_its_title_and_marked_with_space(world: World) -> None:
    printing = world.task("Print")
    for title in ("Edit the text", "Edit the film"):
        world.task(title)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "ampersand", Text("edit film"), "down", "space", "enter")
        assert await shows(pilot, "⊘")
    [row] = world.rows("SELECT waiting_id, title FROM dependency JOIN item ON item.id = blocker_id")
    assert row == {"waiting_id": printing.id, "title": "Edit the film"}


async def test_the_list_of_links_offers_the_cards_that_one_cannot_see_and_removes_them(world: World) -> None:
    printing, proof = linked(world)
    world.do(LinkCards(waiting_id=printing.id, blocker_id=world.task("Logo", phase=hidden_phase(world)).id))
    async with on_stage(world, canvas(world), world.bob, size=(140, 40)) as pilot:
        assert await shows(pilot, "waits for 2")
        await press(pilot, "ampersand")
        assert await shows(pilot, "1 card that you cannot see")
        await press(pilot, "down", "space", "enter")
        assert await shows(pilot, "waits for 1")
        assert links(world) == [(printing.id, proof.id)]
        await press(pilot, "u")
        assert await shows(pilot, "waits for 2")


def hidden_phase(world: World) -> Phase:
    return world.phase("Design", world.new_project("Autumn").id)
