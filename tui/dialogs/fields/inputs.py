"""The controls of a form, one for each kind of field. ``take`` returns the answer, ``meaning`` explains the input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast, runtime_checkable

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.style import Style
from textual.widget import Widget
from textual.widgets import TextArea

from core.errors import InvalidInput
from core.text.dates import in_full, parse_due, parse_past
from core.text.phrases import some
from core.text.sanitize import first_unsafe_index, sanitize
from tui.dialogs.fields.form_fields import OPEN, ChoiceField, DateField, MoreField, PickerField, TextField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.cells import fit
from tui.widgets.steady_input import SteadyInput
from tui.widgets.styled_widget import is_ascii, pointer

if TYPE_CHECKING:
    from tui.terminal.terminal_app import TerminalApp


CHOICES = 12
"""What a text can be completed to, as it is shown."""


def part_style(widget: Widget, name: str) -> Style:
    """The style of a component class. Textual's ``get_visual_style`` loses a solid background, and ``reverse``."""
    return Style.from_styles(widget.get_component_styles(name))


@runtime_checkable
class Control(Protocol):
    """A widget for one field."""

    def take(self) -> Any:
        """The answer. Raises ``InvalidInput`` for input that cannot be read."""

    @property
    def typed(self) -> object:
        """The input so far, for comparison."""

    @property
    def draft(self) -> Any:
        """The input so far, as it is kept in a draft: a text, or a list of the chosen values."""

    def put_draft(self, draft: Any) -> None:
        """Put in the ``draft`` of an earlier control; nothing happens if it does not fit this one any more."""

    @property
    def meaning(self) -> str:
        """The meaning of the input, such as the date for “fri”; empty if it is obvious."""


class Edited(Message):
    """Posted when the value of a control changes that is no text field."""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget


@runtime_checkable
class HasDependentFields(Protocol):
    """A form in which a field can be shown only for some values of another one."""

    def show_dependent(self) -> None:
        """Show the fields for the values that are chosen now, and hide the others."""


def post_edited(widget: Widget) -> None:
    """Post ``Edited``; the form shows other fields before that, so that the next key finds them."""
    if isinstance(widget.screen, HasDependentFields):
        widget.screen.show_dependent()
    widget.post_message(Edited(widget))


class LineControl(SteadyInput):
    """One line of text."""

    DEFAULT_CSS = """
    LineControl.-textual-compact {
        padding: 0 1;
        background: $foreground 7%;
        &:focus { background: $foreground 12%; background-tint: transparent; }
    }
    """

    def __init__(
        self,
        value: str,
        placeholder: str = "",
        *,
        replaced: bool = False,
        meaning: Callable[[str], str] | None = None,
    ) -> None:
        """``replaced``: the value is selected, so typing replaces it. ``meaning`` is that of a ``TextField``."""
        self._meaning = meaning
        super().__init__(sanitize(value), sanitize(placeholder), compact=True, select_on_focus=replaced)

    def take(self) -> Any:
        return self.value

    def go_to_unsafe(self) -> bool:
        """Put the cursor after the first character that cannot be shown. Return False if there is none."""
        at = first_unsafe_index(self.value)
        if at is not None:
            self.cursor_position = at + 1
        return at is not None

    @property
    def typed(self) -> object:
        return self.value

    @property
    def draft(self) -> Any:
        return self.value

    def put_draft(self, draft: Any) -> None:
        if isinstance(draft, str):
            self.value = sanitize(draft)
            self.cursor_position = len(self.value)

    @property
    def meaning(self) -> str:
        return self._meaning(self.value) if self._meaning else ""


class CompletedControl(LineControl):
    """A line that tab completes; where it cannot, tab goes to the next field."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", show=False)]

    def __init__(self, field: TextField) -> None:
        assert field.complete is not None
        super().__init__(field.value, field.placeholder)
        self._complete = field.complete
        self._choices: tuple[str, Sequence[str]] = "", ()

    def action_complete(self) -> None:
        completed, choices = self._complete(self.value)
        is_new = (completed, choices) not in ((self.value, ()), self._choices)
        self._choices = completed, choices
        if not is_new:
            self.screen.focus_next()
            return
        self.value, self.cursor_position = completed, len(completed)
        post_edited(self)

    @property
    def meaning(self) -> str:
        completed, choices = self._choices
        return some(choices, CHOICES) if self.value == completed else ""


class DayControl(LineControl):
    """A date in words, with its meaning under it."""

    def __init__(self, field: DateField) -> None:
        examples = "fri, -1w, 3 dec" if field.is_past else "fri, +2w, 3 dec"
        hint = examples if field.needed else f"{examples} (optional)"
        super().__init__(field.value.isoformat() if field.value else "", hint, replaced=True)
        self._parse = parse_past if field.is_past else parse_due
        self._name_of_field = field.name
        self._lasts = timedelta(days=field.lasts)

    def take(self) -> date | None:
        try:
            return self._parse(self.value, date.today())
        except InvalidInput as refused:
            raise InvalidInput(self._name_of_field, str(refused)) from None

    @property
    def meaning(self) -> str:
        try:
            due = self._parse(self.value, date.today())
        except InvalidInput:
            return "…"
        if due is None:
            return ""
        return f"→ {in_full(due)}" + (f", ends {in_full(due + self._lasts)}" if self._lasts else "")


class LinesControl(TextArea):
    """Several lines of text: enter adds a line, tab goes to the next field."""

    DEFAULT_CSS = """
    LinesControl { height: 5; }
    LinesControl.-textual-compact {
        padding: 0 1;
        background: $foreground 7%;
        scrollbar-size-vertical: 1;
        &:focus { background: $foreground 12%; background-tint: transparent; }
    }
    """

    def __init__(self, value: str, note: str = "") -> None:
        super().__init__(sanitize(value), compact=True, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False
        self._note = note

    def take(self) -> str:
        return self.text

    def go_to_unsafe(self) -> bool:
        """Put the cursor after the first character that cannot be shown. Return False if there is none."""
        at = first_unsafe_index(self.text)
        if at is not None:
            before = self.text[: at + 1]
            self.move_cursor((before.count("\n"), len(before.rpartition("\n")[2])))
        return at is not None

    @property
    def typed(self) -> object:
        return self.text

    @property
    def draft(self) -> Any:
        return self.text

    def put_draft(self, draft: Any) -> None:
        if isinstance(draft, str):
            self.text = sanitize(draft)
            self.move_cursor(self.document.end)

    @property
    def meaning(self) -> str:
        return self._note


class ChoiceControl(Widget, can_focus=True):
    """One of a few options in a line: ``‹ Task ›  Activity``; only the chosen one if they do not fit."""

    DEFAULT_CSS = """
    ChoiceControl {
        height: 1;
        width: 1fr;
        color: $text-muted;
        .choice--chosen { color: $foreground; text-style: bold; }
        &:focus .choice--chosen { background: $primary; color: $background; text-style: bold; }
        &:nocolor:focus .choice--chosen { text-style: bold reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice--chosen"}
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", show=False),
        Binding("right,l,space", "step(1)", show=False),
    ]

    def __init__(self, field: ChoiceField) -> None:
        super().__init__()
        self._options = field.options
        self._meanings = field.meanings
        self._index = next((at for at, (value, _) in enumerate(field.options) if value == field.value), 0)

    def take(self) -> str:
        return self._options[self._index][0]

    @property
    def typed(self) -> object:
        return self._index

    @property
    def draft(self) -> Any:
        return self.take()

    def put_draft(self, draft: Any) -> None:
        self._index = next((at for at, (value, _) in enumerate(self._options) if value == draft), self._index)
        self.refresh()

    @property
    def meaning(self) -> str:
        return self._meanings[self._index] if self._meanings else ""

    def action_step(self, steps: int) -> None:
        self._choose((self._index + steps) % len(self._options))

    def on_click(self, event: events.Click) -> None:
        if self._all_fit:
            for index, (start, text) in enumerate(self._segments()):
                if start <= event.x < start + cell_len(text):
                    self._choose(index)
        else:
            self.action_step(1)

    def render(self) -> Content:
        chosen = part_style(self, "choice--chosen")
        if not self._all_fit:
            count = f" {self._index + 1}/{len(self._options)}"
            left, right = self._brackets
            word = fit(sanitize(self._options[self._index][1]), self.size.width - 4 - cell_len(count))
            return Content.assemble((f"{left} {word} {right}", chosen), count)
        parts = (
            Content.styled(text, chosen if at == self._index else "") for at, (_, text) in enumerate(self._segments())
        )
        return Content("").join(parts)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the chosen option begins."""
        starts = [start for start, _ in self._segments()]
        return self.content_region.offset + Offset(starts[self._index] if self._all_fit else 0, 0)

    @property
    def _all_fit(self) -> bool:
        return sum(cell_len(text) for _, text in self._segments()) <= self.size.width

    def _segments(self) -> Iterator[tuple[int, str]]:
        """Start (in cells) and text of each option, of the same width whether it is chosen or not."""
        start = 0
        left, right = self._brackets
        for index, (_, word) in enumerate(self._options):
            text = f"{left} {sanitize(word)} {right}" if index == self._index else f"  {sanitize(word)}  "
            yield start, text
            start += cell_len(text)

    @property
    def _brackets(self) -> tuple[str, str]:
        return ("<", ">") if is_ascii(self) else ("‹", "›")

    def _choose(self, index: int) -> None:
        self._index = index
        self.refresh()
        post_edited(self)


class PickControl(Widget, can_focus=True):
    """The chosen options in a line; enter or space opens the list."""

    DEFAULT_CSS = """
    PickControl {
        height: 1;
        width: 1fr;
        padding: 0 1;
        background: $foreground 7%;
        .pick--quiet { color: $text-muted; }
        &:focus { background: $foreground 12%; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"pick--quiet"}
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "pick", show=False)]

    def __init__(self, field: PickerField) -> None:
        super().__init__()
        self._field = field
        self._chosen = field.value

    def take(self) -> tuple[str, ...]:
        return self._chosen

    def put(self, chosen: tuple[str, ...]) -> None:
        """Set the value for the user, because of another field."""
        self._chosen = chosen
        self.refresh()

    @property
    def typed(self) -> object:
        return frozenset(self._chosen)

    @property
    def draft(self) -> Any:
        return list(self._chosen)

    def put_draft(self, draft: Any) -> None:
        if isinstance(draft, list):
            self.put(tuple(option[0] for option in self._field.options if option[0] in draft))

    @property
    def meaning(self) -> str:
        return self._field.note

    def render(self) -> Content:
        words = [option[1] for option in self._field.options if option[0] in self._chosen]
        lead = pointer(self) if self.has_focus else ""
        room = self.size.width - cell_len(lead)
        if words:
            return Content(lead + fit(sanitize(", ".join(words)), room))
        quiet = part_style(self, "pick--quiet")
        return Content.assemble(lead, (fit(f"{self._field.none.capitalize()} (Space to choose)", room), quiet))

    def on_click(self) -> None:
        self.action_pick()

    def action_pick(self) -> None:
        """Open the list of options; a single choice can also be empty."""
        cast("TerminalApp[Any]", self.app).begin(self._pick)

    async def _pick(self) -> None:
        options = [Option(*option) for option in self._field.options]
        if not self._field.multiple:
            options.insert(0, Option("", self._field.none.capitalize()))
        dialog = PickDialog(self._field.label, options, multiple=self._field.multiple, chosen=self._chosen)
        answer = await cast("TerminalApp[Any]", self.app).ask(dialog)
        if answer is not None:
            self.put(tuple(value for value in answer if value))
            self.post_message(Edited(self))


class MoreControl(Widget, can_focus=True):
    """Open or closed. Enter and space toggle it, right opens and left closes."""

    DEFAULT_CSS = """
    MoreControl {
        height: 1;
        width: 1fr;
        padding: 0 1;
        color: $text-muted;
        .more--here { color: $foreground; text-style: bold; }
        &:focus { background: $foreground 12%; }
        &:nocolor:focus .more--here { text-style: bold reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"more--here"}
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "toggle_fields", show=False),
        Binding("right,l", "show_fields(True)", show=False),
        Binding("left,h", "show_fields(False)", show=False),
    ]

    def __init__(self, field: MoreField) -> None:
        super().__init__()
        self._words = field.words
        self._is_open = False

    def take(self) -> str:
        return OPEN if self._is_open else ""

    @property
    def typed(self) -> object:
        """Nothing: opening it is no input."""
        return None

    @property
    def draft(self) -> object:
        return None

    def put_draft(self, draft: object) -> None:
        """Nothing: a field that it hides opens it."""

    @property
    def meaning(self) -> str:
        return ""

    def render(self) -> Content:
        closed, opened = (">", "v") if is_ascii(self) else ("▸", "▾")
        words = fit(f"{opened if self._is_open else closed} {self._words}", self.size.width)
        return Content.styled(words, part_style(self, "more--here") if self.has_focus else "")

    def on_click(self) -> None:
        self.action_toggle_fields()

    def action_toggle_fields(self) -> None:
        self.action_show_fields(not self._is_open)

    def action_show_fields(self, is_open: bool) -> None:
        """Show the fields, or hide them."""
        if is_open != self._is_open:
            self._is_open = is_open
            self.refresh()
            post_edited(self)
