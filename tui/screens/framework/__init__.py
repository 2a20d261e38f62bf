"""What every screen is made of.

screen.py         the base of all screens
access_guard.py   hides data that may not be seen
view_as.py        permissions and role, also as a Viewer
dialogs.py        actions that open a dialog
list_screen.py    a screen with a list
page_screen.py    a screen with a page
detail_screen.py  the page of one record
cursor_keys.py    cursor keys
marking.py        marking several rows
"""
