"""Cards.

card.py         one card
editing.py      keys that edit a card
status.py       keys that move a card
new_card.py     adding a card
application.py  an application's key on a card
blockers.py     why a card is blocked
"""
