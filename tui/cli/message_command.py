"""Commands of the command line, each declared once: its parameters, its message, and the sentence that it prints.

``podium phase due PROJECT PHASE DAY`` is declared as::

    phase_ = MessageGroup("phase", "Phases: list, add, edit, order, …")
    phase_.sends("due", SetPhaseDueDate, [PROJECT, PHASE, "due"], done="“{name}” is due {due:on no day}.")

A parameter is a record that people name (``tui.cli.records``) or a field of the message. The message says the rest: a
field without a default is an argument, any other one is an option, its type says how the text is read, and an option
that is not given leaves the field at its default. The help is the first line of the message's docstring. The sentence
names fields of the result (``tui.cli.sentences``). A command that does more is a function: see ``MessageGroup.runs``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar, get_args, get_origin

import click
from click.core import ParameterSource

from core.codec.type_hints import field_types, required_fields, unwrap_optional
from core.domain.model import Status
from core.engine.messages import Command, Message, Query
from core.errors import InvalidInput
from core.record import Record, fields
from core.text.dates import parse_due
from tui.cli.choices import EnumChoice, Number
from tui.cli.groups import Group
from tui.cli.output import agree
from tui.cli.sentences import sentence
from tui.cli.session import Parameter, Session
from tui.cli.session_command import SessionCommand

DAY, SOME_DAYS = "DAY", "a day such as fri, +2w, 3 dec"

R = TypeVar("R")
T = TypeVar("T")


class Field:
    """A field of the message, where its name alone does not say how it is typed.

    ``option`` is given where it differs from the name of the field, ``metavar`` is its value in the usage, and
    ``choices`` are the members of an enumeration that may be named, where not all may.
    """

    def __init__(
        self, name: str, help: str = "", *, option: str = "", metavar: str = "", choices: Iterable[StrEnum] = ()
    ) -> None:
        self.name, self.help, self.choices = name, help, tuple(choices)
        self.option = option or f"--{name.replace('_', '-')}"
        self.metavar = metavar or None


STATUS = Field("status", choices=(Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED))
RELOCK = Field("relock", "Allow later phases to lock again.", option="--allow-relock")


def _reason(_: Session, said: str | None) -> str:
    if said is not None and not said.strip():
        raise InvalidInput("allow_lapse", "--allow-lapse takes the reason for ending the approval. Say why.")
    return said or ""


ALLOW_LAPSE = Parameter(
    click.Option(
        ["--allow-lapse", "allow_lapse"],
        metavar="REASON",
        help="Allow an approval to end, and later phases to lock again; REASON stands in the gate record.",
    ),
    _reason,
    "allow_lapse",
)
CONSENT: tuple[Parameter[Any] | Field, ...] = (RELOCK, ALLOW_LAPSE)

FOLLOW = Field("follow", "Move the cards that wait for it along, as far as they have to.")

Declared = Parameter[Any] | Field | str
"""A parameter of a message as it is declared; a text names fields, with spaces between them."""


def flag(option: str, help: str, name: str = "") -> click.Option:
    """An option without a value, under a name of its own in the function if there is one."""
    return click.Option([option, name] if name else [option], is_flag=True, help=help)


def emptying_option(option: str, field: str, help: str) -> Parameter[tuple[()]]:
    """An option that takes everything from a field which holds several values."""
    return Parameter(click.Option([option], is_flag=True, default=None, help=help), lambda *_: (), field)


def day_from(text: str | None) -> date | None:
    """A due date as it was typed; None for nothing, "-" and "none"."""
    return parse_due(text, date.today()) if text is not None else None


class MessageCommand(SessionCommand):
    """A command that sends a message, after consent where ``confirm`` asks a question, and prints the result."""

    def __init__(
        self,
        name: str,
        message: type[Message[Any]],
        declared: Sequence[Declared],
        prints: partial[None],
        *,
        confirm: str = "",
        help: str = "",
        values: Callable[[Session], Mapping[str, Any]] = lambda _: {},
        ids: bool = True,
        lists: bool = False,
    ) -> None:
        self.message, self.values, self.prints, self.confirm = message, values, prints, confirm
        parameters = [each for one in declared for each in _parameters(message, one)]
        consent = [flag("--yes", "Do not ask.")] if confirm else []
        arguments = [each for each in parameters if isinstance(each.form, click.Argument)]
        options = [each for each in parameters if each not in arguments]
        help = help or (message.__doc__ or "").strip().splitlines()[0]
        if any(each.form.metavar == DAY for each in arguments):
            help += f"\n\n{DAY} is {SOME_DAYS}; “none” removes the date."
        changes = issubclass(message, Command)
        super().__init__(
            name, [*arguments, *consent, *options], self._send, help, ids=ids, changes=changes, lists=lists
        )

    def _send(self, session: Session, yes: bool = False) -> None:
        values = dict(self.values(session))
        for each in self.parameters:
            if each.field in fields(self.message) and is_given(each.form):
                values.setdefault(each.field, each.sent(session[each]))
        if self.confirm and not (yes or session.dry_run):
            agree(sentence(self.confirm, None, session.parameters))
        self.prints(session, session.send(self.message(**values)))


def is_given(form: click.Parameter) -> bool:
    """Return whether a parameter was typed. An argument always is, also one without any texts."""
    source = click.get_current_context().get_parameter_source(form.name or "")
    return isinstance(form, click.Argument) or source is not ParameterSource.DEFAULT


def _parameters(message: type[Message[Any]], declared: Declared) -> list[Parameter[Any]]:
    if isinstance(declared, str):
        return [_of_field(message, Field(name)) for name in declared.split()]
    return [_of_field(message, declared) if isinstance(declared, Field) else declared]


def _of_field(message: type[Message[Any]], field: Field) -> Parameter[Any]:
    kind, _ = unwrap_optional(field_types(message)[field.name])
    is_many = get_origin(kind) is tuple
    kind = get_args(kind)[0] if is_many else kind
    more: dict[str, Any] = {"type": _type_for_click(kind, field.choices), "metavar": field.metavar}
    form: click.Parameter
    if field.name in required_fields(message):
        more |= {"nargs": -1} if is_many else {"metavar": DAY} if kind is date else {}
        form = click.Argument([field.name], **more)
    else:
        more |= {"is_flag": True, "default": None} if kind is bool else {"multiple": is_many}
        more |= {"metavar": DAY} if kind is date else {}
        help = f"{SOME_DAYS.capitalize()}." if kind is date else None
        form = click.Option([field.option, field.name], help=field.help or help, **more)
    read: Callable[[Any], Any] = day_from if kind is date else kind
    return Parameter(
        form, lambda _, text: tuple(map(read, text)) if is_many else None if text is None else read(text), field.name
    )


def _type_for_click(kind: type, choices: tuple[StrEnum, ...]) -> Any:
    if issubclass(kind, StrEnum):
        return EnumChoice(choices or kind)
    return Number() if kind is int else None


def _print_sentence(done: str | Callable[[R, Session], str], session: Session, result: R) -> None:
    said = sentence(done, result, session.parameters) if isinstance(done, str) else done(result, session)
    session.print_result(_last_named(session) if result is None else result, said)


def _last_named(session: Session) -> object:
    """The record that the command was about, such as one that it has removed."""
    return next((each for each in reversed(session.parameters.values()) if isinstance(each, Record)), None)


def _print_table(
    heads: Sequence[str], row: Callable[[T], Sequence[object]], empty: str, session: Session, found: Sequence[T]
) -> None:
    session.list(found, heads, row, empty)


def _print_lines(lines: Callable[[R], Iterable[str]], session: Session, result: R) -> None:
    session.show(result, lines)


def runs(
    name: str, *parameters: Parameter[Any] | click.Parameter, **more: Any
) -> Callable[[Callable[..., int | None]], SessionCommand]:
    """Make a command of a function, which gets the session, and the texts of plain parameters by their names.

    Its docstring is the help, and its result the exit status.
    """
    return lambda function: SessionCommand(name, parameters, function, function.__doc__, **more)


class MessageGroup(Group):
    """A noun of the command line with its commands."""

    def __init__(self, name: str, help: str) -> None:
        super().__init__(name, help=help)

    def sends(
        self,
        name: str,
        message: type[Command[R]],
        parameters: Sequence[Declared] = (),
        *,
        done: str | Callable[[R, Session], str],
        confirm: str = "",
        help: str = "",
        values: Callable[[Session], Mapping[str, Any]] = lambda _: {},
    ) -> None:
        """Declare a command that sends ``message``; ``values`` are those of fields that no parameter fills by itself.

        ``done`` is the sentence about its result, and ``confirm`` the question that --yes answers beforehand.
        """
        prints = partial(_print_sentence, done)
        self.add_command(MessageCommand(name, message, parameters, prints, confirm=confirm, help=help, values=values))

    def lists(
        self,
        name: str,
        message: type[Query[Sequence[T]]],
        parameters: Sequence[Declared] = (),
        *,
        heads: Sequence[str],
        row: Callable[[T], Sequence[object]],
        empty: str,
        help: str = "",
        ids: bool = True,
    ) -> None:
        """Declare a command that prints the answer of a query in columns, or ``empty`` where it is empty."""
        prints = partial(_print_table, heads, row, empty)
        self.add_command(MessageCommand(name, message, parameters, prints, help=help, ids=ids, lists=True))

    def shows(
        self,
        name: str,
        message: type[Query[R]],
        parameters: Sequence[Declared] = (),
        *,
        lines: Callable[[R], Iterable[str]],
        help: str = "",
    ) -> None:
        """Declare a command that prints the answer of a query in lines."""
        self.add_command(MessageCommand(name, message, parameters, partial(_print_lines, lines), help=help, ids=False))

    def runs(
        self, name: str, *parameters: Parameter[Any] | click.Parameter, **more: Any
    ) -> Callable[[Callable[..., int | None]], SessionCommand]:
        """Make a command of a function, as ``runs`` does."""

        def add(function: Callable[..., int | None]) -> SessionCommand:
            command = runs(name, *parameters, **more)(function)
            self.add_command(command)
            return command

        return add
