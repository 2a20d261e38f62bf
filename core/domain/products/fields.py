"""Checks of the fields of a product: its URL or command, its permission codes, its required levels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from core.domain.model import NodeKind
from core.domain.permissions import ALL_CODES, is_code
from core.domain.products.products import LaunchKind
from core.errors import InvalidInput
from core.text.sanitize import UNSAFE, link
from core.text.urls import is_loopback

MAX_ARGUMENTS = 64
MAX_CHARACTERS = 4096
"""The longest path of a program and the longest argument."""
MAX_CODES = 200

_PROGRAM = r"/?[^-/\s|&;<>()$`\\\"'*?\[\]#~{}!=%][^\s|&;<>()$`\\\"'*?\[\]#~{}!=%]*"
_SHELL = r"(.*/)?(sh|bash|rbash|zsh|dash|ash|ksh|mksh|fish|csh|tcsh|pwsh|nu|elvish|xonsh)[\d.-]*"
_STRING_OPTION = r"-[A-Za-z]*c[A-Za-z]*|--command(=.*)?"
_SPLIT_OPTION = r"-[A-Za-z]*S.*|--split-string(=.*)?"
_OPERATOR = r"\|\|?&?|&&?|;;?|\d*(<<?<?|>>?|>\||<>|[<>]&\d?-?)|&>>?"

_WAY_OUT = "Give the program and its arguments one by one; put a pipeline into a script."


def launch_target(kind: LaunchKind, url: str, command: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the URL and the command of a product of this kind, one of them empty. Raises InvalidInput."""
    if kind is LaunchKind.WEB:
        if command:
            raise InvalidInput("command", "A web product has no command. Leave it out, or make it a terminal product.")
        return web_address(url), ()
    if url.strip():
        raise InvalidInput("url", "A terminal product has no URL. Leave it out, or make it a web product.")
    return "", argument_vector(command)


def web_address(text: str) -> str:
    """Return the checked URL of a web product: ``https``, or ``http`` on this machine. Raises InvalidInput.

    The URL has no credentials, and no fragment, because the fragment carries the launch context.
    """
    from urllib.parse import urlsplit

    url = link(text, "URL")
    if not url:
        raise InvalidInput("url", "A web product needs a URL. Write it like https://example.com/page.")
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise InvalidInput("url", "Only a URL on this machine may start with http://. Use https://.")
    if "#" in url:
        raise InvalidInput(
            "url", "The URL has a fragment, where the launch context goes. Remove the # and all after it."
        )
    return url


def argument_vector(words: Sequence[str]) -> tuple[str, ...]:
    """Return the checked command of a terminal product, which runs without a shell. Raises InvalidInput.

    ``words`` are a program and its arguments. The usual forms of a command line for a shell are refused because they
    would not work. This is no protection: a user who can register products can register any program.
    """
    if not words:
        raise InvalidInput("command", "A terminal product needs a command: a program and its arguments.")
    program, *arguments = words
    if len(arguments) > MAX_ARGUMENTS:
        raise InvalidInput("command", f"A command can have at most {MAX_ARGUMENTS} arguments, not {len(arguments)}.")
    for word in words:
        _refuse_unsafe(word)
    _refuse_program(program)
    if any(re.fullmatch(_OPERATOR, word) for word in arguments) or _runs_a_string(words):
        raise InvalidInput("command", f"The command is a shell command line, but it runs without a shell. {_WAY_OUT}")
    return tuple(words)


def _refuse_unsafe(word: str) -> None:
    if found := re.search(UNSAFE, word):
        code = f"U+{ord(found[0]):04X}"
        raise InvalidInput("command", f"The character {code} in the command cannot be shown. Remove it.")
    if len(word) > MAX_CHARACTERS:
        raise InvalidInput(
            "command", f"An argument can have at most {MAX_CHARACTERS} characters; this one has {len(word)}."
        )


def _refuse_program(program: str) -> None:
    if not program:
        raise InvalidInput("command", "The program is empty. Name it like vim, or by its path like /usr/bin/vim.")
    if any(letter.isspace() for letter in program):
        raise InvalidInput(
            "command",
            f"“{program[:40]}” has spaces, so it is a command line, not a program. {_WAY_OUT}",
        )
    by_path = program.startswith("/")
    if program in (".", "..") or program.endswith("/") or ("/" in program and not by_path):
        raise InvalidInput("command", "The program must be a name like vim, or a whole path like /usr/bin/vim.")
    if not re.fullmatch(_PROGRAM, program):
        raise InvalidInput("command", f"“{program[:40]}” has characters that only a shell understands. {_WAY_OUT}")


def _runs_a_string(words: Sequence[str]) -> bool:
    """Return True if a shell in the vector, or ``env -S``, gets a string to run: ``env sh -c "…"``."""
    if re.fullmatch(r"(.*/)?env", words[0]) and any(re.fullmatch(_SPLIT_OPTION, word) for word in _options(words[1:])):
        return True
    return any(
        re.fullmatch(_SHELL, word) and any(re.fullmatch(_STRING_OPTION, option) for option in _options(words[at + 1 :]))
        for at, word in enumerate(words)
    )


def _options(words: Sequence[str]) -> Iterable[str]:
    """Yield the options at the beginning; ``-o`` and some others consume the next word."""
    takes_next = False
    for word in words:
        if takes_next:
            takes_next = False
        elif word[:1] in ("-", "+"):
            yield word
            takes_next = bool(re.fullmatch(r"[-+][A-Za-z]*[oOu]|--(rcfile|init-file|unset|chdir)|-C", word))
        else:
            return


def validated_permission_codes(codes: Sequence[str]) -> tuple[str, ...]:
    """Return the checked permission codes of a product. Raises InvalidInput.

    Podium's own codes are refused, so that no product can define them.
    """
    if len(codes) > MAX_CODES:
        raise InvalidInput(
            "permission_codes", f"A product can have at most {MAX_CODES} permission codes; these are {len(codes)}."
        )
    for at, code in enumerate(codes):
        if not is_code(code):
            raise InvalidInput(
                "permission_codes",
                f"“{code[:80]}” is not a permission code. Use 1 to 64 of A-Z, 0-9 and _, a letter first: ASSET_VIEW.",
            )
        if code in ALL_CODES:
            raise InvalidInput("permission_codes", f"{code} is a code of Podium itself. Choose another one.")
        if code in codes[:at]:
            raise InvalidInput("permission_codes", f"{code} is there twice. Remove one of them.")
    return tuple(codes)


def levels_in_order(levels: Collection[NodeKind]) -> tuple[NodeKind, ...]:
    """Return the required levels as they are stored: client, market, brand, each once."""
    return tuple(level for level in NodeKind if level in levels)
