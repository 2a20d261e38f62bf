"""Faults outside Podium: killed programs, full disks, long locks, many at once. No change is lost."""
