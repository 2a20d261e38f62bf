"""What a Command and a Query are.

Whatever a person can do is one Command, whatever a screen shows is one Query: a frozen dataclass whose fields
are what travels. ``run`` is what happens, and its return annotation is the result type everywhere. The first
line of the docstring is the help in the palette, on the command line and in the API.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from core.domain.model import WORKSPACE, Id
from core.domain.permissions import Permission

if TYPE_CHECKING:
    from core.domain.grants import PermissionQuery
    from core.engine.unit_of_work import Snapshot, UnitOfWork

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Undecided(Exception):
    """A field was asked for of which only the body of a request tells, when its head alone was known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Generic[R_co]):
    """What commands and queries share."""

    route: ClassVar[str]
    """Method and path in the HTTP API; names in braces are fields."""

    permission: ClassVar[Permission]
    """What the sender must hold on the account of the message."""

    def scope(self, view: Snapshot) -> Id:
        """The project the message is about, or WORKSPACE. Raises NotFound when what it names does not exist."""
        return WORKSPACE

    def needs(self, view: Snapshot) -> Permission:
        """The permission asked for; it differs from ``permission`` only where it depends on the record."""
        return self.permission

    single_flight: ClassVar[bool] = False
    """True for a query that all open screens send after each change, most of them for the same result. A server answers
    such queries one after another in one thread, so that the result is computed and encoded once for all of them."""

    bulky: ClassVar[bool] = False
    """Whether it brings a whole file along. A server then reads as much as a file may have and gives it more time, and
    while it is under way it tells its sender how far it is, and can be stopped."""

    @property
    def deletes(self) -> bool:
        """True for a message that deletes, which is decided by the source itself and never by a cached grant."""
        return self.route.startswith("DELETE ")

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        """What else the source of permissions is asked before ``run``, which finds the answers in ``view.answers``."""
        return ()


class Command(Message[R]):
    """A message that changes something, in one transaction, recorded as one change."""

    __slots__ = ()

    undoable: ClassVar[bool] = True
    """Whether Undo may take it back."""

    instead: ClassVar[str] = ""
    """A sentence on what to do instead, where it cannot be undone."""

    personal: ClassVar[bool] = False
    """Whether it concerns nobody but the sender: then it is in no history, and Undo knows nothing of it."""

    creates: ClassVar[bool] = False
    """Whether it makes something new: the API then answers 201 (source document, section 7.1)."""

    tells_secret: ClassVar[bool] = False
    """Whether its result holds a secret: then no copy of the answer is kept, and it is told only once."""

    gives_access: ClassVar[bool] = False
    """Whether it makes a token or enrols an account: refused in a session that a gateway opened, since a stolen token
    of the gateway would give access that stays when it is revoked."""

    ends_access: ClassVar[bool] = False
    """Whether it takes access away: then no quota refuses it, because access may have been misused to reach one."""

    unbounded: ClassVar[bool] = False
    """Whether it may write any number of records, as far as the time of one transaction allows: what makes a whole
    project, or undoes a change."""

    large: ClassVar[bool] = False
    """Whether much of it may be done before its last transaction: a server has threads for such commands, so that the
    commands of others are carried out meanwhile."""

    leaves_rows: ClassVar[bool] = False
    """Whether it leaves hidden rows, which are then deleted in slices (``core.engine.slices``)."""

    in_archive: ClassVar[bool] = False
    """Whether it may be sent to an archived project."""

    def begin(self, work: UnitOfWork) -> bool:
        """Do a part of it as a change of its own, where it is too much for one transaction; whether it did.

        It is called again until there is nothing to do before ``run``, also when the client leaves after the first
        part. Only for commands that are ``large``.
        """
        return False

    def prepare(self, look: Callable[[Callable[[Snapshot], Any]], Any]) -> Any:
        """What takes long to find out, or an Arrival, which is written in slices, for ``run`` in ``work.prepared``.

        ``look`` reads in the database. None for nearly all commands.
        """
        return None

    def run(self, work: UnitOfWork) -> R:
        raise NotImplementedError


class Query(Message[R_co]):
    """A message that reads one snapshot and changes nothing."""

    __slots__ = ()

    def run(self, view: Snapshot) -> R_co:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectCommand(Command[R]):
    """A command that names its project."""

    project_id: Id

    def scope(self, view: Snapshot) -> Id:
        return self.project_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectQuery(Query[R_co]):
    """A query that names its project."""

    project_id: Id

    def scope(self, view: Snapshot) -> Id:
        return self.project_id
