"""The records that people name on a command line, by an id, a name or the unique beginning of a name.

Each is declared once, with the noun that stands in the usage, the query that answers the candidates, and their names::

    TASK = RecordParameter("task", lambda session, _: session.query(ListTasks(project_id=session[PROJECT].id)), titles)
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, cast

import click

from core.actions.cards.details import GetCard
from core.actions.cards.tasks import ListTasks
from core.actions.products.products import GetProduct, ListProducts
from core.actions.projects.find import FindProjects
from core.actions.projects.lists import GetProject
from core.actions.projects.members import ListMembers
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.phases import ListPhases
from core.actions.workspace.hierarchy import ListNodes
from core.actions.workspace.meta_roles import ListMetaRoles
from core.actions.workspace.users import ListUsers
from core.domain.model import HierarchyNode, Item, ItemKind, NodeKind, Phase, User
from core.errors import Forbidden, InvalidInput, NotFound
from core.rules.project_names import ProjectRef, names_of_project
from core.text.naming import Names, argument_for, find_meant, the_one
from core.text.phrases import shell_command
from core.text.sanitize import sanitize
from core.text.short_keys import card_key, read_card_key
from tui.cli.current_project import project_named
from tui.cli.output import moment
from tui.cli.session import Parameter, Session

if TYPE_CHECKING:
    from core.domain.canvas import Card
    from core.domain.templates import Template

C = TypeVar("C", bound="Item | Card")
T = TypeVar("T")


class RecordParameter(Parameter[T]):
    """A record that people name, as an argument; the field of the message gets its id.

    ``candidates`` gets the name too, for a query that looks for it. ``names`` gives the id of a candidate first, then
    what people call it.
    """

    def __init__(
        self,
        noun: str,
        candidates: Callable[[Session, str], Iterable[T]],
        names: Names[T],
        field: str = "",
        argument: str = "",
    ) -> None:
        name = argument or noun.replace(" ", "_")
        super().__init__(click.Argument([name]), self.find, field or f"{name}_id", lambda found: names(found)[0])
        self.noun, self.candidates, self.names = noun, candidates, names

    def find(self, session: Session, name: str) -> T:
        """The record of this name. Raises NotFound and InvalidInput, as ``the_one`` does."""
        return the_one(self.noun, name, self.candidates(session, name), self.names)

    def for_field(self, field: str) -> Self:
        """The same for a message in which another field has the id."""
        found = copy(self)
        found.field = field
        return found

    def typed_as(self, form: click.Parameter) -> Parameter[T]:
        """The same in another form."""
        return Parameter(form, self.find, self.field, self.sent, self.noun)

    def or_none(self, form: click.Parameter, field: str = "", none: str = "") -> Parameter[T | None]:
        """The same where there may be no record: for no text, the word ``none``, and an empty option."""
        absent = {none} if isinstance(form, click.Argument) and form.required else {none, ""}
        return Parameter(
            form,
            lambda session, name: None if name is None or name.lower() in absent else self.find(session, name),
            field or self.field,
            lambda found: None if found is None else self.sent(found),
            self.noun,
        )

    def option(self, option: str, help: str, field: str = "", none: str = "", **more: Any) -> Parameter[T | None]:
        """The same as an option."""
        return self.or_none(click.Option([option], metavar=self.noun.upper(), help=help, **more), field, none)

    def several(self, form: click.Parameter, field: str) -> Parameter[tuple[T, ...]]:
        """Any number of such records."""
        return Parameter(
            form,
            lambda session, names: tuple(self.find(session, name) for name in names),
            field,
            lambda found: tuple(map(self.sent, found)),
            self.noun,
        )


class _Projects(RecordParameter[ProjectRef]):
    def find(self, session: Session, name: str) -> ProjectRef:
        """One of my projects, archived ones included. The id of another one is passed on, for the core to refuse."""
        return project_named(session, name)

    def or_current(self, form: click.Parameter) -> Parameter[ProjectRef]:
        """The same in another form, where no text stands for the current project."""

        def read(session: Session, name: str | None) -> ProjectRef:
            session[self] = project_named(session, name)  # where records of the project look for it
            return session[self]

        return Parameter(form, read, self.field, self.sent, self.noun)


class _Phases(RecordParameter[Phase]):
    def find(self, session: Session, name: str) -> Phase:
        """A phase by id, name or number."""
        if not name.isdecimal():
            return super().find(session, name)
        lines = session.query(ListPhases(project_id=session[PROJECT].id))
        if found := [line.phase for line in lines if line.number == int(name)]:
            return found[0]
        raise NotFound(f"There is no phase {name} here: the project has {len(lines)}.")


class TokenParameter(RecordParameter[Any]):
    """A token by its id or label; several of one label are listed with their dates. A label is of those not over."""

    def __init__(self, listed: Callable[[Session], Iterable[Any]], field: str = "") -> None:
        super().__init__("token", lambda session, _: listed(session), lambda token: (token.id, token.label), field)

    def find(self, session: Session, name: str) -> Any:
        tokens = list(self.candidates(session, name))
        found = find_meant(name, [each for each in tokens if not each.state.is_over], self.names)
        if len(found) < 2:
            return found[0] if found else the_one(self.noun, name, tokens, self.names)
        dates = (f"made {moment(each.created_at)}, valid until {moment(each.expires_at)}" for each in found)
        shown = "; ".join(f"{each.label} ({each.id}, {when})" for each, when in zip(found, dates, strict=True))
        raise InvalidInput(self.noun, f"“{sanitize(name)}” may be several: {shown}. Name one by its id.")


class _Cards(RecordParameter[T]):
    """Tasks or activities of the project, by key, id or title."""

    def find(self, session: Session, name: str) -> T:
        card = card_with_key(session, name)
        if card and card.project_id == session[PROJECT].id and self.noun in ("card", card.kind.lower()):
            return cast(T, card)
        cards = cast("Iterable[Any]", self.candidates(session, name))
        return cast(T, card_titled(session, self.noun, name, cards))


class _Members(RecordParameter[User]):
    def find(self, session: Session, name: str) -> User:
        """A member of the project. Raises NotFound, which says how to add another person of the workspace."""
        try:
            return super().find(session, name)
        except NotFound as missing:
            try:
                people = _users(session, name)
            except Forbidden:
                raise missing from None
            found = find_meant(name, people, _names_of_user)
            if len(found) != 1:
                raise
            project = session.query(GetProject(project_id=session[PROJECT].id)).project
            mine = session.query(FindProjects(name=project.name))
            add = shell_command(
                "podium",
                "member",
                "add",
                argument_for(ProjectRef(id=project.id, name=project.name, keys=(project.key,)), mine, names_of_project),
                argument_for(found[0], people, lambda each: (each.id, each.login, *_names_of_user(each)[1:])),
            )
            raise NotFound(
                f"“{sanitize(name)}” is not a member of “{sanitize(project.name)}”. Add them: {add}."
            ) from missing


def _names_of_user(user: User) -> tuple[str, ...]:
    return user.id, user.name, user.login, user.email, user.last_name


def _users(session: Session, _: str) -> list[User]:
    return [line.user for line in session.query(ListUsers())]


def _phases(session: Session) -> list[Phase]:
    return [line.phase for line in session.query(ListPhases(project_id=session[PROJECT].id))]


def _list_removed(session: Session) -> Iterable[Phase]:
    from core.actions.workflow.gate_record import ListGateDecisions

    lines = session.query(ListGateDecisions(project_id=session[PROJECT].id))
    last = {each.record.phase_id: each for each in lines if not each.number}
    return [Phase(project_id=session[PROJECT].id, id=id_, rank="", name=each.phase) for id_, each in last.items()]


def _cards(session: Session, kinds: Container[ItemKind]) -> list[Card]:
    cards = session.query(GetCanvas(project_id=session[PROJECT].id)).cards
    return [card for card in cards if card.kind in kinds]


def _templates(session: Session, _: str) -> list[Template]:
    from core.actions.templates.templates import ListTemplates

    return [line.template for line in session.query(ListTemplates())]


def _nodes_of(kind: NodeKind) -> RecordParameter[HierarchyNode]:
    return RecordParameter(
        kind.lower(), lambda session, _: [node for node in session.query(ListNodes()) if node.kind is kind], names
    )


def card_with_key(session: Session, text: str) -> Item | None:
    """The card of which a text is the key; None for other texts, and for the key of no card, which may be a title."""
    if read_card_key(text) is None:
        return None
    try:
        return session.query(GetCard(item_id=text.strip())).item
    except NotFound:
        return None


def key_of(session: Session, card: Item | Card) -> str:
    """The key of a card of the project that the command line names; the id where that is the project of others."""
    keys = session[PROJECT].keys
    return card_key(keys[0], card.number) if keys else card.id


def card_titled(session: Session, noun: str, title: str, cards: Iterable[C]) -> C:
    """The one of these cards of the project that a title or an id names; several are listed with their keys."""
    return the_one(noun, title, cards, titles, partial(key_of, session))


def titles(card: Item | Card) -> tuple[str, ...]:
    """The names of a task or an activity."""
    return card.id, card.title


class HasName(Protocol):
    """A record with a name."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


def names(record: HasName) -> tuple[str, ...]:
    """The names of a record that has one."""
    return record.id, record.name


PROJECT = _Projects("project", lambda session, name: [project_named(session, name)], names_of_project)
IN_PROJECT_HELP = "The project (default: the current one, see “podium use”)."
IN_PROJECT = PROJECT.or_current(click.Option(["-p", "--project"], metavar="PROJECT", help=IN_PROJECT_HELP))
LISTED_PROJECT = PROJECT.or_current(click.Argument(["project"], required=False))
"""The project as the only argument of a command that reads it; the current one where none is named."""
PHASE = _Phases("phase", lambda session, _: _phases(session), names)
RECORDED = _Phases("phase", lambda session, _: [*_phases(session), *_list_removed(session)], names)
"""A phase that has a gate record: also one that was removed, by its last name."""
TASK = _Cards(
    "task", lambda session, _: session.query(ListTasks(project_id=session[PROJECT].id, archived=True)), titles
)
ACTIVITY = _Cards("activity", lambda session, _: _cards(session, {ItemKind.ACTIVITY}), titles)
ANY_CARD = _Cards("card", lambda session, _: _cards(session, set(ItemKind)), titles)
"""A task or an activity of the project."""
MEMBER = _Members(
    "person",
    lambda session, _: [line.user for line in session.query(ListMembers(project_id=session[PROJECT].id))],
    _names_of_user,
    "user_id",
    "member",
)
MEMBERS = MEMBER.several(click.Argument(["people"], nargs=-1), "member_ids")
USER = RecordParameter("person", _users, _names_of_user, "user_id")
PRODUCT = RecordParameter("product", lambda session, _: [line.product for line in session.query(ListProducts())], names)
APPLICATION_ROLE = RecordParameter(
    "role",
    lambda session, _: [line.role for line in session.query(GetProduct(product_id=session[PRODUCT].id)).roles],
    names,
    "application_role_id",
)
META_ROLE = RecordParameter(
    "meta role", lambda session, _: [line.meta_role for line in session.query(ListMetaRoles())], names
)
META_ROLES = META_ROLE.several(click.Argument(["meta_roles"], nargs=-1, metavar="[META_ROLE]..."), "meta_role_ids")
TEMPLATE = RecordParameter("template", _templates, names)
NODE = RecordParameter("node", lambda session, _: session.query(ListNodes()), names)
CLIENT, MARKET, BRAND = map(_nodes_of, NodeKind)
