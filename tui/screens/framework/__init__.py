"""The frame of every screen: the bases, the controllers, the permissions and the reads.

A screen is a ``PodiumScreen`` that owns a list of controllers. A controller holds a few related actions and reads
the screen's ``Selection``.

screen.py          the base of all screens
list_screen.py     the base of screens with a list, and its records
row_cache.py       rows that are kept from one drawing to the next
page_screen.py     the base of pages about one record
controller.py      controllers, their actions, the selection, and what they know of their screen
key_dispatcher.py  from a key to its action
global_actions.py  the keys of every screen
list_actions.py    the keys that move a cursor, and those that filter
marking.py         the keys that mark cards
access.py          permissions, and the overlay that hides the data
previewer.py       the record under the cursor, read for the preview pane
open_projects.py   a project as an open view has read it
reading.py         the reads of a screen and their errors
completed_phase.py a phase that the user has completed
blocked.py         a refusal that a query has foretold
project_record.py  the project around the record of a page
dialogs.py         actions that open a dialog
long_texts.py      long texts, edited and ticked
typed_path.py      the path of a file as a person types it
"""
