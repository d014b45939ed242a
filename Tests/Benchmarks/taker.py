"""A worker that says when a flush has reached it: its length and the time, on an abstract socket."""
import os
import socket
import time


def connected():
    path = os.environ["TORPOR_SOCKET"]
    end = socket.socket(socket.AF_UNIX)
    end.connect("\0" + path[1:] if path.startswith("@") else path)
    return end


callbacks, answers = connected(), connected()
reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
reports.connect("\0" + os.environ["BENCH_SOCKET"][1:])
callbacks.sendall(b'{"method":"io.torpor.Worker.Attach","parameters":{},"more":true}\0')
rest = b""
while True:
    while b"\0" not in rest:
        received = callbacks.recv(1 << 20)
        if not received:
            raise SystemExit
        rest += received
    seen = time.monotonic_ns()
    message, rest = rest.split(b"\0", 1)
    if b'"callback"' not in message:
        continue
    if b'"notifications"' in message:
        reports.send(b"%d %d" % (message.count(b'"sequence"'), seen))
    number = message.split(b'"id":', 1)[1].split(b",", 1)[0].split(b"}", 1)[0]
    answers.sendall(b'{"method":"io.torpor.Worker.Complete","parameters":{"id":' + number + b"}}\0")
    answers.recv(1 << 16)
