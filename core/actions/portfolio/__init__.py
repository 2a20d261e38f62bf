"""Messages over all of the user's projects at once: only those that the user can see count, in numbers too.

my_projects.py  the projects that a message of the portfolio is about
timeline.py     the phases of the projects over time
workload.py     the open cards of each person, by week
"""
