"""``podium man``: one page with every command, its options and the exit statuses, and a page for each group."""

from __future__ import annotations

import re
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
    assert plain.index(".SH FIRST STEPS") < plain.index(".SH EXIT STATUS")
    for status, meaning in (("0", "Done."), ("6", "Not found."), ("74", "The output cannot be written.")):
        assert f".B {status}\n{meaning}\n" in plain
    assert "--allow-relock" in plain


def test_the_options_of_all_commands_stand_once_and_no_entry_is_empty(anywhere: Anywhere) -> None:
    page = anywhere("man").stdout
    assert page.count("\n.B \\-\\-server URL\n") == 1
    assert "\n\n" not in page
    assert ".PP\n.TP" not in page
    for section in ("FIRST STEPS", "EVERY DAY", "ENVIRONMENT", "FILES", "EXAMPLES"):
        assert f"\n.SH {section}\n" in page


def test_a_group_has_a_page_of_its_own(anywhere: Anywhere) -> None:
    page = anywhere("man", "task").stdout.replace("\\-", "-")
    assert page.startswith('.TH PODIUM-TASK 1 "" "Podium ')
    assert set(re.findall(r"^\.SS (podium task \S+)", page, re.MULTILINE)) == {
        f"podium {words}" for words in commands(podium) if words.startswith("task ")
    }
    assert ".SH EXIT STATUS" not in page
    assert "“add” is no group of commands" in anywhere("man", "add").stderr


def test_a_terminal_of_ascii_shows_the_page_without_a_warning(anywhere: Anywhere) -> None:
    argv = [needs("groff"), "-man", "-Tascii", "-Kutf8", "-ww", "-P-cbou"]
    done = subprocess.run(argv, input=anywhere("man").stdout, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "unix:/path or https://...." in done.stdout


def test_man_formats_the_page_without_a_warning(anywhere: Anywhere) -> None:
    page = anywhere("man").stdout
    argv = [needs("groff"), "-man", "-Tutf8", "-Kutf8", "-ww", "-z"]
    done = subprocess.run(argv, input=page, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    shown = subprocess.run([*argv[:-2], "-P-cbou"], input=page, capture_output=True, text=True, check=True).stdout
    assert "podium task move [OPTIONS] [PROJECT] TASK {todo|doing|done}" in " ".join(shown.split())
