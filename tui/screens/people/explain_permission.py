""":can PERSON ACTION in the palette: checks whether a person can do something on this project, and says why."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache, partial

from textual.command import Hit, Hits, Provider
from textual.content import Content

from core.actions.permissions.permissions import ExplainPermission, PermissionExplanation
from core.actions.projects.members import ListMembers
from core.domain.model import WORKSPACE, Id, User
from core.domain.permissions import PROJECT_CODES, Permission
from core.errors import PodiumError
from core.record import Record
from tui.dialogs.text import TextDialog, section
from tui.drawing.cells import plain
from tui.screens.framework.screen import PodiumScreen
from tui.services.host import Host
from tui.wording.permissions import who_decides
from tui.wording.times import when

COMMAND = "can"
_CODES = tuple(code for code in Permission if code in PROJECT_CODES)
MAX_COUNT = 40
"""Offers shown at a time; another word narrows them."""
NO_PROJECT = "Open a project first: permissions are checked on a project."


class PermissionQuestion(Record, kw_only=False):
    """A question that can be put."""

    user: User
    code: Permission

    @property
    def words(self) -> str:
        return f"can {self.user.name} {self.code.phrase}?"


class ExplainPermissionProvider(Provider):
    """Offers the people of the project and what one can do there, as soon as the first word is "can"."""

    _people: tuple[User, ...] | None = None

    async def search(self, query: str) -> Hits:
        first, *words = query.casefold().split() or [""]
        screen = self.screen
        if first != COMMAND or not isinstance(screen, PodiumScreen):
            return
        if screen.project_id == WORKSPACE:
            yield _hint(screen, query, NO_PROJECT)
            return
        people = await self._members(screen)
        found = offers(people, words)
        if not words or not found:
            who = people[0].login if people else "maya"
            yield _hint(screen, query, f"can PERSON ACTION, such as “can {who} archive”")
        for number, offer in zip(range(MAX_COUNT), found, strict=False):
            ask = partial(explain, screen.podium, screen.project_id, offer)
            yield Hit(1 - number / MAX_COUNT / 2, plain(offer.words), ask, text=offer.words, help=offer.code.value)

    async def _members(self, screen: PodiumScreen) -> tuple[User, ...]:
        """Asked for once, while the palette is open."""
        if self._people is None:
            try:
                lines = await screen.podium.query(ListMembers(project_id=screen.project_id))
            except PodiumError:
                lines = ()
            self._people = tuple(line.user for line in lines)
        return self._people


def _hint(screen: PodiumScreen, query: str, sentence: str) -> Hit:
    """A line with what to type or to do first; enter shows it in a notification."""
    return Hit(1, Content(sentence), partial(screen.podium.toast, sentence), text=query)


def offers(people: tuple[User, ...], words: list[str]) -> list[PermissionQuestion]:
    """The questions in which something begins with each of the words: a name, a login, a code, what it allows.

    Then those where only what the messages say of themselves does: "can mara archive".
    """
    codes = [(code, f"{code} {code.replace('_', ' ')} {code.phrase}", _summaries(code)) for code in _CODES]
    found, further = [], []
    for user in people:
        for code, named, phrase in codes:
            known = f"{user.name} {user.login} {named}"
            if _hold(known, words):
                found.append(PermissionQuestion(user, code))
            elif _hold(f"{known} {phrase}", words):
                further.append(PermissionQuestion(user, code))
    return [*found, *further]


def _hold(text: str, words: list[str]) -> bool:
    parts = text.casefold().split()
    return all(any(part.startswith(word) for part in parts) for word in words)


@cache
def _summaries(code: Permission) -> str:
    """The summaries of the messages that need a permission."""
    from core.actions.catalog import MESSAGES

    return " ".join(f"{message.__name__} {message.__doc__}" for message in MESSAGES if message.permission is code)


def explain(app: Host, project_id: Id, offer: PermissionQuestion) -> None:
    """Show the decision with all that it rests on, as soon as it is there."""
    app.begin(partial(_explain, app, project_id, offer))


async def _explain(app: Host, project_id: Id, offer: PermissionQuestion) -> None:
    question = ExplainPermission(project_id=project_id, user_id=offer.user.id, action=offer.code.value)
    try:
        answer = await app.aside(question)
    except PodiumError as error:
        app.show_error(error)
        return
    await app.ask(dialog(answer))


def dialog(answer: PermissionExplanation) -> TextDialog:
    """The decision first, then who, what and who said so."""
    facts = [
        ("Role", answer.role),
        ("Meta roles", ", ".join(answer.meta_roles) or "none"),
        ("Takes", f"{answer.code}: to {answer.ability}"),
        ("Decided by", who_decides(answer.authority)),
        ("Decided", age(answer.decided_at, datetime.now(UTC))),
    ]
    text = Content("\n").join([plain(answer.reason).stylize("bold"), Content(""), section(answer.project, facts)])
    return TextDialog(f"Can {answer.user.name} …?", text)


def age(decided_at: datetime, now: datetime) -> str:
    """The age of an answer: a stored one is some seconds old, one from before an outage some minutes."""
    seconds = max(0, round((now - decided_at).total_seconds()))
    ago = f"{seconds} seconds ago" if seconds > 1 else "just now"
    return f"{ago} ({when(decided_at, now)})" if seconds < 600 else when(decided_at, now)
