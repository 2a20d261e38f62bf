"""The base classes of all messages: Command and Query.

Each action is one Command and the data of each screen one Query: a frozen record, whose fields are sent. ``run``
does the work, and its return annotation is the result type everywhere. The first line of the docstring is the help
in the palette, on the command line and in the API.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

from core.domain.model import WORKSPACE, Id
from core.domain.permissions import Permission
from core.record import Record

if TYPE_CHECKING:
    from core.domain.grants import PermissionQuery
    from core.engine.change_records import RecordChange
    from core.engine.unit_of_work import Snapshot, UnitOfWork

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


Catalog: TypeAlias = "Mapping[str, type[Message[Any]]]"
"""All messages by their names."""


class BodyNotRead(Exception):
    """A field of the body was read while only the head of the request was known."""


class MoreGrantsNeeded(Exception):
    """More answers of the permission source turned out to be needed. The engine asks, and runs the message again."""

    def __init__(self, questions: tuple[PermissionQuery, ...]) -> None:
        super().__init__()
        self.questions = questions


class RefusedStep(Record):
    """A refused step of a bulk change: its number from 0, the title of its card, and the reason.

    A deleted card has no title.
    """

    step: int
    title: str
    reason: str
    rule: str = ""
    """The reason without the title, so that steps that are refused alike can be listed together."""
    card_id: Id = ""
    """The id of the card; empty for one that would have been created."""
    code: str = ""
    """The code of the error with which the message alone would be refused."""
    who_can: tuple[str, ...] = ()
    """The names of people who can help."""


class Message(Record, Generic[R_co]):
    """The base of commands and queries: a route, a permission, and the scope on which it is needed."""

    route: ClassVar[str]
    """The method and the path in the HTTP API. Names in braces are fields."""

    permission: ClassVar[Permission]
    """The permission that the sender must hold on the account of the message."""

    def scope(self, view: Snapshot) -> Id:
        """Return the id of the project that the message is about, or WORKSPACE. Raises NotFound."""
        return WORKSPACE

    def needs(self, view: Snapshot) -> Permission:
        """Return the permission that the sender needs: ``permission``, unless it depends on the record."""
        return self.permission

    either: ClassVar[frozenset[Permission]] = frozenset()
    """The permissions of which ``needs`` returns one by the body. A sender with none of them is refused before it."""

    single_flight: ClassVar[bool] = False
    """True for a query that all open screens send after each change, mostly for the same result. A server answers such
    queries one after another in one thread, so that the result is computed and encoded once for all of them."""

    bulky: ClassVar[bool] = False
    """True for a message that carries a whole file. A server then accepts a larger body, allows more time, reports the
    progress to the sender, and can stop the work."""

    @property
    def deletes(self) -> bool:
        """True for a message that deletes: it needs a current answer of the source, never a cached grant."""
        return self.route.startswith("DELETE ")

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        """Return more queries for the permission source. ``run`` finds the grants in ``view.answers``."""
        return ()


class Command(Message[R]):
    """A message that changes something, in one transaction, recorded as one change.

    For example::

        class RenameWorkspace(Command[Workspace]):
            route = "PATCH /v1/workspace"
            permission = Permission.USER_MANAGE
            name: str

            def run(self, work: UnitOfWork) -> Workspace: ...
    """

    in_words: ClassVar[str] = 'a message as {"message": NAME, …}'
    """The form of a step of a bulk change, in words."""

    undoable: ClassVar[bool] = True
    """True if undo can revert it."""

    instead: ClassVar[str] = ""
    """A sentence on what to do instead, where it cannot be undone."""

    creates_project: ClassVar[bool] = False
    """True if it creates a project. Undo archives that, since others may see it by then."""

    held_key: ClassVar[bool] = False
    """True if a key that is held down sends it for one record after another. Such changes are one step of undo."""

    personal: ClassVar[bool] = False
    """True if it concerns only the sender: then no history records it, and undo skips it."""

    creates: ClassVar[bool] = False
    """True if it creates a record. The API then answers 201."""

    returns_secret: ClassVar[bool] = False
    """True if its result contains a secret. No response is stored then, so the secret is sent only once."""

    gives_access: ClassVar[bool] = False
    """True if it creates a token or links an account. A session that a gateway opened cannot send it, since a stolen
    gateway token would otherwise create access that outlives its revocation."""

    ends_access: ClassVar[bool] = False
    """True if it takes access away. No quota refuses it, because the access may have been misused to reach a quota."""

    unbounded: ClassVar[bool] = False
    """True if the number of records that it writes is limited only by the time of a transaction: a command that creates
    a whole project, or undoes a change."""

    large: ClassVar[bool] = False
    """True if most of its work can be done before its last transaction. A server has threads for such commands, so that
    other commands do not wait for them."""

    leaves_rows: ClassVar[bool] = False
    """True if it leaves hidden rows, which are deleted in slices afterwards (``core.engine.large_projects``)."""

    in_archive: ClassVar[bool] = False
    """True if it can be sent to an archived project."""

    def begin(self, work: UnitOfWork) -> bool:
        """Carry out a part as a change of its own, where the whole is too much for one transaction.

        Returns True if it did something. It is called again until it returns False, even if the client leaves after
        the first part. Only ``large`` commands use it.
        """
        return False

    @property
    def has_parts(self) -> bool:
        """True if ``begin`` may carry out parts of it."""
        return type(self).begin is not Command.begin

    def prepare(self, read: Callable[[Callable[[Snapshot], Any]], Any]) -> Any:
        """Compute what takes long before the transaction; ``run`` finds it in ``work.prepared``.

        ``read`` reads from the database. An IncomingProject is written in slices. Most commands return None.
        """
        return None

    @abstractmethod
    def run(self, work: UnitOfWork) -> R:
        """Carry out the command. Return its result."""

    def edited_fields(self, record: object, **checks: Callable[[Any], Any]) -> dict[str, Any]:
        """Return checked fields of a record as this command edits them; one that it leaves out (None) stays."""
        sent = {name: getattr(self, name) for name in checks}
        return {name: getattr(record, name) if sent[name] is None else checks[name](sent[name]) for name in checks}

    def list_unrecorded(self, view: Snapshot) -> tuple[Sequence[RecordChange], int]:
        """Return the first changes that ``run`` is going to make without recording them, and the number of others."""
        return (), 0

    def refused_steps(self, result: R) -> tuple[RefusedStep, ...]:
        """Return the steps of the command that were refused, for a dry run."""
        return ()


class Query(Message[R_co]):
    """A message that reads one snapshot and changes nothing."""

    with_commands: ClassVar[bool] = False
    """True if a command of the project can answer it too, in its transaction: it reads little, however large the
    project is."""

    @abstractmethod
    def run(self, view: Snapshot) -> R_co:
        """Read the result."""


class Answered(Record, kw_only=False):
    """A query that was answered together with a command, as of its commit, and the answer."""

    query: Query[Any]
    answer: Any
    commits: int = 0
    """The number of the commit, up to which the answer includes all changes; 0 where it is not known."""


class ProjectCommand(Command[R]):
    """A command that names its project."""

    project_id: Id

    def scope(self, view: Snapshot) -> Id:
        return self.project_id


class PersonalCommand(Command[R]):
    """A command that concerns only its sender. Every user of the workspace can send it."""

    permission = Permission.WORKSPACE_VIEW
    undoable = False
    personal = True


class PersonalProjectCommand(ProjectCommand[R]):
    """A command on how its sender sees a project, also an archived one. Everyone who sees the project can send it."""

    permission = Permission.PROJECT_VIEW
    undoable = False
    personal = True
    in_archive = True


class ProjectQuery(Query[R_co]):
    """A query that names its project."""

    project_id: Id

    def scope(self, view: Snapshot) -> Id:
        return self.project_id
