"""The rules of a launch, for screens and command line: from where it is possible, and how the context is passed.

A web product is opened with a URL that contains the launch context or a launch code. A terminal product is run in the
user's own terminal, with the context in its environment, and only if the list of the host's administrator allows it:
``terminal_products`` in a file of root. If the environment variable names the file, as in the example for sshd, a
missing list counts as empty.
"""

from __future__ import annotations

import os
import shlex
import signal
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.actions.products.launch import LaunchPayload
from core.domain.products.fields import argument_vector, web_address
from core.domain.products.launch_context import environment, web_url
from core.domain.products.products import LaunchKind, Product
from core.errors import CannotLaunch, InvalidInput
from core.files.config_file import HOST_FILE
from core.files.opening import open_now
from tui.launch.agreements import Agreements
from tui.launch.foreground_process import find_program, run_in_foreground
from tui.terminal.lifecycle import is_in_front

VARIABLE = "PODIUM_TERMINAL_PRODUCTS"
"""The path of the file with the list. Users without a shell on the host cannot set the variable."""

SETTING = "terminal_products"


def check_launchable(product: Product, via: str) -> None:
    """Raise CannotLaunch if a product cannot be launched from here. Called before a launch is recorded."""
    if product.kind is LaunchKind.WEB:
        _address(product)
    else:
        _refuse_without_terminal(product, via)
        _program(product, os.environ)
        check_listed(product)


def check_unchanged(shown: Product, handed: Product) -> None:
    """Raise CannotLaunch if the product was changed after the user saw it and agreed."""
    if (handed.kind, handed.url, handed.command) != (shown.kind, shown.url, shown.command):
        raise CannotLaunch(
            f"“{shown.name}” was changed at this very moment, so nothing was run. Launch it again to see what it runs."
        )


def question_of(product: Product, agreements: Agreements) -> str:
    """The question before a terminal product is run; empty if the user agreed to exactly this command."""
    if agreements.covers(product):
        return ""
    changed = "Its command was changed since you agreed to it. " if agreements.has_older(product) else ""
    return (
        f"{changed}“{product.name}” runs this command on this machine, as you, with all your permissions:\n\n"
        f"{target_words(product)}\n\n"
        f"The program is {_program(product, os.environ)}. A workspace admin registered it. You are asked again only"
        " when the command changes."
    )


def url_of(handed: LaunchPayload, public_url: str) -> str:
    """The URL of a web product, with the launch code if it can be exchanged at ``public_url``, else with the context.

    Raises CannotLaunch.
    """
    return web_url(_address(handed.product), handed.context, handed.launch.user_id, handed.code if public_url else "")


def run_product(handed: LaunchPayload, agreed: Product) -> int:
    """Run a terminal product in this terminal until it ends. Return its exit status, negative for a signal.

    Raises CannotLaunch if it cannot be started, or was changed after the user agreed.
    """
    check_unchanged(agreed, handed.product)
    product = handed.product
    program = _program(product, os.environ)
    environ = environment(handed.context, handed.launch.user_id, os.environ)
    try:
        return run_in_foreground([program, *product.command[1:]], environ, _home())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CannotLaunch(f"“{product.name}” could not be started: {program}: {reason}.") from error


def target_words(product: Product) -> str:
    """The target of a launch: the URL, or the command as in a shell."""
    return shlex.join(product.command) if product.kind is LaunchKind.TERMINAL else product.url


def exit_message(name: str, status: int) -> str:
    """The end of a terminal product in words."""
    if status > 0:
        return f"“{name}” ended with status {status}."
    if status == -signal.SIGINT:
        return f"“{name}” was interrupted."
    return f"“{name}” was killed ({_signal_name(-status)})." if status else f"“{name}” ended."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _address(product: Product) -> str:
    """The URL, checked again because another program could have written the database. Raises CannotLaunch."""
    try:
        return web_address(product.url)
    except InvalidInput as error:
        raise CannotLaunch(
            f"“{product.name}” cannot be opened: {error} A workspace admin can correct it: g o."
        ) from error


def _refuse_without_terminal(product: Product, via: str) -> None:
    if via == "browser":
        raise CannotLaunch(
            f"“{product.name}” runs in a terminal, and there is none in a browser."
            " Open Podium in a terminal, or by SSH, and launch it there."
        )
    if not is_in_front():
        raise CannotLaunch(f"“{product.name}” runs in a terminal, and there is none here. Launch it from one.")


def _program(product: Product, environ: Mapping[str, str]) -> str:
    """The absolute path of the program. Raises CannotLaunch if there is no such program."""
    try:
        program = argument_vector(product.command)[0]
    except InvalidInput as error:
        raise CannotLaunch(f"“{product.name}” cannot be run: {error} A workspace admin can correct it: g o.") from error
    found = find_program(program, environ)
    if found is None:
        raise CannotLaunch(
            f"“{product.name}” cannot be run here: there is no program “{program}” on this machine, or you cannot"
            " run it. Install it, or ask a workspace admin to correct the product: g o."
        )
    return found


def _home() -> str:
    """The folder in which the program starts: the user's home, or the root if there is none."""
    home = os.path.expanduser("~")
    return home if os.path.isdir(home) else os.sep


def check_listed(product: Product, environ: Mapping[str, str] = os.environ) -> None:
    """Raise CannotLaunch if this host does not allow a terminal product, or its list cannot be trusted."""
    named = environ.get(VARIABLE)
    path = Path(named) if named else HOST_FILE
    listed = _read_list(path)
    if listed is None and not named:
        return
    if product.command not in (listed or ()):
        raise CannotLaunch(
            f"“{product.name}” cannot be run here: this host runs only the terminal products that its administrator"
            f" allows. To allow it, they add its command to “{SETTING}” in {path}: {shlex.join(product.command)}"
        )


def _read_list(path: Path) -> tuple[tuple[str, ...], ...] | None:
    """The allowed commands; None if there is no list. Raises CannotLaunch for a list that cannot be trusted or read."""
    import tomllib

    try:
        with open_now(path) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise _refusal(path, "is not a file")
            table = tomllib.loads(file.read().decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise _refusal(path, "cannot be read") from error
    if SETTING not in table:
        return None
    if found.st_uid != 0 or found.st_mode & 0o022:
        raise _refusal(path, "does not belong to root alone (“chown root”, “chmod 644”)")
    commands = table[SETTING]
    try:
        return tuple(map(_words, commands if isinstance(commands, list) else [None]))
    except ValueError as error:
        raise _refusal(path, "has a “terminal_products” that is not a list of commands") from error


def _words(command: Any) -> tuple[str, ...]:
    """The program and its arguments, from a command line or from a list of words. Raises ValueError."""
    if isinstance(command, str):
        return tuple(shlex.split(command))
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return tuple(command)
    raise ValueError(command)


def _refusal(path: Path, why: str) -> CannotLaunch:
    return CannotLaunch(f"No terminal product can be run here: {path} {why}. Ask an administrator of this host.")
