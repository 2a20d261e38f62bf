"""Accounts of this machine that are made for a test run, and programs that work as them."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.system_programs import needs

ASKS_WHO_IT_IS = """
import http.client, json, os, socket, sys, threading
from collections import Counter
path, uid, gid, threads, times = sys.argv[1], *map(int, sys.argv[2:])
os.setgroups([])
os.setgid(gid)
os.setuid(uid)  # before anything is connected: the kernel remembers who connected

class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)

def ask(found):
    connection = Connection("podium")
    for number in range(times):
        connection.request("GET", "/v1/me", headers={"X-Forwarded-User": "maya", "X-Remote-User": "maya"})
        answer = connection.getresponse()
        said = json.load(answer)
        found.append(said["user"]["login"] if answer.status == 200 else said["errors"][0]["errorMessage"])

answers = [[] for _ in range(threads)]
running = [threading.Thread(target=ask, args=[each]) for each in answers]
for each in running: each.start()
for each in running: each.join()
print(json.dumps(Counter(name for each in answers for name in each)))
"""


class Account(NamedTuple):
    """An account of the operating system."""

    name: str
    uid: int
    gid: int

    @classmethod
    def named(cls, name: str) -> Account:
        found = pwd.getpwnam(name)
        return cls(name, found.pw_uid, found.pw_gid)

    @classmethod
    def of_this_program(cls) -> Account:
        return cls.named(pwd.getpwuid(os.geteuid()).pw_name)

    def asks_who_it_is(self, socket: Path, *, threads: int = 1, times: int = 1) -> subprocess.Popen[str]:
        """Ask the server who one is, again and again over connections that are kept, several at a time."""
        words = [str(each) for each in (socket, self.uid, self.gid, threads, times)]
        return subprocess.Popen(
            [sys.executable, "-c", ASKS_WHO_IT_IS, *words], stdout=subprocess.PIPE, text=True, cwd="/"
        )


def told(program: subprocess.Popen[str]) -> dict[str, Any]:
    """The number of answers by the login in them, printed by the program at its end."""
    out, _ = program.communicate(timeout=300)
    assert program.returncode == 0
    found: dict[str, Any] = json.loads(out)
    return found


def make_account(name: str) -> Account:
    """A new account that nobody can sign in to. Only root can make one."""
    shell = "/usr/sbin/nologin" if os.path.exists("/usr/sbin/nologin") else "/bin/false"
    subprocess.run([needs("useradd"), "--no-create-home", "--shell", shell, name], check=True, capture_output=True)
    return Account.named(name)


def remove_account(account: Account) -> None:
    """Take it away again."""
    subprocess.run([needs("userdel"), account.name], check=True, capture_output=True)
