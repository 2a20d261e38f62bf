"""An import into an existing project: what a file adds to it and changes in it.

plan.py       the plan for people
here.py       the project as it is
people.py     the people of the file, here
matching.py   the cards of the file, each with its card here, and what differs
settling.py   the statuses that the cards can have
carry_out.py  carries out a plan
"""
