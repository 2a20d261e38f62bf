"""The frame of every modal screen, so that dialogs, palette and help look alike."""

FRAME = """
            max-width: 100%;
            padding: 0 1;
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
"""
"""Style declarations of a panel, without its size."""
