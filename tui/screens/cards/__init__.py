"""Cards.

card.py               the screen of a card
card_page.py          its page
own_fields.py         the form of its own fields
manage_own_fields.py  changing the own fields of a project
controller.py         the base of controllers of cards
editing.py            keys that edit cards
labels.py             keys of labels and priority
manage_labels.py      changing the labels of a project
dependencies.py       what a card waits for
texts.py              keys of the description of a card
status.py             keys that move cards
changes.py            carrying out a change on several cards
application.py        keys for the application on a card
new_card.py           adding a card
blockers.py           why a card is blocked
"""
