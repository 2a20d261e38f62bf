"""The colours of the board, which it takes from the variables of the theme: those of a style sheet, in every theme,
moved towards black or white where a text could not be read."""

from __future__ import annotations

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color
from textual.widget import Widget

from tui.drawing.labels import label_variables
from tui.drawing.styles import READABLE, BackgroundRole, TextRole, contrast, make_readable
from tui.drawing.theme import DARK, LIGHT, person_variables
from tui.widgets.styled_widget import styles_of

TEXTS = {
    "title": "color: $foreground;",
    "quiet": "color: $foreground 62%;",
    "faint": "color: $foreground 26%;",
    "name": "color: $foreground; text-style: bold;",
    "section": "color: $foreground 72%; text-style: bold;",
    "accent": "color: $text-primary; text-style: bold;",
    "done": "color: $text-success;",
    "soon": "color: $text-warning;",
    "late": "color: $text-error;",
    "here": "color: $text-accent; text-style: bold;",
    **{f"person_{number}": f"color: $person-{number};" for number in range(1, 10)},
    **{
        f"label_{name}": f"color: $label-{name};"
        for name in ("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "grey")
    },
}

BACKGROUNDS = {
    "plain": "background: $background;",
    "cursor": "background: $primary 28%;",
    "blurred": "background: $foreground 12%;",
    "marked": "background: $primary 12%;",
    "highlight": "background: $success 22%;",
    "hover": "background: $foreground 6%;",
    "weekend": "background: $foreground 5%;",
}

WITHOUT_SHADES = ("cursor", "blurred", "marked", "hover", "weekend")


class Sheet(Widget):
    """Has the colours as a style sheet gives them."""

    COMPONENT_CLASSES = {*TEXTS, *BACKGROUNDS}  # noqa: RUF012
    DEFAULT_CSS = (
        "Sheet { background: $background; color: $foreground; }"
        + "".join(f"Sheet .{name} {{ {rule} }}" for name, rule in (TEXTS | BACKGROUNDS).items())
        + "".join(f"Sheet:ansi .{name} {{ background: $background; }}" for name in WITHOUT_SHADES)
    )


class Themes(App[None]):
    """All themes that Podium offers."""

    def __init__(self, *, ansi: bool | None) -> None:
        super().__init__(ansi_color=ansi)
        self.register_theme(DARK)
        self.register_theme(LIGHT)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        dark = self.current_theme.dark
        return person_variables(dark=dark) | label_variables(dark=dark)

    def compose(self) -> ComposeResult:
        yield Sheet()


@pytest.mark.parametrize("ansi", [None, True], ids=["as the theme says", "the terminal's own"])
async def test_every_text_has_the_colours_of_its_role_in_every_theme(ansi: bool | None) -> None:
    assert {*TEXTS} == {*TextRole}
    assert {*BACKGROUNDS} == {*BackgroundRole}
    app = Themes(ansi=ansi)
    async with app.run_test() as pilot:
        for theme in app.available_themes:
            app.theme = theme
            await pilot.pause()
            sheet = app.query_one(Sheet)
            styles = styles_of(sheet, ascii_only=False)
            for text in TextRole:
                for background in BackgroundRole:
                    name = "title" if app.native_ansi_color and background is BackgroundRole.HIGHLIGHT else text
                    over, under = (sheet.get_component_rich_style(each) for each in (name, background))
                    expected = Style(color=readable(over.color, under.bgcolor, text), bgcolor=under.bgcolor)
                    if "bold" in TEXTS[text] or (text is TextRole.TITLE and background is BackgroundRole.CURSOR):
                        expected += Style(bold=True)
                    assert styles.style(text, background) == expected, (theme, text, background)


def readable(text: RichColor | None, ground: RichColor | None, role: TextRole) -> RichColor | None:
    """The colour of the style sheet, or for a text that needs it the nearest one with the contrast of WCAG 2.2."""
    over, under = Color.from_rich_color(text), Color.from_rich_color(ground)
    if role is TextRole.FAINT or over.ansi is not None or under.ansi is not None:
        return text
    if contrast(over, under) >= READABLE:
        return text
    moved = make_readable(over, under)
    assert contrast(moved, under) >= READABLE, (role, text, ground)
    return moved.rich_color
