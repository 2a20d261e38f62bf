"""Command lines that are read without click: the same as click reads them."""

from __future__ import annotations

from click import Context
from hypothesis import given
from hypothesis import strategies as st

from tui.cli import quick
from tui.cli.program import podium

TOKENS = ["x", "-", "--", "-q", "--quiet", "--json", "--db", "--db=a", "--db=", "-p", "-pslow", "--project=s", "--as",
          "--server", "--direct", "-x", "--hel", "--help", "", "é", "--project", "-qp"]  # fmt: skip


def ours(line: quick.QuickLine) -> dict[str, object]:
    """The options that are kept in the context of click."""
    return {name: value for name, value in line.meta.items() if name != quick.PROJECT}


@given(st.lists(st.sampled_from(TOKENS), max_size=5))
def test_a_task_is_added_with_the_words_and_options_that_click_reads(words: list[str]) -> None:
    line = quick.quick_line(["add", *words])
    if line is None:
        return
    add = podium.get_command(Context(podium), "add")
    assert add is not None
    context = add.make_context("podium add", list(words))
    assert context.params["words"] == line.words
    assert context.params["project"] == line.meta.get(quick.PROJECT)
    assert {name: value for name, value in context.meta.items() if name.startswith("podium.")} == ours(line)


@given(st.lists(st.sampled_from(TOKENS), max_size=4))
def test_a_project_is_opened_by_the_name_and_options_that_click_reads(words: list[str]) -> None:
    line = quick.quick_line(["open", *words])
    if line is None:
        return
    open_ = podium.get_command(Context(podium), "open")
    assert open_ is not None
    context = open_.make_context("podium open", list(words))
    assert (context.params["project"],) == line.words
    assert {name: value for name, value in context.meta.items() if name.startswith("podium.")} == ours(line)


@given(st.lists(st.sampled_from(TOKENS), max_size=4))
def test_podium_is_opened_with_the_options_that_click_reads(words: list[str]) -> None:
    line = quick.quick_line(words)
    if line is None:
        return
    context = podium.make_context("podium", list(words))
    assert context.invoked_subcommand is None
    assert {name: value for name, value in context.meta.items() if name.startswith("podium.")} == ours(line)


def test_every_other_line_is_left_to_click() -> None:
    for line in ("open", "open a b", "open --help", "--version", "project list", "--db x open y", "add"):
        assert quick.quick_line(line.split()) is None, line
