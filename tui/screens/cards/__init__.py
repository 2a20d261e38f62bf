"""Cards.

card.py           the screen of a card, with the keys for its application
card_page.py      its page
custom_fields.py  the custom fields of a project, and the form of their values
controller.py     the base of controllers of cards, and changing several in one step
editing.py        keys that edit cards and their description
own_comments.py   editing and deleting one's own comments
labels.py         keys of labels and priority
manage_labels.py  changing the labels of a project
dependencies.py   what a card waits for
status.py         keys that move cards
new_card.py       adding a card
blockers.py       why a card is blocked
"""
