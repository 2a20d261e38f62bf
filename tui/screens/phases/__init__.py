"""Phases.

phase.py         one phase
gates.py         keys of a gate
deliverables.py  its deliverables
applications.py  its applications
"""
