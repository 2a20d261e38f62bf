"""``podium man``: one page with every command, its options and the exit statuses."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from click.testing import Result

from tests.cli.test_columns import commands
from tests.support.system_programs import needs
from tui.cli.program import podium

Anywhere = Callable[..., Result]


def test_the_page_has_every_command_with_its_options_and_every_exit_status(anywhere: Anywhere) -> None:
    page = anywhere("man").stdout
    plain = page.replace("\\-", "-")
    for words in commands(podium):
        assert f"\n.SS podium {words}" in plain, words
    assert plain.index(".SH COMMANDS") < plain.index(".SH EXIT STATUS")
    for status, meaning in (("0", "done"), ("6", "not found"), ("74", "the output cannot be written")):
        assert f".B {status}\n{meaning}\n" in plain
    assert "--allow-relock" in plain


def test_man_formats_the_page_without_a_warning(anywhere: Anywhere) -> None:
    page = anywhere("man").stdout
    argv = [needs("groff"), "-man", "-Tutf8", "-Kutf8", "-ww", "-z"]
    done = subprocess.run(argv, input=page, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    shown = subprocess.run([*argv[:-2], "-P-cbou"], input=page, capture_output=True, text=True, check=True).stdout
    assert "podium task move [OPTIONS] PROJECT TASK {todo|doing|done}" in " ".join(shown.split())
