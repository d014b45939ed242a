#!/usr/bin/env python3
"""A Torpor worker in Python: it counts, and continues where it left off.

Requires `varlink` from PyPI. Its worker file: [Worker] Type=app ExecStart=/path/to/worker.py
"""
import os
import sys
import threading

import varlink

SOCKET = os.environ.get("TORPOR_SOCKET")
stopped = threading.Event()
count = 0


def work():
    """The work itself; it pauses here while the worker is suspended."""
    global count
    while not stopped.wait(1):
        count += 1


def answer(torpor, callback):
    """Handles a callback and returns the fields of the reply."""
    global count
    name = callback["name"]
    if name == "restoreState":
        count = callback["state"].get("count", 0)
    elif name == "saveState":
        return {"state": {"count": count}}
    elif name == "openURL":
        return {"refused": True}
    elif name == "didEnterBackground":
        # The worker is not suspended until the task has ended; begin the task first, then work in another thread.
        token = torpor.BeginBackgroundTask("flush")["token"]
        threading.Thread(target=flush, args=(token,)).start()
    return {}


def flush(token):
    print("flushed at", count, flush=True)
    with open_torpor() as torpor:
        torpor.EndBackgroundTask(token)


def open_torpor():
    """A separate connection: one that waits for callbacks accepts no other call."""
    return varlink.Client("unix:" + SOCKET).open("io.torpor.Worker")


def serve():
    with open_torpor() as attached, open_torpor() as torpor:
        for reply in attached.Attach(_more=True):
            callback = reply.get("callback")
            if not callback:
                continue  # The first reply: the current state.
            if callback["name"] == "willTerminate":
                return stopped.set()  # The exit is the reply.
            torpor.Complete(id=callback["id"], **answer(torpor, callback))


def main():
    threading.Thread(target=work, daemon=True).start()
    while SOCKET and not stopped.is_set():
        try:
            serve()
        except (OSError, varlink.VarlinkError) as error:
            print("supervisor not available:", error, flush=True)
            stopped.wait(1)
    stopped.wait()  # Without a supervisor: only work.


if __name__ == "__main__":
    sys.exit(main())
