"""Lines, lists and panels that several screens show, independent of screens and backend.

bars.py                title line, key line, the goal of the tour, and the record under the cursor in one sentence
message_line.py        the message to the user
choices.py             a few large choices
columns.py             columns of a list
list_view.py           the list
cursor_lines.py        lines with a cursor
made_in_view.py        lines that are made when they are looked at
option_list.py         rows with a cursor
abstract.py            abstract widgets and screens
settled_screen.py      screens that are painted once when they open
styled_widget.py       a widget with the styles of the theme
preview.py             the preview pane
outline.py             an indented outline
markdown_text.py       texts with Markdown
detail_page.py         panes, headings and facts of a page
steady_input.py        a line to type into, of which only what changes is drawn
filter_line.py         the filter input
filter_completions.py  its completions
flow_chart.py          the burn-up chart
month_grid.py          the month of the Calendar
change_highlight.py    recent changes, highlighted
"""
