"""Commands that run Podium and look after its workspace.

open.py            podium open, demo
init.py            podium init
config.py          podium config
doctor.py          podium doctor
backup.py          podium backup, restore
copy.py            podium copy, migrate
run.py             podium run, commands
help.py            podium help
man.py             podium man
workspace.py       podium workspace
serve.py           podium serve
web.py             podium web
listen_options.py  options of serve and web
"""
