"""Presence: the people online and their places, in memory and across the servers of one database.

presence.py  the people of this process
exchange.py  presence across the servers of one database
"""
