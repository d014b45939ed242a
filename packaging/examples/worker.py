#!/usr/bin/env python3
"""A worker of Torpor in Python: it counts, and goes on counting where it left off.

Needs `varlink` from PyPI. Its worker file: [Worker] Type=app ExecStart=/path/to/worker.py
"""
import os
import sys
import threading

import varlink

SOCKET = os.environ.get("TORPOR_SOCKET")
stopped = threading.Event()
count = 0


def work():
    """What the worker is for; while it is suspended it stands still here."""
    global count
    while not stopped.wait(1):
        count += 1


def answer(torpor, callback):
    """Does what a callback asks for, and returns the answer's fields."""
    global count
    name = callback["name"]
    if name == "restoreState":
        count = callback["state"].get("count", 0)
    elif name == "saveState":
        return {"state": {"count": count}}
    elif name == "openURL":
        return {"refused": True}
    elif name == "didEnterBackground":
        # Until the task is over the worker is not suspended; say first what is to be done, then do it elsewhere.
        token = torpor.BeginBackgroundTask("flush")["token"]
        threading.Thread(target=flush, args=(token,)).start()
    return {}


def flush(token):
    print("flushed at", count, flush=True)
    with open_torpor() as torpor:
        torpor.EndBackgroundTask(token)


def open_torpor():
    """A connection of its own: one that waits for callbacks takes no other call."""
    return varlink.Client("unix:" + SOCKET).open("io.torpor.Worker")


def serve():
    with open_torpor() as attached, open_torpor() as torpor:
        for reply in attached.Attach(_more=True):
            callback = reply.get("callback")
            if not callback:
                continue  # The first reply: how we stand.
            if callback["name"] == "willTerminate":
                return stopped.set()  # Our exit is the answer.
            torpor.Complete(id=callback["id"], **answer(torpor, callback))


def main():
    threading.Thread(target=work, daemon=True).start()
    while SOCKET and not stopped.is_set():
        try:
            serve()
        except (OSError, varlink.VarlinkError) as error:
            print("the supervisor is away:", error, flush=True)
            stopped.wait(1)
    stopped.wait()  # Without a supervisor: just work.


if __name__ == "__main__":
    sys.exit(main())
