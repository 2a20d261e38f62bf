"""What goes wrong outside of Podium: killed programs, full disks, long locks, many at once. Nothing may be lost."""
