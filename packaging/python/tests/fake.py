"""A supervisor for one worker, on a real socket, that does what a test says and notes what it hears."""

from __future__ import annotations

import json
import os
import queue
import shutil
import socket
import tempfile
import threading
from typing import Any

#: How long anything that a test waits for may take; it comes at once.
LIMIT = 60


class FakeSupervisor:
    def __init__(self) -> None:
        self.directory = tempfile.mkdtemp(prefix="torpor-python-")
        self.path = os.path.join(self.directory, "socket")
        self.heard: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        #: What a method answers, by its name; an exception's arguments are an error's name and parameters.
        self.answers: dict[str, Any] = {
            "GetState": {"state": "background", "sinceUsec": 5},
            "BackgroundTimeRemaining": {},
            "Post": {"sequence": 7},
            "Schedule": {"id": 3},
            "Interrupt": {"number": 9},
            "BeginTransfer": {"number": 4},
        }
        self._attached: queue.Queue[tuple[socket.socket, dict[str, Any]]] = queue.Queue()
        self._connection: socket.socket | None = None
        self._connections: list[socket.socket] = []
        self._tokens = 0
        self._listen()

    @property
    def environ(self) -> dict[str, str]:
        return {"TORPOR_SOCKET": self.path, "TORPOR_WORKER": "test"}

    def _listen(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        text = b""
        while chunk := self._read(connection):
            *calls, text = (text + chunk).split(b"\0")
            for each in calls:
                call = json.loads(each)
                member = call["method"].removeprefix("io.torpor.Worker.")
                self._call(connection, member, call.get("parameters", {}))
        connection.close()

    @staticmethod
    def _read(connection: socket.socket) -> bytes:
        try:
            return connection.recv(1 << 16)
        except OSError:
            return b""

    def _call(self, connection: socket.socket, member: str, parameters: dict[str, Any]) -> None:
        answer = self.answers.get(member, {})
        if member == "BeginBackgroundTask" and not isinstance(answer, Exception):
            self._tokens += 1
            answer = {"token": self._tokens}
        if isinstance(answer, Exception):
            error, details = answer.args
            del self.answers[member]
            self._send(connection, {"error": f"io.torpor.Worker.{error}", "parameters": details})
        elif member == "Attach":
            self._send(connection, {"parameters": {"standing": {"worker": "test"}}, "continues": True})
            self._attached.put((connection, parameters))
        else:
            self._send(connection, {"parameters": answer})
        if member != "Attach":
            self.heard.put((member, parameters))

    @staticmethod
    def _send(connection: socket.socket, message: dict[str, Any]) -> None:
        try:
            connection.sendall(json.dumps(message).encode() + b"\0")
        except OSError:
            pass

    def attached(self) -> list[str]:
        """Waits for the worker to attach, and returns the callbacks that it wants."""
        self._connection, parameters = self._attached.get(timeout=LIMIT)
        wanted: list[str] = parameters["callbacks"]
        return wanted

    def deliver(self, identifier: int, name: str, **contents: Any) -> None:
        assert self._connection is not None
        self._send(
            self._connection,
            {"parameters": {"callback": {"id": identifier, "name": name, **contents}}, "continues": True},
        )

    def ask(self, number: int, kind: str) -> None:
        assert self._connection is not None
        question = {"number": number, "type": kind, "timeLimitUsec": 30_000_000}
        self._send(self._connection, {"parameters": {"question": question}, "continues": True})

    def hear(self) -> tuple[str, dict[str, Any]]:
        """The next call."""
        return self.heard.get(timeout=LIMIT)

    def drop(self) -> None:
        """Closes every connection, and listens on, as a supervisor that was started again."""
        connections, self._connections = self._connections, []
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()
        shutil.rmtree(self.directory, ignore_errors=True)
