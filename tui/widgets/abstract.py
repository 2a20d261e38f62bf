"""Widgets and screens with abstract methods."""

from __future__ import annotations

from abc import ABCMeta

from textual.message_pump import _MessagePumpMeta


class AbstractMeta(_MessagePumpMeta, ABCMeta):
    """The metaclass of a widget or a screen with abstract methods: Textual's, and the one of abstract classes."""
