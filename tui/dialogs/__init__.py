"""Modal screens that ask the user something and are dismissed with a value.

dialog.py          the panel: title, message line, key hints
host.py            the application as a dialog knows it
frame.py           the frame of every modal screen
form.py            a form that stays open until its answer is accepted
form_fields.py     what a form asks for
inputs.py          the input of each kind of field
mention_input.py   a text area with @mentions
picker.py          one or several from a list, with a filter
presets.py         the menu of view presets
confirm.py         yes or no
conflict.py        two versions of a record
conflict_choice.py what becomes of a change that came too late
diff.py            what differs between two workflows
blockers.py        what blocks an action, as a jump list
key_menu.py        a menu of single letters
launch_context.py  the context of a launch
link.py            a link that cannot be opened here
progress.py        progress of a long command
text.py            a text to read
"""
