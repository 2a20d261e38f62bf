"""The Timeline widget: scale.py, which day is at which cell; lines.py, what stands on which line; paint.py, how one
line is drawn; chart.py, the widget with its cursor."""
