"""The Canvas widget: one Textual widget that draws every phase and card of a project.

grouping.py       columns and sections: by phase or by status
sections.py       the cards of one section, sorted
model.py          what is where, with the filter and changes in place
layout.py         arithmetic: which columns fit, on which line a card lies
cursor.py         the focused card, and where the cursor goes when cards come and go
cards.py          a card as lines
phase_summary.py  a phase as lines of its header
headers.py        headers of columns and sections
frame.py          a frame, and where two frames differ
paint.py          frames from cached pieces
renderer.py       the widget, which repaints only what differs
navigation.py     moves the cursor
messages.py       what the board posts to its screen
mouse.py          mouse, wheel, drag and drop
board.py          Board: what a screen uses
"""
