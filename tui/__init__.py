"""The front ends of Podium: screens, command line and browser gateway. Every action is a message of the core.

The list is also the order of imports: each package imports only packages below it, and screens open each other through
destinations. A contract in pyproject.toml checks this.

__main__.py  starts the command line
cli/         the command line
web/         the browser gateway
start.py     opens the screens in this terminal
app.py       the application: opens screens
screens/     one screen per file
launch/      launching products
podium.py    the application under its screens: sends messages
services/    services beside the screens
dialogs/     questions to the user
timeline/    the Timeline widget
board/       the Canvas widget
widgets/     lines, lists and panels
wording/     values as words
drawing/     styles, symbols, segments
keys/        the table of keys
terminal/    signals, input and output of the terminal
"""
