"""The Timeline widget.

scale.py          days and cells
cards_by_phase.py the cards by phase, updated by changes
rows.py           the lines of a project: phases and cards
project_lines.py  a project as one line, with its phases as segments
brush.py          the cells over the days, the signs in them, and the colours of bars
paint.py          one line as segments of the screen: the bars of phases, the dates of cards
chart.py          the widget with its cursor
"""
