"""Modal screens that ask the user a question and are dismissed with the answer.

dialog.py           the base of all dialogs: title, message line, key hints; the frame
host.py             the app's interface for dialogs
form.py             a form that stays open until its answer is accepted
adding.py           the form for new cards, which can stay open, and a pasted list of titles
confirm.py          yes or no
consent.py          consent to the end of an approval
conflict.py         two versions of a record
conflict_choice.py  the answers to a version conflict
diff.py             the differences of two workflows
blockers.py         blockers of an action, as a jump list
waits_for.py        the cards that a card waits for
launch_context.py   the context of a launch
labels.py           the labels and the priority of cards
link.py             a link that cannot be opened here
progress.py         progress of a long command
text.py             a text to read
drafts.py           what was typed into a form that closed without the user
fields/             the fields of a form and their controls
menus/              choices from a list
"""
