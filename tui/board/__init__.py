"""The Canvas widget: one Textual widget that draws every phase and card of a project.

grouping.py           columns and sections: by phase or by status
grouping_by_label.py  columns by status with labels or priorities as sections
sections.py           the cards of one section, sorted
families.py           activities and their tasks, together and folded
model.py              the cards of each section, with filter and folds, updated by changes
layout.py             arithmetic: which columns fit, on which line a card lies
cursor.py             the focused card, and the next one when that card is gone
heights.py            the number of lines of a card
cards.py              a card as lines
heads/                heads of columns and sections, and folded phases
frame.py              a frame, and the differences of two frames
paint.py              frames from cached pieces
renderer.py           the widget, which repaints only what differs
navigation.py         moves the cursor
folding.py            folds phases and activities
messages.py           the messages that the board posts to its screen
mouse.py              mouse, wheel, drag and drop
board.py              Board, the widget that a screen uses
"""
