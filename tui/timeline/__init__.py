"""The Timeline widget.

scale.py  days and cells
rows.py   the lines: phases and cards
paint.py  one line as segments
chart.py  the widget with its cursor
"""
