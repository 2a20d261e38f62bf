"""Texts with Markdown as lines of the terminal. Nothing is loaded, and no markup but Markdown has an effect.

blocks.py  a text as blocks of spans, read by markdown-it-py
lines.py   blocks in the width of a screen, cached
styles.py  the spans of a line in the styles of a page and of a preview
boxes.py   the check boxes of a text, and ticking them
"""
