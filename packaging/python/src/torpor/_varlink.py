"""One connection to a Varlink service: JSON objects, each ended by a NUL (https://varlink.org)."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]


class TorporError(Exception):
    """An error in communication with the supervisor."""


class ConnectionLost(TorporError):
    """The supervisor cannot be reached, or closed the connection before it answered."""


class MethodError(TorporError):
    """The supervisor answered an error.

    `error` is its full name, such as `io.torpor.Worker.NotNow`, `name` the last part of that, and `parameters` what it says besides.
    """

    def __init__(self, error: str, parameters: Object) -> None:
        self.error = error
        self.name = error.rpartition(".")[2]
        self.parameters = parameters
        details = ", ".join(f"{key}: {value}" for key, value in parameters.items())
        super().__init__(f"{self.name} ({details})" if details else self.name)


def connect(path: str, timeout: float | None = None) -> socket.socket:
    """A connection to the socket at `path`, or at `@` and an abstract name."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect("\0" + path[1:] if path.startswith("@") else path)
    except OSError as error:
        connection.close()
        raise ConnectionLost(f"no supervisor listens at {path}: {error.strerror or error}") from error
    return connection


class Connection:
    """Calls and their answers, in order; for one thread at a time."""

    # An answer is as large as the state of a worker may be, and not much larger.
    _largest = 64 << 20

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._input = bytearray()
        self._searched = 0

    def close(self) -> None:
        self._socket.close()

    def interrupt(self) -> None:
        """Has a call that waits on another thread fail with `ConnectionLost`."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # It is over already.

    def call(self, method: str, parameters: Object) -> Object:
        """Calls a method, and returns the parameters of its answer."""
        self._send({"method": method, "parameters": parameters})
        return self._receive()[0]

    def oneway(self, method: str, parameters: Object) -> None:
        """Calls a method that is not to be answered."""
        self._send({"method": method, "parameters": parameters, "oneway": True})

    def more(self, method: str, parameters: Object) -> Iterator[Object]:
        """Calls a method for as many answers as there are; the connection serves no other call until the last one."""
        self._send({"method": method, "parameters": parameters, "more": True})
        while True:
            answer, continues = self._receive()
            yield answer
            if not continues:
                return

    def timeout(self, seconds: float | None) -> None:
        """How long sending or waiting for an answer may take from now on; then TimeoutError is raised."""
        self._socket.settimeout(seconds)

    def _send(self, message: Object) -> None:
        data = json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\0"
        try:
            self._socket.sendall(data)
        except TimeoutError:
            raise
        except OSError as error:
            # What the supervisor said before it went says why.
            try:
                self._receive()
            except MethodError:
                raise
            except (TorporError, OSError):
                pass
            raise ConnectionLost("the supervisor closed the connection") from error

    def _receive(self) -> tuple[Object, bool]:
        while (end := self._input.find(0, self._searched)) < 0:
            self._searched = len(self._input)
            if self._searched > self._largest:
                raise ConnectionLost("an answer is too long")
            try:
                chunk = self._socket.recv(1 << 16)
            except TimeoutError:
                raise
            except OSError as error:
                raise ConnectionLost(f"the connection failed: {error.strerror or error}") from error
            if not chunk:
                raise ConnectionLost("the supervisor closed the connection")
            self._input += chunk
        data = bytes(self._input[:end])
        del self._input[: end + 1]
        self._searched = 0
        try:
            answer = json.loads(data)
        except ValueError as error:
            raise ConnectionLost("the peer is not a supervisor: its answer is not JSON") from error
        if not isinstance(answer, dict) or not isinstance(answer.get("parameters", {}), dict):
            raise ConnectionLost("the peer is not a supervisor: its answer is not an object")
        if "error" in answer:
            raise MethodError(str(answer["error"]), answer.get("parameters", {}))
        return answer.get("parameters", {}), answer.get("continues") is True
