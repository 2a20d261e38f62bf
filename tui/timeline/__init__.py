"""The Timeline widget.

scale.py  days and cells
rows.py   what stands on each row
paint.py  how one row is drawn
chart.py  the widget with its cursor
"""
