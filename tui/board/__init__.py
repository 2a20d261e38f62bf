"""The Canvas widget: one Textual widget that draws every phase and card of a project.

grouping.py  columns and sections: by phase or by status
sections.py  the cards of one section, sorted; activities and their tasks together, and folded
model.py     the cards of each section, with filter and folds, updated by changes
layout.py    arithmetic: which columns fit, how many lines a card has, and on which it lies
viewport.py  the columns in view, and the line that each is scrolled to
cursor.py    the focused card, its moves, and the next one when that card is gone
folds.py     folds phases and activities
marks.py     the marked cards
cards.py     a card as lines
heads.py     heads of columns and sections, and folded phases
paint.py     frames from cached pieces
renderer.py  draws frames, and repaints only what differs
messages.py  the messages that the board posts to its screen
mouse.py     mouse, wheel, drag and drop
board.py     Board, the widget that a screen uses and that owns these parts
"""
