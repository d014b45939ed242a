#!/usr/bin/env python3
"""A worker that counts, and continues where it left off; requires packaging/python (`pip install ./packaging/python`)."""
import threading

import torpor

worker = torpor.Worker()
stopped = threading.Event()
count = 0


@worker.on("restoreState")
def restore(callback):
    global count
    count = callback.state["count"]
    print("restored", count, flush=True)


@worker.on("didEnterBackground")
def leave(callback):
    print("background", count, flush=True)


@worker.on("saveState")
def save(callback):
    print("saved", count, flush=True)
    return {"count": count}


@worker.on("willEnterForeground")
def enter(callback):
    print("foreground", count, flush=True)


@worker.on("didReceiveNotifications")
def hear(callback):
    for notification in callback.notifications:
        print("heard", notification.topic, notification.payload, "of", notification.count, flush=True)


def work():
    """The work itself; it pauses here while the worker is suspended."""
    global count
    while not stopped.wait(0.1):
        count += 1
        if count % 10 == 0:
            # For an end without any warning: what is saved at each change of state is handed back once.
            worker.save_state({"count": count})
            print("checkpoint", count, flush=True)


if __name__ == "__main__":
    threading.Thread(target=work, daemon=True).start()
    worker.run()  # Returns after willTerminate.
    stopped.set()
