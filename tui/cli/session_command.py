"""A command that opens a session: PROJECT can be left out, and a text can come from a file or from stdin."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from core.errors import InvalidImport, InvalidInput, NotFound
from core.import_export.files import read_file, read_stream
from core.rules.project_names import ProjectRef, names_of_project
from core.text.short_keys import read_card_key
from tui.cli.current_project import project_named
from tui.cli.options import workspace_parameters
from tui.cli.records import IN_PROJECT_HELP, PROJECT, card_with_key
from tui.cli.session import Foreseen, Parameter, Session, command_session

STDIN = "-"

MAX_TEXT = 1_000_000
"""Bytes that are read as one text."""

LONG_TEXTS = ("description", "objectives", "outcomes")
"""The options with texts of several lines, which are taken from a file too, such as ``--description-file``."""

TEXT_ARGUMENTS = ("name", "reason", "text", "title")
"""The arguments that are texts, unless they name a record."""

CARDS = ("activity", "card", "task")
"""The nouns of the parameters that name a card."""

TEXTS_IN_USAGE = (None, "TEXT", "REASON")
"""The words for a text in the usage of an option."""

OPTIONAL_PROJECT = click.Argument(["project"], metavar="[PROJECT]")
"""PROJECT where it can be left out. For click it is required, so that the other arguments are told first."""

NAMED_PROJECT = click.Option(["-p", "--project", "named_project"], metavar="PROJECT", help=IN_PROJECT_HELP)

WORDS = "podium.words"
"""The words of the command, in the meta of its context."""

WITHOUT_PROJECT = "podium.without-project"
"""In the meta of a context whose command line leaves PROJECT out: the error that it would be, or None."""


class SessionCommand(click.Command):
    """A command that opens a session, reads its parameters in their order, and then runs.

    PROJECT can be left out before another argument: the project is then that of a card which is named by its key, or
    the current one. It is left out where there is a word too few, where a key stands in its place, and, before words
    that need not be there, where a project is chosen and none has just this name: the beginning of a name is not enough
    there, since it can be that of another record.
    """

    def __init__(
        self,
        name: str,
        parameters: Sequence[Parameter[Any] | click.Parameter],
        run: Callable[..., int | None],
        help: str | None,
        *,
        ids: bool = False,
        changes: bool = False,
        lists: bool = False,
        **more: Any,
    ) -> None:
        """``ids``: with -q it prints the ids of its records, or of the one that it changed.

        ``changes``: it changes something by commands alone, so --dry-run prints what. ``lists``: it prints a list, so
        its fields can be chosen.
        """
        self.parameters = [each for each in parameters if isinstance(each, Parameter)]
        self.run = run
        forms = [each.form if isinstance(each, Parameter) else each for each in parameters]
        records = {each.form for each in self.parameters if each.noun}
        self.cards = [each.form.name or "" for each in self.parameters if each.noun in CARDS]
        """The names of the parameters that name cards, of which a key tells the project."""
        self.texts = [each for each in forms if each not in records and _is_text(each)]
        """The parameters of which “-” is the text on stdin."""
        forms += [_file_option(each) for each in self.texts if each.name in LONG_TEXTS]
        arguments = [each for each in forms if isinstance(each, click.Argument)]
        self.begins_with_text = False
        self.others: tuple[click.Argument, ...] = ()
        """The arguments after a PROJECT that can be left out."""
        if arguments[1:] and arguments[0] is PROJECT.form:
            self.others = (*arguments[1:],)
            self.begins_with_text = self.others[0] not in records  # so the name of a project would become one
            forms[forms.index(PROJECT.form)] = OPTIONAL_PROJECT
            forms.append(NAMED_PROJECT)
        own = [name for each in forms for name in each.opts]
        forms += workspace_parameters(ids=ids, changes=changes, lists=lists, own=own)
        super().__init__(name, callback=self._run, params=forms, help=help, **more)

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        """The parameters of this command line: without PROJECT where that is left out."""
        found = super().get_params(context)
        return [each for each in found if each is not OPTIONAL_PROJECT or WITHOUT_PROJECT not in context.meta]

    def parse_args(self, context: click.Context, words: list[str]) -> list[str]:
        """Read the words of the command line. Raises click.UsageError."""
        if not self.others or context.resilient_parsing:
            return super().parse_args(context, words)
        context.meta[WORDS] = [*words]
        try:
            rest = super().parse_args(context, [*words])
        except click.MissingParameter as missing:
            if missing.param is not OPTIONAL_PROJECT and missing.param not in self.others:
                raise
            return self._parse_without_project(context, missing)
        named, option = context.params[OPTIONAL_PROJECT.name or ""], context.params[NAMED_PROJECT.name or ""]
        is_key = (self.others[0].name or "") in self.cards and read_card_key(named) is not None
        is_left_out = option is not None or (self.takes_more and is_key)
        return self._parse_without_project(context) if is_left_out else rest

    @property
    def takes_more(self) -> bool:
        """True if not all words have to be there, so that their number does not tell whether PROJECT is among them."""
        return not all(each.required for each in self.others)

    def _parse_without_project(self, context: click.Context, missing: click.UsageError | None = None) -> list[str]:
        context.meta[WITHOUT_PROJECT] = missing
        context.params.clear()
        try:
            return super().parse_args(context, [*context.meta[WORDS]])
        except click.UsageError:
            context.meta.pop(WITHOUT_PROJECT)  # the usage in the error names it
            raise

    def _run(self, **texts: Any) -> int | None:
        context = click.get_current_context()
        texts = self._read_texts(context, texts)
        with command_session(context) as opened:
            if self.others:
                texts = self._find_project(context, opened, texts)
            try:
                for each in self.parameters:
                    if each is not PROJECT or not self.others:
                        opened[each] = each.read(opened, texts.pop(each.form.name or ""))
            except (NotFound, InvalidInput):
                if missing := context.meta.get(WITHOUT_PROJECT):
                    self._check_no_project(context, opened, missing)
                raise
            try:
                return self.run(opened, **texts)
            except Foreseen as ended:
                return ended.status

    def _read_texts(self, context: click.Context, texts: dict[str, Any]) -> dict[str, Any]:
        """The texts with those that stand in a file or on stdin. Raises InvalidInput and InvalidImport."""
        files = {each.name or "": texts.pop(f"{each.name}_file", None) for each in self.texts}
        found: dict[str, str] = {}
        for each in self.texts:
            name, option = each.name or "", max(each.opts, key=len)
            typed, file = texts[name], files[name]
            if file is not None and typed is not None:
                raise InvalidInput(name, f"Give {option} or {option}-file, not both.")
            if STDIN in (typed, file):
                if STDIN in found.values():
                    raise InvalidInput(name, "“-” is the text on stdin, which only one option can be.")
                found[name] = STDIN
            elif file is not None:
                found[name] = file
        for name, file in found.items():
            try:
                text = read_stream(sys.stdin.buffer, MAX_TEXT) if file == STDIN else read_file(Path(file), MAX_TEXT)
            except InvalidImport as error:  # its sentence is about a project
                raise InvalidInput(name, error.reason) from error
            if file == STDIN and not text:  # the command before the pipe failed, or stdin is closed
                raise InvalidInput(name, f"Nothing came on stdin for {name}. To empty it, give “” in the place of “-”.")
            texts[name] = text.removesuffix("\n")
            context.set_parameter_source(name, ParameterSource.COMMANDLINE)
        return texts

    def _find_project(self, context: click.Context, session: Session, texts: dict[str, Any]) -> dict[str, Any]:
        """Set the project of the session, and return the texts of the others. Raises NotFound and InvalidInput."""
        if WITHOUT_PROJECT not in context.meta:
            word = texts.pop(OPTIONAL_PROJECT.name or "")
            may_be_another = self.takes_more and _has_current_project(session)
            try:
                session[PROJECT] = PROJECT.find(session, word)
            except NotFound as unknown:
                if not may_be_another:
                    raise unknown
                is_named = False
            else:
                is_named = _has_name(session[PROJECT], word)
            if may_be_another and not is_named:
                self._parse_without_project(context)
                texts |= {each.name or "": context.params[each.name or ""] for each in self.others}
        elif (missing := context.meta[WITHOUT_PROJECT]) and self.begins_with_text:
            self._check_no_project(context, session, missing, is_exact=True)
        option = texts.pop(NAMED_PROJECT.name or "")
        if WITHOUT_PROJECT in context.meta:
            typed = [texts[name] for name in self.cards if name in texts]
            keys = [word for word in typed if isinstance(word, str) and read_card_key(word)] if option is None else []
            card = next(filter(None, (card_with_key(session, word) for word in keys)), None)
            session[PROJECT] = project_named(session, option if card is None else card.project_id)
        return texts

    def _check_no_project(
        self, context: click.Context, session: Session, missing: click.UsageError, *, is_exact: bool = False
    ) -> None:
        """Raise the error about a missing word if the first one, taken for another argument, names a project."""
        first = context.params[self.others[0].name or ""]
        with contextlib.suppress(NotFound, InvalidInput):
            found = project_named(session, first)
            if is_exact and not _has_name(found, first):
                return
            context.meta.pop(WITHOUT_PROJECT)  # the usage in the error names it
            raise missing


def _has_name(project: ProjectRef, word: str) -> bool:
    """True for an id, a key or the whole name of a project, in any case."""
    return word.strip().casefold() in map(str.casefold, names_of_project(project))


def _is_text(form: click.Parameter) -> bool:
    if form.multiple if isinstance(form, click.Option) else form.nargs != 1:
        return False
    is_free = isinstance(form.type, click.types.StringParamType)
    if isinstance(form, click.Option):
        return is_free and not form.is_flag and form.metavar in TEXTS_IN_USAGE
    return is_free and form.name in TEXT_ARGUMENTS


def _file_option(text: click.Parameter) -> click.Option:
    name = str(text.name)
    return click.Option([f"--{name}-file"], metavar="FILE", help=f"Read --{name} from a file; “-” is stdin.")


def _has_current_project(session: Session) -> bool:
    with contextlib.suppress(NotFound, InvalidInput):
        return bool(project_named(session, None))
    return False
