"""One screen per file, one query per screen, loaded when first opened.

The list is also the order of imports; shell/ alone knows every screen, and opens the one of a destination.

shell/       navigation, palette, help, first run, doctor
canvas/      the Canvas
views/       Table, Timeline, Calendar, Status board, Charts; filters and presets
portfolio/   a timeline of projects; workload
personal/    my work, inbox, search, settings
people/      users, members, roles, tokens
templates/   templates
projects/    projects, hierarchy, history, import and export
cards/       cards
phases/      phases, gates, deliverables
products/    products and applications
previews/    the words of the preview pane
framework/   what every screen is made of
"""
