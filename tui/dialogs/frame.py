"""How whatever stands over a screen is framed: the dialogs, the palette and help look alike."""

FRAME = """
            max-width: 100%;
            padding: 0 1;
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
"""
"""Declarations for the panel; its size is its own."""
