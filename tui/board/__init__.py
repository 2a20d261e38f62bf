"""The Canvas widget: one Textual widget that draws every phase and card of a project.

grouping.py       columns and sections: by phase or by status
sections.py       the cards of one section, sorted
model.py          the cards of each section, with the filter, updated by changes
layout.py         arithmetic: which columns fit, on which line a card lies
cursor.py         the focused card, and the next one when that card is gone
cards.py          a card as lines
phase_summary.py  a phase as lines of its header
headers.py        headers of columns and sections
frame.py          a frame, and the differences of two frames
paint.py          frames from cached pieces
renderer.py       the widget, which repaints only what differs
navigation.py     moves the cursor
messages.py       the messages that the board posts to its screen
mouse.py          mouse, wheel, drag and drop
board.py          Board, the widget that a screen uses
"""
