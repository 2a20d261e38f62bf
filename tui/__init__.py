"""The terminal of Podium: what people see and the keys they press. Everything that happens is a message of the core.

bindings.py   every key, in one table: footer, help, palette and README come from it
app.py        the application: performs messages, keeps the saved state, opens screens
screens/      one screen a file, one query each
board/        the Canvas widget
widgets/      lines and panels that several screens show
dialogs/      questions to the person; each returns a value
cli/          the command line: the same messages without a screen
"""
