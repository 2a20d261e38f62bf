"""Input of the product registry: the valid forms of URLs, commands and permission codes."""

from __future__ import annotations

import pytest

from core.actions.products.products import AddProduct, EditProduct, ListProducts
from core.domain.permissions import Permission
from core.domain.products.products import LaunchKind, Product
from core.errors import InvalidInput
from tests.support.workspace import World


def terminal(world: World, *command: str) -> Product:
    return world.do(AddProduct(name="Tool", kind=LaunchKind.TERMINAL, command=command))


@pytest.mark.parametrize(
    "url",
    [
        "https://assets.example",
        "https://assets.example:8443/a/b?c=d&e=%20",
        "HTTPS://Assets.Example/",
        "https://[2001:db8::1]/",
        "http://localhost/",
        "http://localhost:8000/app",
        "http://127.0.0.1:5000",
        "http://127.8.9.10/",
        "http://[::1]:8000/",
    ],
)
def test_https_is_accepted_and_on_this_machine_http(world: World, url: str) -> None:
    assert world.product(url=url).url == url
    assert world.row("product")["url"] == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "javascript:alert(1)",
        "JavaScript://example.com/%0aalert(1)",
        "file:///etc/passwd",
        "data:text/html,<b>x</b>",
        "ftp://example.com/",
        "vscode://file/x",
        "/open",
        "open.html",
        "//example.com/x",
        "https:example.com",
        "https:///x",
        "https://",
        "https://:443/",
        "http://example.com/",
        "http://127.0.0.1.example.com/",
        "http://localhost.example.com/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/",
        "http://128.0.0.1/",
        "https://user:secret@example.com/",
        "https://user@example.com/",
        "https://example.com/#a",
        "https://example.com/#",
        "https://exa mple.com/",
        "https://example.com/a b",
        "https://example.com/\na",
        "https://example.com/\x00",
        "https://example.com/\x1b[2J",
        "https://example.com\\@evil.example/",
        "https://example.com:port/",
        "https://example.com:99999/",
        "https://example.com/" + "x" * 2000,
    ],
)
def test_any_other_url_is_refused_in_a_sentence(world: World, url: str) -> None:
    with pytest.raises(InvalidInput, match=r"\.$") as refused:
        world.product("Other", url=url)
    assert refused.value.field == "url"
    library = world.product()
    world.refuses(EditProduct(product_id=library.id, url=url), InvalidInput)
    assert world.row("product")["url"] == library.url


@pytest.mark.parametrize(
    "command",
    [
        ("vim",),
        ("vim", "-R", "notes today.txt", ""),
        ("/usr/bin/python3.11", "-c", "print(1); print(2)"),
        ("g++", "--version"),
        ("sh", "/opt/run.sh", "-c", "settings"),
        ("bash", "-x", "-o", "pipefail", "script"),
        ("fish", "--no-config"),
        ("env", "-i", "TERM=xterm", "less"),
        ("psql", "-c", "select 1"),
        ("grep", "-E", "a|b", "grün 字.txt"),
        ("tool", *(["x" * 4096] * 64)),
    ],
)
def test_a_command_is_a_program_and_its_arguments_as_they_are(world: World, command: tuple[str, ...]) -> None:
    assert terminal(world, *command).command == command
    (line,) = world.ask(ListProducts())
    assert (line.product.command, line.product.url) == (command, "")


@pytest.mark.parametrize(
    "command",
    [
        ("vim a | less",),
        ("vim ",),
        ("vim", "a", "|", "less"),
        ("make", "&&", "make", "install"),
        ("tool", ">", "file"),
        ("tool", "2>&1"),
        ("tool", "2>", "file"),
        ("tool", ";"),
        ("sh", "-c", "vim a"),
        ("/bin/bash", "-lc", "vim a"),
        ("bash", "--rcfile", "x", "-c", "vim"),
        ("bash", "-o", "pipefail", "-c", "a | b"),
        ("zsh", "-ic", "vim"),
        ("dash", "-c", "vim"),
        ("ksh93", "-c", "vim"),
        ("fish", "--command=vim a"),
        ("fish", "--command", "vim a"),
        ("env", "bash", "-c", "vim"),
        ("/usr/bin/env", "A=1", "sh", "-c", "vim"),
        ("env", "-S", "vim a b"),
        ("env", "-Svim a"),
        ("env", "-u", "A", "--split-string=vim a"),
        ("nice", "-n", "5", "sh", "-c", "vim"),
        ("vim;ls",),
        ("$EDITOR",),
        ("`which vim`",),
        ("A=1",),
        ("a*",),
    ],
)
def test_a_line_for_a_shell_is_refused_with_the_way_out(world: World, command: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"one by one; put a pipeline into a script\.$") as refused:
        terminal(world, *command)
    assert refused.value.field == "command"
    assert world.rows("SELECT id FROM product") == []


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("",),
        ("", "a"),
        (".",),
        ("./tool",),
        ("bin/tool",),
        ("../tool",),
        ("~/bin/tool",),
        ("/usr/bin/",),
        ("/",),
        ("-tool",),
        ("to\x00ol",),
        ("tool", "a\x1b[2J"),
        ("tool", "a\nb"),
        ("tool", "\t"),
        ("tool", "\u202egnp"),
        ("tool", "\ud800"),
        ("tool", "x" * 4097),
        ("x" * 4097,),
        ("tool", *(["x"] * 65)),
    ],
)
def test_what_cannot_be_run_or_shown_is_no_command(world: World, command: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"\.$") as refused:
        terminal(world, *command)
    assert refused.value.field == "command"
    assert world.rows("SELECT id FROM product") == []


@pytest.mark.parametrize(
    ("codes", "why"),
    [
        (("asset_view",), "is not a permission code"),
        (("1ASSET",), "is not a permission code"),
        (("_ASSET",), "is not a permission code"),
        (("",), "is not a permission code"),
        (("A B",), "is not a permission code"),
        (("ASSET-VIEW",), "is not a permission code"),
        (("ÄSSET",), "is not a permission code"),
        (("ASSET\n",), "is not a permission code"),
        (("A" * 65,), "is not a permission code"),
        (("A", "B", "A"), "is there twice"),
        (tuple(f"C{n}" for n in range(201)), "at most 200 permission codes; these are 201"),
        *(((code.value,), "is a code of Podium itself") for code in Permission),
    ],
)
def test_permission_codes_are_the_products_own(world: World, codes: tuple[str, ...], why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        world.product(permission_codes=codes)
    library = world.product(permission_codes=("A" * 64, *(f"C{n}" for n in range(199))))
    world.refuses(EditProduct(product_id=library.id, permission_codes=codes), InvalidInput, why)
    assert world.row("product")["version"] == 1
