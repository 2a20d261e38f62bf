"""All of the user's projects at once.

portfolio.py        a timeline of projects
workload.py         the open cards of each person, by week
person_workload.py  the open cards of one person
"""
