"""One screen per file, one query per screen, loaded when first opened.

framework/   what every screen is made of
canvas/      the Canvas
views/       Table, Timeline, Calendar, Status board, Charts; filters and presets
cards/       cards
phases/      phases, gates, deliverables
projects/    projects, hierarchy, history, import and export
products/    products and applications
templates/   templates
people/      users, members, roles, tokens
personal/    my work, inbox, search, settings
shell/       navigation, palette, help, first run, doctor
"""
