"""A terminal product: ``terminal.py FILE DEED …`` notes in FILE what it sees, then does one thing after another."""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
import threading
import time
import tty
from pathlib import Path


def note(file: Path, **more: object) -> None:
    """Write down arguments, environment, folder, and who has the terminal."""
    noted = {
        "argv": sys.argv[1:],
        "environ": dict(os.environ),
        "folder": os.getcwd(),
        "alone_in_front": os.tcgetpgrp(0) == os.getpid() == os.getpgrp(),
        "interrupts": signal.getsignal(signal.SIGINT) is not signal.SIG_IGN,
        "pid": os.getpid(),
    }
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(noted | more))
    fresh.rename(file)


def litter() -> None:
    """Leave the terminal in the worst of modes, and without echo."""
    tty.setraw(0)
    os.set_blocking(0, False)
    modes = "".join(f"\x1b[?{mode}h" for mode in (1049, 1000, 1003, 1006, 2004, 1004, 1, 5, 6))
    os.write(1, f"{modes}\x1b[?25l\x1b[?7l\x1b[3;5r\x1b[4h\x1b=\x1b[1;31;45m\x1b(0garbage\x1b]0;half a title".encode())


def stop() -> None:
    """Stop as an editor does on ctrl+z."""
    os.kill(0, signal.SIGTSTP)


def ignore_interrupts() -> None:
    """Answer ctrl+c with a word, also one pressed between a prompt and its reading, which a handler would sleep on."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    ends = threading.Event()

    def answer() -> None:
        while signal.sigwait({signal.SIGINT}) and not ends.is_set():
            print("interrupted", flush=True)

    def end() -> None:
        """End the thread: Python can crash when it exits while a thread is in ``sigwait``."""
        ends.set()
        os.kill(os.getpid(), signal.SIGINT)
        thread.join()

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    atexit.register(end)


def main() -> int:
    file, *steps = sys.argv[1:]
    path = Path(file)
    note(path)
    for step in steps:
        print(f"doing {step}", flush=True)
        if step == "litter":
            litter()
        elif step == "stop":
            stop()
        elif step == "ask":
            note(path, answer=input("name? "))
        elif step == "ignore":
            ignore_interrupts()
        elif step == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        elif step == "wait":
            while True:
                time.sleep(0.05)
        elif step == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        else:
            return int(step)
    return 0


if __name__ == "__main__":
    sys.exit(main())
