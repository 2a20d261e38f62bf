"""The keys that act on cards, alike on the Canvas and on the Card screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from core.domain.canvas import CanvasMember
from core.domain.max_lengths import MAX_STEPS
from core.domain.model import Id, ItemKind
from core.domain.permissions import CHANGING_CARDS, Permission
from core.engine.messages import Command
from tui.keys.bindings import BY_ID, Key
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.framework.screen import PodiumScreen
from tui.services.card_commands import EDIT, SET_DUE_DATE, Target, assign, bulk_command

if TYPE_CHECKING:
    from core.actions.cards.bulk import BulkRefusal, BulkResult
    from core.actions.cards.details import CardDetail

NO_CARD = "There is no card here. n adds one."
TOO_MANY_MARKED = (
    f"{{:,}} cards are marked. One step changes at most {MAX_STEPS}: esc drops the marks, then mark fewer."
)
NO_STATUS = "An application has no status. d removes it from the project."
NO_COMMENTS = "Nobody comments on an application. Comment on its activity or on a task."

CHANGES = (Permission.TASK_MANAGE, Permission.TASK_MOVE, Permission.COMMENT_ADD, Permission.PROJECT_DELETE)
"""What the keys ask for that change the cards that are marked."""

ADDING = ("new_card",)
"""Verbs that are about no card that is there already."""

NOT_FOR_APPLICATIONS = {
    "next_status": NO_STATUS,
    "previous_status": NO_STATUS,
    "complete": NO_STATUS,
    "status": NO_STATUS,
    "restore": NO_STATUS,
    "delete": NO_STATUS,
    "comment": NO_COMMENTS,
}
"""Verbs that do nothing to an application, and what to say then."""


class CardEditing(PodiumScreen):
    """A screen with cards to act on; a subclass says which, and who could be assigned."""

    def targets(self) -> Sequence[Target]:
        """The cards that an action works on: the marked ones, else the focused one."""
        raise NotImplementedError

    def team(self) -> Sequence[CanvasMember]:
        """The members of the project."""
        raise NotImplementedError

    def kind_in_focus(self) -> ItemKind | None:
        """The kind of the one card that the keys are for now; None when it is none, or several."""
        cards = self.targets()
        return cards[0].kind if len(cards) == 1 else None

    def after_bulk(self) -> None:
        """Called when a change of several cards was carried out."""

    # -- what a key may do -----------------------------------------------------------------------------------

    def why_not(self, key: Key) -> str:
        """For the kind of the focused card. For several, a key works when it does for any kind: what is
        not allowed for one of them the core refuses, and the others are done. The table of keys names one permission
        for a key, that of tasks: here the one of the card comes in its place.
        """
        if key.verb in NOT_FOR_APPLICATIONS and self.kind_in_focus() is ItemKind.APPLICATION:
            return NOT_FOR_APPLICATIONS[key.verb]
        if key.needs in CHANGES and key.verb not in ADDING and (count := len(self.targets())) > MAX_STEPS:
            return TOO_MANY_MARKED.format(count)
        if key.needs is not Permission.TASK_MANAGE or key.verb in ADDING:
            return super().why_not(key)
        kind = self.kind_in_focus()
        needed = [CHANGING_CARDS[kind]] if kind else CHANGING_CARDS.values()
        ask = super().why_not
        reasons = [ask(key._replace(needs=permission)) for permission in needed]
        return "" if "" in reasons else reasons[0]

    def may_not(self, key_id: str) -> bool:
        """Whether the mouse may not do what this key does; the reason is shown."""
        reason = self.why_not(BY_ID[key_id])
        if reason:
            self.podium.tell(reason, severity="warning")
        return bool(reason)

    # -- people, dates and words ----------------------------------------------------------------------------

    @asking
    async def do_due(self) -> None:
        from tui.dialogs.form_fields import DateField

        cards = self._some()
        if not cards:
            return

        async def save(values: dict[str, Any]) -> list[Any]:
            steps = self.steps(cards, lambda card, seen: SET_DUE_DATE.on(card, seen=seen, due=values["due"]), True)
            return [await self.podium.send(step) for step in steps]

        due = getattr(cards[0], "due", None) if len(cards) == 1 else None
        results = await show_form(self, f"Due date of {self._named(cards)}", [DateField("due", "Due", due)], save)
        self._tell_results(results or [])

    @asking
    async def do_assign(self) -> None:
        cards = self._some()
        if cards:
            await self.ask_people(cards, getattr(cards[0], "assignee_ids", ()) if len(cards) == 1 else ())

    async def ask_people(self, cards: Sequence[Target], chosen: Sequence[Id]) -> None:
        """Ask who of the team these cards are assigned to, and assign them; ``chosen`` are those who are now."""
        from tui.dialogs.picker import Option, PickDialog

        many = all(card.kind is not ItemKind.TASK for card in cards)
        options = [Option(*member) for member in member_options(self.team())]
        if not many:
            options.insert(0, Option("", "Nobody"))
        picked = await self.podium.ask(
            PickDialog(f"Assign {self._named(cards)}", options, multiple=many, chosen=chosen)
        )
        if picked is not None:
            people = tuple(user_id for user_id in picked if user_id)
            await self._each(lambda card, seen: assign(card, people, seen), cards)

    async def do_assign_me(self) -> None:
        """Take the tasks; join the people of the activities and applications."""
        me = self.podium.me.user.id
        await self._each(
            lambda card, seen: assign(card, (*(getattr(card, "assignee_ids", ())), me), seen), self._some()
        )

    @asking
    async def do_comment(self) -> None:
        from core.actions.cards.comments import AddComment
        from tui.dialogs.form_fields import Lines

        cards = [card for card in self._some() if card.kind is not ItemKind.APPLICATION]
        if not cards:
            return

        async def save(values: dict[str, Any]) -> list[Any]:
            steps = self.steps(cards, lambda card, _: AddComment(item_id=card.id, text=values["text"]), False)
            return [await self.podium.send(step) for step in steps]

        me = self.podium.me.user.id
        people = tuple((each.login, each.name) for each in self.team() if each.active and each.user_id != me)
        text = Lines("text", "Comment", people=people)
        results = await show_form(self, f"Comment on {self._named(cards)}", [text], save)
        self._tell_results(results or [])

    @asking
    async def do_edit(self) -> None:
        from core.actions.cards.details import GetCard

        cards = self._some()
        if len(cards) > 1:
            self.podium.tell("Words are edited on one card at a time. esc drops the marks.", severity="warning")
        elif cards and cards[0].kind is ItemKind.APPLICATION:
            await self._edit_application(cards[0])
        elif cards:
            await self._edit(await self.podium.query(GetCard(item_id=cards[0].id)))

    async def _edit_application(self, application: Target) -> None:
        from tui.dialogs.form_fields import Line

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EDIT.on(application, **values))

        fields = [Line("name", "Name", application.title)]
        await show_form(self, "Rename the application", fields, save, submit="Rename")

    async def _edit(self, detail: CardDetail) -> None:
        from tui.dialogs.form_fields import Field, Line, Lines

        item = detail.item
        fields: list[Field] = [
            Line("title", "Title", item.title),
            Lines("description", "Description", item.description),
        ]
        if item.kind is ItemKind.ACTIVITY:
            fields.insert(1, Line("link", "Link", item.link, "https://…"))

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EDIT.on(item, **values))

        await show_form(self, f"Edit the {item.kind.lower()}", fields, save)

    def do_copy(self) -> None:
        cards = self._some()
        if len(cards) == 1:
            self.copy_id(cards[0].title, cards[0].id)
        elif cards:
            self.podium.copy_to_clipboard("\n".join(card.id for card in cards))
            self.podium.tell(f"Copied the ids of {len(cards)} cards, one a line.")

    # -- carrying it out -------------------------------------------------------------------------------------

    def _some(self) -> Sequence[Target]:
        """The targets; a word to the person when there are none."""
        cards = self.targets()
        if not cards:
            self.podium.tell(NO_CARD)
        return cards

    async def _each(
        self,
        make: Callable[[Target, bool], Command[Any] | None],
        cards: Sequence[Target],
        *,
        tasks_first: bool = False,
        left_out: str = "",
    ) -> object:
        """Do it to each card in one step; the result, None when nothing was done. ``left_out`` is said with it."""
        results = [await self.podium.perform(step) for step in self.steps(cards, make, tasks_first)]
        self._tell_results(results, left_out)
        return next((result for result in results if result is not None), None)

    def steps(
        self, cards: Sequence[Target], make: Callable[[Target, bool], Command[Any] | None], tasks_first: bool
    ) -> Sequence[Command[Any]]:
        """What does it to each card: one command for all of them, since they are of one project."""
        command = bulk_command(self.project_id, cards, make, tasks_first=tasks_first)
        return [command] if command else []

    async def _carry_out(self, command: Command[Any] | None) -> None:
        if command:
            self._tell_results([await self.podium.perform(command)])

    def _tell_results(self, results: Sequence[Any], left_out: str = "") -> None:
        """Say what became of several cards; one that was changed shows it itself."""
        from core.actions.cards.bulk import BulkResult

        bulks = [result for result in results if isinstance(result, BulkResult)]
        if bulks:
            self.after_bulk()
            self._tell_bulks(bulks, left_out)
        elif left_out and any(result is not None for result in results):
            self.podium.tell(f"1 changed. {left_out}")

    def _tell_bulks(self, bulks: Sequence[BulkResult], left_out: str) -> None:
        done, refused = sum(bulk.done for bulk in bulks), [each for bulk in bulks for each in bulk.refused]
        if refused:
            self._list_refused(done, refused, left_out)
            return
        words = [f"{done} changed in one step; u takes them back."]
        if len(bulks) > 1:
            words = [f"{done} changed, in one step for each of {len(bulks)} projects; u takes back the last step."]
        self.podium.tell("\n".join([*words, left_out]).rstrip())

    def _list_refused(self, done: int, refused: Sequence[BulkRefusal], left_out: str) -> None:
        """The cards that were refused under the reason for each, to be read and closed."""
        from textual.content import Content

        from tui.dialogs.text import TextDialog, section

        cards: dict[str, list[tuple[str, str]]] = {}
        for refusal in refused:
            cards.setdefault(refusal.reason, []).append((refusal.title or "a card that is gone", ""))
        parts = [section(reason, titles) for reason, titles in cards.items()]
        parts += [Content(left_out)] if left_out else []
        words = f"{done} changed, {len(refused)} refused"
        self.podium.push_screen(TextDialog(words, Content("\n\n").join(parts)))

    def _named(self, cards: Sequence[Target]) -> str:
        return f"“{cards[0].title}”" if len(cards) == 1 else f"{len(cards)} cards"
