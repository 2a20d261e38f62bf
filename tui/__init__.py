"""The terminal of Podium: screens and keys. Everything that happens is a message of the core.

__main__.py  starts the command line
start.py     opens the screens in this terminal
app.py       the application: performs messages, opens screens
screens/     one screen per file
board/       the Canvas widget
timeline/    the Timeline widget
widgets/     lines, lists and panels
dialogs/     questions to the user
services/    what goes on beside the screens
keys/        the table of keys
labels/      values as words
drawing/     styles, symbols, segments
launch/      launching products
terminal/    living with a terminal
cli/         the command line
web/         the browser gateway
"""
